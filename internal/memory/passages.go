package memory

import (
	"errors"
	"strings"

	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
)

// A query that returns messages begins with saidBegins and ends with saidEnds: it gives their number and one text,
// as single columns take several times as long to read. Of each message come numbers, and how
// many bytes each of the texts has, with commas between; a colon; and the texts.
const (
	saidBegins = `SELECT count(*), coalesce(string_agg(said, ''), '') FROM (SELECT
		concat_ws(',', m.id, CASE m.role WHEN 'assistant' THEN 1 ELSE 0 END, m.via,
		octet_length(m.platform), octet_length(m.channel), octet_length(m.thread), octet_length(m.name), octet_length(m.message_id),
		octet_length(m.content), octet_length(m.at), octet_length(m.user_id), octet_length(m.people), ':')
		|| concat(m.platform, m.channel, m.thread, m.name, m.message_id, m.content, m.at, m.user_id, m.people) AS said`
	saidEnds = `) found`
)

var errSaid = errors.New("a list of messages cannot be read")

// passages returns the messages of a query with saidBegins and saidEnds.
func (s *Store) passages(query string, args engine.Named) (found []Passage, err error) {
	var n int
	var all string
	if err := s.db.QueryRow(query, args).Scan(&n, &all); err != nil {
		return nil, err
	}
	found = make([]Passage, n)
	for i := range found {
		if all, err = found[i].read(all); err != nil {
			return nil, err
		}
	}
	if all != "" {
		return nil, errSaid
	}
	return found, nil
}

// read reads the first of the messages in such a text; rest are the others.
func (p *Passage) read(all string) (rest string, err error) {
	var at, people string
	texts := [...]*string{&p.Key.Platform, &p.Key.Channel, &p.Key.Thread, &p.name, &p.MessageID, &p.content, &at, &p.User, &people}
	var numbers [3 + len(texts)]int64
	for i := range numbers {
		if numbers[i], all, err = leading(all); err != nil {
			return "", err
		}
	}
	all = strings.TrimPrefix(all, ":")
	for i, text := range texts {
		n := numbers[3+i]
		if n > int64(len(all)) {
			return "", errSaid
		}
		*text, all = all[:n], all[n:]
	}
	p.Kind, p.ID, p.Bot, p.Origin.Via, p.At = "message", numbers[0], numbers[1] == 1, provenance.Via(numbers[2]), engine.ParseStamp(at)
	if people != "" {
		err = (*names)(&p.Origin.People).Scan(people)
	}
	return all, err
}

// leading reads the number before the first comma of a text, which no sign stands before;
// rest is behind the comma.
func leading(all string) (n int64, rest string, err error) {
	i := 0
	for ; i < len(all) && '0' <= all[i] && all[i] <= '9' && n >= 0; i++ {
		n = 10*n + int64(all[i]-'0')
	}
	if i == 0 || n < 0 || i == len(all) || all[i] != ',' {
		return 0, "", errSaid
	}
	return n, all[i+1:], nil
}

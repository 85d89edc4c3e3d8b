package memory

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/internal/recall"
	"parley/internal/sqlite"
)

// Bounds of one look into the index.
const (
	maxNames       = 200  // people whose names are told from other words
	maxHits        = 1000 // messages that hold a word, the latest
	maxSynonyms    = 32   // synonyms
	maxSynonymHits = 300  // messages that hold one of them
)

// namesQuery finds what those are called who spoke in the places that are
// visible.
const namesQuery = `SELECT o.user_id, coalesce((SELECT name FROM messages WHERE user_id = o.user_id AND role = 'user' ORDER BY id DESC LIMIT 1), '')
	FROM (SELECT DISTINCT o.user_id FROM participants o
		WHERE (:channel = '' OR o.platform = :platform AND o.channel = :channel AND o.thread IN (:thread, ''))
		AND (:channel <> '' OR EXISTS (SELECT 1 FROM participants p WHERE p.user_id = :user
			AND p.platform = o.platform AND p.channel = o.channel AND p.thread = o.thread))
	LIMIT :limit) o`

// hitsQuery lists the messages that hold each of a JSON list of words, up to a
// limit: one row a word, ids with commas between, the latest first.
const hitsQuery = `SELECT coalesce((SELECT group_concat(rowid) FROM (
		SELECT rowid FROM messages_fts WHERE messages_fts MATCH '"' || value || '"' ORDER BY rowid DESC LIMIT :limit)), ''),
	(SELECT max(id) FROM messages) FROM json_each(:words)`

// candidates are all messages the asker may see, or if those are too many what
// was said around the ones that the index names: an answer often shares no word
// with the question it answers.
func (s *Store) candidates(q Query, words []string) ([]Passage, error) {
	var n int
	if err := s.db.QueryRow(countQuery, q.scope().With(sqlite.Named{"limit": maxWhole + 1})).Scan(&n); err != nil {
		return nil, err
	}
	if n <= maxWhole {
		return s.passages(wholeQuery, q.scope().With(sqlite.Named{"limit": maxWhole}))
	}
	spans, named, err := s.spans(q, words)
	if err != nil {
		return nil, err
	}
	around := func(people string, limit int) ([]Passage, error) {
		return s.passages(aroundQuery, q.scope().With(sqlite.Named{"ids": spans, "people": people, "limit": limit, "reach": maxReach}))
	}
	if named == "" {
		return around("", maxSpans+maxNamed)
	}
	found, err := around("", maxSpans)
	if err != nil {
		return nil, err
	}
	more, err := around(named, maxNamed)
	return append(found, more...), err
}

// scope are the parameters of visible, and of whatever keeps to it.
func (q Query) scope() sqlite.Named {
	since := ""
	if q.Key.Channel == "" {
		since = Stamp(q.now.Add(-attested))
	}
	return sqlite.Named{"user": q.User, "platform": q.Key.Platform, "channel": q.Key.Channel, "thread": q.Key.Thread, "since": since}
}

// spans are the ids of the messages that, with their neighbors, say the most of
// the question's words, the best first, and whom the question names, both as JSON
// lists; "" is nobody. Some messages may not be visible.
func (s *Store) spans(q Query, words []string) (ids, people string, err error) {
	names, err := s.names(q)
	if err != nil {
		return "", "", err
	}
	var named, rest []string
	for _, w := range words {
		if who, ok := names[w]; ok {
			named = append(named, who...)
		} else {
			rest = append(rest, w)
		}
	}
	if len(rest) == 0 {
		rest = words
	}
	hits, err := s.hits(rest)
	if err != nil {
		return "", "", err
	}
	list, err := json.Marshal(recall.Spans(hits, len(rest)))
	if err != nil {
		return "", "", err
	}
	if len(named) == 0 {
		return string(list), "", nil
	}
	who, err := json.Marshal(named)
	return string(list), string(who), err
}

// names are the words of the names of those who spoke where the asker may see
// it, with their ids: said, they are greetings.
func (s *Store) names(q Query) (map[string][]string, error) {
	rows, err := s.db.Query(namesQuery, q.scope().With(sqlite.Named{"limit": maxNames}))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	names := map[string][]string{}
	for rows.Next() {
		var id, name string
		if err := rows.Scan(&id, &name); err != nil {
			return nil, err
		}
		for n := range strings.FieldsSeq(strings.ToLower(name)) {
			names[n] = append(names[n], id)
		}
	}
	return names, rows.Err()
}

// hits are what the index names for some words and their synonyms, by id.
func (s *Store) hits(words []string) ([]recall.Hit, error) {
	var alike []string
	var own, of []recall.Hit
	for i, w := range words {
		own = append(own, recall.Hit{Word: i, Weight: 1})
		for _, other := range recall.Synonyms(w) {
			alike, of = append(alike, other), append(of, recall.Hit{Word: i, Weight: recall.SynonymWorth})
		}
	}
	n := min(len(alike), maxSynonyms)
	near, err := s.holding(alike[:n], of, maxSynonymHits)
	if err != nil {
		return nil, err
	}
	hits, err := s.holding(words, own, maxHits)
	if err != nil {
		return nil, err
	}
	hits = append(hits, near...)
	slices.SortFunc(hits, func(a, b recall.Hit) int { return cmp.Compare(a.ID, b.ID) })
	return hits, nil
}

// holding are the messages that hold one of some words; of says for each word
// which of the question's it stands for, and how much.
func (s *Store) holding(words []string, of []recall.Hit, limit int) ([]recall.Hit, error) {
	if len(words) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(words)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.Query(hitsQuery, sqlite.Named{"words": string(list), "limit": limit})
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var hits []recall.Hit
	for i := 0; rows.Next(); i++ {
		var ids string
		var all float64
		if err := rows.Scan(&ids, &all); err != nil {
			return nil, err
		}
		weight := of[i].Weight * math.Log(1+all/float64(1+strings.Count(ids, ",")))
		for id := range strings.SplitSeq(ids, ",") {
			if n, err := strconv.ParseInt(id, 10, 64); err == nil { // no id, no message
				hits = append(hits, recall.Hit{ID: n, Word: of[i].Word, Weight: weight})
			}
		}
	}
	return hits, rows.Err()
}

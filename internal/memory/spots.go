package memory

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Bounds of one look into the index.
const (
	maxNames   = 200  // people whose names are told from other words
	maxHits    = 1000 // messages that hold a word, the latest
	maxKin     = 32   // related words
	maxKinHits = 300  // messages that hold one of them
	maxTried   = 4000 // messages named, seen or not
	reach      = 2    // ids that a message's neighbours are away, if nobody else wrote
)

// namesQuery finds what those are called who spoke in the places that are
// visible.
const namesQuery = `SELECT o.user_id, coalesce((SELECT name FROM messages WHERE user_id = o.user_id AND role = 'user' ORDER BY id DESC LIMIT 1), '')
	FROM (SELECT DISTINCT o.user_id FROM participants o WHERE ?1 = ''
		AND (?3 = '' OR o.platform = ?2 AND o.channel = ?3 AND o.thread IN (?4, ''))
		AND (?3 <> '' OR EXISTS (SELECT 1 FROM participants p WHERE p.user_id = ?5
			AND p.platform = o.platform AND p.channel = o.channel AND p.thread = o.thread))
	LIMIT ?6) o`

// hitsQuery lists the messages that hold each of a JSON list of words, up to a
// limit: one row a word, ids with commas between, the latest first.
const hitsQuery = `SELECT coalesce((SELECT group_concat(rowid) FROM (
		SELECT rowid FROM messages_fts WHERE messages_fts MATCH '"' || value || '"' ORDER BY rowid DESC LIMIT ?2)), ''),
	(SELECT max(id) FROM messages) FROM json_each(?1)`

// hit is a message that the index names for a word of the question.
type hit struct {
	id     int64
	word   int
	weight float64
}

// spots are the ids of the messages that, with their neighbours, say the most of
// the question's words, the best first, and whom the question names, both as JSON
// lists; "" is nobody. Some messages may not be visible.
func (s *Store) spots(q Query, words []string) (ids, people string, err error) {
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
	list, err := json.Marshal(densest(hits, len(rest)))
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
	rows, err := s.db.Query(namesQuery, q.args("", maxNames)...)
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

// hits are what the index names for some words and those related to them, by id.
func (s *Store) hits(words []string) ([]hit, error) {
	var kin []string
	var own, of []share
	for i, w := range words {
		own = append(own, share{i, 1})
		for _, k := range related(w) {
			kin, of = append(kin, k), append(of, share{i, kinship})
		}
	}
	n := min(len(kin), maxKin)
	near, err := s.holding(kin[:n], of, maxKinHits)
	if err != nil {
		return nil, err
	}
	hits, err := s.holding(words, own, maxHits)
	if err != nil {
		return nil, err
	}
	hits = append(hits, near...)
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(a.id, b.id) })
	return hits, nil
}

// holding are the messages that hold one of some words, which stand for others.
func (s *Store) holding(words []string, of []share, limit int) ([]hit, error) {
	if len(words) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(words)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.Query(hitsQuery, string(list), limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var hits []hit
	for i := 0; rows.Next(); i++ {
		var ids string
		var all float64
		if err := rows.Scan(&ids, &all); err != nil {
			return nil, err
		}
		weight := of[i].share * math.Log(1+all/float64(1+strings.Count(ids, ",")))
		for id := range strings.SplitSeq(ids, ",") {
			if n, err := strconv.ParseInt(id, 10, 64); err == nil { // no id, no message
				hits = append(hits, hit{n, of[i].word, weight})
			}
		}
	}
	return hits, rows.Err()
}

// spot is a message around which something is said.
type spot struct {
	id    int64
	score float64
}

// densest are the messages around which the most is said, the best first, none
// beside a better one.
func densest(hits []hit, words int) []int64 {
	all := scored(hits, words)
	var tops []spot
	for i, s := range all {
		top := true
		for j := i - 1; top && j >= 0 && all[j].id >= s.id-reach; j-- {
			top = all[j].score < s.score
		}
		for j := i + 1; top && j < len(all) && all[j].id <= s.id+reach; j++ {
			top = all[j].score <= s.score
		}
		if top {
			tops = append(tops, s)
		}
	}
	slices.SortFunc(tops, func(a, b spot) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	ids := []int64{}
	for _, s := range tops[:min(len(tops), maxTried)] {
		ids = append(ids, s.id)
	}
	return ids
}

// scored is what is said around each message that is hit, by id: of each word
// where it counts most.
func scored(hits []hit, words int) []spot {
	var all []spot
	best := make([]float64, words)
	for i, from := 0, 0; i < len(hits); i++ {
		at := hits[i].id
		if i > 0 && at == hits[i-1].id {
			continue
		}
		for hits[from].id < at-reach {
			from++
		}
		clear(best)
		for _, h := range hits[from:] {
			if h.id > at+reach {
				break
			}
			if h.id != at {
				h.weight /= 2
			}
			best[h.word] = max(best[h.word], h.weight)
		}
		sum := 0.0
		for _, b := range best {
			sum += b
		}
		all = append(all, spot{at, sum})
	}
	return all
}

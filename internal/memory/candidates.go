package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"parley/internal/db/engine"
	"parley/internal/llm/vector"
	"parley/internal/memory/access"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/ranking"
)

// Bounds of one look into the index.
const (
	maxNames  = 200   // people whose names are told from other words
	maxPlaces = 1_000 // places that are looked through, where the asker spoke last
	maxWords  = 128   // of a question that are looked up, most of them its last

	maxAlike = 200 // messages that are compared with what is meant, those that look nearest
	maxNear  = 40  // that are nearest

	few      = 3  // times as many as are wanted are looked at first
	fewNamed = 10 // of those whom the question names
)

// placesQuery lists the places that are visible, and where the agent was talked to,
// those first where the asker spoke last.
const placesQuery = `SELECT n FROM (
		SELECT :platform AS platform, :channel AS channel, :thread AS thread, 0 AS last_id WHERE :channel <> ''
		UNION SELECT :platform, :channel, '', 0 WHERE :channel <> ''
		UNION ALL SELECT platform, channel, thread, last_id FROM participants WHERE user_id = :user AND :channel = '') p
	JOIN places USING (platform, channel, thread)
	WHERE EXISTS (SELECT 1 FROM sessions s WHERE s.platform = p.platform AND s.channel = p.channel AND s.thread = p.thread AND ` + provenance.Heard + `)
	ORDER BY last_id DESC LIMIT :limit`

// namesQuery finds what those are called who spoke in the places that are
// visible.
const namesQuery = `SELECT o.user_id, coalesce((SELECT name FROM messages WHERE user_id = o.user_id AND role = 'user' ORDER BY id DESC LIMIT 1), '')
	FROM (SELECT DISTINCT n.user_id FROM (SELECT :platform AS platform, :channel AS channel, :thread AS thread WHERE :channel <> ''
			UNION SELECT :platform, :channel, '' WHERE :channel <> ''
			UNION ALL SELECT platform, channel, thread FROM participants WHERE user_id = :user AND :channel = '') place
		CROSS JOIN participants n ON n.platform = place.platform AND n.channel = place.channel AND n.thread = place.thread
	LIMIT :limit) o`

// candidates returns all messages the asker may see, or if those are too many what
// was said around the ones that the index names: an answer often shares no word
// with the question it answers. It reports whether they were chosen.
func (s *Store) candidates(ctx context.Context, q Query, meant vector.Vector) (found []Passage, chosen bool, err error) {
	var n int
	if err := s.db.QueryRow(countQuery, q.scope().With(engine.Named{"limit": maxWhole + 1})).Scan(&n); err != nil {
		return nil, false, err
	}
	if n <= maxWhole {
		found, err = s.passages(wholeQuery, q.scope().With(engine.Named{"limit": maxWhole}))
		return found, false, err
	}
	places, err := s.places(q)
	if err = errors.Join(err, s.db.Settle(ctx)); err != nil {
		return nil, false, err
	}
	spans, named, err := s.spans(q, places)
	if err != nil {
		return nil, false, err
	}
	near, err := s.nearest(meant, places)
	if err != nil {
		return nil, false, err
	}
	around := func(ids []int64, people []string, limit int) {
		if err == nil {
			var more []Passage
			more, err = s.around(q, ids, people, limit)
			found = append(found, more...)
		}
	}
	around(near, nil, maxNear)
	if len(named) == 0 {
		around(spans, nil, maxSpans+maxNamed)
	} else {
		around(spans, nil, maxSpans)
		around(spans, named, maxNamed)
	}
	return found, true, err
}

// around returns what was said around the first messages of a list that are visible, and
// said by one of some people unless there are none. Most often the beginning of the list has
// enough of them, and a long one takes longer than all the rest.
func (s *Store) around(q Query, ids []int64, people []string, limit int) ([]Passage, error) {
	by := ""
	tried := few * limit
	if len(people) > 0 {
		list, err := json.Marshal(people)
		if err != nil {
			return nil, err
		}
		by, tried = string(list), fewNamed*limit
	}
	for len(ids) > 0 {
		first := ids[:min(tried, len(ids))]
		list, err := json.Marshal(append([]int64{}, first...))
		if err != nil {
			return nil, err
		}
		found, err := s.passages(s.db.Either(aroundQuery, aroundServer),
			q.scope().With(engine.Named{"ids": string(list), "people": by, "limit": limit, "reach": maxReach}))
		if err != nil || len(first) == len(ids) || amid(found, first, people) >= limit {
			return found, err
		}
		tried = len(ids)
	}
	return nil, nil
}

// amid counts those of some messages that were found and, unless there are none, said by one
// of some people.
func amid(found []Passage, ids []int64, people []string) (n int) {
	asked := make(map[int64]bool, len(ids))
	for _, id := range ids {
		asked[id] = true
	}
	for _, p := range found {
		if asked[p.ID] && (len(people) == 0 || slices.Contains(people, p.User)) {
			n++
		}
	}
	return n
}

// nearest are the messages of some places that are nearest to what is meant, the
// nearest first; some may not be visible.
func (s *Store) nearest(meant vector.Vector, places []int64) ([]int64, error) {
	near, err := s.meanings.Near(meant, places, maxAlike)
	return slices.SortedFunc(maps.Keys(near), func(a, b int64) int {
		return cmp.Or(cmp.Compare(near[b], near[a]), cmp.Compare(b, a))
	}), err
}

// places returns the numbers of the visible places, at most maxPlaces.
func (s *Store) places(q Query) ([]int64, error) {
	return engine.Select(s.db, engine.Value[int64], placesQuery, q.scope().With(engine.Named{"limit": maxPlaces}))
}

// scope returns the parameters of visible, and of whatever keeps to it.
func (q Query) scope() engine.Named {
	since := ""
	if q.Key.Channel == "" {
		since = Stamp(q.now.Add(-access.Attested))
	}
	return engine.Named{"user": q.User, "platform": q.Key.Platform, "channel": q.Key.Channel, "thread": q.Key.Thread,
		"since": since, "agent": q.Agent}
}

// spans are the ids of the messages that say the most of the question's words, the best
// first, of each question in it in turn, and whom it names. They are in the places given;
// some may not be visible themselves.
func (s *Store) spans(q Query, places []int64) (ids []int64, named []string, err error) {
	names, err := s.names(q)
	if err != nil {
		return nil, nil, err
	}
	var best [][]int64
	parts := ranking.Parts(q.Text)
	for _, part := range parts {
		who, words := divided(ranking.Terms(part), names)
		hits, err := s.hits(part, words, places, maxRead/len(parts))
		if err != nil {
			return nil, nil, err
		}
		named, best = append(named, who...), append(best, hits)
	}
	return ranking.Alternate(best), named, nil
}

// divided returns whom the words of a question name, and the words that are looked up: the
// others or, where there are none, all.
func divided(words []string, names map[string][]string) (named, rest []string) {
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
	if n := len(rest); n > maxWords { // what is asked often comes last
		rest = slices.Concat(rest[:maxWords/4], rest[n-maxWords*3/4:])
	}
	return named, rest
}

// names returns the words of the names of those who spoke where the asker may see
// it, with their ids: said, they are greetings.
func (s *Store) names(q Query) (map[string][]string, error) {
	people, err := engine.Pairs[string, string](s.db, namesQuery, q.scope().With(engine.Named{"limit": maxNames}))
	names := map[string][]string{}
	for id, name := range people {
		for n := range strings.FieldsSeq(text.Lower(name)) {
			names[n] = append(names[n], id)
		}
	}
	return names, err
}

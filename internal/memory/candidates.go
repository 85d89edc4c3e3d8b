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
func (s *Store) candidates(ctx context.Context, q Query, meant vector.Vector) (found []*Passage, chosen bool, err error) {
	var n int
	if err := s.db.QueryRow(countQuery, q.scope().With(engine.Named{"limit": maxWhole + 1})).Scan(&n); err != nil {
		return nil, false, err
	}
	if n <= maxWhole {
		whole, err := s.passages(wholeQuery, q.scope().With(engine.Named{"limit": maxWhole}))
		return pointers(nil, whole), false, err
	}
	places, err := s.places(q)
	if err = errors.Join(err, s.db.Settle(ctx)); err != nil {
		return nil, false, err
	}
	order, err := s.orders.of(s.db, places)
	if err != nil {
		return nil, false, err
	}
	spans, named, err := s.spans(q, places, order)
	if err != nil {
		return nil, false, err
	}
	near, err := s.nearest(meant, places)
	if err != nil {
		return nil, false, err
	}
	found = make([]*Passage, 0, (maxNear+maxSpans+maxNamed)*(2*maxReach+1))
	look := func(w wanted) {
		if err == nil {
			found, err = s.around(found, q, order, w)
		}
	}
	look(wanted{order.numbers(near), nil, maxNear})
	if len(named) == 0 {
		look(wanted{spans, nil, maxSpans + maxNamed})
	} else {
		look(wanted{spans, nil, maxSpans})
		look(wanted{spans, named, maxNamed})
	}
	return found, true, err
}

// wanted are the first limit messages of a list of numbers, or those said by some people.
type wanted struct {
	numbers []int64
	people  []string
	limit   int
}

// pointers adds to a list what points at each of some passages, which are large to be moved.
func pointers(list []*Passage, more []Passage) []*Passage {
	list = slices.Grow(list, len(more))
	for i := range more {
		list = append(list, &more[i])
	}
	return list
}

// around adds to a list what was said around messages that are visible, whose places' order is
// given. Most often the beginning of their numbers has enough of them, and many take longer than
// all the rest.
func (s *Store) around(list []*Passage, q Query, order *order, w wanted) ([]*Passage, error) {
	by, tried := "", few*w.limit
	if len(w.people) > 0 {
		people, err := json.Marshal(w.people)
		if err != nil {
			return nil, err
		}
		by, tried = string(people), fewNamed*w.limit
	}
	var found []Passage
	for enough := len(w.numbers) == 0; !enough; tried = len(w.numbers) {
		first := order.ids(w.numbers[:min(tried, len(w.numbers))])
		var err error
		if found, err = s.listed(q, first, by, w.limit); err != nil {
			return nil, err
		}
		enough = len(first) == len(w.numbers) || len(found) >= w.limit
	}
	if len(found) == 0 {
		return list, nil
	}
	beside := order.beside(found)
	more, err := s.listed(q, beside, "", len(beside))
	return pointers(pointers(list, found), more), err
}

// listed fetches the first messages of a list that are visible, and by some people, in JSON, if
// it is not "".
func (s *Store) listed(q Query, ids []int64, people string, limit int) ([]Passage, error) {
	list, err := json.Marshal(append([]int64{}, ids...))
	if err != nil {
		return nil, err
	}
	return s.passages(s.db.Either(saidQuery, saidServer), q.scope().With(engine.Named{"ids": string(list), "people": people, "limit": limit}))
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

// spans are the numbers of the messages that say the most of the question's words, the best
// first, of each question in it in turn, and whom it names. They are in the places given;
// some may not be visible themselves.
func (s *Store) spans(q Query, places []int64, order *order) (numbers []int64, named []string, err error) {
	names, err := s.names(q)
	if err != nil {
		return nil, nil, err
	}
	var best [][]int64
	parts := ranking.Parts(q.Text)
	for _, part := range parts {
		who, words := divided(ranking.Terms(part), names)
		f := finder{s: s, asked: ranking.Asking(part), places: places, order: order, left: maxRead / len(parts)}
		hits, err := f.hits(words)
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

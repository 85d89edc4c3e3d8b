package facts

import (
	"cmp"
	"context"
	"slices"

	"parley/internal/db/engine"
	"parley/internal/llm"
	"parley/internal/memory/facts/kinds"
	"parley/internal/text"
)

// Bounds of the facts for one message. What is shown whatever the message says has the same
// order for the next, so that a provider's cache holds.
const (
	recentFacts   = 5    // untagged facts that are always shown
	relevantFacts = 8    // further facts that match the message, even without room
	mostRelevant  = 24   // with room
	restShare     = 0.4  // of the budget, for all but the important ones
	mostRest      = 1600 // tokens of that: some 60 facts, and those that match
	matchShare    = 0.25 // of that, for those that match
	mostShown     = 500  // runes of a fact that count
	tokensBeside  = 8    // of the number and the date beside a fact
)

// Known holds the facts for one message.
type Known struct {
	Important []Fact // newest first, within the budget
	Recent    []Fact // the newest others
	Others    []Fact // more of them while there is room, whatever the message says: the weightiest first
	Relevant  []Fact // neither important nor recent, but match the message; best first, some of Others
	Cut       int    // important facts beyond the budget
}

// All returns the facts, each once: those that do not depend on the message first.
func (k Known) All() []Fact { return slices.Concat(k.Important, k.Recent, k.Others, k.Apart()) }

// Best returns the facts, each once: what matters most for the message first.
func (k Known) Best() []Fact {
	others := slices.DeleteFunc(slices.Clone(k.Others), func(f Fact) bool { return among(k.Relevant, f) })
	return slices.Concat(k.Important, k.Relevant, k.Recent, others)
}

// Apart returns the relevant facts that are not among the Others.
func (k Known) Apart() []Fact {
	return slices.DeleteFunc(slices.Clone(k.Relevant), func(f Fact) bool { return among(k.Others, f) })
}

func among(list []Fact, f Fact) bool {
	return slices.ContainsFunc(list, func(o Fact) bool { return o.ID == f.ID })
}

// tokens estimates what a fact takes in a prompt.
func (f Fact) tokens() int {
	return llm.EstimateTokens(llm.Message{Content: text.Clip(f.Content, mostShown)}) + tokensBeside
}

// FactsFor fetches the facts for a message: the important ones within budget tokens, the
// five newest others, more of those while there is room, and those that match the text by
// words, topics and, with Options.Embed, meaning. It takes one query if nothing is known,
// two if there are few facts, else at most six; with Options.Embed two more and a vector.
func (s *Store) FactsFor(ctx context.Context, v Viewer, text string, budget int) (k Known, err error) {
	all, few, err := s.few(v)
	if err != nil || few && len(all) == 0 {
		return k, engine.During("facts", err)
	}
	important, others := parted(all)
	if !few {
		if important, err = facts(s.db, v, marked, engine.Named{"limit": maxCandidates}); err != nil {
			return k, engine.During("facts", err)
		}
		if others, err = facts(s.db, v, latest, engine.Named{"limit": maxCandidates}); err != nil {
			return k, engine.During("facts", err)
		}
	}
	rest := min(int(restShare*float64(budget)), mostRest)
	for _, f := range important {
		if budget -= f.tokens(); budget < 0 {
			k.Cut++
			continue
		}
		k.Important = append(k.Important, f)
	}
	k.Recent = others[:min(len(others), recentFacts)]
	q := asked{text, kinds.Asked(text), told{}}
	k.Others = s.weightiest(v, q.told, others[len(k.Recent):], rest-int(matchShare*float64(rest))-sum(k.Recent))
	limit := mostRelevant + len(k.Important) + len(k.Recent)
	if !few {
		if all, err = s.candidates(v, q, others, limit); err != nil {
			return k, engine.During("facts", err)
		}
	}
	found, err := s.fitting(ctx, v, q, all, limit)
	k.match(found, int(matchShare*float64(rest)))
	return k, engine.During("facts", err)
}

func sum(list []Fact) (tokens int) {
	for _, f := range list {
		tokens += f.tokens()
	}
	return tokens
}

// match takes the relevant ones of the facts that were found, best first. Those that are
// shown anyway need no room.
func (k *Known) match(found []Fact, room int) {
	for _, f := range found {
		if among(k.Important, f) || among(k.Recent, f) {
			continue
		}
		if !among(k.Others, f) {
			room -= f.tokens()
		}
		if n := len(k.Relevant); n == mostRelevant || n >= relevantFacts && room < 0 {
			return
		}
		k.Relevant = append(k.Relevant, f)
	}
}

// weightiest returns the facts, newest first, that are worth their room whatever is asked:
// those about health before those about people, dates, places, work and money, and these
// before tastes and hobbies; guesses last. What is past, or came from outside and would
// make each turn as careful as that requires, is shown only to whom it matters.
func (s *Store) weightiest(v Viewer, about told, list []Fact, room int) (most []Fact) {
	vital := kinds.Of("health")
	grave := kinds.Of("family", "people", "dates", "places", "home", "work", "money", "food", "pets", "language", "school", "travel",
		"vehicle")
	now := s.o.Now()
	for _, f := range list {
		if !f.Past(now) && !f.Heard().Outside(v.User) {
			most = append(most, f)
		}
	}
	if sum(most) <= room {
		return most
	}
	weight := make(map[int64]int, len(most))
	for _, f := range most {
		switch told := about.of(f); {
		case f.Rank == Guessed:
			weight[f.ID] = 3
		case told.Kinds.And(vital).Any():
		case told.Kinds.And(grave).Any():
			weight[f.ID] = 1
		default:
			weight[f.ID] = 2
		}
	}
	slices.SortStableFunc(most, func(a, b Fact) int { return cmp.Compare(weight[a.ID], weight[b.ID]) })
	return within(most, room)
}

// within returns the facts of a list that fit some tokens, in order of the list.
func within(list []Fact, room int) (fit []Fact) {
	for _, f := range list {
		if n := f.tokens(); n <= room {
			fit, room = append(fit, f), room-n
		}
	}
	return fit
}

// mostScanned is how many of somebody's latest facts are read for their topics.
const mostScanned = 1000

// candidates returns facts of somebody with many that may match: by a word, the latest, and
// those of the topics asked.
func (s *Store) candidates(v Viewer, q asked, latestOnes []Fact, limit int) ([]Fact, error) {
	all, err := s.factsWith(v, q.text, limit)
	if err != nil {
		return nil, err
	}
	have := map[int64]bool{}
	for _, f := range all {
		have[f.ID] = true
	}
	add := func(more []Fact) {
		for _, f := range more {
			if !have[f.ID] {
				have[f.ID], all = true, append(all, f)
			}
		}
	}
	add(latestOnes)
	if !q.about.Topics.Any() {
		return all, nil
	}
	texts, err := factTexts.facts(s.db, v, newest, engine.Named{"limit": mostScanned})
	if err != nil {
		return nil, err
	}
	common := inCommon(texts, q)
	best := make([]int, 0, len(texts))
	for i, f := range texts {
		if common[i] > 0 && !have[f.ID] {
			best = append(best, i)
		}
	}
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(common[b], common[a]) })
	var ids []int64
	for _, i := range best[:min(len(best), limit)] {
		ids = append(ids, texts[i].ID)
	}
	more, err := s.byIDs(v, ids)
	add(more)
	return all, err
}

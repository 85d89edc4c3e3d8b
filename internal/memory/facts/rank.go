package facts

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/memory/facts/kinds"
	"parley/internal/text/ranking"
)

// Weights of a fact, besides those of the words that it shares with the message.
const (
	slipWeight      = 0.5 // of a word that only looks alike
	alike           = 0.6 // share of common trigrams from which on it does
	topicWeight     = 0.8 // of a topic that it shares, by how few facts have it
	kindWeight      = 0.1 // of a kind
	importantBonus  = 0.2
	recencyBonus    = 0.2
	recencyHalfLife = 30 * 24 * time.Hour
)

// asked is what facts are ranked for. The zero about leaves it at the words.
type asked struct {
	text  string
	about kinds.About
	told  told
}

// told is what facts are about, by their IDs, so that each is read once for a message.
type told map[int64]kinds.About

func (t told) of(f Fact) kinds.About {
	a, known := t[f.ID]
	if !known {
		a = kinds.Told(f.Content + " " + strings.Join(f.Tags, " "))
		t[f.ID] = a
	}
	return a
}

func (s *Store) rankFacts(list []Fact, q asked, limit int) []Fact {
	type scored struct {
		Fact
		score float64
	}
	in := map[string]int{}
	sets := make([]map[string]bool, len(list))
	for i, f := range list {
		sets[i] = ranking.Stems(f.Content + " " + strings.Join(f.Tags, " "))
		for w := range sets[i] {
			in[w]++
		}
	}
	worth := map[string]float64{} // of a stem for these words
	for _, w := range ranking.Terms(q.text) {
		st := ranking.Stem(w)
		if n := in[st]; n > 0 {
			worth[st] += math.Log(1 + float64(len(list))/float64(n))
			continue
		}
		for _, like := range lookalikes(st, in) {
			worth[like] += slipWeight
		}
	}
	var hits []scored
	common := inCommon(list, q)
	for i, f := range list {
		score := common[i]
		for st := range sets[i] {
			score += worth[st]
		}
		if score == 0 {
			continue
		}
		if f.Important {
			score += importantBonus
		}
		score += recencyBonus * math.Exp2(-float64(s.o.Now().Sub(f.Updated))/float64(recencyHalfLife))
		hits = append(hits, scored{f, score})
	}
	slices.SortStableFunc(hits, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.ID, a.ID)) })
	out := make([]Fact, 0, limit)
	for _, h := range hits[:min(len(hits), limit)] {
		out = append(out, h.Fact)
	}
	return out
}

// inCommon scores facts by the topics and kinds that they share with what is asked: the
// fewer facts have one, the more it says.
func inCommon(list []Fact, q asked) []float64 {
	scores := make([]float64, len(list))
	if !q.about.Topics.Any() {
		return scores
	}
	var topics, kindsOf [256]float64
	common := make([]kinds.About, len(list))
	for i, f := range list {
		about := q.told.of(f)
		common[i] = kinds.About{Topics: about.Topics.And(q.about.Topics), Kinds: about.Kinds.And(q.about.Kinds)}
		common[i].Topics.Each(func(n int) { topics[n]++ })
		common[i].Kinds.Each(func(n int) { kindsOf[n]++ })
	}
	for i := range list {
		common[i].Topics.Each(func(n int) { scores[i] += topicWeight * math.Log(1+float64(len(list))/topics[n]) })
		common[i].Kinds.Each(func(n int) { scores[i] += kindWeight * math.Log(1+float64(len(list))/kindsOf[n]) })
	}
	return scores
}

// lookalikes returns the stems that contain a word or resemble it.
func lookalikes(word string, stems map[string]int) (like []string) {
	if utf8.RuneCountInString(word) < 4 {
		return nil
	}
	own := ranking.Trigrams(word)
	for st := range stems {
		if strings.Contains(st, word) || utf8.RuneCountInString(st) >= 4 && ranking.Dice(own, ranking.Trigrams(st)) > alike {
			like = append(like, st)
		}
	}
	return like
}

package ranking

import (
	"math"
)

// features are what a message has of a question.
type features struct {
	name   string
	shares []share // of the asked words, each at most once
	words  []*word
	news   float64 // sum over its words: the rarer, the higher
	asks   float64 // how much of it is a question
	time   bool    // has a word of time
}

// word holds facts about a word across all messages.
type word struct {
	shares   []share
	last, in int // the last message with it, and how many have it
	stop     bool
	news     float64
	time     bool
}

// timeWords often occur in answers to "when".
var timeWords = setOf("yesterday today tonight tomorrow week weeks month months year years ago weekend monday tuesday " +
	"wednesday thursday friday saturday sunday january february march april may june july august september october " +
	"november december morning evening night since summer winter spring autumn fall birthday christmas easter day days " +
	"hour hours minute minutes recently first")

// read extracts the features of messages. Each word is looked up and stemmed only once.
func (q question) read(list []Message) []features {
	said, known, all := make([]features, len(list)), map[string]*word{}, make([]*word, 0, 16*len(list))
	for i, m := range list {
		from := len(all)
		said[i], all = q.features(m, i+1, known, all)
		said[i].words = all[from:]
		if q.period(m.At) > 0 {
			for _, s := range q.dates {
				said[i].add(s)
			}
		}
	}
	for _, w := range known {
		if !w.stop {
			w.news = math.Log(float64(len(list)) / float64(w.in))
		}
	}
	for i := range said {
		for _, w := range said[i].words {
			said[i].news += w.news
		}
	}
	return said
}

// features extracts those of the n-th message, and adds its words to all.
func (q question) features(m Message, n int, known map[string]*word, all []*word) (features, []*word) {
	t := features{name: m.Name, asks: askingPart(m.Text)}
	for s := range words(m.Text) {
		w := known[s]
		if w == nil {
			w = &word{shares: q.stands[q.stem(s)], stop: stopWords[s], time: timeWords[s]}
			known[s] = w
		}
		t.time = t.time || w.time
		all = append(all, w)
		if w.last != n {
			w.last = n
			w.in++
			for _, s := range w.shares {
				t.add(s)
			}
		}
	}
	return t, all
}

// add keeps the greater share of each asked word.
func (t *features) add(s share) {
	for i, old := range t.shares {
		if old.word == s.word {
			t.shares[i].share = max(old.share, s.share)
			return
		}
	}
	t.shares = append(t.shares, s)
}

// askingPart returns the fraction of a text in sentences with a question mark, 0 to 1.
func askingPart(text string) float64 {
	asks, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '?':
			asks += i + 1 - start
			start = i + 1
		case '.', '!', '\n':
			start = i + 1
		}
	}
	return float64(asks) / float64(max(len(text), 1))
}

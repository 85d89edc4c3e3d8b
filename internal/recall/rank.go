package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// What a message counts for beyond its own words. The figures are round:
// recall hardly changes when one of them does by half.
const (
	SynonymWorth = 0.45 // a synonym, against the word itself
	ofSession    = 0.45 // of the mean of the session's three best
	bySpeaker    = 4    // said by whom the question is about
	byOther      = 2    // said by another whom it names
	inPeriod     = 2.5  // said in the month or year the question names, or on the day
	withTime     = 1.8  // has a word of time, if it is asked when
	withCount    = 2    // has a number, if it is asked how many
	asking       = 0.45 // is itself a question
	halfWords    = 10   // words with which a message counts half as much as a long one
	halfNews     = 30   // the same for what its words tell, in nats
	leastSaid    = 0.3  // of a message that says nothing of what is asked
)

// nearby is what a word counts for that was said two messages before, one, in
// the message itself, one after and two: an answer follows the words it answers,
// and is taken up by the next. What is answered counts like the answer.
var nearby = []float64{0.5, 0.5, 1, 0.35, 0.1}

const answered = 1.0

// SessionGap is the silence after which a conversation counts as another session.
const SessionGap = time.Hour

// Message is one that was said, as far as ranking reads it.
type Message struct {
	Name         string // of its author
	Text         string
	At           time.Time
	Conversation int // those of one conversation have the same, and stand together
}

// Ranked is a message by its place in the list that was ranked.
type Ranked struct {
	Index int
	Score float64 // above 0, the best is 1
}

// Rank orders messages, which come in the order they were said in, by what they
// and their neighbors say of what is asked: the best first. It is nothing if
// none says a word of it.
func Rank(text string, list []Message) []Ranked {
	if len(list) == 0 {
		return nil
	}
	q := ask(text, list)
	said, at := q.read(list), sessions(list)
	rare := rarity(said, q.words)
	scores := make([]float64, len(list))
	for i := range list {
		scores[i] = spanWorth(said, at, i, rare)
	}
	mean, top := bestOf(scores, at), 0.0
	if slices.Max(mean) == 0 && !q.dated() {
		return nil
	}
	for i, m := range list {
		scores[i] = (scores[i] + ofSession*mean[at[i]] + leastSaid) * q.favor(m, said[i])
		top = max(top, scores[i])
	}
	order := make([]Ranked, len(list))
	for i := range list {
		order[i] = Ranked{i, scores[i] / top}
	}
	slices.SortFunc(order, func(a, b Ranked) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index)) })
	return order
}

// rarity is how much each asked word tells: the fewer say it, the more.
func rarity(said []features, words int) []float64 {
	rare := make([]float64, words)
	for _, t := range said {
		for _, s := range t.shares {
			rare[s.word] += s.share
		}
	}
	for w, n := range rare {
		rare[w] = math.Log(1 + (float64(len(said))-n+0.5)/(n+0.5))
	}
	return rare
}

// spanWorth is what the i-th message and those around it in its session say: of
// each word only where it counts most, so that many words beat one said often.
func spanWorth(said []features, at []int, i int, rare []float64) float64 {
	var few [16]float64
	best := append(few[:0], make([]float64, len(rare))...)
	for d, near := range nearby {
		j := i + d - len(nearby)/2
		if j < 0 || j >= len(said) || at[j] != at[i] {
			continue
		}
		if j == i-1 && said[j].asks > 0 && said[j].name != said[i].name {
			near = answered
		}
		for _, s := range said[j].shares {
			best[s.word] = max(best[s.word], near*s.share)
		}
	}
	sum := 0.0
	for w, r := range rare {
		sum += best[w] * r
	}
	return sum
}

// sessions numbers the sessions: one conversation, and no long silence.
func sessions(list []Message) []int {
	at := make([]int, len(list))
	for i := 1; i < len(list); i++ {
		at[i] = at[i-1]
		if before := list[i-1]; before.Conversation != list[i].Conversation || list[i].At.Sub(before.At) > SessionGap {
			at[i]++
		}
	}
	return at
}

// bestOf is the mean of the three best scores of each session.
func bestOf(scores []float64, at []int) []float64 {
	best := make([][3]float64, len(scores))
	for i, score := range scores {
		if b := &best[at[i]]; score > b[0] {
			b[0] = score
			slices.Sort(b[:])
		}
	}
	mean := make([]float64, len(scores))
	for i, b := range best {
		mean[i] = (b[0] + b[1] + b[2]) / 3
	}
	return mean
}

// favor is what speaks for a message whatever its words are about.
func (q question) favor(m Message, t features) float64 {
	f := float64(max(t.length, 1)) / float64(t.length+halfWords) * max(t.news, 1) / (t.news + halfNews)
	for n := range strings.FieldsSeq(strings.ToLower(m.Name)) {
		switch slices.Index(q.speakers, n) {
		case -1:
		case 0:
			f *= bySpeaker
		default:
			f *= byOther
		}
	}
	if q.when && t.time {
		f *= withTime
	}
	if q.count && t.number {
		f *= withCount
	}
	return f * q.period(m.At) * (1 - (1-asking)*t.asks)
}

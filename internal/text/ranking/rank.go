// Package ranking ranks messages by how well they answer a question. It is pure: it reads
// no database, asks no model and keeps nothing but its word lists. Who may see what was
// decided before.
package ranking

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// SynonymWorth is what a synonym counts for, against the word itself.
const SynonymWorth = 0.45

// Weights of the evidence for a message, in nats: one more makes it e times as likely to be
// the answer. They are round: recall hardly changes if one of them changes by half.
const (
	sharpness = 3.4  // of what is said in and around it
	unsaid    = 0.1  // of what is asked, counted as said everywhere
	talked    = 2.0  // all of it is said in and around it, if it was chosen from many
	covered   = 2.0  // all of what is asked is said in its session
	replies   = 1.25 // all of it is said in a question of somebody else's before it
	paired    = 2.0  // words that stand side by side in the question do so in it, all of them
	bySpeaker = 2.5  // said by whom the question names first
	byOther   = 0.5  // said by another whom it names
	scarce    = 2.0  // said by whom it names first, of whom hardly any of the messages are
	byBot     = -4.0 // said by the assistant, unless the question is about its words
	asked     = 1.5  // said by whom the question is about: the assistant, or who asks
	order     = 1.5  // says how the assistant should answer who asks
	again     = -1.5 // for each better passage of the same message, or message of the same words
	inPeriod  = 1.5  // said in the month or year the question names
	onDay     = 1.5  // on the day
	withTime  = 2.0  // has a word of time, if it is asked when
	withCount = 1.0  // has a number, if one is asked for
	withSelf  = 0.4  // its author speaks of themselves
	asking    = -1.0 // is itself a question
	perLength = -1.6 // for each e-fold of its length: a long one takes the room of others
	perNews   = 0.1  // for each e-fold of what its words tell
	meant     = 1.0  // for each standard deviation that it is nearer in meaning than others
)

// Every reserved-th place goes to the best message by anybody: a question may name the
// wrong person.
const reserved = 8

// frame is added to the length of a text, in bytes: one of 40 is hardly worse than one of 10,
// but one of 800 much worse than one of 200.
const frame = 150

// nearby weighs words two messages before, one before, in the message itself, one after and
// two after: an answer follows the words it answers, and others take it up.
var nearby = []float64{0.3, 0.4, 1, 0.5, 0.2}

// nearMeant weighs nearness in meaning in the same places.
var nearMeant = []float64{0.2, 0.5, 1, 0.5, 0.2}

// answered replaces the weight of one before if the message answers that.
const answered = 0.7

// SessionGap is the silence after which a conversation counts as another session.
const SessionGap = time.Hour

// Message is a message as ranking sees it.
type Message struct {
	Name         string // of its author
	Text         string
	At           time.Time
	Conversation int // equal, and adjacent, within one conversation
	// Near is how near it is in meaning to the question, as a cosine; 0 where
	// that is not known.
	Near float64
	Part bool // goes on with the message before it: a passage behind the first
	Bot  bool // the assistant's words
	Own  bool // the words of who asks
}

// Ranked is a message by its place in the list that was ranked.
type Ranked struct {
	Index int
	Score float64 // above 0, the best is 1
}

// Rank orders messages, which come in chronological order, by what they and their neighbors
// say about the question: the best first. It returns nil if none has a word of it and no
// nearness is known. Where a text asks several questions, their best take turns.
func Rank(text string, list []Message) []Ranked { return ranked(text, list, false) }

// RankChosen is Rank for messages that an index chose from very many with what was said
// around them. Among so many others say any few words, too, so that what is talked about
// around a message counts more.
func RankChosen(text string, list []Message) []Ranked { return ranked(text, list, true) }

func ranked(text string, list []Message, chosen bool) []Ranked {
	if len(list) == 0 {
		return nil
	}
	var orders [][]Ranked
	for _, part := range Parts(text) {
		q := ask(part, list)
		q.chosen = chosen
		orders = append(orders, rank(q, list))
	}
	return inTurn(orders)
}

// rank is Rank for one question.
func rank(q question, list []Message) []Ranked {
	t := talk{said: q.read(list), at: sessions(list)}
	t.weigh(q.worth)
	cover, best := t.covers(), 0.0
	anybody, named := make([]float64, len(list)), make([]float64, len(list))
	means, naming := meanings(list, t.at), q.naming(list)
	for i, m := range list {
		span := t.span(i)
		anybody[i] = means[i] + sharpness*math.Log(unsaid+span) + covered*cover[t.at[i]] + replies*t.replied(i) +
			paired*t.pairs(i) + q.favor(m, t.said[i])
		if q.chosen {
			anybody[i] += talked * t.around(i)
		}
		named[i] = anybody[i] + naming[m.Name]
		best = max(best, span)
	}
	if best == 0 && !q.dated() && !slices.ContainsFunc(list, func(m Message) bool { return m.Near != 0 }) {
		return nil
	}
	part := lifted
	if q.chosen {
		part = liftedMany
	}
	t.lift(anybody, part)
	t.lift(named, part)
	same := repeats(list)
	for _, scores := range [][]float64{named, anybody} {
		spread(scores, list)
		once(scores, same)
	}
	if len(q.speakers) == 0 {
		return sorted(named)
	}
	return reserve(sorted(named), sorted(anybody))
}

// meanings returns the evidence from nearness in meaning, of each message and those around
// it in its session. Models differ in scale, so only the deviation from the mean counts.
func meanings(list []Message, at []int) []float64 {
	means := make([]float64, len(list))
	sum, squares, n := 0.0, 0.0, 0.0
	for _, m := range list {
		if m.Near != 0 {
			sum, squares, n = sum+m.Near, squares+m.Near*m.Near, n+1
		}
	}
	spread := math.Sqrt(squares/n - sum/n*sum/n)
	if n == 0 || !(spread > 0) {
		return means
	}
	for i := range list {
		for d, near := range nearMeant {
			if j := i + d - len(nearMeant)/2; j >= 0 && j < len(list) && at[j] == at[i] && list[j].Near != 0 {
				means[i] += meant * near * (list[j].Near - sum/n) / spread
			}
		}
	}
	return means
}

// sorted ranks by scores in nats.
func sorted(scores []float64) []Ranked {
	order, top := make([]Ranked, len(scores)), slices.Max(scores)
	for i, s := range scores {
		order[i] = Ranked{i, math.Exp(s - top)}
	}
	slices.SortFunc(order, func(a, b Ranked) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index)) })
	return order
}

// reserve puts the best remaining messages of another ranking into every eighth place.
func reserve(order, other []Ranked) []Ranked {
	mixed, taken := make([]Ranked, 0, len(order)), make([]bool, len(order))
	next := func(from []Ranked) []Ranked {
		for taken[from[0].Index] {
			from = from[1:]
		}
		r := from[0]
		if n := len(mixed); n > 0 {
			r.Score = min(r.Score, mixed[n-1].Score)
		}
		taken[r.Index], mixed = true, append(mixed, r)
		return from[1:]
	}
	for len(mixed) < len(taken) {
		if len(mixed)%reserved == reserved-1 {
			other = next(other)
		} else {
			order = next(order)
		}
	}
	return mixed
}

// talk holds the features of all messages for one question.
type talk struct {
	said []features
	at   []int     // the session of each, by number
	rare []float64 // the weight of each asked word; 1 in total
}

// weigh sets the weight of each asked word: the rarer, and the more it is worth, the higher.
func (t *talk) weigh(worth []float64) {
	t.rare = make([]float64, len(worth))
	for _, m := range t.said {
		for _, s := range m.shares {
			t.rare[s.word] += s.share
		}
	}
	sum := 0.0
	for w, n := range t.rare {
		t.rare[w] = worth[w] * math.Log(1+(float64(len(t.said))-n+0.5)/(n+0.5))
		sum += t.rare[w]
	}
	for w := range t.rare {
		t.rare[w] /= max(sum, 1)
	}
}

// span returns how much of what is asked the i-th message and those around it in its
// session say, up to 1: of each word only where it counts most, so that many
// words beat one said often.
func (t *talk) span(i int) float64 {
	var few [16]float64
	best := append(few[:0], make([]float64, len(t.rare))...)
	for d, near := range nearby {
		j := i + d - len(nearby)/2
		if j < 0 || j >= len(t.said) || t.at[j] != t.at[i] {
			continue
		}
		if j == i-1 && t.answers(i) {
			near = answered
		}
		for _, s := range t.said[j].shares {
			best[s.word] = max(best[s.word], near*s.share)
		}
	}
	sum := 0.0
	for w, r := range t.rare {
		sum += best[w] * r
	}
	return sum
}

// answers reports whether somebody else asked something right before the i-th message.
func (t *talk) answers(i int) bool {
	return i > 0 && t.at[i] == t.at[i-1] && t.said[i-1].asks > 0 && t.said[i-1].name != t.said[i].name
}

// replied returns how much of what is asked stands in what the i-th message answers.
func (t *talk) replied(i int) (sum float64) {
	if !t.answers(i) {
		return 0
	}
	for _, s := range t.said[i-1].shares {
		sum += s.share * t.rare[s.word]
	}
	return sum
}

// covers returns how much of what is asked each session says in its own words.
func (t *talk) covers() []float64 {
	sum := make([]float64, len(t.said))
	last := make([]int, len(t.rare)) // the session that said a word last, plus one
	for i, m := range t.said {
		for _, s := range m.shares {
			if n := t.at[i]; s.share == 1 && last[s.word] != n+1 {
				last[s.word] = n + 1
				sum[n] += t.rare[s.word]
			}
		}
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

// favor returns the evidence for a message apart from its words and its author.
func (q question) favor(m Message, t features) float64 {
	f := asking*t.asks + perLength*math.Log(float64(frame+len(m.Text))) + perNews*math.Log(1+t.news) + q.period(m.At)
	switch {
	case m.Bot && q.ofBot, m.Own && q.own && !q.ofBot:
		f += asked
	case m.Bot:
		f += byBot
	}
	if t.orders {
		f += order
	}
	if q.when && t.time {
		f += withTime
	}
	if q.count && t.count {
		f += withCount
	}
	if t.self && !m.Bot {
		f += withSelf
	}
	return f
}

// naming returns the evidence from the question naming the author of a message, by their name. It
// tells more than where two people talk, the fewer of the messages are by whom it names first.
func (q question) naming(list []Message) map[string]float64 {
	if len(q.speakers) == 0 {
		return nil
	}
	said, theirs := map[string]int{}, 0
	for _, m := range list {
		said[m.Name]++
	}
	for name, n := range said {
		if slices.Contains(nameWords(name), q.speakers[0]) {
			theirs += n
		}
	}
	first := bySpeaker + min(scarce, max(0, math.Log(float64(len(list))/2/float64(max(1, theirs)))))
	evidence := map[string]float64{}
	for name := range said {
		for _, n := range nameWords(name) {
			switch slices.Index(q.speakers, n) {
			case -1:
			case 0:
				evidence[name] += first
			default:
				evidence[name] += byOther
			}
		}
	}
	return evidence
}

// spread lowers the scores of the passages of a message behind its best one: what is left
// of a budget goes to other messages first.
func spread(scores []float64, list []Message) {
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].Part {
			to++
		}
		if to-from > 1 {
			for n, r := range sorted(scores[from:to]) {
				scores[from+r.Index] += again * float64(n)
			}
		}
		from = to
	}
}

package ranking

import "math"

// features are what a message has of a question.
type features struct {
	name   string
	shares []share // of the asked words, each at most once
	words  []*word
	news   float64 // sum over its words: the rarer, the higher
	asks   float64 // how much of it is a question
	orders bool    // is a wish of who asks for all answers
	traits
}

// traits say what kinds of words something has.
type traits struct {
	time  bool // of time
	count bool // numbers
	self  bool // for its author
}

// traitsOf returns the traits of a word in lower case.
func traitsOf(w string) traits {
	return traits{time: timeWords[w], count: '0' <= w[0] && w[0] <= '9' || numberWords[w], self: selfWords[w]}
}

// add adds the traits of a part.
func (t *traits) add(part traits) {
	t.time, t.count, t.self = t.time || part.time, t.count || part.count, t.self || part.self
}

// word holds facts about a word across all messages.
type word struct {
	shares   []share
	last, in int // the last message with it, and how many have it
	stop     bool
	news     float64
	traits
}

// timeWords often occur in answers to "when".
var timeWords = setOf("yesterday today tonight tomorrow week weeks month months year years ago weekend monday tuesday " +
	"wednesday thursday friday saturday sunday january february march april may june july august september october " +
	"november december morning evening night since summer winter spring autumn fall birthday christmas easter day days " +
	"hour hours minute minutes recently first")

// numberWords are numbers and what is said for them.
var numberWords = setOf("one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred " +
	"thousand million dozen half twice once both couple several zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig " +
	"hundert tausend deux trois quatre cinq sept huit neuf dix douze vingt cent mille dos tres cuatro cinco seis siete ocho nueve " +
	"diez doce veinte cien mil два две три четыре пять шесть семь восемь девять десять двадцать сто тысяча")

// selfWords are words of people for themselves.
var selfWords = setOf("i me my mine we us our ich mir mich mein meine meinen meiner wir uns unser unsere yo mi mis nosotros " +
	"je mon ma mes nous я мне меня мой моя мои мы нас нам")

// read extracts the features of messages. Each word is looked up and stemmed only once.
func (q question) read(list []Message) []features {
	said, known, shares := make([]features, len(list)), map[string]*word{}, make(best, q.words)
	all := make([]*word, 0, 16*len(list))
	for i, m := range list {
		said[i] = features{name: m.Name, asks: askingPart(m.Text), orders: m.Own && q.assisted && ordering().MatchString(m.Text)}
		from := len(all)
		for s := range words(m.Text) {
			w := known[s]
			if w == nil {
				w = &word{shares: q.stands[q.stem(s)], stop: stopWords[s], traits: traitsOf(s)}
				known[s] = w
			}
			all = append(all, w)
			said[i].add(w.traits)
			if w.last != i+1 {
				w.last = i + 1
				w.in++
				shares.add(w.shares)
			}
		}
		if q.period(m.At) > 0 {
			shares.add(q.dates)
		}
		said[i].shares, said[i].words = shares.take(), all[from:]
	}
	tell(said, known)
	return said
}

// tell sets how much messages tell.
func tell(said []features, known map[string]*word) {
	for _, w := range known {
		if !w.stop {
			w.news = math.Log(float64(len(said)) / float64(w.in))
		}
	}
	for i := range said {
		for _, w := range said[i].words {
			said[i].news += w.news
		}
	}
}

// best holds the greatest share of each asked word, 0 for none.
type best []float64

func (b best) add(shares []share) {
	for _, s := range shares {
		b[s.word] = max(b[s.word], s.share)
	}
}

// take returns the shares there are, and leaves none.
func (b best) take() (list []share) {
	for word, n := range b {
		if n > 0 {
			list = append(list, share{word, n})
			b[word] = 0
		}
	}
	return list
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

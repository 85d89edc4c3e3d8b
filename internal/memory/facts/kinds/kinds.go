// Package kinds knows what facts and questions are about: food, health, people, dates and
// more, in topics as fine as seafood or teeth. It decides by lists of words of general
// knowledge in the languages of the catalogs, without a model, so that a question in other
// words finds its fact. It stores nothing.
package kinds

import (
	_ "embed" // lists of words
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"parley/internal/text"
)

//go:embed kinds.txt
var listed string

// Bounds of words.
const (
	longEnding = 5  // letters of the stem from which on any ending fits
	maxEnding  = 3  // letters of an ending of shorter stems
	leastPart  = 4  // letters of either part of a compound
	compound   = 8  // letters from which on a word may be one
	maxWords   = 80 // of a text that are read
	maxLetters = 40 // of a word
	// maxUnspaced is how many letters are read of a text without spaces.
	maxUnspaced = 400
)

// Set is a set of topics, or of kinds.
type Set [4]uint64

func (s *Set) add(n int) { s[n/64] |= 1 << (n % 64) }

// And returns what is in both sets.
func (s Set) And(t Set) Set {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

// Or returns what is in one of the sets.
func (s Set) Or(t Set) Set {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

// Each calls see with the number of each member, in order.
func (s Set) Each(see func(n int)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			see(64*i + bits.TrailingZeros64(word))
		}
	}
}

// About is what a text is about.
type About struct {
	Topics Set // seafood
	Kinds  Set // food
}

// meaning is the topics of a word: of those that facts tell of, and of those that a
// question asks for.
type meaning struct{ tells, asks Set }

func (m *meaning) add(n *meaning) {
	if n != nil {
		m.tells, m.asks = m.tells.Or(n.tells), m.asks.Or(n.asks)
	}
}

// lexicon is the parsed list as a tree of letters. Its words have neither capitals nor
// accents.
type lexicon struct {
	next   map[step]int32 // from one node to another; node 0 is the beginning of words
	nodes  []node
	kindOf []Set // of each topic
	kind   map[string]int

	seed maphash.Seed
	mu   sync.Mutex // guards told
	told map[uint64]About
}

// mostTold is how many texts are known by their hashes, which say nothing of their words.
const mostTold = 20_000

type step struct {
	node   int32
	letter rune
}

// node is what is read so far.
type node struct {
	word *meaning // as a whole word; nil is none
	stem *meaning // with any ending
}

var lexiconOf = sync.OnceValue(func() *lexicon { return parsed(listed) })

func parsed(list string) *lexicon {
	l := &lexicon{next: map[step]int32{}, nodes: make([]node, 1), kind: map[string]int{}, seed: maphash.MakeSeed(), told: map[uint64]About{}}
	topic, asks := -1, false
	for line := range strings.Lines(Plain(list)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		if _, of, begins := strings.Cut(line, ":"); begins {
			topic, asks = len(l.kindOf), false
			l.kindOf = append(l.kindOf, l.kindsIn(of))
			continue
		}
		for w := range strings.FieldsSeq(line) {
			if w == "|" {
				asks = true
				continue
			}
			l.put(w, topic, asks)
		}
	}
	return l
}

// kindsIn returns the numbers of some kinds by their names.
func (l *lexicon) kindsIn(names string) (set Set) {
	for name := range strings.FieldsSeq(names) {
		if _, known := l.kind[name]; !known {
			l.kind[name] = len(l.kind)
		}
		set.add(l.kind[name])
	}
	return set
}

func (l *lexicon) put(w string, topic int, asks bool) {
	base, stem := strings.CutSuffix(w, "*")
	at := int32(0)
	for _, r := range base {
		to, known := l.next[step{at, r}]
		if !known {
			to = int32(len(l.nodes))
			l.nodes, l.next[step{at, r}] = append(l.nodes, node{}), to
		}
		at = to
	}
	place := &l.nodes[at].word
	if stem {
		place = &l.nodes[at].stem
	}
	if *place == nil {
		*place = &meaning{}
	}
	(*place).asks.add(topic)
	if !asks {
		(*place).tells.add(topic)
	}
}

// Told returns what a fact is about.
func Told(fact string) About {
	l := lexiconOf()
	sum := maphash.String(l.seed, fact)
	l.mu.Lock()
	a, known := l.told[sum]
	l.mu.Unlock()
	if known {
		return a
	}
	a = l.about(l.read(fact).tells)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.told) >= mostTold {
		clear(l.told)
	}
	l.told[sum] = a
	return a
}

// Asked returns what a question is about.
func Asked(question string) About {
	l := lexiconOf()
	return l.about(l.read(question).asks)
}

func (l *lexicon) about(topics Set) (a About) {
	a.Topics = topics
	topics.Each(func(n int) { a.Kinds = a.Kinds.Or(l.kindOf[n]) })
	return a
}

// Of returns the kinds of some names as a set.
func Of(names ...string) (set Set) {
	l := lexiconOf()
	for _, name := range names {
		if n, known := l.kind[name]; known {
			set.add(n)
		}
	}
	return set
}

// Any reports whether a set has members.
func (s Set) Any() bool { return s != Set{} }

// read returns the topics of all words of a text.
func (l *lexicon) read(said string) (m meaning) {
	var open []int32 // where terms of several words go on
	n := 0
	for run := range strings.FieldsFuncSeq(Plain(said), func(r rune) bool { return !text.InWord(r) && r != '€' && r != '$' }) {
		if n++; n > maxWords {
			break
		}
		w := []rune(run)
		l.word(w, &m)
		var on []int32
		for _, from := range append(open, 0) {
			end := int32(0)
			l.walk(from, w, func(n int, at int32) {
				if n == len(w) {
					end = at
				}
				if from > 0 && len(w)-n <= maxEnding {
					m.add(l.nodes[at].stem)
				}
			})
			if from > 0 {
				m.add(l.nodes[end].word)
			}
			if to, goes := l.next[step{end, '-'}]; goes && end > 0 {
				on = append(on, to)
			}
		}
		open = on
	}
	return m
}

// word adds the topics of a word: as it is, with an ending, or as parts of a compound.
func (l *lexicon) word(w []rune, m *meaning) {
	if len(w) > maxLetters || text.Unspaced(w[0]) {
		l.unspaced(w[:min(len(w), maxUnspaced)], m)
		return
	}
	l.whole(w, m)
	for i := leastPart; len(w) >= compound && i <= len(w)-leastPart; i++ {
		l.walk(0, w[i:], func(n int, at int32) {
			if n >= leastPart {
				m.add(l.nodes[at].stem)
			}
			if i+n == len(w) {
				m.add(l.nodes[at].word)
			}
		})
	}
}

// whole adds the topics of the words and stems with which a word begins, if the rest is an
// ending or the other part of a compound.
func (l *lexicon) whole(w []rune, m *meaning) {
	l.walk(0, w, func(n int, at int32) {
		twofold := n >= leastPart && len(w)-n >= leastPart
		if n >= longEnding || len(w)-n <= maxEnding || twofold {
			m.add(l.nodes[at].stem)
		}
		if n == len(w) || twofold || n >= 3 && len(w)-n <= 2 && slices.Contains(endings[:], string(w[n:])) {
			m.add(l.nodes[at].word)
		}
	})
}

// endings are those of words that are listed as a whole.
var endings = [...]string{"s", "n", "e", "es", "en"}

// walk calls see with each node on the way of a word from a node, and how many letters were
// read.
func (l *lexicon) walk(at int32, w []rune, see func(n int, at int32)) {
	known := false
	for i, r := range w {
		if at, known = l.next[step{at, r}]; !known {
			return
		}
		see(i+1, at)
	}
}

// unspaced adds the topics of the words in a text without spaces.
func (l *lexicon) unspaced(letters []rune, m *meaning) {
	for i := range letters {
		l.walk(0, letters[i:], func(_ int, at int32) { m.add(l.nodes[at].word) })
	}
}

// Plain returns a text in small letters without accents.
func Plain(s string) string {
	s = strings.ToLower(strings.ToValidUTF8(s, " "))
	if strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		s = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(s))
		s = strings.ReplaceAll(s, "ß", "ss")
	}
	return s
}

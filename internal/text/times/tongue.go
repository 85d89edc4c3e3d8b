package times

import (
	"embed"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed tongues/*.txt
var tongueFiles embed.FS

// notations are phrases that every language has.
//
//go:embed notations.txt
var notations string

// tongue holds the words for times in one language, from its file; the head of
// tongues/en.txt explains the lines.
type tongue struct {
	tag     string
	words   map[string][]word // by their first token
	phrases []phrase
	begin   map[string][]int // phrases by a word that can begin them; "" is a slot
}

// word is one or several words with a meaning, such as "hour" of class "unit".
type word struct {
	class, value string
	rest         []string // the tokens after the first
}

// phrase is one way to say a piece of a time.
type phrase struct {
	kind  string   // "clock", "day", …
	args  []string // what stands after the kind: "day 1"
	shape []node
}

// node is one part of a phrase: a literal token, a slot, or alternatives, one of which is
// empty if the part is optional.
type node struct {
	word string
	slot string
	ways [][]node
}

// tongues are the languages, English first.
var tongues = sync.OnceValue(func() (all []*tongue) {
	list, err := tongueFiles.ReadDir("tongues")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, f := range list {
		if tag, ok := strings.CutSuffix(f.Name(), ".txt"); ok {
			b, err := tongueFiles.ReadFile("tongues/" + f.Name())
			if err != nil {
				panic(err)
			}
			l, err := readTongue(tag, string(b)+"\n"+notations)
			if err != nil {
				panic(err) // TestTongues
			}
			all = append(all, l)
		}
	}
	slices.SortStableFunc(all, func(a, b *tongue) int { return strings.Compare(rank(a), rank(b)) })
	return all
})

func rank(l *tongue) string {
	if l.tag == "en" {
		return ""
	}
	return l.tag
}

// inOrder returns all languages, beginning with those in first.
func inOrder(first []string) []*tongue {
	all := slices.Clone(tongues())
	for _, tag := range slices.Backward(first) {
		if i := slices.IndexFunc(all, func(l *tongue) bool { return l.tag == tag }); i > 0 {
			l := all[i]
			all = slices.Insert(slices.Delete(all, i, i+1), 0, l)
		}
	}
	return all
}

// classes are the kinds of words that a file may have.
var classes = []string{"number", "ordinal", "unit", "length", "fraction", "and-half", "weekday", "weekdays", "short", "month",
	"part", "half", "last", "suffix", "and", "tens", "filler", "lead", "joint", "at", "zone", "beside", "between", "century", "bound"}

// kinds are the pieces that the phrases of a file may make.
var kinds = []string{"ahead", "off", "day", "weekday", "next-weekday", "weekend", "week", "month", "year", "date", "monthday",
	"clock", "bare", "part", "coming", "every", "weekly", "workdays", "weekends", "daily", "monthly", "yearly", "after"}

// readTongue reads a file. An error names the line.
func readTongue(tag, text string) (*tongue, error) {
	l := &tongue{tag: tag, words: map[string][]word{}, begin: map[string][]int{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := l.addLine(line); err != nil {
			return nil, fmt.Errorf("%s.txt, line %d: %w", tag, n, err)
		}
	}
	return l, nil
}

// addLine reads "what = words | words" or "piece : a phrase | another".
func (l *tongue) addLine(line string) error {
	left, right, words := strings.Cut(line, " = ")
	if what, shapes, ok := strings.Cut(line, " : "); ok && len(what) < len(left) {
		left, right, words = what, shapes, false
	}
	head := strings.Fields(left)
	switch {
	case words && slices.Contains(classes, head[0]):
		l.addWords(head, right)
		return nil
	case !words && right != "" && slices.Contains(kinds, head[0]):
		return l.addPhrases(head, right)
	}
	return fmt.Errorf("%q is no kind of words before = and no piece of a time before :", left)
}

func (l *tongue) addWords(head []string, right string) {
	value := strings.Join(head[1:], " ")
	for said := range strings.SplitSeq(right, "|") {
		t := tokens(said, 20)
		if len(t) == 0 {
			continue
		}
		w := word{class: head[0], value: value}
		for _, more := range t[1:] {
			w.rest = append(w.rest, more.text)
		}
		l.words[t[0].text] = append(l.words[t[0].text], w)
	}
}

// addPhrases reads the right side of a line as one phrase.
func (l *tongue) addPhrases(head []string, right string) error {
	r := &shapeReader{tokens: tokens(right, 400)}
	ways, err := r.ways("")
	if err != nil {
		return err
	}
	for _, shape := range ways {
		if len(shape) == 0 {
			continue
		}
		for first := range begins(shape) {
			l.begin[first] = append(l.begin[first], len(l.phrases))
		}
		l.phrases = append(l.phrases, phrase{kind: head[0], args: head[1:], shape: shape})
	}
	return nil
}

// begins returns the words that can begin a shape; "" is a slot.
func begins(shape []node) map[string]bool {
	all := map[string]bool{}
	for _, n := range shape {
		switch {
		case n.word != "":
			all[n.word] = true
			return all
		case n.slot != "":
			all[""] = true
			return all
		}
		optional := false
		for _, way := range n.ways {
			inner := begins(way)
			optional = optional || inner["["]
			delete(inner, "[")
			maps.Copy(all, inner)
		}
		if !optional {
			return all
		}
	}
	all["["] = true // it can be empty
	return all
}

// slots are what may stand in braces.
var slots = []string{"n", "unit", "span", "h", "mm", "min", "mins", "half", "part", "weekday", "short", "listed", "weekdays", "plural",
	"month", "d", "ord", "ords", "m", "mord", "y", "yy", "nth", "hm", "ss", "minw", "glued", "alone", "few",
	"edge", "hw", "dd", "lasts", "brief"}

// shapeReader reads the shape of a phrase: words, {slots}, [what may be left out], and
// (one|or the other).
type shapeReader struct {
	tokens []token
	i      int
}

// ways reads alternatives up to a closing mark; "" is the end.
func (r *shapeReader) ways(closing string) (all [][]node, err error) {
	now := []node{}
	for ; r.i < len(r.tokens); r.i++ {
		switch t := r.tokens[r.i].text; t {
		case closing:
			return append(all, now), nil
		case "|":
			all, now = append(all, now), []node{}
		case "[", "(":
			r.i++
			inner, err := r.ways(map[string]string{"[": "]", "(": ")"}[t])
			if err != nil {
				return nil, err
			}
			if t == "[" {
				inner = append(inner, nil)
			}
			now = append(now, node{ways: inner})
		case "{":
			if r.i+2 >= len(r.tokens) || r.tokens[r.i+2].text != "}" || !slices.Contains(slots, r.tokens[r.i+1].text) {
				return nil, fmt.Errorf("after { stands one of %s, and then }", strings.Join(slots, ", "))
			}
			now = append(now, node{slot: r.tokens[r.i+1].text})
			r.i += 2
		case "]", ")", "}":
			return nil, fmt.Errorf("%q closes nothing", t)
		default:
			now = append(now, node{word: t})
		}
	}
	if closing != "" {
		return nil, fmt.Errorf("%q is missing", closing)
	}
	return append(all, now), nil
}

// meanings are those in a class that the words at i have, and where the words end. The
// longest come first.
func (m *matcher) meanings(i int, class string) iter.Seq2[string, int] {
	return func(yield func(value string, end int) bool) {
		if i >= len(m.tokens) {
			return
		}
		found := m.words[m.tokens[i].text]
		for longest := 4; longest >= 0; longest-- {
			for _, w := range found {
				if w.class == class && min(len(w.rest), 4) == longest && w.at(m.tokens[i+1:]) && !yield(w.value, i+1+len(w.rest)) {
					return
				}
			}
		}
	}
}

// at reports whether the rest of a word begins a text.
func (w word) at(tokens []token) bool {
	return len(w.rest) <= len(tokens) &&
		slices.EqualFunc(w.rest, tokens[:len(w.rest)], func(part string, t token) bool { return t.text == part })
}

// means reports whether the words at i have a meaning in a class; "" is any.
func (m *matcher) means(i int, class, value string) bool {
	for v := range m.meanings(i, class) {
		if value == "" || v == value {
			return true
		}
	}
	return false
}

// first returns the first meaning in a class, and where its words end; i for none.
func (m *matcher) first(i int, class string) (value string, end int) {
	for value, end = range m.meanings(i, class) {
		return value, end
	}
	return "", i
}

// value returns the first meaning as a number, and where its words end; -1 and 0 for none.
func (m *matcher) value(i int, class string) (n, end int) {
	v, end := m.first(i, class)
	if end == i {
		return -1, 0
	}
	n, _ = strconv.Atoi(v) // TestTongues
	return n, end
}

package offline

import (
	"embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed phrases/*.txt phrases/reminders/*.txt
var phraseFiles embed.FS

// book holds the phrases of one language, from its file; the head of phrases/en.txt
// explains the lines.
type book struct {
	tag     string
	phrases []phrase
	next    map[string][]string   // what can be said after a thing, by its name
	vocab   map[string]bool       // the words that phrases have
	known   []string              // those that a typo may have meant
	around  map[string]string     // patterns of what is no phrase by itself: before, after, ask, agree, join, wish
	frame   func() *regexp.Regexp // a sentence, and in its group what the words around it leave
	carry   []string              // what stands before a list that an earlier wish named: "to my"
	lists   func() *regexp.Regexp // names of lists
	polite  func() *regexp.Regexp // a question that asks for something begins so
	agrees  func() *regexp.Regexp // a yes
	between func() *regexp.Regexp // what stands between two wishes, and the words of the second
	han     bool                  // they are of a script without spaces
}

// phrase is one way to say one thing.
type phrase struct {
	does    string            // a tool, or one of answers
	fixed   map[string]string // arguments: "buy {x}"; "*" is the whole sentence
	own     map[string]string // slots of the file, which are no arguments
	guess   bool              // what fits it may be meant otherwise: it is asked about, or only looked up
	whole   bool              // it is tried before a sentence is cut into wishes
	plain   bool              // it names what is to be done, and a model may still know better
	needs   func() []string   // it fits nothing that has none of these words
	pattern func() *regexp.Regexp
}

// answers are the things that need no tool.
var answers = []string{"greeting", "how", "help", "about", "thanks", "bye", "upset", "ok", "all", "sum", "ask_when"}

// books are the languages, English first.
var books = sync.OnceValue(func() (all []*book) {
	list, err := phraseFiles.ReadDir("phrases")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, f := range list {
		if f.IsDir() {
			continue
		}
		var text []byte
		for _, folder := range []string{"phrases/", "phrases/reminders/"} {
			part, err := phraseFiles.ReadFile(folder + f.Name())
			if err != nil {
				panic(err)
			}
			text = append(append(text, part...), '\n')
		}
		b, err := readBook(strings.TrimSuffix(f.Name(), ".txt"), string(text))
		if err != nil {
			panic(err) // TestBooks
		}
		all = append(all, b)
	}
	return led(all, "en")
})

// inOrder returns the languages, the one that somebody speaks first.
func inOrder(first string) []*book { return led(books(), first) }

// led returns the books with that of a language first.
func led(all []*book, tag string) []*book {
	i := slices.IndexFunc(all, func(b *book) bool { return b.tag == tag })
	if i <= 0 {
		return all
	}
	return slices.Concat(all[i:i+1], all[:i], all[i+1:])
}

// readBook reads a file. An error names the line.
func readBook(tag, file string) (*book, error) {
	b := &book{tag: tag, next: map[string][]string{}, vocab: map[string]bool{}, around: map[string]string{}}
	own := map[string]string{}
	n := 0
	for line := range strings.Lines(file) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if after, said, ok := strings.Cut(line, " = "); ok && strings.HasPrefix(after, "next ") {
			does := strings.TrimSpace(after[len("next "):])
			for one := range strings.SplitSeq(said, "|") {
				b.next[does] = append(b.next[does], strings.TrimSpace(one))
			}
			continue
		}
		if carried, ok := strings.CutPrefix(line, "carry = "); ok {
			for one := range strings.SplitSeq(carried, "|") {
				b.carry = append(b.carry, strings.TrimSpace(one))
			}
			continue
		}
		left, right, ok := strings.Cut(line, " : ")
		head := strings.Fields(left)
		if !ok || len(head) == 0 {
			return nil, fmt.Errorf("%s.txt, line %d: it is neither “what : how it is said” nor “next what = …”", tag, n)
		}
		pattern, err := compile(right, own)
		if err != nil {
			return nil, fmt.Errorf("%s.txt, line %d: %w", tag, n, err)
		}
		if len(head) == 2 && head[0] == "slot" {
			own[head[1]] = "(?:" + pattern + ")"
			continue
		}
		if len(head) == 1 && slices.Contains(surroundings, head[0]) {
			b.around[head[0]] = pattern
			if head[0] == "before" || head[0] == "after" {
				b.learn(right)
			}
			continue
		}
		b.learn(right)
		b.add(head, pattern)
		b.phrases[len(b.phrases)-1].own = own
	}
	for _, w := range slices.Sorted(maps.Keys(b.vocab)) {
		if utf8.RuneCountInString(w) >= shortestFixed {
			b.known = append(b.known, w)
		}
	}
	b.patterns()
	if b.carry != nil {
		b.lists = sync.OnceValue(func() *regexp.Regexp { return listNames(own["shop"], own["todos"]) })
	}
	return b, nil
}

// listNames makes a pattern of the names of lists, the longest first.
func listNames(shop, todos string) *regexp.Regexp {
	re := regexp.MustCompile(`(?i)(?:^|\P{L})(` + shop + `|` + todos + `)(?:\P{L}|$)`)
	re.Longest()
	return re
}

// surroundings are the lines of a file that say what stands around phrases, or between them.
var surroundings = []string{"before", "after", "ask", "agree", "join", "wish"}

// add adds a line's phrases, with what may stand around them.
func (b *book) add(head []string, pattern string) {
	p := phrase{does: strings.TrimRight(head[0], "?~!"), whole: strings.HasSuffix(head[0], "!"), guess: strings.HasSuffix(head[0], "?"),
		plain: strings.HasSuffix(head[0], "~")}
	for one := range strings.SplitSeq(strings.Join(head[1:], " "), ";") {
		if arg, value, ok := strings.Cut(one, "="); ok || one == "-" {
			if p.fixed == nil {
				p.fixed = map[string]string{}
			}
			if ok {
				p.fixed[strings.TrimSpace(arg)] = value
			}
		}
	}
	p.needs = sync.OnceValue(func() []string { return needs("(?is)" + pattern) })
	p.pattern = sync.OnceValue(func() *regexp.Regexp { return b.framed(`(?P<all>` + pattern + `)`) })
	b.phrases = append(b.phrases, p)
}

// shortestFixed is how long a word must be for another one to be like it.
const shortestFixed = 4

// learn notes the words of a line, for those that people mistype.
func (b *book) learn(shape string) {
	for _, w := range strings.FieldsFunc(slotForm().ReplaceAllString(shape, " "), apart) {
		b.vocab[fold(w)] = true
		b.han = b.han || strings.ContainsFunc(w, func(r rune) bool { return unicode.Is(unicode.Han, r) })
	}
}

// apart reports a character between words.
func apart(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }

// fold makes letters small and takes their accents, one for one, so that places in the
// text stay what they are.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		r = unicode.ToLower(r)
		if i := strings.IndexRune(accented, r); i >= 0 {
			return []rune(bare)[len([]rune(accented[:i]))]
		}
		return r
	}, text)
}

const (
	accented = "àáâäãåçèéêëìíîïñòóôöõùúûüё’‘“”"
	bare     = "aaaaaaceeeeiiiinooooouuuuе''\"\""
)

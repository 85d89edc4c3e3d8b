package sessions

import (
	"bufio"
	"cmp"
	_ "embed" // cues
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/ranking"
)

//go:embed cues.txt
var cuesFile string

// Said is a message, as Extract reads it.
type Said struct {
	At     time.Time
	Name   string // as shown, which cannot look like another person's
	User   string // the author
	Text   string
	ID     string // of the message, as its platform names it
	Called string // the author's name, as it is stored
	Bot    bool   // said by the bot
	Passed bool   // not the author's own words: forwarded, quoted, shared
}

// Point is a sentence that is worth keeping.
type Point struct {
	At      time.Time
	Name    string
	User    string
	Text    string // on one line
	Message string // id of its message, as the platform names it
	Called  string // the author's name, as it is stored
	Worth   int    // above 0
	Decides bool   // reports a decision
	Bot     bool
	Passed  bool
}

// Bounds of an extract, and the worth of what a sentence has.
const (
	maxSentence = 240 // runes
	maxName     = 3   // names, numbers and days that count
	decides     = 4   // worth of a decision
	plans       = 2   // worth of a plan
	tells       = 2   // worth of a statement about oneself
	aboutWords  = 6   // significant words that count
	enoughWords = 5   // significant words that need nothing else
	leastWords  = 4   // significant words of a summary
)

// Extract finds the sentences that are worth keeping, with decisions, plans, names, numbers
// or dates, in their order.
func Extract(said []Said) (points []Point) {
	seen := map[string]bool{}
	for _, s := range said {
		for _, sentence := range Sentences(s.Text) {
			key := strings.ToLower(sentence)
			worth, decided := weigh(sentence)
			if worth <= 0 || seen[key] {
				continue
			}
			seen[key] = true
			points = append(points, Point{At: s.At, Name: s.Name, User: s.User, Text: sentence, Message: s.ID, Called: s.Called,
				Worth: worth, Decides: decided &&
					!s.Bot && !s.Passed, Bot: s.Bot, Passed: s.Passed})
		}
	}
	return points
}

// Best returns the most valuable points within n runes, in their order. People's points come
// first; the bot's fill the rest.
func Best(points []Point, n int) []Point {
	order := slices.Clone(points)
	slices.SortStableFunc(order, func(a, b Point) int {
		return cmp.Or(cmp.Compare(btoi(a.Bot), btoi(b.Bot)), cmp.Compare(b.Worth, a.Worth))
	})
	kept := order[:0]
	for _, p := range order {
		if long := len([]rune(p.Line())) + 1; long <= n {
			kept, n = append(kept, p), n-long
		}
	}
	slices.SortStableFunc(kept, func(a, b Point) int { return cmp.Or(cmp.Compare(btoi(a.Bot), btoi(b.Bot)), a.At.Compare(b.At)) })
	return kept
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Line returns the point as a line of a summary.
func (p Point) Line() string {
	words := p.Text
	if p.Passed {
		words = provenance.Shown(words, provenance.ViaForwarded)
	}
	return p.At.UTC().Format("[2006-01-02] ") + p.Name + ": " + words
}

// Digest returns the best points as a summary within n runes, a line for each.
func Digest(points []Point, n int) string {
	var lines []string
	for _, p := range Best(points, n) {
		lines = append(lines, p.Line())
	}
	return strings.Join(lines, "\n")
}

// Sentences splits a text into sentences, each on one line and of limited length.
func Sentences(s string) (list []string) {
	for _, line := range provenance.Lines(s) {
		for line != "" {
			end := sentenceEnd(line)
			if one := strings.Join(strings.Fields(line[:end]), " "); one != "" {
				list = append(list, text.ShortenWords(one, maxSentence))
			}
			line = strings.TrimSpace(line[end:])
		}
	}
	return list
}

// sentenceEnd returns where the first sentence of a line ends: after a stop that is followed
// by a space and belongs to no number or short word.
func sentenceEnd(line string) int {
	word := 0
	for i, r := range line {
		switch {
		case strings.ContainsRune("。！？", r):
			return i + len(string(r))
		case strings.ContainsRune(".!?", r) && i+1 < len(line) && line[i+1] == ' ' && (r != '.' || word > 2):
			return i + 1
		case unicode.IsLetter(r):
			word++
		default:
			word = 0
		}
	}
	return len(line)
}

// weigh returns the worth of a sentence, at least 0, and whether it reports a decision.
func weigh(sentence string) (worth int, decided bool) {
	telling := ranking.Terms(sentence)
	names, planned := 0, 0
	for i, w := range strings.Fields(sentence) {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if w == "" {
			continue
		}
		low := text.Lower(w)
		first, _ := utf8.DecodeRuneInString(w)
		cue := cues()[low]
		decided = decided || cue == "decides"
		switch {
		case cue == "plans":
			planned = max(planned, plans)
		case cue == "tells":
			planned = max(planned, tells)
		}
		named := unicode.IsUpper(first) && (i > 0 || len(telling) > 2 && slices.Contains(telling, low)) && low != "i"
		if cue == "days" || strings.ContainsFunc(w, unicode.IsDigit) || strings.ContainsAny(w, "@./_") || named && cue == "" {
			names++
		}
	}
	worth = min(names, maxName) + planned + min(len(telling), aboutWords)/2
	if decided {
		worth += decides
	}
	if strings.HasSuffix(strings.TrimSpace(sentence), "?") {
		worth, decided = worth/2-1, false
	}
	if !decided && planned == 0 && names == 0 && len(telling) < enoughWords {
		worth -= 2 // nothing but a few words
	}
	return max(worth, 0), decided
}

// cues maps each cue word to its kind.
var cues = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(text.Lower(cuesFile)))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		for _, w := range words[1:] {
			if all[w] == "" {
				all[w] = words[0]
			}
		}
	}
	return all
})

// Squeeze shortens a text to n runes. It keeps the most valuable sentences in their order. A
// text that fits stays as it is.
func Squeeze(s string, n int) string {
	if s = strings.TrimSpace(s); utf8.RuneCountInString(s) <= n {
		return s
	}
	type part struct {
		text  string
		worth int
		line  int
	}
	var parts []part
	long := 0
	for i, line := range strings.Split(s, "\n") {
		for _, one := range Sentences(line) {
			worth, _ := weigh(one)
			parts, long = append(parts, part{one, worth, i}), long+utf8.RuneCountInString(one)+1
		}
	}
	for long > n && len(parts) > 1 {
		at := 0
		for i, p := range parts {
			if p.worth < parts[at].worth {
				at = i
			}
		}
		long -= utf8.RuneCountInString(parts[at].text) + 1
		parts = slices.Delete(parts, at, at+1)
	}
	var b strings.Builder
	for i, p := range parts {
		switch {
		case i > 0 && p.line != parts[i-1].line:
			b.WriteByte('\n')
		case i > 0:
			b.WriteByte(' ')
		}
		b.WriteString(p.text)
	}
	return text.ShortenWords(b.String(), n)
}

// Restore adds valuable sentences of an earlier summary to a new one that lost most of them.
// It leaves a summary alone that only corrects some.
func Restore(before, now string, n int) string {
	var told, lost []string
	for _, line := range strings.Split(before, "\n") {
		for _, one := range Sentences(line) {
			if worth, _ := weigh(one); worth >= Telling {
				if told = append(told, one); !Says(now, one) {
					lost = append(lost, one)
				}
			}
		}
	}
	if 3*len(lost) <= 2*len(told) {
		return now
	}
	return Squeeze(now+"\n"+strings.Join(lost, "\n"), n)
}

// The least worth of a sentence to keep.
const (
	Worthy  = 3 // if no model has read it
	Telling = 4 // if a model has left it out
)

// Tells reports whether a text says enough to be a summary.
func Tells(s string) bool { return len(ranking.Terms(s)) >= leastWords }

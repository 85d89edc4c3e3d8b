package citation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
)

// claim is something in an answer that can be looked for in a passage.
type claim interface {
	// in reports whether it stands there, perhaps in another form.
	in(s *said) bool
}

// said is what a passage says, as claims are compared with it.
type said struct {
	unknown bool
	words   string // lower case, single spaces, one at each end
	run     string // the words without spaces between them
	long    []string
	numbers []quantity
	dates   []date
	times   []int
}

// heard reads a passage.
func heard(passage string) *said {
	if strings.TrimSpace(passage) == "" {
		return &said{unknown: true}
	}
	s := &said{words: " " + bareWords(passage) + " "}
	s.run = strings.ReplaceAll(s.words, " ", "")
	plain := strings.ToLower(ascii(passage))
	for _, run := range longRun().FindAllString(plain, -1) {
		s.long = append(s.long, digitsOf(run))
	}
	dates, rest := datesIn(plain)
	times, rest := timesIn(rest)
	s.dates, s.times = slices.Concat(dates...), slices.Concat(times...)
	s.numbers = append(quantities(rest, true), numberWords(rest)...)
	for _, d := range s.dates {
		s.numbers = append(s.numbers, quantity{values: []float64{float64(d.year), float64(d.day)}, exact: true})
	}
	for _, q := range quantities(plain, false) {
		if q.written != "" { // what looks like a date, 1.2.30, may be none
			s.numbers = append(s.numbers, q)
		}
	}
	return s
}

// claimsIn lists what the words before a mark claim.
func claimsIn(text string) (all []claim) {
	for _, q := range quotesIn(text) {
		if w := bareWords(q); w != "" {
			all = append(all, quotation(q))
		}
	}
	plain := strings.ToLower(ascii(unquoted(text)))
	plain = longRun().ReplaceAllStringFunc(plain, func(run string) string {
		if d := digitsOf(run); len(d) >= 7 && !datelike().MatchString(run) {
			all = append(all, code{d, run})
			return " "
		}
		return run
	})
	dates, plain := datesIn(plain)
	for _, d := range dates {
		all = append(all, day(d))
	}
	times, plain := timesIn(plain)
	for _, t := range times {
		all = append(all, clock(t))
	}
	for _, n := range quantities(plain, false) {
		all = append(all, n)
	}
	return all
}

var (
	listMark  = text.Pattern(`^\s*(?:>\s*)*(?:[-+*•]\s+|\p{Nd}{1,3}[.)]\s+|#{1,6}\s+)*`)
	sentences = text.Pattern(`[.!?…]["”»’)*_]*\s+|[。！？।؟]\s*`)
	shortened = text.Pattern(
		`(?i)(?:^|[\s(])(?:\p{Nd}{1,2}|\pL|e\.g|i\.e|z\.b|d\.h|u\.a|ca|approx|no|nr|st|dr|mr|mrs|ms|prof|vs|fig|vol|p|pp|jan|feb|mar|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez|janv|févr|avr|juil|déc|ene|abr|ago|dic|mio|mrd|mill|inc|ltd|co|bzw|usw|etc|evtl|max|min|str)\.$`)
)

// maxClaimed is how long what stands before a mark may be, in bytes.
const maxClaimed = 1200

// claimed returns the part of the text before a mark that the mark vouches for: the
// last sentence of the last line, or cell of a table.
func claimed(text string) string {
	text = strings.TrimRight(text[max(0, len(text)-maxClaimed):], " \n\t")
	text = text[strings.LastIndexByte(text, '\n')+1:]
	if cells := strings.Trim(text, " |"); strings.HasPrefix(strings.TrimSpace(text), "|") {
		text = cells[strings.LastIndexByte(cells, '|')+1:]
	}
	text = text[len(listMark().FindString(text)):]
	body := strings.TrimRight(text, ".!?… \"”»’)*_。！？।")
	from := 0
	for _, m := range sentences().FindAllStringIndex(body, -1) {
		end := strings.TrimRightFunc(body[from:m[1]], unicode.IsSpace)
		if next, _ := utf8.DecodeRuneInString(body[m[1]:]); unicode.IsLower(next) || shortened().MatchString(end) {
			continue
		}
		from = m[1]
	}
	return text[from:]
}

// quotation is words in quotation marks.
type quotation string

var leftOut = text.Pattern(`…|\.\.\.|\[[^\]]*\]|\([.…]+\)`)

func (q quotation) in(s *said) bool {
	for _, piece := range leftOut().Split(string(q), -1) {
		w := bareWords(piece)
		if w == "" || strings.Contains(s.words, " "+w+" ") {
			continue
		}
		if !strings.ContainsFunc(w, text.Unspaced) || !strings.Contains(s.run, strings.ReplaceAll(w, " ", "")) {
			return false
		}
	}
	return true
}

// code is a long number in pieces, as of a telephone or an account.
type code struct{ digits, written string }

func (c code) in(s *said) bool {
	if slices.ContainsFunc(s.long, func(l string) bool { return strings.Contains(l, c.digits) }) {
		return true
	}
	for _, n := range quantities(c.written, false) {
		if !n.in(s) {
			return false
		}
	}
	return true
}

var (
	longRun  = text.Pattern(`\d[\d .,'’/()\-–\x{a0}\x{2009}\x{202f}]*\d`)
	datelike = text.Pattern(`\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4}`)
)

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// bareWords returns a text in lower case without anything but words.
func bareWords(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\'' || r == '’' || r == '\u00AD' || r == '*' || r == '`':
			return -1
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return ' '
	}, ascii(s))
	return strings.Join(strings.Fields(s), " ")
}

// quoteMarks are what a quotation stands between.
var quoteMarks = []struct{ open, shut string }{{"“", "”"}, {"„", "“”"}, {"«", "»"}, {"»", "«"}, {"「", "」"}, {"『", "』"},
	{`"`, `"`}, {"‹", "›"}}

// quotesIn lists what stands in quotation marks.
func quotesIn(s string) (all []string) {
	eachQuote(s, func(q string) { all = append(all, q) })
	return all
}

// unquoted returns a text without its quotations.
func unquoted(s string) string { return eachQuote(s, func(string) {}) }

// eachQuote calls f with each quotation and returns what is around them.
func eachQuote(s string, f func(string)) string {
	var rest strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		at := slices.IndexFunc(quoteMarks, func(q struct{ open, shut string }) bool { return q.open == string(r) })
		inch := r == '"' && i > 0 && s[i-1] >= '0' && s[i-1] <= '9'
		if at < 0 || inch {
			rest.WriteString(s[i : i+size])
			i += size
			continue
		}
		i += size
		end := strings.IndexAny(s[i:], quoteMarks[at].shut)
		if end < 0 {
			continue
		}
		f(s[i : i+end])
		rest.WriteByte(' ')
		_, size = utf8.DecodeRuneInString(s[i+end:])
		i += end + size
	}
	return rest.String()
}

package citation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
)

// claim is something in an answer that a passage can confirm.
type claim interface {
	// in reports whether a passage says it, perhaps in another form.
	in(s *said) bool
}

// said is a passage, prepared for comparison with claims.
type said struct {
	unknown bool
	words   string // lower case, with single spaces, also at both ends
	run     string // words without the spaces
	long    []code // long numbers, such as telephone numbers
	numbers []quantity
	dates   []Date
	times   []clock
	names   [][]string // names of two words and more, lower case
	german  bool
	late    bool // it speaks of afternoons or evenings
}

// heard reads a passage.
func heard(passage string) *said {
	if strings.TrimSpace(passage) == "" {
		return &said{unknown: true}
	}
	s := &said{words: " " + bareWords(passage) + " "}
	s.run = strings.ReplaceAll(s.words, " ", "")
	s.german = inGerman(passage)
	for _, row := range rowsIn(passage) {
		if len(row) > 1 {
			s.names = append(s.names, strings.Fields(strings.ToLower(passage[row[0][0]:row[len(row)-1][1]])))
		}
	}
	plain := strings.ToLower(ascii(passage))
	for _, m := range longRun().FindAllStringIndex(plain, -1) {
		s.long = append(s.long, codeAt(plain, m[0], m[1]))
	}
	dates, rest := datesIn(plain)
	s.times, rest = timesIn(rest)
	s.late = lateWords().MatchString(plain)
	s.dates = slices.Concat(dates...)
	s.numbers = quantities(rest, true)
	for _, d := range s.dates {
		s.numbers = append(s.numbers, quantity{values: []float64{float64(d.Year), float64(d.Day)}, exact: true})
	}
	for _, q := range quantities(plain, false) {
		if q.written != "" { // what looks like a date, 1.2.30, may be none
			s.numbers = append(s.numbers, q)
		}
	}
	return s
}

// claimsIn lists the claims in the words before a mark.
func claimsIn(text string) (all []claim) {
	quotes, rest := unquoted(codeSpan().ReplaceAllString(text, " "))
	for _, q := range quotes {
		if w := bareWords(q); w != "" {
			all = append(all, quotation(q))
		}
	}
	all = append(all, namesIn(rest)...)
	plain := strings.ToLower(ascii(rest))
	for _, m := range slices.Backward(longRun().FindAllStringIndex(plain, -1)) {
		if c := codeAt(plain, m[0], m[1]); len(c.digits) >= 7 && !datelike().MatchString(c.written) {
			all = append(all, c)
			plain = plain[:m[0]] + " " + plain[m[1]:]
		}
	}
	dates, plain := datesIn(plain)
	for _, d := range dates {
		all = append(all, day(d))
	}
	times, plain := timesIn(plain)
	for _, t := range times {
		all = append(all, t)
	}
	for _, n := range quantities(plain, false) {
		all = append(all, n)
	}
	return all
}

// codeSpan matches code within a line, which claims nothing.
var codeSpan = text.Pattern("`[^`\n]+`")

var (
	listMark  = text.Pattern(`^\s*(?:>\s*)*(?:[-+*•]\s+|\p{Nd}{1,3}[.)]\s+|#{1,6}\s+)*`)
	sentences = text.Pattern(`[.!?…]["”»’)*_]*\s+|[。！？।؟]\s*`)
	shortened = text.Pattern(
		`(?i)(?:^|[\s(])(?:\p{Nd}{1,2}|\pL|e\.g|i\.e|z\.b|d\.h|u\.a|ca|approx|no|nr|st|dr|mr|mrs|ms|prof|vs|fig|vol|p|pp|jan|feb|mar|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez|janv|févr|avr|juil|déc|ene|abr|ago|dic|mio|mrd|mill|inc|ltd|co|bzw|usw|etc|evtl|max|min|str)\.$`)
)

// maxClaimed limits the bytes before a mark that are compared.
const maxClaimed = 1200

// claimed returns the part of the text before a mark for which the mark vouches: the
// last sentence of the last line or table cell.
func claimed(text string) string {
	text = strings.TrimRight(text[max(0, len(text)-maxClaimed):], " \n\t")
	text = text[strings.LastIndexByte(text, '\n')+1:]
	if cells := strings.Trim(text, " |"); strings.HasPrefix(strings.TrimSpace(text), "|") {
		text = cells[strings.LastIndexByte(cells, '|')+1:]
	}
	text = text[len(listMark().FindString(text)):]
	body := strings.TrimRight(text, ".!?… \"”»’)*_。！？।")
	parts := parted(body)
	return text[len(body)-len(parts[len(parts)-1]):]
}

// parted splits a line into sentences. The last one may be "".
func parted(line string) (all []string) {
	from := 0
	for _, m := range sentences().FindAllStringIndex(line, -1) {
		next, _ := utf8.DecodeRuneInString(line[m[1]:])
		if unicode.IsLower(next) || shortened().MatchString(strings.TrimSpace(line[from:m[1]])) {
			continue
		}
		all, from = append(all, line[from:m[1]]), m[1]
	}
	return append(all, line[from:])
}

// quotation is a quoted text.
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

// code is a long number in groups, such as a telephone number.
type code struct {
	digits, written string
	sign            sign
}

func codeAt(s string, from, to int) code {
	return code{digitsOf(s[from:to]), s[from:to], signAt(s, from, to, unit{})}
}

func (c code) in(s *said) bool {
	if slices.ContainsFunc(s.long, func(l code) bool { return strings.Contains(l.digits, c.digits) && !l.sign.clashes(c.sign) }) {
		return true
	}
	for _, n := range quantities(c.written, false) {
		n.sign = c.sign
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

// bareWords returns the words of a text in lower case, with single spaces.
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

// quoteMarks are pairs of quotation marks; each character of shut can close one.
var quoteMarks = []struct{ open, shut string }{{"“", "”"}, {"„", "“”"}, {"«", "»"}, {"»", "«"}, {"「", "」"}, {"『", "』"},
	{`"`, `"`}, {"‹", "›"}}

// unquoted returns the quotations in a text, and the text without them.
func unquoted(s string) (quotes []string, around string) {
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
		quotes = append(quotes, s[i:i+end])
		rest.WriteByte(' ')
		_, size = utf8.DecodeRuneInString(s[i+end:])
		i += end + size
	}
	return quotes, rest.String()
}

package citation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
)

// mark is a citation in an answer.
type mark struct {
	from, to int
	numbers  []int
	plain    bool // written as [1] or [1, 2]
	sure     bool // in a form that only a model writes
}

// Patterns of the parts of marks. The words for a source are those of the languages in
// which models mostly answer.
const (
	markDigit  = `\p{Nd}{1,3}`
	markSpan   = markDigit + `(?:\s?[-–—~〜]\s?` + markDigit + `)?`
	markSeries = markSpan + `(?:\s?(?:[,;、，；/&]|\band\b|\bund\b|\bet\b|\by\b)\s?` + markSpan + `)*`
	markSource = `(?i:sources?|src|refs?|references?|cit(?:e|ation)s?|docs?|documents?|notes?|passages?|results?|quellen?|fuentes?|fonti|fonte|bronn?en?|источники?|出典|来源|來源|資料|출처|المصدر|स्रोत)`
	markNamed  = markSource + `\s?[:#№.]?\s?(?:no\.?\s?|#)?`
	markWhere  = `(?:†[^\]】］〕\n]{0,60}|:\p{Nd}{1,3}†[^\]】］〕\n]{0,60}|,?\s?(?i:pp?\.|pages?|lines?|zeilen?|l|§)\s?\p{Nd}{1,5}(?:\s?[-–]\s?(?i:l)?\p{Nd}{1,5})?)?`
)

var (
	raisedTag   = text.Pattern(`(?i)<sup>\s?\[?(` + markSeries + `)\]?\s?</sup>`)
	bracketed   = text.Pattern(`(?:\[\[|[\[【［〔〖⟦])\s?(\^|` + markNamed + `)?(` + markSeries + `)` + markWhere + `\s?(?:\]\]|[\]】］〕〗⟧])`)
	inWords     = text.Pattern(`(?i)\((?:see )?(` + markNamed + `)(` + markSeries + `)\)`)
	atEnd       = text.Pattern(`(?im)(?:^|[.!?] |[—–-] )(sources?: ?)(` + markSeries + `)\.?[ \t]*$`)
	superscript = text.Pattern(`[⁰¹²³⁴-⁹]+(?:[,˒]?[⁰¹²³⁴-⁹]+)*`)
	footnote    = text.Pattern(`(?m)^ {0,3}\[\^(\p{Nd}{1,3})\]:`)
	markRange   = text.Pattern(`(\p{Nd}+)(?:\s?[-–—~〜]\s?(\p{Nd}+))?`)
	plainMark   = text.Pattern(`^\[\d{1,3}(?:, \d{1,3})*\]$`)
)

// marksIn lists the marks in the prose of a text, from first to last, without what the
// passages themselves have in brackets.
func (l labels) marksIn(s string) (all []mark) {
	if !strings.ContainsAny(s, "[【［〔〖⟦(⁰¹²³⁴⁵⁶⁷⁸⁹:<") {
		return nil
	}
	notes := map[string]bool{}
	for _, m := range footnote().FindAllStringSubmatch(s, -1) {
		notes[m[1]] = true
	}
	prose := proseIn(s)
	for _, p := range prose {
		all = append(all, p.marks(s, notes)...)
	}
	all = append(all, raised(s, prose)...)
	slices.SortStableFunc(all, func(a, b mark) int { return a.from - b.from })
	end := 0
	return slices.DeleteFunc(all, func(m mark) bool { // the first of two that overlap
		if m.from < end {
			return true
		}
		end = m.to
		return !m.sure && l.has(s, m)
	})
}

// marks lists the marks in a stretch of prose, except superscripts.
func (p stretch) marks(s string, notes map[string]bool) (all []mark) {
	prose := s[p.from:p.to]
	for _, m := range bracketed().FindAllStringSubmatchIndex(prose, -1) {
		name := ""
		if m[2] >= 0 {
			name = prose[m[2]:m[3]]
		}
		numbers := prose[m[4]:m[5]]
		mk := mark{from: p.from + m[0], to: p.from + m[1], numbers: numbersOf(numbers)}
		shown := prose[m[0]:m[1]]
		mk.plain = plainMark().MatchString(shown)
		mk.sure = name != "" || strings.ContainsAny(shown, "【〖⟦†")
		open, shut := strings.HasPrefix(prose[m[0]:], "[["), strings.HasSuffix(prose[:m[1]], "]]")
		switch {
		case name == "^" && notes[numbers]:
		case open != shut && len(mk.numbers) > 1: // a list of lists
		case open && !shut:
			mk.from++
			all = append(all, mk)
		case shut && !open:
			mk.to--
			all = append(all, mk)
		case name == "" && isData(s, mk, all):
		default:
			all = append(all, mk)
		}
	}
	for _, m := range raisedTag().FindAllStringSubmatchIndex(prose, -1) {
		all = append(all, mark{from: p.from + m[0], to: p.from + m[1], numbers: numbersOf(prose[m[2]:m[3]])})
	}
	for _, pattern := range []*regexp.Regexp{inWords(), atEnd()} {
		for _, m := range pattern.FindAllStringSubmatchIndex(prose, -1) {
			from, to := m[0], m[1]
			if pattern == atEnd() {
				from, to = m[2], m[5]
			}
			all = append(all, mark{from: p.from + from, to: p.from + to, numbers: numbersOf(prose[m[4]:m[5]]), sure: true})
		}
	}
	return all
}

// numbersOf reads "1, 3-5" in any digits.
func numbersOf(s string) (all []int) {
	for _, m := range markRange().FindAllStringSubmatch(ascii(s), -1) {
		from, _ := strconv.Atoi(m[1]) // three digits at most
		all = append(all, from)
		if m[2] == "" {
			continue
		}
		to, _ := strconv.Atoi(m[2])
		for n := from + 1; n < to && n-from < maxRange; n++ {
			all = append(all, n)
		}
		if to != from {
			all = append(all, to)
		}
	}
	return all
}

// maxRange limits the numbers of a range.
const maxRange = 20

// raised lists superscript numbers after words. After units they are squares and cubes.
func raised(s string, prose []stretch) (all []mark) {
	forms, _ := unitForms()
	for _, p := range prose {
		for _, m := range superscript().FindAllStringIndex(s[p.from:p.to], -1) {
			mk := mark{from: p.from + m[0], to: p.from + m[1]}
			word := s[:mk.from]
			letters := len(word) - len(strings.TrimRightFunc(word, unicode.IsLetter))
			before, _ := utf8.DecodeLastRuneInString(word)
			if letters < 3 && !strings.ContainsRune(".,;:!?)”\"»」", before) || forms[strings.ToLower(word[len(word)-letters:])].kind != "" {
				continue
			}
			for _, f := range strings.FieldsFunc(s[mk.from:mk.to], func(r rune) bool { return r == ',' || r == '˒' }) {
				mk.numbers = append(mk.numbers, numbersOf(f)...)
			}
			all = append(all, mk)
		}
	}
	return all
}

var (
	container = text.Pattern(
		`(?i)\b(?:arr(?:ay)?|list|vec(?:tor)?|tuple|matrix|slice|sequence|interval|input|output|args|argv|data|items|nums|values|rows?|cols?|index|idx|dict|buf|str|params|result|queue|stack)s?\s?$`)
	assigned = text.Pattern(`^\s?(?:[-+*/|&]?=[^=>]|==|\+\+|--)|^\.\pL+\(|^\(\)`)
	indexed  = text.Pattern(`(?:^|[^\pL\p{Nd}_])(?:\pL|[\pL\p{Nd}_.]*[_\p{Nd}][\pL\p{Nd}_.]*|\pL+\.\pL[\pL.]*|\p{Ll}+\p{Lu}\pL*)$|[)\]}]$`)
)

// maxAround is how many bytes before and after a mark decide whether it is data.
const maxAround = 200

// isData reports whether an apparent mark is a list or index in a program, judging by the
// text around it and by its numbers.
func isData(s string, m mark, before []mark) bool {
	line := s[max(strings.LastIndexByte(s[:m.from], '\n')+1, m.from-maxAround):m.from]
	after := s[m.to:min(len(s), m.to+maxAround)]
	behind := len(before) > 0 && before[len(before)-1].to == m.from
	last, _ := utf8.DecodeLastRuneInString(line)
	attached := !behind && (unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune("_)]}", last))
	figure := line[len(strings.TrimRight(line, "0123456789.,%")):] // a number has no parts
	switch {
	case assigned().MatchString(after):
		return true
	case attached && figure != "" && strings.HasSuffix(strings.TrimSuffix(line, figure), " "):
	case attached && (indexed().MatchString(line) || container().MatchString(line) || slices.Contains(m.numbers, 0)):
		return !(last == ')' && strings.Contains(line, " (")) // words in parentheses are no call
	case len(m.numbers) > 1 && (slices.Contains(m.numbers, 0) || repeats(m.numbers) || container().MatchString(strings.TrimRight(line, " "))):
		return true
	}
	trimmed := strings.TrimRight(line, " ")
	for _, end := range []string{"=", `":`, "':", "{", "->", "=>", "return"} {
		if strings.HasSuffix(trimmed, end) {
			return true
		}
	}
	i := strings.LastIndexByte(trimmed, '(')
	return i == len(trimmed)-1 && i > 0 && (unicode.IsLetter(rune(trimmed[i-1])) || trimmed[i-1] == '_') || inBraces(line, after)
}

// repeats reports whether a number occurs twice.
func repeats(numbers []int) bool {
	sorted := slices.Sorted(slices.Values(numbers))
	return len(slices.Compact(sorted)) < len(numbers)
}

// inBraces reports whether a place is inside braces or a list of lists.
func inBraces(line, after string) bool {
	rest, _, _ := strings.Cut(after, "\n")
	if strings.Count(line, "{") > strings.Count(line, "}") && strings.Contains(rest, "}") {
		return true
	}
	t := strings.TrimRight(line, " ,")
	return strings.HasSuffix(t, "[") && strings.Contains(rest, "]") && !strings.HasPrefix(rest, "]") ||
		strings.Contains(line, "[[") && strings.HasSuffix(t, "]") && strings.Contains(rest, "]")
}

// ascii replaces the digits and digit separators of all scripts by those of ASCII.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case r == '٫' || r == '．':
			return '.'
		case r == '٬' || r == '，' || r == '、':
			return ','
		case r == '⁰':
			return '0'
		case r == '¹':
			return '1'
		case r == '²' || r == '³':
			return r - '²' + '2'
		case r >= '⁴' && r <= '⁹':
			return r - '⁰' + '0'
		case unicode.Is(unicode.Nd, r):
			return '0' + value(r)
		}
		return r
	}, s)
}

// value returns the value of a digit in any script. Unicode has them in runs of ten.
func value(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	return 0
}

package chat

import (
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	fenceLine = regexp.MustCompile("(?m)^ {0,3}(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)$")
	wholeLink = regexp.MustCompile(`!?\[[^\]\n]*\]\([^)\n]*\)|<?https?://[^\s>]+>?`)
)

// maxUnit is how far beyond a cut a link or a fence line may reach to count
// as one: more is cut like any text.
const maxUnit = 4096

// maxInfo is how long a line that opens a fence may be to be written again.
const maxInfo = 64

// Split cuts Markdown into pieces that fit, at the best place there is: between
// paragraphs, lines or words, never inside a link, a fence line or a grapheme
// unless one of these alone does not fit. A fence that is cut is closed and
// opened again. Nothing else is added, and nothing lost but white space that
// would be a piece of its own. fits must hold for whatever is
// shorter than something it holds for; it is called often and must be quick.
// White space alone gives no pieces.
func Split(text string, fits func(string) bool) (pieces []string) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for opening := ""; ; {
		if blank(opening, text) {
			return pieces
		}
		if fits(opening + text) {
			return append(pieces, opening+text)
		}
		piece := func(n int) (string, string) { return closed(opening + text[:n]) }
		end := 1024 // doubled until too long, so that the rest of a long text is not read for every piece
		for p, _ := piece(min(end, len(text))); end < len(text) && fits(p); p, _ = piece(min(end, len(text))) {
			end *= 2
		}
		n := sort.Search(min(end, len(text)), func(n int) bool { p, _ := piece(n + 1); return !fits(p) })
		n = nice(text, n)
		p, open := piece(n)
		for n > 1 && !fits(p) { // rendering is not quite monotone
			n = nice(text, n-1)
			p, open = piece(n)
		}
		if !blank(opening, text[:n]) {
			pieces = append(pieces, p)
		}
		opening, text = open, text[n:]
	}
}

// blank says that a piece would show nothing: white space, or a fence that is
// opened again only to be closed.
func blank(opening, text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || opening != "" && strings.HasPrefix(opening, text) && strings.Trim(text, text[:1]) == ""
}

// closed ends the fence that s leaves open; opening is what opens it again.
func closed(s string) (whole, opening string) {
	var marker string
	for _, m := range fenceLine.FindAllStringIndex(s, -1) {
		line := strings.TrimSpace(s[m[0]:m[1]])
		run := line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
		switch {
		case marker == "":
			marker, opening = run, line+"\n"
			if len(line) > maxInfo {
				opening = run[:min(len(run), maxInfo)] + "\n"
			}
		case strings.HasPrefix(run, marker) && run == line:
			marker, opening = "", ""
		}
	}
	if marker == "" {
		return s, ""
	}
	return strings.TrimSuffix(s, "\n") + "\n" + marker, opening
}

// nice is the best place to cut s at or before n, at least one character on.
func nice(s string, n int) int {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	_, first := utf8.DecodeRuneInString(s)
	n = max(n, first)
	best := n
	for _, gap := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(s[:n], gap); i >= n/2 {
			best = i + len(gap)
			break
		}
	}
	for _, whole := range []*regexp.Regexp{fenceLine, wholeLink} {
		for _, m := range whole.FindAllStringIndex(s[:min(len(s), best+maxUnit)], -1) {
			if m[0] > 0 && m[0] < best && best < m[1] {
				best = m[0]
			}
		}
	}
	for i := best; i > 0; {
		before, size := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i:])
		if !joined(before, after) {
			return i
		}
		i -= size
	}
	return best
}

// joined says that two characters belong to one grapheme.
func joined(a, b rune) bool {
	const joiner = '\u200D'
	flags := func(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }
	tone := b >= 0x1F3FB && b <= 0x1F3FF
	return a == joiner || b == joiner || tone || unicode.In(b, unicode.M) || flags(a) && flags(b) || a == '\r' && b == '\n'
}

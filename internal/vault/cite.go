package vault

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Cite checks the marks of an answer, like [2] or [1, 3], against what was
// retrieved, of which the first is number 1. A number that was not retrieved is
// stripped, its mark with it when nothing is left; the others stay as they are.
// used are the hits that are cited, in the order of their numbers. Marks in
// code, and links like [1](url), are no citations.
func Cite(answer string, retrieved []Hit) (text string, used []Hit, stripped int) {
	for {
		var n int
		answer, used, n = cite(answer, retrieved)
		if stripped += n; n == 0 {
			return answer, used, stripped
		}
		// Without a mark, a line may have become the edge of a code block, and
		// what was code is not: look again.
	}
}

func cite(answer string, retrieved []Hit) (text string, used []Hit, stripped int) {
	code := codeRanges(answer)
	cited := map[int]bool{}
	var out []byte
	for i := 0; i < len(answer); i++ {
		if len(code) > 0 && i == code[0].from {
			out = append(out, answer[i:code[0].to]...)
			i = code[0].to - 1
			code = code[1:]
			continue
		}
		out = append(out, answer[i])
		if answer[i] != ']' || isLink(answer[i+1:]) {
			continue
		}
		// What was stripped may have made a mark of what is around it: the
		// look is at what is left.
		from := markAt(out)
		if from < 0 {
			continue
		}
		good, bad := sift(string(out[from+1:len(out)-1]), len(retrieved))
		for _, n := range good {
			cited[n] = true
		}
		if stripped += bad; bad > 0 {
			out = strip(out[:from], good, answer[i+1:])
		}
	}
	for i, h := range retrieved {
		if cited[i+1] {
			used = append(used, h)
		}
	}
	return string(out), used, stripped
}

// maxMark is how long the numbers in one mark may be.
const maxMark = 200

// markAt is where the mark begins that out ends with, -1 when it ends with none.
func markAt(out []byte) int {
	digits := false
	for i := len(out) - 2; i >= max(0, len(out)-maxMark); i-- {
		switch c := out[i]; {
		case c == '[' && digits:
			return i
		case c >= '0' && c <= '9':
			digits = true
		case strings.IndexByte(" ,;-–", c) < 0:
			return -1
		}
	}
	return -1
}

var (
	link  = regexp.MustCompile(`^\([^()\s]+\)`)
	parts = regexp.MustCompile(`(\d+)(?:\s*[-–]\s*(\d+))?`)
)

func isLink(after string) bool { return strings.HasPrefix(after, "(") && link.MatchString(after) }

// sift parts the numbers of a mark, ranges too, into those that were retrieved
// and how many were not.
func sift(mark string, retrieved int) (good []int, bad int) {
	add := func(n int) {
		switch {
		case n < 1 || n > retrieved:
			bad++
		case !slices.Contains(good, n):
			good = append(good, n)
		}
	}
	for _, m := range parts.FindAllStringSubmatch(mark, -1) {
		from, err := strconv.Atoi(m[1])
		to := from
		if err == nil && m[2] != "" {
			to, err = strconv.Atoi(m[2])
		}
		if err != nil { // more digits than a number has
			bad++
			continue
		}
		add(from)
		for n := from + 1; n < to && n <= retrieved; n++ {
			add(n)
		}
		if to != from {
			add(to)
		}
	}
	return good, bad
}

// strip ends out with the good numbers alone. Where there are none it also
// takes the space before, when what follows needs none.
func strip(out []byte, good []int, after string) []byte {
	if len(good) > 0 {
		names := make([]string, len(good))
		for i, n := range good {
			names[i] = strconv.Itoa(n)
		}
		return append(out, "["+strings.Join(names, ", ")+"]"...)
	}
	if len(out) > 0 && out[len(out)-1] == ' ' && (after == "" || strings.ContainsRune(" .,;:!?)\n", rune(after[0]))) {
		out = out[:len(out)-1]
	}
	return out
}

// stretch is a part of a text, in bytes.
type stretch struct{ from, to int }

// codeRanges lists the fenced blocks and the code spans of a text.
func codeRanges(text string) (all []stretch) {
	at, prose, fence := 0, 0, ""
	for line := range strings.Lines(text) {
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			all = append(all, spansIn(text, prose, at)...)
			fence, prose = mark, at
		case fence != "" && strings.HasPrefix(mark, fence) && strings.TrimSpace(strings.TrimLeft(line, " "+mark[:1])) == "":
			all = append(all, stretch{prose, at + len(line)})
			fence, prose = "", at+len(line)
		case fence == "" && strings.TrimSpace(line) == "": // a span ends with its paragraph
			all = append(all, spansIn(text, prose, at)...)
			prose = at
		}
		at += len(line)
	}
	if fence != "" {
		return append(all, stretch{prose, len(text)})
	}
	return append(all, spansIn(text, prose, len(text))...)
}

// fenceOf is the run of marks that a line opens or closes a block with.
func fenceOf(line string) string {
	body := strings.TrimLeft(line, " ")
	if len(line)-len(body) > 3 || body == "" {
		return ""
	}
	c := body[:1]
	rest := strings.TrimLeft(body, c)
	n := len(body) - len(rest)
	if n < 3 || c != "`" && c != "~" || c == "`" && strings.Contains(rest, "`") {
		return ""
	}
	return body[:n]
}

var ticks = regexp.MustCompile("`+")

// spansIn lists the code spans of one paragraph: from a run of backticks to the
// next of the same length.
func spansIn(text string, from, to int) (all []stretch) {
	runs := ticks.FindAllStringIndex(text[from:to], -1)
	next := map[int][]int{} // by length, where runs are
	for i, r := range runs {
		next[r[1]-r[0]] = append(next[r[1]-r[0]], i)
	}
	for i := 0; i < len(runs); i++ {
		size := runs[i][1] - runs[i][0]
		same := next[size]
		for len(same) > 0 && same[0] <= i {
			same = same[1:]
		}
		next[size] = same
		if len(same) > 0 {
			all = append(all, stretch{from + runs[i][0], from + runs[same[0]][1]})
			i = same[0]
		}
	}
	return all
}

package citation

import (
	"slices"
	"strconv"
	"strings"
)

// AbsentNote follows a mark if the cited passage does not confirm the words before it.
const AbsentNote = "(not in the source)"

// Cited is an answer with checked citations.
type Cited struct {
	Text    string // with every mark in the form [n] or [n, m]
	Numbers []int  // of the cited passages, sorted
	Made    int    // removed numbers, which name no passage
	Absent  int    // places marked with AbsentNote
}

// Check checks the marks in an answer, in any form that models write, against its
// passages, of which the first is number 1. It removes numbers that name no passage, and
// marks without numbers. It looks for the numbers, dates and quotations before a mark in
// the cited passages; an empty passage is unknown and confirms everything. Code,
// mathematics, data, links and footnotes are no citations. Without passages the answer
// stays as it is.
func Check(answer string, passages []string) Cited {
	c := Cited{Text: answer}
	if len(passages) == 0 {
		return c
	}
	for range maxPasses {
		before := c.Text
		c.settle(len(passages))
		if c.Text == before {
			break
		}
		// Removing a mark may have opened or closed a code block, and so made other
		// marks appear: look again.
	}
	marks := slices.DeleteFunc(marksIn(c.Text), func(m mark) bool { // left after maxPasses
		return slices.ContainsFunc(m.numbers, func(n int) bool { return n < 1 || n > len(passages) })
	})
	for _, m := range marks {
		for _, n := range m.numbers {
			if !slices.Contains(c.Numbers, n) {
				c.Numbers = append(c.Numbers, n)
			}
		}
	}
	slices.Sort(c.Numbers)
	c.compare(marks, passages)
	return c
}

// maxPasses limits the passes over an answer.
const maxPasses = 8

// settle writes every mark in one form, without numbers that name no passage.
func (c *Cited) settle(passages int) {
	var out []byte
	last := 0
	for _, m := range marksIn(c.Text) {
		out = append(out, c.Text[last:m.from]...)
		last = m.to
		good := make([]string, 0, len(m.numbers))
		for _, n := range m.numbers {
			if n < 1 || n > passages {
				c.Made++
			} else if s := strconv.Itoa(n); !slices.Contains(good, s) {
				good = append(good, s)
			}
		}
		switch {
		case len(good) == len(m.numbers) && m.plain:
			out = append(out, c.Text[m.from:m.to]...)
		case len(good) > 0:
			out = append(out, "["+strings.Join(good, ", ")+"]"...)
		default:
			out = gap(out, c.Text[m.to:])
		}
	}
	c.Text = string(append(out, c.Text[last:]...))
}

// gap removes the space at the end of out, after which a mark was removed, if the text
// after the mark needs none.
func gap(out []byte, after string) []byte {
	if len(out) > 0 && out[len(out)-1] == ' ' && (after == "" || strings.ContainsRune(" .,;:!?)]\n", rune(after[0]))) {
		out = out[:len(out)-1]
	}
	return out
}

// compare puts AbsentNote after marks whose passages do not confirm the words before them.
func (c *Cited) compare(marks []mark, passages []string) {
	known := map[int]*said{}
	var out strings.Builder
	last, from := 0, 0
	for i := 0; i < len(marks); {
		group := marks[i : i+1]
		for i++; i < len(marks) && strings.Trim(c.Text[marks[i-1].to:marks[i].from], " ,") == ""; i++ {
			group = group[:len(group)+1]
		}
		end := group[len(group)-1].to
		claims := claimsIn(claimed(c.Text[from:group[0].from]))
		from = end
		if strings.HasPrefix(strings.TrimLeft(c.Text[end:], " "), AbsentNote) {
			continue
		}
		var cited []*said
		for _, m := range group {
			for _, n := range m.numbers {
				if known[n] == nil {
					known[n] = heard(passages[n-1])
				}
				cited = append(cited, known[n])
			}
		}
		if !vouched(claims, cited) {
			c.Absent++
			out.WriteString(c.Text[last:end] + " " + AbsentNote)
			last = end
		}
	}
	if last > 0 {
		c.Text = out.String() + c.Text[last:]
	}
}

// vouched reports whether one of the passages confirms each claim.
func vouched(claims []claim, cited []*said) bool {
	for _, cl := range claims {
		if !slices.ContainsFunc(cited, func(s *said) bool { return s.unknown || cl.in(s) }) {
			return false
		}
	}
	return true
}

package citation

import (
	"slices"
	"strconv"
	"strings"
)

// AbsentNote stands behind a mark when what the answer says before it does not
// stand in what is cited.
const AbsentNote = "(not in the source)"

// Cited is an answer whose citations were checked.
type Cited struct {
	Text    string // with every mark written [n] or [n, m]
	Numbers []int  // of the passages that are cited, in order
	Made    int    // numbers that name no passage, taken out
	Absent  int    // places marked with AbsentNote
}

// Check checks the marks of an answer, in any of the forms that models write,
// against the passages it rests on, of which the first is number 1. A number of
// no passage is taken out, its mark with it when nothing is left. Numbers,
// dates and quoted words before a mark are looked for in what it cites; a
// passage "" is not known and vouches for everything. Code, mathematics, data,
// links and footnotes are no citations; where there are no passages nothing
// is, and the answer stays as it is.
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
		// Without a mark, a line may have become the edge of a code block, what
		// was code is not, and what stood around it may be a mark: look again.
	}
	marks := slices.DeleteFunc(marksIn(c.Text), func(m mark) bool { // nested deeper than anybody means
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

// maxPasses bounds how often an answer is looked at again.
const maxPasses = 8

// settle writes every mark in one form, with those of its numbers that there
// are.
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

// gap is out where a mark is taken out behind it: without the space before the
// mark, when what follows needs none.
func gap(out []byte, after string) []byte {
	if len(out) > 0 && out[len(out)-1] == ' ' && (after == "" || strings.ContainsRune(" .,;:!?)]\n", rune(after[0]))) {
		out = out[:len(out)-1]
	}
	return out
}

// compare puts AbsentNote behind the marks whose passages do not say what the
// answer says before them.
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

// vouched reports whether each claim stands in one of the passages.
func vouched(claims []claim, cited []*said) bool {
	for _, cl := range claims {
		if !slices.ContainsFunc(cited, func(s *said) bool { return s.unknown || cl.in(s) }) {
			return false
		}
	}
	return true
}

package citation

import (
	"slices"
	"strconv"
	"strings"
)

// AbsentNote follows a mark if the cited passage does not confirm the words before it;
// UncheckedNote, an entry of a list of sources that names none of the passages.
const (
	AbsentNote    = "(not in the source)"
	UncheckedNote = "(not checked)"
)

// Cited is an answer with checked citations.
type Cited struct {
	Text      string   // with every mark in the form [n] or [n, m]
	Numbers   []int    // of the cited passages, sorted
	Made      int      // removed numbers, which name no passage
	Absent    int      // places marked with AbsentNote
	Unchecked int      // places marked with UncheckedNote
	Unsure    []string // what may be a mark and names no passage, as it stands in Text
}

// Check checks the marks in an answer, in any form that models write, against its
// passages, of which the first is number 1. It removes numbers that name no passage where
// they are a mark beyond doubt; where they may be words of the answer, Unsure lists them.
// It looks for the numbers, dates, names and quotations before a mark in the cited
// passages; an empty passage is unknown and confirms everything. Code, mathematics, data,
// and what the passages themselves have in brackets are no citations. Of a list of sources
// only what names none of them is left. Without passages all else stays as it is.
func Check(answer string, passages []Passage) Cited {
	c := Cited{Text: answer}
	c.unlist(passages)
	if len(passages) == 0 {
		return c
	}
	c.name(passages)
	own := labelsIn(passages)
	for range maxPasses {
		before := c.Text
		c.settle(len(passages), own)
		if c.Text == before {
			break
		}
		// Removing a mark may have opened or closed a code block, and so made other
		// marks appear: look again.
	}
	marks := own.marksIn(c.Text)
	c.Unsure = nil
	marks = slices.DeleteFunc(marks, func(m mark) bool {
		bad := slices.ContainsFunc(m.numbers, func(n int) bool { return n < 1 || n > len(passages) })
		if shown := c.Text[m.from:m.to]; bad && !slices.Contains(c.Unsure, shown) {
			c.Unsure = append(c.Unsure, shown)
		}
		return bad
	})
	for _, link := range unnamed(c.Text, own, passages) {
		if !slices.Contains(c.Unsure, link) {
			c.Unsure = append(c.Unsure, link)
		}
	}
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

// settle writes every mark in one form, without numbers that name no passage. What may be
// no mark stays.
func (c *Cited) settle(passages int, own labels) {
	var out []byte
	last := 0
	marks := own.marksIn(c.Text)
	for i, m := range marks {
		good, made := make([]string, 0, len(m.numbers)), 0
		for _, n := range m.numbers {
			if n < 1 || n > passages {
				made++
			} else if s := strconv.Itoa(n); !slices.Contains(good, s) {
				good = append(good, s)
			}
		}
		if made > 0 && !m.sure && !ends(c.Text, marks, i, passages) {
			continue
		}
		c.Made += made
		out = append(out, c.Text[last:m.from]...)
		last = m.to
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
func (c *Cited) compare(marks []mark, passages []Passage) {
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
					known[n] = heard(passages[n-1].whole())
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

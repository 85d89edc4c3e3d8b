package lineedit

import "strings"

// choices are the lines that the typed one may become, shown below it.
type choices struct {
	lines  []string
	head   string // common beginning, which is not shown again
	picked int    // the one in the line; -1 for none yet
	typed  string // the line before one was picked
}

// complete extends the line as far as that is certain, and shows what may follow.
func (e *Editor) complete() {
	if e.Complete == nil {
		return
	}
	typed, rest := e.text[:e.at], e.text[e.at:]
	lines := e.Complete(typed)
	if len(lines) == 0 || strings.TrimSpace(rest) != "" {
		return
	}
	if len(lines) == 1 {
		line := lines[0]
		if !strings.HasSuffix(line, " ") {
			line += " "
		}
		e.set(line, len(line))
		return
	}
	if common := commonStart(lines); len(common) > len(typed) {
		e.set(common, len(common))
	}
	e.choices = &choices{lines: lines, head: typed[:strings.LastIndexByte(typed, ' ')+1], picked: -1, typed: e.text}
}

// choosing handles keys that pick a choice. After false the choices are gone, and the key
// is for the line.
func (e *Editor) choosing(k Key) bool {
	c := e.choices
	switch k.Code {
	case Tab:
		c.picked = (c.picked + 1) % len(c.lines)
	case BackTab:
		c.picked--
		if c.picked < 0 {
			c.picked = len(c.lines) - 1
		}
	case Escape:
		e.choices = nil
		e.set(c.typed, len(c.typed))
		return true
	case Ignored:
		return true
	default:
		e.choices = nil
		return false
	}
	e.set(c.lines[c.picked], len(c.lines[c.picked]))
	return true
}

// commonStart returns what all lines begin with; letters of another case are the
// same, as the first line has them.
func commonStart(lines []string) string {
	common := lines[0]
	for _, l := range lines[1:] {
		n := 0
		for n < len(common) && n < len(l) && strings.EqualFold(common[n:n+1], l[n:n+1]) {
			n++
		}
		common = common[:n]
	}
	return strings.ToValidUTF8(common, "")
}

// mostRows is how many rows of choices are shown.
const mostRows = 8

// rows lays the choices out in columns.
func (c *choices) rows(width, most int, styled bool) (rows []row) {
	longest := 0
	names := make([]string, len(c.lines))
	for i, l := range c.lines {
		name := strings.TrimSuffix(strings.TrimPrefix(l, c.head), " ")
		names[i] = cutTo(strings.ReplaceAll(name, "\n", " "), max(1, width-1))
		longest = max(longest, Width(names[i]))
	}
	columns := max(1, (width-1)/(longest+2))
	high := (len(names) + columns - 1) / columns
	most = max(1, min(mostRows, most))
	from := 0
	if high > most { // the picked one must be seen
		from = min(max(0, c.picked/columns-most/2), high-most)
	}
	for r := from; r < high && r < from+most; r++ {
		var b strings.Builder
		for i := r * columns; i < len(names) && i < (r+1)*columns; i++ {
			name := names[i]
			if i == c.picked {
				name = paint(name, reversed, styled)
			}
			b.WriteString(name)
			if i+1 < len(names) && i+1 < (r+1)*columns {
				b.WriteString(strings.Repeat(" ", longest+2-Width(names[i])))
			}
		}
		rows = append(rows, row{text: b.String()})
	}
	if hidden := high - len(rows); hidden > 0 && width > 20 {
		rows = append(rows, row{text: paint("… Tab goes on", dim, styled)})
	}
	return rows
}

package filmtest

import (
	"fmt"
	"strings"
)

// Terminal films a terminal from its screens. The zero value is not usable; NewTerminal
// makes one.
type Terminal struct {
	title string
	rows  int // that are seen at once
	now   float64
	shots []shot
	typed map[int]int // the column from which a row was typed by a person, by row
}

// shot is everything that stands on the terminal from a moment on.
type shot struct {
	at    float64
	lines []string
}

// NewTerminal starts a film of a terminal that shows this many rows at once.
func NewTerminal(title string, rows int) *Terminal {
	return &Terminal{title: title, rows: rows, typed: map[int]int{}}
}

// Show films a screen, with what has scrolled away, for some seconds.
func (t *Terminal) Show(all string, seconds float64) {
	t.shots = append(t.shots, shot{t.now, strings.Split(all, "\n")})
	t.now += seconds
}

// Typed says that a row holds what a person typed, from a column on, both from 0.
func (t *Terminal) Typed(row, col int) { t.typed[row] = col }

// The look of a terminal: sizes of characters and margins in pixels.
const (
	charWidth, rowHeight   = 8.0, 19
	terminalTop, marginX   = 40, 18
	terminalColumns        = 104
	terminalStyle          = `text{font:13.3px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#d7dce2}.p{fill:#7ee0a1;font-weight:bold}.t{fill:#8a94a0}`
	terminalWidth          = 2*marginX + terminalColumns*charWidth
	dots                   = `<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>`
	background, titleColor = "#161b22", "t"
)

// SVG draws the film; label says to those who cannot see it what it shows.
func (t *Terminal) SVG(label string) []byte {
	r := &reel{length: t.now + rest}
	height := terminalTop + t.rows*rowHeight + 14
	fmt.Fprintf(&r.body, `<rect width="%d" height="%d" rx="10" fill="%s"/>%s<text x="%d" y="25" text-anchor="middle" class="%s">%s</text>`+
		"\n",
		int(terminalWidth), height, background, dots, int(terminalWidth)/2, titleColor, escaped(t.title))
	fmt.Fprintf(&r.body, `<svg x="0" y="%d" width="%d" height="%d"><g%s>`+"\n", terminalTop, int(terminalWidth), t.rows*rowHeight, t.roll(r))
	for row := range t.longest() {
		t.row(r, row)
	}
	r.body.WriteString("</g></svg>\n")
	return r.frame(int(terminalWidth), height, label, terminalStyle)
}

func (t *Terminal) longest() (rows int) {
	for _, s := range t.shots {
		rows = max(rows, len(s.lines))
	}
	return rows
}

// roll moves the rows up as there come more than fit.
func (t *Terminal) roll(r *reel) string {
	up := func(s shot) int { return max(0, len(s.lines)-t.rows) * rowHeight }
	last := 0
	var b strings.Builder
	for _, s := range t.shots {
		if n := up(s); n != last {
			fmt.Fprintf(&b, "%s{transform:translateY(-%dpx)}", r.at(s.at), n)
			last = n
		}
	}
	if last == 0 {
		return ""
	}
	fmt.Fprintf(&r.style, "@keyframes roll{0%%{transform:none}%s}\n", b.String())
	return fmt.Sprintf(` class="cut" style="animation-name:roll;transform:translateY(-%dpx)"`, last)
}

// row draws what a row says, each time something else.
func (t *Terminal) row(r *reel, row int) {
	said, since := "", 0.0
	end := func(to float64) {
		if said == "" {
			return
		}
		fmt.Fprintf(&r.body, `<text x="%d" y="%d"%s>%s</text>`+"\n", marginX, (row+1)*rowHeight-5, r.during(since, to), t.cells(row, said))
	}
	for _, s := range t.shots {
		now := ""
		if row < len(s.lines) {
			now = s.lines[row]
		}
		if now != said {
			end(s.at)
			said, since = now, s.at
		}
	}
	end(0)
}

// cells returns the text of a row, what was typed marked.
func (t *Terminal) cells(row int, said string) string {
	at, ok := t.typed[row]
	chars := []rune(said)
	if !ok || at >= len(chars) {
		return escaped(said)
	}
	return escaped(string(chars[:at])) + `<tspan class="p">` + escaped(string(chars[at:])) + "</tspan>"
}

package filmtest

import (
	"fmt"
	"strings"
)

// Chats films chats side by side, as people see them on their phones. The zero value
// is an empty one.
type Chats struct {
	now   float64
	panes []*Pane
}

// Pane is one chat.
type Pane struct {
	film       *Chats
	title, sub string
	bubbles    []bubble
	pressed    []press
}

// bubble is one message.
type bubble struct {
	at, y   float64
	who     string // "" for nobody: the screen's own person, whose messages stand on the right
	mine    bool
	lines   []string
	buttons []string
	notice  bool // said by nobody, such as who was added
}

// press is a button, pressed at a moment.
type press struct {
	at            float64
	bubble, index int
}

// The look of a chat, in pixels.
const (
	paneWidth, paneHeight = 400, 560
	paneHead              = 56
	lineHeight            = 19.0
	bubblePad             = 9.0
	buttonHeight          = 32.0
	widestText            = 300.0 // of a line
	chatStyle             = `text{font:14px -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:#16212b}.h{font-weight:600;font-size:15px;fill:#fff}.s,.n{font-size:12px;fill:#cfe0ee}.n{fill:#fff}.w{font-weight:600;font-size:13px;fill:#1c6ea4}.b{fill:#1c6ea4;font-weight:600;font-size:13px}.still{opacity:1}`
)

// Pane adds a chat to the film.
func (c *Chats) Pane(title, sub string) *Pane {
	p := &Pane{film: c, title: title, sub: sub}
	c.panes = append(c.panes, p)
	return p
}

// Wait lets time pass, in seconds.
func (c *Chats) Wait(seconds float64) { c.now += seconds }

// Say is a message of a person or of the bot; from "" is who holds the phone.
func (p *Pane) Say(from, text string, buttons ...string) {
	p.add(bubble{who: from, mine: from == "", lines: wrap(text), buttons: buttons})
}

// Notice is what the chat itself says.
func (p *Pane) Notice(text string) { p.add(bubble{notice: true, lines: []string{text}}) }

func (p *Pane) add(b bubble) {
	b.at = p.film.now
	p.bubbles = append(p.bubbles, b)
	p.film.now += 1.2 + 0.055*float64(len(strings.Join(b.lines, " "))) // as long as one reads
}

// Press presses a button of the last message that has some.
func (p *Pane) Press(button string) {
	for i := len(p.bubbles) - 1; i >= 0; i-- {
		for n, label := range p.bubbles[i].buttons {
			if label == button {
				p.pressed = append(p.pressed, press{p.film.now, i, n})
				p.film.now += 1
				return
			}
		}
	}
	panic("nobody offers " + button)
}

// SVG draws the film; label says to those who cannot see it what it shows.
func (c *Chats) SVG(label string) []byte {
	r := &reel{length: c.now + rest}
	for i, p := range c.panes {
		p.draw(r, i)
	}
	return r.frame(len(c.panes)*(paneWidth+16)-16, paneHeight, label, chatStyle)
}

// draw draws one chat, the n-th from the left.
func (p *Pane) draw(r *reel, n int) {
	x := n * (paneWidth + 16)
	fmt.Fprintf(&r.body, `<svg x="%d" y="0" width="%d" height="%d"><rect width="%d" height="%d" rx="12" fill="#9dbbd0"/>`+"\n",
		x, paneWidth, paneHeight, paneWidth, paneHeight)
	var drawn strings.Builder
	y, rolls, last := 12.0, "", 0.0
	for i := range p.bubbles {
		b := &p.bubbles[i]
		b.y = y
		drawn.WriteString(p.bubble(r, n, i))
		y += b.height() + 8
		if up := max(0, y+paneHead+4-paneHeight); up != last {
			rolls += fmt.Sprintf("%s{transform:translateY(-%.0fpx)}%s{transform:translateY(-%.0fpx)}", r.at(b.at), last, r.at(b.at+0.4), up)
			last = up
		}
	}
	roll := ""
	if last > 0 {
		fmt.Fprintf(&r.style, "@keyframes r%d{0%%{transform:none}%sto{transform:translateY(-%.0fpx)}}\n", n, rolls, last)
		roll = fmt.Sprintf(` class="roll" style="animation-name:r%d;transform:translateY(-%.0fpx)"`, n, last)
	}
	fmt.Fprintf(&r.body, `<svg y="%d" width="%d" height="%d"><g%s>%s</g></svg>`+"\n", paneHead, paneWidth, paneHeight-paneHead,
		roll, drawn.String())
	fmt.Fprintf(&r.body, `<path d="M0 %d V12 A12 12 0 0 1 12 0 H%d A12 12 0 0 1 %d 12 V%d Z" fill="#2f5d7c"/><text x="16" y="25" class="h">%s</text><text x="16" y="44" class="s">%s</text></svg>`+"\n",
		paneHead, paneWidth-12, paneWidth, paneHead, escaped(p.title), escaped(p.sub))
}

func (b *bubble) height() float64 {
	if b.notice {
		return 22
	}
	h := 2*bubblePad + lineHeight*float64(len(b.lines))
	if b.who != "" {
		h += lineHeight
	}
	if len(b.buttons) > 0 {
		h += buttonHeight + 4
	}
	return h
}

// bubble draws the i-th message of the n-th chat.
func (p *Pane) bubble(r *reel, n, i int) string {
	b := &p.bubbles[i]
	fmt.Fprintf(&r.style, "@keyframes m%d-%d{0%%,%s{opacity:0}%s,to{opacity:1}}\n", n, i, r.at(b.at), r.at(b.at+0.3))
	var out strings.Builder
	fmt.Fprintf(&out, `<g class="fade" style="animation-name:m%d-%d">`, n, i)
	if b.notice {
		w := width(b.lines[0])*0.86 + 24
		fmt.Fprintf(&out, `<rect x="%.0f" y="%.0f" width="%.0f" height="22" rx="11" fill="#000" opacity=".28"/><text x="%d" y="%.0f" text-anchor="middle" class="n">%s</text></g>`+"\n",
			(paneWidth-w)/2, b.y, w, paneWidth/2, b.y+15, escaped(b.lines[0]))
		return out.String()
	}
	wide := width(b.who)
	for _, l := range b.lines {
		wide = max(wide, width(l))
	}
	if len(b.buttons) > 0 {
		wide = widestText
	}
	wide += 2 * 12
	x, fill := 12.0, "#fff"
	if b.mine {
		x, fill = paneWidth-12-wide, "#e3fbd0"
	}
	box := b.height()
	if len(b.buttons) > 0 {
		box -= buttonHeight + 4
	}
	fmt.Fprintf(&out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="12" fill="%s"/>`, x, b.y, wide, box, fill)
	y := b.y + bubblePad + 14
	if b.who != "" {
		fmt.Fprintf(&out, `<text x="%.1f" y="%.1f" class="w">%s</text>`, x+12, y, escaped(b.who))
		y += lineHeight
	}
	for _, l := range b.lines {
		fmt.Fprintf(&out, `<text x="%.1f" y="%.1f">%s</text>`, x+12, y, escaped(l))
		y += lineHeight
	}
	p.buttons(r, &out, i, x, wide)
	out.WriteString("</g>\n")
	return out.String()
}

// buttons draws the buttons below the i-th message, and lets those flash that were
// pressed.
func (p *Pane) buttons(r *reel, out *strings.Builder, i int, spot ...float64) {
	b, x, wide := &p.bubbles[i], spot[0], spot[1]
	each := (wide - 4*float64(len(b.buttons)-1)) / float64(max(1, len(b.buttons)))
	for n, label := range b.buttons {
		left, top := x+float64(n)*(each+4), b.y+b.height()-buttonHeight
		flash := ""
		for _, pr := range p.pressed {
			if pr.bubble == i && pr.index == n {
				r.cuts++
				fmt.Fprintf(&r.style, "@keyframes c%d{0%%,%s{fill:#eef5fa}%s,%s{fill:#8fc4e8}%s,to{fill:#eef5fa}}\n", r.cuts,
					r.at(pr.at), r.at(pr.at+0.15), r.at(pr.at+0.6), r.at(pr.at+0.9))
				flash = fmt.Sprintf(` class="fade" style="animation-name:c%d"`, r.cuts)
			}
		}
		fmt.Fprintf(out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.0f" rx="8" fill="#eef5fa"%s/><text x="%.1f" y="%.1f" text-anchor="middle" class="b">%s</text>`,
			left, top, each, buttonHeight, flash, left+each/2, top+21, escaped(label))
	}
}

// wrap breaks a text into lines that fit a bubble.
func wrap(text string) (lines []string) {
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			if longer := strings.TrimSpace(line + " " + word); line == "" || width(longer) <= widestText {
				line = longer
				continue
			}
			lines, line = append(lines, line), word
		}
		lines = append(lines, line)
	}
	return lines
}

// width guesses how wide a text is in the usual fonts, at 14 pixels, rather too wide.
func width(text string) (w float64) {
	for _, r := range text {
		switch {
		case strings.ContainsRune("iljI.,:;'|!()[]", r):
			w += 4.6
		case strings.ContainsRune("ftr-/ ", r):
			w += 5.4
		case strings.ContainsRune("mwMW@%", r):
			w += 12.6
		case r >= 'A' && r <= 'Z':
			w += 9.8
		case r > 0x2e80:
			w += 14.5
		default:
			w += 8
		}
	}
	return w
}

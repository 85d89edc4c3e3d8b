package terminal

import (
	"io"
	"strings"
	"unicode/utf8"
)

// screen prints one answer as it grows. It is guarded by Adapter.mu.
type screen struct {
	out   io.Writer
	color bool
	width func() int // of the window, 0 when it has none; nil is always 0
	fits  int        // the width with which the current answer began
	shown string     // what is printed of the current answer, styles included
	typed bool       // the sign of typing is on the line
}

const eraseLine = "\r\x1b[K"

func (s *screen) typing() {
	if s.typed || s.shown != "" {
		return
	}
	s.typed = true
	sign := wordThinking
	if s.color {
		sign = styleDim + sign + styleOff
	}
	_, _ = io.WriteString(s.out, sign) // a sign that is not seen is no loss
}

// grow shows an answer as far as it is written.
func (s *screen) grow(text string) error {
	s.measure()
	switch {
	case s.color:
		text = render(text, s.fits, true)
	case s.fits > 0:
		text = wrap(whole(text), s.fits)
	}
	return s.show(text, false)
}

// finish shows a whole answer, and below it lines that are no Markdown.
func (s *screen) finish(text string, below []string) error {
	s.measure()
	if s.color {
		text = render(text, s.fits, false)
	} else {
		text = wrap(text, s.fits)
	}
	if text != "" {
		below = append([]string{text}, below...)
	}
	return s.show(strings.Join(below, "\n"), true)
}

func (s *screen) measure() {
	if s.shown == "" && s.width != nil {
		s.fits = s.width()
	}
}

// show prints what text adds to what is shown. A text that does not continue it
// starts over: in its place if that was one short line (a status), else below.
// final ends the answer.
func (s *screen) show(text string, final bool) error {
	var out string
	if s.typed {
		out, s.typed = eraseLine, false
	}
	rest, extends := strings.CutPrefix(text, s.shown)
	if !extends {
		rest, out = text, out+s.restart()
	}
	s.shown = text
	out += rest
	if final {
		if s.color && strings.Contains(text, "\x1b") {
			out += styleOff
		}
		out += "\n"
		s.shown = ""
	}
	if out == "" {
		return nil
	}
	_, err := io.WriteString(s.out, out)
	return err
}

// shortLine is a length, in characters, that fits a line of any terminal.
const shortLine = 40

func (s *screen) restart() string {
	off := ""
	if s.color {
		off = styleOff
	}
	if strings.Contains(s.shown, "\n") || utf8.RuneCountInString(s.shown) > shortLine {
		return off + "\n"
	}
	return off + eraseLine
}

// end abandons an answer that was begun and will not be finished.
func (s *screen) end() {
	out := ""
	if s.typed {
		out = eraseLine
	}
	if s.shown != "" {
		out += "\n"
		if s.color {
			out = styleOff + out
		}
	}
	s.shown, s.typed = "", false
	if out != "" {
		_, _ = io.WriteString(s.out, out) // nothing is lost with it
	}
}

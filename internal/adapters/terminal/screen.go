package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"parley/internal/adapters/terminal/lineedit"
)

// screen prints one answer as it grows. It is guarded by Adapter.mu.
type screen struct {
	out  io.Writer
	look look
	size func() (columns, rows int) // of the window, 0 when it has none; nil is always 0
	now  func() time.Time

	asked int    // the width of the window when it was last looked at
	given string // the answer as far as it is written
	shown string // what is printed of it, including styles
	busy  activity
}

// activity is the sign of work before an answer begins.
type activity struct {
	since time.Time // zero while nothing is done
	tools string    // tools at work
	turns int       // how often the sign has changed
	sign  string    // as it is shown on the line
}

const (
	eraseLine = "\r\x1b[K"
	// frame is how often the sign of work changes.
	frame = 120 * time.Millisecond
)

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// window returns the size of the window, and a usual one where there is none.
func (s *screen) window() (columns, rows int) {
	if s.size != nil {
		columns, rows = s.size()
	}
	if columns == 0 || rows == 0 {
		return 80, 24
	}
	return columns, rows
}

// work shows the sign of work from now on.
func (s *screen) work() {
	if s.busy.since.IsZero() {
		s.busy.since = s.now()
		s.tick()
	}
}

// tick updates the sign until the answer begins. Once the window has another size and keeps
// it, the answer so far is printed again.
func (s *screen) tick() {
	if s.shown != "" {
		asked := s.asked
		s.asked, _ = s.window()
		if s.asked == asked && s.refit() {
			_ = s.grow(s.given) // what is lost here, finish shows
		}
		return
	}
	if s.busy.since.IsZero() {
		return
	}
	columns, _ := s.window()
	sign := fit(s.busy.words(s.now()), columns-1)
	s.busy.turns++
	if s.look.styled {
		sign = styleDim + sign + styleOff
	}
	s.busy.sign = sign
	_, _ = io.WriteString(s.out, eraseLine+sign) // a sign that is not seen is no loss
}

// words are what the sign says: how long it takes, and which tools are at work.
func (b *activity) words(now time.Time) string {
	turn, seconds := spinner[b.turns%len(spinner)], int(now.Sub(b.since).Seconds())
	words := fmt.Sprintf("%s %d s", turn, seconds)
	if seconds >= 60 {
		words = fmt.Sprintf("%s %d:%02d", turn, seconds/60, seconds%60)
	}
	if b.tools != "" {
		words += "  " + b.tools
	}
	return words
}

// fit cuts a line to so many columns.
func fit(line string, columns int) string {
	if lineedit.Width(line) <= columns {
		return line
	}
	for lineedit.Width(line) >= columns && line != "" {
		r := []rune(line)
		line = string(r[:len(r)-1])
	}
	return line + "…"
}

// grow shows an answer as far as it is written.
func (s *screen) grow(text string) error {
	s.given = text
	if s.shown == "" {
		s.refit()
	}
	return s.show(render(text, s.look, true), false)
}

// finish shows a whole answer, and below it lines that are no Markdown.
func (s *screen) finish(text string, below []string) error {
	s.refit()
	if s.look.styled {
		text = render(text, s.look, false)
	}
	if text != "" {
		below = append([]string{text}, below...)
	}
	return s.show(strings.Join(below, "\n"), true)
}

// refit adopts the size of the window. What is shown was laid out for another size, and the
// window has wrapped it again: its visible part is erased. again reports that all of it
// must be shown again.
func (s *screen) refit() (again bool) {
	if s.size == nil {
		return false
	}
	columns, rows := s.size()
	if columns == s.look.width || columns == 0 {
		return false
	}
	s.look.width = columns
	if s.shown == "" {
		return false
	}
	high := 0
	for line := range strings.SplitSeq(s.shown, "\n") {
		high += max(1, (wide(line)+columns-1)/columns)
	}
	_, _ = io.WriteString(s.out, s.off()+lineedit.Erase(min(high, rows)-1)) // finish shows what is lost here
	s.shown = ""
	return true
}

// show prints what text adds to what is shown. A text that does not continue it starts
// over: in place of one short line (a status), else below. final ends the answer.
func (s *screen) show(text string, final bool) error {
	var out string
	if s.busy.sign != "" && (text != "" || final) {
		out, s.busy.sign = eraseLine, ""
	}
	rest, extends := strings.CutPrefix(text, s.shown)
	if !extends {
		rest, out = text, out+s.restart()
	}
	s.shown = text
	out += rest
	if final {
		if strings.Contains(text, "\x1b") {
			out += s.off()
		}
		out += "\n"
		s.forget()
	}
	if out == "" {
		return nil
	}
	_, err := io.WriteString(s.out, out)
	return err
}

// forget begins the next answer; the sign of work stays.
func (s *screen) forget() { s.given, s.shown = "", "" }

// off ends every style and link.
func (s *screen) off() string {
	switch {
	case s.look.links:
		return linkEnd + styleOff
	case s.look.styled:
		return styleOff
	}
	return ""
}

// shortLine is a length, in columns, that fits a line of any terminal.
const shortLine = 40

func (s *screen) restart() string {
	if strings.Contains(s.shown, "\n") || wide(s.shown) > shortLine {
		return s.off() + "\n"
	}
	return s.off() + eraseLine
}

// end abandons an unfinished answer, and the sign of work.
func (s *screen) end() {
	out := ""
	if s.busy.sign != "" {
		out = eraseLine
	}
	if s.shown != "" {
		out += s.off() + "\n"
	}
	s.forget()
	s.busy = activity{}
	if out != "" {
		_, _ = io.WriteString(s.out, out) // nothing is lost with it
	}
}

// sizeOf asks how many columns and rows o's window has; 0 where there is none.
func sizeOf(o Options) func() (columns, rows int) {
	out, ok := o.Out.(*os.File)
	if !ok || !o.TTY {
		return nil
	}
	return func() (int, int) { return windowOf(out) }
}

// Package lineedittest is a terminal as a person sees it: it takes what a program
// prints and knows what stands on the screen. It breaks full lines, scrolls, and
// puts lines together again when its size changes, as usual terminals do. What it
// does not know of the control sequences makes it panic: a program that prints it
// has no test.
package lineedittest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/mattn/go-runewidth"
)

// Screen is the terminal. It is an io.Writer, and may be used from several
// goroutines.
type Screen struct {
	mu            sync.Mutex // guards the rest
	width, height int
	rows          []line // with those that have scrolled away
	top           int    // the first row that is seen
	row, col      int    // the cursor; col is width when the next character wraps
	rest          string // of a sequence or a character that is not complete
}

type line struct {
	cells []string // a character of two columns is followed by an empty cell
	soft  bool     // it goes on in the next row
}

// New returns an empty screen.
func New(width, height int) *Screen {
	return &Screen{width: width, height: height, rows: make([]line, 1)}
}

// Write implements io.Writer.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.rest + string(p)
	s.rest = ""
	for text != "" {
		n := s.take(text)
		if n == 0 {
			s.rest = text
			break
		}
		text = text[n:]
	}
	return len(p), nil
}

// take handles what text begins with and returns how long that is.
func (s *Screen) take(text string) int {
	switch c := text[0]; {
	case c == '\x1b':
		return s.sequence(text)
	case c == '\r':
		s.col = 0
		return 1
	case c == '\n': // with the return that terminals' drivers add
		s.col = 0
		s.down()
		return 1
	case c < 0x20 || c == 0x7f:
		panic(fmt.Sprintf("control character %q", c))
	}
	end := strings.IndexAny(text, "\x1b\r\n")
	if end < 0 {
		end = len(text)
	}
	it := graphemes.FromString(text[:end])
	it.Next()
	s.put(it.Value())
	return len(it.Value())
}

func (s *Screen) put(c string) {
	wide := runewidth.StringWidth(c)
	if s.col+wide > s.width {
		s.rows[s.row].soft = true
		s.col = 0
		s.down()
	}
	l := &s.rows[s.row]
	for len(l.cells) < s.col+wide {
		l.cells = append(l.cells, " ")
	}
	if wide == 0 {
		return
	}
	l.cells[s.col] = c
	for i := 1; i < wide; i++ {
		l.cells[s.col+i] = ""
	}
	s.col += wide
}

func (s *Screen) down() {
	if s.row++; s.row == len(s.rows) {
		s.rows = append(s.rows, line{})
	}
	if s.row >= s.top+s.height {
		s.top = s.row - s.height + 1
	}
}

// sequence handles a control sequence; 0 while it is not complete.
func (s *Screen) sequence(text string) int {
	if len(text) < 2 {
		return 0
	}
	if text[1] == ']' {
		end := strings.Index(text, "\x1b\\")
		if end < 0 {
			return 0
		}
		return end + 2
	}
	if text[1] != '[' {
		panic(fmt.Sprintf("sequence %.10q", text))
	}
	end := 2
	for end < len(text) && (text[end] < 0x40 || text[end] > 0x7e) {
		end++
	}
	if end == len(text) {
		return 0
	}
	s.control(text[end], text[2:end])
	return end + 1
}

func (s *Screen) control(what byte, arg string) {
	n, err := strconv.Atoi(arg)
	if err != nil {
		n = 0
	}
	switch what {
	case 'm', 'h', 'l':
	case 'A':
		s.row, s.col = max(s.top, s.row-max(1, n)), min(s.col, s.width-1)
	case 'C':
		s.col = min(s.width-1, s.col+max(1, n))
	case 'D':
		s.col = max(0, min(s.col, s.width-1)-max(1, n))
	case 'H':
		s.row, s.col = s.top, 0
		for len(s.rows) <= s.row {
			s.rows = append(s.rows, line{})
		}
	case 'K':
		s.eraseLine()
	case 'J':
		if n == 2 {
			s.rows = append(s.rows[:s.top], line{})
			s.row = s.top
			return
		}
		s.eraseLine()
		s.rows = s.rows[:s.row+1]
	default:
		panic(fmt.Sprintf("sequence %q %q", arg, what))
	}
}

func (s *Screen) eraseLine() {
	l := &s.rows[s.row]
	l.cells, l.soft = l.cells[:min(len(l.cells), s.col)], false
}

// Resize changes the window and puts its lines together anew.
func (s *Screen) Resize(width, height int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []line
	row, col := 0, 0
	for i := 0; i < len(s.rows); i++ {
		var cells []string
		at := -1
		for ; ; i++ {
			if i == s.row {
				at = len(cells) + s.col
			}
			cells = append(cells, s.rows[i].cells...)
			if !s.rows[i].soft || i+1 == len(s.rows) {
				break
			}
		}
		first := len(rows)
		for len(cells) > width {
			n := width
			if cells[n] == "" {
				n--
			}
			rows = append(rows, line{cells[:n:n], true})
			cells = cells[n:]
		}
		rows = append(rows, line{cells: cells})
		if at >= 0 {
			row, col = min(first+at/width, len(rows)-1), at%width
		}
	}
	s.rows, s.row, s.col, s.width, s.height = rows, row, col, width, height
	s.top = max(0, len(rows)-height)
}

// Seen returns what stands in the window, its rows without spaces at their ends.
func (s *Screen) Seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return text(s.rows[s.top:min(len(s.rows), s.top+s.height)])
}

// All is Seen with what has scrolled away.
func (s *Screen) All() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return text(s.rows)
}

// Cursor returns where the next character would stand, in the window, from 0.
func (s *Screen) Cursor() (row, col int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.row - s.top, min(s.col, s.width-1)
}

func text(rows []line) string {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = strings.TrimRight(strings.Join(r.cells, ""), " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Package lineedit is the line in which a person types on a terminal: keys, what
// they do to the line, the lines typed before, and how all of it is laid out on
// rows. It opens no terminal and starts nothing; its callers bring the bytes and
// show the frames.
package lineedit

import (
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Editor is one line while it is typed. It is not safe for several goroutines.
type Editor struct {
	// Prompt stands before the line; it has no styles.
	Prompt string
	// Complete returns the whole lines that the beginning of one may become; nil
	// completes none.
	Complete func(prefix string) []string
	// History is what was typed before; it must not be nil.
	History *History
	// Styled allows dim and reversed text.
	Styled bool

	text    string // may have line breaks
	at      int    // the cursor, in bytes, between two characters
	killed  string // what Yank brings back
	browsed int    // how many lines back in the history; 0 is the line itself
	draft   string // the line itself, while an earlier one is shown
	choices *choices
	search  *search
}

// Result is what comes of a key.
type Result int

// The results of a key.
const (
	Editing Result = iota // the line goes on
	Done                  // the line was ended: Take it
	Dropped               // Ctrl-C took back what was typed
	Aborted               // Ctrl-C on an empty line
	Over                  // Ctrl-D on an empty line: nothing more will come
	Wiped                 // the screen shall be cleared
)

// Take returns the line and begins the next one.
func (e *Editor) Take() string {
	line := e.text
	e.Close()
	e.set("", 0)
	e.browsed, e.draft = 0, ""
	return line
}

// Close ends what stands around the line: choices, a search, and the cursor within.
func (e *Editor) Close() {
	e.choices, e.search = nil, nil
	e.at = len(e.text)
}

func (e *Editor) set(text string, at int) { e.text, e.at = text, at }

// Do applies a key. After a result other than Editing the frame shows the line as
// it was left.
func (e *Editor) Do(k Key) Result {
	if e.search != nil && e.searching(k) {
		return Editing
	}
	if e.choices != nil && e.choosing(k) {
		return Editing
	}
	if r, ends := e.ends(k); ends {
		return r
	}
	if !e.moves(k.Code) {
		e.edits(k)
	}
	return Editing
}

// ends handles the keys that may end the line.
func (e *Editor) ends(k Key) (r Result, ends bool) {
	empty := e.text == ""
	switch {
	case k.Code == Enter:
		e.at = len(e.text)
		return Done, true
	case k.Code == Cancel && empty:
		return Aborted, true
	case k.Code == Cancel:
		e.at = len(e.text)
		return Dropped, true
	case k.Code == Leave && empty:
		return Over, true
	case k.Code == Clear:
		return Wiped, true
	}
	return Editing, false
}

// moves handles the keys that change no text, except for another line's.
func (e *Editor) moves(c Code) bool {
	switch c {
	case Left:
		e.at = e.before(e.at)
	case Right:
		e.at = e.after(e.at)
	case WordLeft:
		e.at = e.wordBefore(e.at)
	case WordRight:
		e.at = e.wordAfter(e.at)
	case Home:
		e.at = e.rowStart()
	case End:
		e.at = e.rowEnd()
	case Up:
		e.up()
	case Down:
		e.down()
	case Search:
		e.search = newSearch(e)
	case Tab:
		e.complete()
	default:
		return false
	}
	return true
}

// edits handles the keys that change the text.
func (e *Editor) edits(k Key) {
	switch k.Code {
	case Typed, Pasted:
		e.insert(k.Text)
	case Break:
		e.insert("\n")
	case Back:
		e.cut(e.before(e.at), e.at)
	case Delete, Leave:
		e.cut(e.at, e.after(e.at))
	case KillEnd:
		e.kill(e.at, max(e.rowEnd(), min(e.at+1, len(e.text)))) // at the end of a row, the break
	case KillStart:
		e.kill(e.rowStart(), e.at)
	case KillWord:
		e.kill(e.wordBefore(e.at), e.at)
	case KillNext:
		e.kill(e.at, e.wordAfter(e.at))
	case Yank:
		e.insert(e.killed)
	case Swap:
		e.swap()
	}
}

// mostText is how long a line may become, in bytes.
const mostText = 1 << 20

// insert puts text at the cursor, unless the line becomes too long. What it forms with its neighbors may be one
// character: the cursor then stands behind it.
func (e *Editor) insert(s string) {
	if s == "" || len(e.text)+len(s) > mostText {
		return
	}
	at := e.at + len(s)
	e.set(e.text[:e.at]+s+e.text[e.at:], at)
	if whole := e.after(e.before(at)); at < len(e.text) && whole > at {
		e.at = whole
	}
}

func (e *Editor) cut(from, to int) { e.set(e.text[:from]+e.text[to:], from) }

func (e *Editor) kill(from, to int) {
	if from < to {
		e.killed = e.text[from:to]
		e.cut(from, to)
	}
}

// swap exchanges the characters around the cursor.
func (e *Editor) swap() {
	middle := e.at
	if middle == len(e.text) {
		middle = e.before(middle)
	}
	from, to := e.before(middle), e.after(middle)
	if from < middle {
		e.set(e.text[:from]+e.text[middle:to]+e.text[from:middle]+e.text[to:], to)
	}
}

// before returns where the character before a place begins, as people see
// characters; after, where the one after it ends.
func (e *Editor) before(at int) int {
	start := strings.LastIndexByte(e.text[:max(0, at-1)], '\n') + 1 // a break parts characters
	for it := graphemes.FromString(e.text[start:]); it.Next(); {
		if start+it.End() >= at {
			return start + it.Start()
		}
	}
	return min(start, at)
}

func (e *Editor) after(at int) int {
	if it := graphemes.FromString(e.text[at:]); it.Next() {
		return at + it.End()
	}
	return at
}

func (e *Editor) wordBefore(at int) int {
	head := strings.TrimRight(e.text[:at], " \n\t")
	return strings.LastIndexAny(head, " \n\t") + 1
}

func (e *Editor) wordAfter(at int) int {
	rest := e.text[at:]
	skipped := len(rest) - len(strings.TrimLeft(rest, " \n\t"))
	if end := strings.IndexAny(rest[skipped:], " \n\t"); end >= 0 {
		return at + skipped + end
	}
	return len(e.text)
}

func (e *Editor) rowStart() int { return strings.LastIndexByte(e.text[:e.at], '\n') + 1 }

func (e *Editor) rowEnd() int {
	if n := strings.IndexByte(e.text[e.at:], '\n'); n >= 0 {
		return e.at + n
	}
	return len(e.text)
}

// up goes to the row above, or to the line typed before.
func (e *Editor) up() {
	if start := e.rowStart(); start > 0 {
		e.vertical(strings.LastIndexByte(e.text[:start-1], '\n') + 1)
		return
	}
	e.browse(e.browsed + 1)
}

func (e *Editor) down() {
	if end := e.rowEnd(); end < len(e.text) {
		e.vertical(end + 1)
		return
	}
	e.browse(e.browsed - 1)
}

// vertical moves to the same column of the row that begins at start.
func (e *Editor) vertical(start int) {
	column := Width(e.text[e.rowStart():e.at])
	e.at = start
	for e.at < e.rowEnd() && Width(e.text[start:e.after(e.at)]) <= column {
		e.at = e.after(e.at)
	}
}

// browse shows the line that was typed n lines ago.
func (e *Editor) browse(n int) {
	lines := e.History.lines()
	if n < 0 || n > len(lines) {
		return
	}
	if e.browsed == 0 {
		e.draft = e.text
	}
	text := e.draft
	if n > 0 {
		text = lines[len(lines)-n]
	}
	e.browsed = n
	e.set(text, len(text))
}

// Package dialect is how families of models write calls and thoughts into their
// text: it parts what is said from what is not. It only reads what a model
// wrote, and runs nothing.
package dialect

import (
	"encoding/json"
	"strings"
)

// Call is a tool call that was written as text. Args is a JSON object.
type Call struct{ Name, Args string }

// Fault says why a text is no answer yet.
type Fault string

// The faults.
const (
	Garbled  Fault = "garbled"  // a call nobody can read
	Unknown  Fault = "unknown"  // a call of a tool that is not there
	Doubtful Fault = "doubtful" // a call beside prose, which may be an example
)

// Result is a text that was read. With a fault there are no calls, and Text is the rest
// without them.
type Result struct {
	Text  string
	Calls []Call
	Fault Fault
	// Opened says that a thought ended which never began: the template begins it.
	Opened bool
}

// Reader takes the text of one answer in, piece by piece. It is for one
// goroutine. Set the fields before the first Write.
type Reader struct {
	// Offer finds a tool that may be called: the schema of its arguments, nil
	// when that is not known. nil offers none.
	Offer func(name string) (schema json.RawMessage, ok bool)
	// Show gets what is said, as soon as that is certain; nil shows nothing.
	Show func(string)
	// Void is called when what was shown turned out not to be said.
	Void func()
	// Opened says that the answer begins inside a thought.
	Opened bool
	// Sure says that a call beside prose was asked about already and is one.
	Sure bool

	pending string // not decided yet
	in      state
	blank   bool            // only white space so far in this line
	spaced  bool            // white space stands before pending
	text    strings.Builder // what is said
	gap     string          // white space before what may follow
	before  string          // white space before what is not said
	parted  bool            // something that is not said ended the text so far
	held    held
	result  Result
}

// state is where in the text the Reader is.
type state int

const (
	start    state = iota
	prose          // what is said
	thinking       // until a mark of held.close
	calling        // until a mark of held.close
	heading        // in a header of gpt-oss
	fenced         // in a block of code that is said
	perhaps        // in a block or JSON that may be a call
	silence        // nothing more is said
)

// held is the part that is open.
type held struct {
	close  []string
	body   strings.Builder // of a thought
	from   int             // so much of pending is known to hold no end
	fence  string          // marks of code around it
	depth  int             // of JSON
	quoted bool
	weak   []Call // calls without marks, and
	raw    string // how they were written
}

// Write takes a piece in.
func (r *Reader) Write(s string) {
	r.pending += s
	r.run(false)
}

// End says that nothing follows.
func (r *Reader) End() Result {
	r.run(true)
	if !r.parted {
		r.say(r.gap)
	}
	r.result.Text = strings.TrimSuffix(r.text.String(), "</s>")
	switch {
	case r.result.Fault != "":
		r.result.Calls = nil
	case len(r.held.weak) > 0 && !r.Sure && r.text.Len() > 0:
		r.result.Fault, r.result.Calls = Doubtful, nil
	default:
		r.result.Calls = append(r.result.Calls, r.held.weak...)
	}
	return r.result
}

func (r *Reader) run(final bool) {
	if r.in == start {
		r.in, r.blank = prose, true
		if r.Opened {
			r.think(closers)
		}
	}
	for r.step(final) {
	}
}

// step does what can be done with pending; false waits for more.
func (r *Reader) step(final bool) bool {
	switch r.in {
	case prose:
		return r.stepProse(final)
	case thinking:
		return r.stepThought(final)
	case calling:
		return r.stepCall(final)
	case heading:
		return r.stepHeader(final)
	case fenced:
		return r.stepFence(final)
	case perhaps:
		return r.stepPerhaps(final)
	}
	r.pending = ""
	return false
}

// emit takes a text as said. White space at its end waits for what follows.
func (r *Reader) emit(s string) {
	if s == "" {
		return
	}
	if words := strings.TrimLeft(s, " \t\r\n"); r.parted && words != "" {
		s, r.gap = words, r.gap+s[:len(s)-len(words)]
		if len(r.before) > len(r.gap) {
			r.gap = r.before
		}
		if r.parted, r.before = false, ""; r.gap == "" {
			r.gap = "\n\n"
		}
	}
	core := strings.TrimRight(s, " \t\r\n")
	if core == "" {
		r.gap += s
		return
	}
	if len(r.held.weak) > 0 { // prose behind what looked like a call: an example, or an answer that should have waited
		raw := r.held.raw
		r.held.weak, r.held.raw = nil, ""
		if r.Sure {
			r.say(raw)
		} else {
			r.result.Fault = Doubtful
		}
	}
	r.say(r.gap + core)
	r.gap = s[len(core):]
}

func (r *Reader) say(s string) {
	if r.text.Len() == 0 {
		s = strings.TrimLeft(s, " \t\r\n")
	}
	if s == "" {
		return
	}
	r.text.WriteString(s)
	if r.Show != nil {
		r.Show(s)
	}
}

// part notes that something which is not said stands here.
func (r *Reader) part() {
	if len(r.gap) > len(r.before) {
		r.before = r.gap
	}
	r.parted, r.blank, r.gap = true, true, ""
}

// unsay takes back everything said so far.
func (r *Reader) unsay() {
	if r.text.Len() > 0 && r.Void != nil {
		r.Void()
	}
	r.text.Reset()
	r.gap, r.held.weak, r.held.raw = "", nil, ""
}

func (r *Reader) think(close []string) {
	r.in = thinking
	r.held.close, r.held.from = close, 0
	r.held.body.Reset()
}

// closers is every mark that ends a thought.
var closers = func() (all []string) {
	all = append(all, turning...)
	for _, t := range thoughts {
		all = append(all, t.close...)
	}
	return all
}()

// stepThought lets a thought pass.
func (r *Reader) stepThought(final bool) bool {
	at, mark := first(r.pending, r.held.close)
	if at < 0 {
		keep := 0
		if !final {
			keep = min(len(r.pending), longest(r.held.close)-1)
		}
		r.held.body.WriteString(r.pending[:len(r.pending)-keep])
		r.pending = r.pending[len(r.pending)-keep:]
		return final && r.unended()
	}
	r.pending = r.pending[at+len(mark):]
	r.in, r.Opened = prose, false
	r.part()
	return true
}

// unended is a thought at the end of the text. One that only the template began
// was no thought, and a model may have called a tool while it still thought.
func (r *Reader) unended() bool {
	body := r.held.body.String()
	r.held.body.Reset()
	if r.Opened {
		r.Opened, r.in, r.pending = false, prose, body
		return true
	}
	r.in = silence
	if at, _ := first(body, openers); at >= 0 {
		r.result.Calls, _ = r.parse(body[at:])
	}
	return false
}

// stepCall collects a call and reads it at its end.
func (r *Reader) stepCall(final bool) bool {
	at, mark := first(r.pending[r.held.from:], r.held.close)
	if at < 0 && !final {
		r.held.from = max(0, len(r.pending)-longest(r.held.close)+1)
		return false
	}
	end, after := len(r.pending), len(r.pending)
	if at >= 0 {
		end, after = r.held.from+at, r.held.from+at+len(mark)
	}
	calls, fault := r.parse(r.pending[:end])
	if fault == Garbled && at >= 0 && !final {
		r.held.from = after // the mark may stand within an argument
		return len(r.pending) > after
	}
	if fault != "" {
		r.result.Fault = fault
	}
	r.result.Calls = append(r.result.Calls, calls...)
	r.pending, r.in = r.pending[after:], prose
	r.part()
	return r.pending != ""
}

// first finds the first of some marks.
func first(s string, marks []string) (at int, mark string) {
	at = -1
	for _, m := range marks {
		if i := strings.Index(s, m); i >= 0 && (at < 0 || i < at) {
			at, mark = i, m
		}
	}
	return at, mark
}

func longest(marks []string) (n int) {
	for _, m := range marks {
		n = max(n, len(m))
	}
	return max(n, 1)
}

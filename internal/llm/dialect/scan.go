package dialect

import (
	"strings"
	"unicode/utf8"

	"parley/internal/text"
)

// event classifies a place in the prose.
type event int

const (
	nothing   event = iota
	unclear         // more has to come
	callMark        // a family's call begins
	thinkMark       // a thought begins
	endMark         // a thought ends which never began
	silentMark
	otherMark
	headMark
	codeMark  // code within a line; it is said
	fenceMark // a block of code
	jsonMark  // JSON or "Action:" at the beginning of a line
)

// mark is the meaning of a mark.
type mark struct {
	event
	ends []string // what closes it
	tag  bool     // a thought's, which prose may mention
}

// marks are all of them, by how they are written.
var marks = func() map[string]mark {
	m := map[string]mark{}
	for _, f := range families {
		m[f.open] = mark{event: callMark, ends: f.close}
	}
	for _, t := range thoughts {
		m[t.open] = mark{thinkMark, t.close, t.tag}
	}
	for what, list := range map[event][]string{endMark: closers, silentMark: silent, otherMark: others, headMark: headers} {
		for _, s := range list {
			m[s] = mark{event: what}
		}
	}
	return m
}()

// byFirst is the marks that begin with a byte.
var byFirst = func() (table [256][]string) {
	for m := range marks {
		table[m[0]] = append(table[m[0]], m)
	}
	return table
}()

var openers = func() (all []string) {
	for _, f := range families {
		all = append(all, f.open)
	}
	return all
}()

// stepProse says what is certain and goes where the next mark leads.
func (r *Reader) stepProse(final bool) bool {
	p := r.pending
	for i := 0; i < len(p); i++ {
		what, n := r.look(p[i:], final)
		if what != nothing {
			r.emit(p[:i])
			r.pending = p[i:]
			return what != unclear && r.enter(what, n)
		}
		if r.spaced = strings.IndexByte(" \t\r\n", p[i]) >= 0; p[i] == '\n' {
			r.blank = true
		} else if !r.spaced {
			r.blank = false
		}
	}
	r.emit(p)
	r.pending = ""
	return false
}

// look says what stands at the head of s, and how long that is.
func (r *Reader) look(s string, final bool) (event, int) {
	switch s[0] {
	case '`':
		return r.lookCode(s, final)
	case '{', '[':
		if what, n := r.lookMark(s, final); what != nothing || !r.blank {
			return what, n
		}
		return jsonMark, 0
	case 'A':
		if !r.blank {
			return nothing, 0
		}
		return whole(s, "Action:", final, jsonMark)
	case '>':
		if !r.blank {
			return nothing, 0
		}
		return whole(s, ">>>", final, jsonMark)
	}
	return r.lookMark(s, final)
}

// whole reports whether s begins with a mark, or may do so once more text has come.
func whole(s, mark string, final bool, what event) (event, int) {
	switch {
	case strings.HasPrefix(s, mark):
		return what, 0
	case !final && strings.HasPrefix(mark, s):
		return unclear, 0
	}
	return nothing, 0
}

func (r *Reader) lookMark(s string, final bool) (event, int) {
	for _, m := range byFirst[s[0]] {
		if m == functools && !r.blank {
			continue
		}
		if !strings.HasPrefix(s, m) {
			if !final && strings.HasPrefix(m, s) {
				return unclear, 0
			}
			continue
		}
		what := marks[m]
		switch {
		case r.blank:
		case what.tag, what.event == otherMark && told(m):
			return nothing, 0 // a tag that prose mentions
		case what.event == endMark:
			after := s[len(m):]
			if after == "" && !final {
				return unclear, 0
			}
			if after != "" && !ending(r.spaced, after[0]) {
				return nothing, 0
			}
		}
		return what.event, len(m)
	}
	return nothing, 0
}

// ending reports whether a mark ends a thought that nothing began, by its surroundings:
// prose mentions marks between spaces and signs.
func ending(spaced bool, after byte) bool {
	word := after >= 'a' && after <= 'z' || after >= 'A' && after <= 'Z' || after >= utf8.RuneSelf
	return after == '\n' || after == '\r' || !spaced && (word || after == '<' || after == ']' || after == '[')
}

// told reports whether prose may mention a mark of somebody else's turn: people type
// such tags, but no special tokens.
func told(mark string) bool { return mark[0] == '[' || mark == "<tool_response>" }

// maxInline is how far apart the two ends of code within a line are at most.
const maxInline = 300

// lookCode finds code: a block, or within a line between as many backticks as
// it began with.
func (r *Reader) lookCode(s string, final bool) (event, int) {
	ticks := run(s)
	if ticks == len(s) && !final {
		return unclear, 0
	}
	if ticks >= 3 && r.blank {
		return fenceMark, ticks
	}
	for i := ticks; i < len(s) && i < maxInline; i++ {
		switch {
		case s[i] == '\n':
			return codeMark, ticks
		case s[i] == '`':
			n := run(s[i:])
			if i+n == len(s) && !final {
				return unclear, 0
			}
			if n == ticks {
				return codeMark, i + n
			}
			i += n - 1
		}
	}
	if len(s) < maxInline && !final {
		return unclear, 0
	}
	return codeMark, ticks
}

func run(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// enter goes where a mark of n bytes at the head of pending leads.
func (r *Reader) enter(what event, n int) bool {
	mark := r.pending[:n]
	switch what {
	case callMark:
		r.in, r.held.from, r.held.close = calling, n, marks[mark].ends
	case thinkMark:
		r.pending = r.pending[n:]
		r.think(marks[mark].ends)
		r.part()
	case endMark:
		r.result.Opened = true
		r.unsay()
		fallthrough
	case silentMark:
		r.pending = r.pending[n:]
		r.part()
	case otherMark:
		r.in = silence
		r.part()
	case headMark:
		r.in = heading
		r.part()
	case codeMark:
		r.emit(mark)
		r.pending, r.blank = r.pending[n:], false
	case fenceMark, jsonMark:
		r.in, r.held.fence, r.held.from, r.held.depth, r.held.quoted = perhaps, mark, n, 0, false
	}
	return true
}

// stepHeader reads one of gpt-oss's headers: thoughts, a call, or what is said.
func (r *Reader) stepHeader(final bool) bool {
	at := strings.Index(r.pending, message)
	if at < 0 {
		if final || len(r.pending) > maxInline {
			r.in = silence
		}
		return r.in == silence
	}
	head := r.pending[:at]
	if said := strings.TrimSpace(r.text.String()); strings.HasPrefix(said, "to=") && !strings.Contains(said, " ") {
		head = said + head // the template began the header
		r.unsay()
	}
	r.pending = r.pending[at+len(message):]
	last := head[strings.LastIndex(head, headers[0])+1:]
	switch to, addressed := recipient(head); {
	case addressed:
		r.pending = to + message + r.pending
		r.in, r.held.from, r.held.close = calling, len(to)+len(message), []string{"<|call|>", "<|end|>", "<|start|>"}
	case strings.Contains(last, "analysis"):
		r.think([]string{"<|end|>", "<|channel|>", "<|start|>"})
	default:
		r.in, r.blank = prose, true
	}
	return true
}

var addressee = text.Pattern(`to=(?:functions\.)?([^\s<]+)`)

// recipient returns the tool that a header is addressed to.
func recipient(head string) (name string, ok bool) {
	m := addressee().FindStringSubmatch(head)
	if m == nil || m[1] == "assistant" || m[1] == "user" || m[1] == "self" || m[1] == "all" {
		return "", false
	}
	return m[1], true
}

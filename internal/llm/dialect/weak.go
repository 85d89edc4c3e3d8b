package dialect

import "strings"

// callKeys are the first keys of JSON that may be a call.
var callKeys = map[string]bool{
	"name": true, "function": true, "tool": true, "tool_name": true, "action": true, "type": true, "id": true, "tool_call": true,
	"tool_calls": true, "function_call": true, "parameters": true, "arguments": true, "tool_call_id": true, "function_name": true,
}

// stepPerhaps looks whether what began without a family's mark is a call.
func (r *Reader) stepPerhaps(final bool) bool {
	open := r.held.fence
	lead := 0
	if open != "" {
		line := strings.IndexByte(r.pending, '\n')
		if line < 0 && !final {
			return false
		}
		if line < 0 {
			return r.said(len(r.pending))
		}
		lead = line + 1
	}
	switch r.promising(open, r.pending[lead:], strings.Trim(r.pending[len(open):max(len(open), lead)], " \r\n"), final) {
	case unclear:
		return false
	case nothing:
		if open == "" {
			return r.said(1)
		}
		r.emit(r.pending[:lead])
		r.pending, r.in = "\n"+r.pending[lead:], fenced // so that an empty block ends
		r.gap = strings.TrimSuffix(r.gap, "\n")
		return true
	}
	body, end := r.extent(lead, final)
	if end < 0 {
		return false
	}
	return r.settle(body, end)
}

// settle takes pending[:end] as calls, or as said.
func (r *Reader) settle(body string, end int) bool {
	calls, fault := r.parse(body)
	if fault != "" || len(calls) == 0 {
		return r.said(end)
	}
	if r.pending[0] == 'A' && strings.HasPrefix(r.text.String(), "Thought:") {
		r.unsay() // as models write that were taught to reason and act
	}
	r.held.raw += r.gap + r.pending[:end]
	r.held.weak = append(r.held.weak, calls...)
	r.gap, r.pending, r.in = "", r.pending[end:], prose
	r.part()
	return true
}

// said takes the first n bytes of pending as what is said.
func (r *Reader) said(n int) bool {
	r.emit(r.pending[:n])
	r.pending, r.in, r.blank = r.pending[n:], prose, false
	return true
}

// promising reports whether a block or a line may be a call: jsonMark, nothing, or
// unclear while too little of it is there.
func (r *Reader) promising(open, body, language string, final bool) event {
	trimmed := strings.TrimLeft(body, " \t\r\n")
	if trimmed == "" && !final {
		return unclear
	}
	for _, word := range []string{"Action:", ">>>"} {
		if open == "" && strings.HasPrefix(body, word) {
			return r.named(strings.TrimLeft(body[len(word):], " \t"), final)
		}
	}
	if language == "tool_code" || language == "tool_call" {
		return jsonMark
	}
	if open != "" {
		if at, _ := first(trimmed, openers); at == 0 {
			return jsonMark
		}
		for _, o := range openers {
			if !final && strings.HasPrefix(o, trimmed) {
				return unclear
			}
		}
	}
	return r.json(trimmed, final)
}

// named reports whether a line begins with the name of a tool, or with JSON.
func (r *Reader) named(s string, final bool) event {
	if s == "" && !final {
		return unclear
	}
	if strings.HasPrefix(s, "```") || strings.HasPrefix(s, "[") || strings.HasPrefix(s, "{") {
		return jsonMark
	}
	if !final && strings.HasPrefix("```", s) {
		return unclear
	}
	end := strings.IndexFunc(s, func(c rune) bool { return !isNamed(c) })
	if end < 0 && !final {
		return unclear
	}
	if end < 0 {
		end = len(s)
	}
	if _, ok := r.offered(s[:end]); ok {
		return jsonMark
	}
	return nothing
}

// json reports whether a text is JSON of a call, by its first key, or a list of
// calls as Python writes them.
func (r *Reader) json(s string, final bool) event {
	inner := strings.TrimLeft(s, "[{ \t\r\n")
	if s == "" || s[0] != '{' && s[0] != '[' {
		return nothing
	}
	if inner == "" {
		if final {
			return nothing
		}
		return unclear
	}
	quote := inner[0]
	if quote != '"' && quote != '\'' {
		if s[0] == '[' && isNamed(rune(quote)) {
			return r.named(inner, final)
		}
		return nothing
	}
	key, _, ok := strings.Cut(inner[1:], string(quote))
	if !ok {
		if final || len(inner) > maxInline {
			return nothing
		}
		return unclear
	}
	if _, known := r.offered(key); known || callKeys[key] {
		return jsonMark
	}
	return nothing
}

// extent finds where the block or JSON at the head of pending ends; -1 while
// that is not known.
func (r *Reader) extent(lead int, final bool) (body string, end int) {
	p := r.pending
	switch {
	case r.held.fence != "":
		from := max(lead-1, r.held.from)
		if at := strings.Index(p[from:], "\n"+r.held.fence); at >= 0 {
			return p[lead:max(lead, from+at)], from + at + 1 + len(r.held.fence)
		}
		if !final {
			r.held.from = max(r.held.from, len(p)-len(r.held.fence))
			return "", -1
		}
		return p[lead:], len(p)
	case p[0] != '{' && p[0] != '[':
		if !final {
			return "", -1
		}
		return p, len(p)
	}
	for i := r.held.from; i < len(p); i++ {
		switch c := p[i]; {
		case r.held.quoted && c == '\\':
			i++
		case c == '"':
			r.held.quoted = !r.held.quoted
		case r.held.quoted:
		case c == '{' || c == '[':
			r.held.depth++
		case c == '}' || c == ']':
			if r.held.depth--; r.held.depth == 0 {
				return p[:i+1], i + 1
			}
		}
		r.held.from = i + 1
	}
	if final {
		return p, len(p)
	}
	return "", -1
}

// stepFence says a block of code as it comes, up to its end.
func (r *Reader) stepFence(final bool) bool {
	end := "\n" + r.held.fence
	if at := strings.Index(r.pending, end); at >= 0 {
		r.in = prose
		r.emit(r.pending[:at+len(end)])
		r.pending, r.blank = r.pending[at+len(end):], false
		return true
	}
	keep := len(end) - 1
	if final {
		keep = 0
	}
	if n := len(r.pending) - keep; n > 0 {
		r.emit(r.pending[:n])
		r.pending = r.pending[n:]
	}
	return false
}

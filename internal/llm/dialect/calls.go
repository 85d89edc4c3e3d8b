package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"parley/internal/text"
)

// maxCalls bounds the calls of one text.
const maxCalls = 128

// parse reads the calls of a body, in whatever form a family gives it: JSON, a
// name and JSON, a name and tags, or as Python and Gemma write them.
func (r *Reader) parse(body string) ([]Call, Fault) {
	var calls []Call
	body = strings.ReplaceAll(body, minimax, "")
	body = kimiEnd().ReplaceAllString(kimiArg().ReplaceAllString(kimiCall().ReplaceAllString(body, `<invoke name="$1">`),
		`<parameter name="$1">`), `</$1>`)
	if before, _, _ := strings.Cut(body, "{"); tagForm().MatchString(before) {
		calls = r.tags(body)
	} else {
		calls = (&reading{r: r, loose: loose{s: body}}).calls()
	}
	if len(calls) == 0 || len(calls) > maxCalls {
		return nil, Garbled
	}
	for _, c := range calls {
		if _, ok := r.offered(c.Name); !ok {
			return nil, Unknown
		}
	}
	return calls, ""
}

func (r *Reader) offered(name string) (json.RawMessage, bool) {
	if r.Offer == nil || name == "" {
		return nil, false
	}
	return r.Offer(name)
}

// Names and arguments in tags: Qwen3-Coder and Seed; MiniMax, DeepSeek's DSML
// and Claude; GLM's pairs.
var (
	tagForm = text.Pattern(`<(?:｜DSML｜|atem:)?(?:function=|(?:invoke|function)\s+name=)`)
	tagCall = text.Pattern(
		`(?s)<(?:｜DSML｜|atem:)?(?:function=|(?:invoke|function)\s+name=)"?([^\s">]+)"?\s*>(.*?)(?:</(?:｜DSML｜|atem:)?(?:function|invoke|call)>|$)`)
	tagValue = text.Pattern(
		`(?s)<(?:｜DSML｜|atem:)?param(?:eter)?(?:=|\s+name=)"?([^\s">]+)"?[^>]*?(string="true")?[^>]*>(.*?)(?:</(?:｜DSML｜|atem:)?(?:param|parameter|argument)>|$)`)
	ownTag   = text.Pattern(`<([A-Za-z_][\w-]*)>`)
	kimiCall = text.Pattern(`<\|open\|>call tool="([^"]+)"[^<]*<\|sep\|>`)
	kimiArg  = text.Pattern(`<\|open\|>argument key="([^"]+)"[^<]*<\|sep\|>`)
	kimiEnd  = text.Pattern(`<\|close\|>(\w+)<\|sep\|>`)
	argPair  = text.Pattern(`(?s)<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>`)
)

func (r *Reader) tags(body string) (calls []Call) {
	for _, m := range tagCall().FindAllStringSubmatch(body, maxCalls) {
		name, inner := m[1], m[2]
		schema, _ := r.offered(name)
		if args := (&loose{s: strings.TrimSpace(inner)}); strings.HasPrefix(args.s, "{") {
			v, ok := args.value(0)
			if !ok {
				return nil
			}
			calls = append(calls, Call{name, v.raw})
			continue
		}
		var fields []field
		for _, p := range tagValue().FindAllStringSubmatch(inner, -1) {
			text := strings.TrimSuffix(strings.TrimPrefix(p[3], "<![CDATA["), "]]>")
			fields = append(fields, field{p[1], value{raw: typed(schema, p[1], text, p[2] != "")}})
		}
		if len(fields) == 0 {
			fields = ownTags(schema, inner)
		}
		if len(fields) == 0 && strings.TrimSpace(inner) != "" {
			return nil
		}
		calls = append(calls, Call{name, object(fields)})
	}
	return calls
}

// ownTags reads arguments whose names are the tags around them, as MiniMax-M3
// writes them.
func ownTags(schema json.RawMessage, inner string) (fields []field) {
	for {
		m := ownTag().FindStringSubmatchIndex(inner)
		if m == nil {
			return fields
		}
		key := inner[m[2]:m[3]]
		text, rest, ok := strings.Cut(inner[m[1]:], "</"+key+">")
		if !ok {
			return nil
		}
		fields = append(fields, field{key, value{raw: typed(schema, key, text, false)}})
		inner = rest
	}
}

// typed returns an argument that was written without quotes, as JSON of the type its
// schema names.
func typed(schema json.RawMessage, key, text string, isString bool) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n")
	var form struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(schema, &form) // an unknown schema names no type
	trimmed := strings.TrimSpace(text)
	switch {
	case isString || string(form.Properties[key].Type) == `"string"`:
	case trimmed == "True" || trimmed == "False":
		return strings.ToLower(trimmed)
	case json.Valid([]byte(trimmed)):
		return trimmed
	}
	return quoted(text)
}

// reading is the calls of a body without tags, from left to right.
type reading struct {
	loose
	r   *Reader
	out []Call
}

// between lists the fillers before, between and after names and arguments.
var between = func() (all []string) {
	all = []string{"[ARGS]", "<｜tool▁sep｜>", "<|tool_call_argument_begin|>", "✿ARGS✿", "```json", "```tool_code",
		"```tool_call", "```", "Action Input:", "Action:",
		"<|plugin|>", "<|constrain|>", message, ">>>", ":", ",", ";", "<tool_call|>", "✿FUNCTION✿", "<tool_call>", "</tool_call>"}
	for _, f := range families {
		if f.open != functools {
			all = append(append(all, f.open), f.close...)
		}
	}
	return all
}()

func (b *reading) skip() {
again:
	b.space()
	for _, j := range between {
		if strings.HasPrefix(b.s[b.i:], j) {
			b.i += len(j)
			goto again
		}
	}
}

// calls returns nil when anything cannot be read.
func (b *reading) calls() []Call {
	for b.skip(); b.i < len(b.s); b.skip() {
		if !b.next() || len(b.out) > maxCalls {
			return nil
		}
	}
	return b.out
}

// next reads one call, or a list of them.
func (b *reading) next() bool {
	switch c := b.s[b.i]; {
	case c == '{', c == '[' && !b.pythonic():
		v, ok := b.value(0)
		return ok && b.take(v, 0)
	case c == '[' || c == ']' || c == ')':
		b.i++
		return len(b.out) > 0 || c == '['
	case isNamed(rune(c)):
		return b.named()
	}
	return len(b.out) > 0 && b.rest()
}

// rest lets pass what a model went on to say behind its calls.
func (b *reading) rest() bool {
	b.i = len(b.s)
	return true
}

// pythonic reports whether a list holds calls as Python writes them.
func (b *reading) pythonic() bool {
	inner := strings.TrimLeft(b.s[b.i+1:], " \t\r\n")
	return inner != "" && (unicode.IsLetter(rune(inner[0])) || inner[0] == '_')
}

func isNamed(c rune) bool {
	return c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// fillers are words that stand before a name.
var fillers = map[string]bool{"function": true, "json": true, "call": true, "print": true, "functools": true,
	"commentary": true, "assistant": true}

// named reads a name and what follows it.
func (b *reading) named() bool {
	from := b.i
	for b.i < len(b.s) && isNamed(rune(b.s[b.i])) {
		b.i++
	}
	name := b.s[from:b.i]
	if _, known := b.r.offered(name); !known {
		name = name[strings.LastIndexByte(name, '.')+1:]
		if _, known := b.r.offered(name); fillers[name] && !known {
			if b.i < len(b.s) && b.s[b.i] == '(' {
				b.i++
			}
			return true
		}
	}
	b.index()
	b.callID()
	b.skip()
	switch rest := b.s[b.i:]; {
	case strings.HasPrefix(rest, "{"):
		v, ok := b.value(0)
		b.out = append(b.out, Call{name, v.raw})
		return ok
	case strings.HasPrefix(rest, "("):
		b.i++
		return b.keywords(name)
	case strings.HasPrefix(rest, "<arg_key>"):
		return b.pairs(name)
	case rest == "":
		b.out = append(b.out, Call{name, "{}"})
		return true
	}
	return len(b.out) > 0 && b.rest()
}

// index skips Kimi's number of a call.
func (b *reading) index() {
	if b.i < len(b.s) && b.s[b.i] == ':' {
		for b.i++; b.i < len(b.s) && b.s[b.i] >= '0' && b.s[b.i] <= '9'; {
			b.i++
		}
	}
}

// callID skips Mistral's id of a call.
func (b *reading) callID() {
	if rest, ok := strings.CutPrefix(b.s[b.i:], "[CALL_ID]"); ok {
		if at := strings.Index(rest, "[ARGS]"); at >= 0 {
			b.i = len(b.s) - len(rest) + at
		}
	}
}

// keywords reads arguments as Python writes them, behind the parenthesis.
func (b *reading) keywords(name string) bool {
	var fields []field
	for {
		if b.space(); b.at(')') {
			b.out = append(b.out, Call{name, object(fields)})
			return true
		}
		key, ok := b.word()
		if b.space(); !ok || !b.at('=') {
			return false
		}
		v, ok := b.value(0)
		if !ok {
			return false
		}
		fields = append(fields, field{key, v})
		b.space()
		b.at(',')
	}
}

// pairs reads arguments as GLM writes them.
func (b *reading) pairs(name string) bool {
	schema, _ := b.r.offered(name)
	var fields []field
	end := strings.LastIndex(b.s, "</arg_value>")
	if end < b.i {
		return false
	}
	end += len("</arg_value>")
	for _, p := range argPair().FindAllStringSubmatch(b.s[b.i:end], -1) {
		key := strings.TrimSpace(p[1])
		fields = append(fields, field{key, value{raw: typed(schema, key, p[2], false)}})
	}
	b.i = end
	b.out = append(b.out, Call{name, object(fields)})
	return len(fields) > 0
}

// Keys under which models write the name of a tool and its arguments.
var (
	nameKeys = []string{"name", "tool_name", "function_name", "tool", "action"}
	argKeys  = []string{"arguments", "parameters", "args", "params", "input", "action_input", "tool_input"}
	otherKey = []string{"type", "id", "tool_call_id", "index"}
)

// take adds the calls that a value of JSON is.
func (b *reading) take(v value, depth int) bool {
	if depth > 3 {
		return false
	}
	if v.is == '[' {
		for _, item := range v.items {
			if !b.take(item, depth+1) {
				return false
			}
		}
		return len(v.items) > 0
	}
	if v.is != '{' {
		return false
	}
	for _, key := range []string{"tool_calls", "tool_call", "function_call", "function"} {
		if inner, ok := v.get(key); ok && inner.is != '"' {
			return b.take(inner, depth+1)
		}
	}
	name, ok := v.name()
	if !ok && len(v.fields) == 1 { // {"tool": {arguments}}
		f := v.fields[0]
		if _, known := b.r.offered(f.key); known && f.is == '{' {
			b.out = append(b.out, Call{f.key, f.raw})
			return true
		}
	}
	args, readable := v.args()
	if !ok || !readable {
		return false
	}
	b.out = append(b.out, Call{name, args})
	return true
}

func (v value) get(key string) (value, bool) {
	i := slices.IndexFunc(v.fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return value{}, false
	}
	return v.fields[i].value, true
}

func (v value) name() (string, bool) {
	for _, key := range slices.Concat(nameKeys, []string{"function"}) {
		if n, ok := v.get(key); ok && n.is == '"' && n.text != "" {
			return n.text, true
		}
	}
	return "", false
}

// args returns the arguments: under a key of their own, also as text, or what stands
// beside the name.
func (v value) args() (string, bool) {
	for _, key := range argKeys {
		a, ok := v.get(key)
		if !ok {
			continue
		}
		if a.is == '"' {
			l := &loose{s: a.text}
			if l.space(); l.i == len(l.s) {
				return "{}", true
			}
			if a, ok = l.value(0); !ok {
				return "", false
			}
		}
		if a.raw == "null" {
			return "{}", true
		}
		return a.raw, a.is == '{'
	}
	var beside []field
	for _, f := range v.fields {
		if !slices.Contains(nameKeys, f.key) && !slices.Contains(otherKey, f.key) && f.key != "function" {
			beside = append(beside, f)
		}
	}
	return object(beside), true
}

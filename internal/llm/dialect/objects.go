package dialect

import "slices"

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

package rest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// written returns a value as text: a list with commas, an object as JSON.
func written(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		return strings.Join(texts(v), ",")
	case map[string]any:
		b, _ := json.Marshal(v) // it came from JSON
		return string(b)
	}
	return fmt.Sprint(v)
}

// texts returns the values of a list as text, or the only one.
func texts(v any) (all []string) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, one := range list {
		all = append(all, written(one))
	}
	return all
}

// add adds each value of a list to a query, or the only one.
func add(q url.Values, name string, v any) {
	for _, one := range texts(v) {
		q.Add(name, one)
	}
}

// joined returns a value in one piece: style simple, as paths and headers have it.
func (s slot) joined(v any) string {
	fields, ok := v.(map[string]any)
	if !ok {
		return written(v)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		between := ","
		if s.explode {
			between = "="
		}
		list = append(list, name+between+written(fields[name]))
	}
	return strings.Join(list, ",")
}

// add adds a value to a query in the style that the file says.
func (s slot) add(q url.Values, v any) {
	switch v := v.(type) {
	case []any:
		if s.explode && (s.style == "form" || s.style == "") {
			add(q, s.name, v)
			return
		}
		between := map[string]string{"spaceDelimited": " ", "pipeDelimited": "|"}[s.style]
		q.Add(s.name, strings.Join(texts(v), cmp.Or(between, ",")))
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch {
			case s.style == "deepObject":
				add(q, s.name+"["+name+"]", v[name])
			case s.explode:
				q.Add(name, written(v[name]))
			default:
				q.Set(s.name, s.joined(v))
			}
		}
	default:
		q.Add(s.name, written(v))
	}
}

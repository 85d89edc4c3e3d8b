package rest

import (
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
		texts := make([]string, len(v))
		for i, e := range v {
			texts[i] = written(e)
		}
		return strings.Join(texts, ",")
	case map[string]any:
		b, _ := json.Marshal(v) // it came from JSON
		return string(b)
	}
	return fmt.Sprint(v)
}

// parts returns the values of a list, or the only one.
func parts(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
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
			for _, e := range v {
				q.Add(s.name, written(e))
			}
			return
		}
		between := map[string]string{"spaceDelimited": " ", "pipeDelimited": "|"}[s.style]
		if between == "" {
			between = ","
		}
		texts := make([]string, len(v))
		for i, e := range v {
			texts[i] = written(e)
		}
		q.Add(s.name, strings.Join(texts, between))
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch {
			case s.style == "deepObject":
				for _, e := range parts(v[name]) {
					q.Add(s.name+"["+name+"]", written(e))
				}
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

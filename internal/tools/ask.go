package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/text"
	"parley/internal/tongue"
)

// maxLevels is how deep nested arguments are listed; anything deeper is shown as
// JSON.
const maxLevels = 4

// Listed returns the arguments of a call for people: a Markdown list of all of
// them, nothing cut. "" means none.
func Listed(p tongue.Printer, args json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber() // shown as they are written
	var values any
	if d.Decode(&values) != nil {
		return ""
	}
	var b strings.Builder
	listed(p, &b, values, 0)
	return strings.TrimSuffix(b.String(), "\n")
}

func listed(p tongue.Printer, b *strings.Builder, value any, deep int) {
	indent := strings.Repeat("  ", deep)
	item := func(name string, v any) {
		if nested(v) && deep < maxLevels {
			fmt.Fprintf(b, "%s- %s:\n", indent, name)
			listed(p, b, v, deep+1)
			return
		}
		fmt.Fprintf(b, "%s- %s: %s\n", indent, name, shownValue(p, v))
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			item(text.Literal(name), v[name])
		}
	case []any:
		for i, e := range v {
			if !nested(e) {
				fmt.Fprintf(b, "%s- %s\n", indent, shownValue(p, e))
				continue
			}
			item(fmt.Sprint(i+1), e)
		}
	}
}

// nested reports whether a value contains other values.
func nested(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

func shownValue(p tongue.Printer, value any) string {
	switch v := value.(type) {
	case string:
		if v == "" {
			return p.Text(wordEmpty)
		}
		return text.Literal(v)
	case nil:
		return p.Text(wordEmpty)
	case bool:
		if v {
			return p.Text(wordYes)
		}
		return p.Text(wordNo)
	case json.Number:
		return v.String()
	}
	raw, err := json.Marshal(value)
	if err != nil || string(raw) == "{}" || string(raw) == "[]" {
		return p.Text(wordEmpty)
	}
	return text.Literal(string(raw))
}

// AskServer returns the question about a call of a server's tool, by its title and
// with all of its arguments.
func AskServer(ctx context.Context, m Meta, args json.RawMessage) string {
	title := strings.TrimPrefix(m.Name, m.Server+"__")
	if m.Hints != nil && m.Hints.Title != "" {
		title = m.Hints.Title
	}
	say := sentence(ctx, wordAskServer, title, m.Server)
	if list := Listed(tongue.Of(ctx), args); list != "" {
		say += "\n" + list
	}
	return say
}

package guard

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// find reads the arguments of last, calls and confirmed: a tool, and arguments that the
// call must have had. It returns these calls, oldest first.
func (b *bench) find(args []any) (list []*seen, err error) {
	if b.steps += len(b.calls); b.steps > maxSteps {
		return nil, errTooLong
	}
	tool, ok := args[0].(string)
	if !ok {
		return nil, mistyped("the name of a tool", kind(args[0]), "text")
	}
	var with map[string]any
	if len(args) > 1 && args[1] != nil {
		if with, ok = args[1].(map[string]any); !ok {
			return nil, mistyped("what the call was made with", kind(args[1]), "an object")
		}
	}
	for _, c := range b.calls {
		if fits(tool, c.Tool) && c.has(with) {
			list = append(list, c)
		}
	}
	return list, nil
}

func (c *seen) has(with map[string]any) bool {
	args := c.arguments()
	for name, want := range with {
		got, there := args[name]
		if !there {
			return false
		}
		if is, err := same(got, want, "", ""); err != nil || is != true {
			return false
		}
	}
	return true
}

func (c *seen) arguments() map[string]any {
	if c.args == nil {
		c.args = map[string]any{}
		if json.Unmarshal(c.Args, &c.args) != nil || c.args == nil {
			c.args = map[string]any{}
		}
	}
	return c.args
}

// shown returns a call as expressions see it.
func (c *seen) shown() map[string]any {
	if c.value == nil {
		var result any
		if json.Unmarshal([]byte(c.Result), &result) != nil {
			result = c.Result
		}
		c.value = map[string]any{"tool": c.Tool, "args": c.arguments(), "result": result, "at": c.At, "confirmed": c.Confirmed}
	}
	return c.value
}

// last is last(tool), last(tool, {argument: value}) and last(list). A third argument
// says that nothing is fine, too.
func (b *bench) last(args ...any) (any, error) {
	mayLack := false
	if n := len(args); n > 1 && args[n-1] == true {
		mayLack, args = true, args[:n-1]
	}
	if len(args) == 0 {
		return nil, missing("the tool of last()")
	}
	if list, ok := args[0].([]any); ok {
		switch {
		case len(list) > 0:
			return list[len(list)-1], nil
		case mayLack:
			return nil, nil
		}
		return nil, missing("the last of an empty list")
	}
	found, err := b.find(args)
	switch {
	case err != nil:
		return nil, err
	case len(found) > 0:
		return found[len(found)-1].shown(), nil
	case mayLack:
		return nil, nil
	}
	lacks := fmt.Sprintf("there is no earlier call of %s", args[0])
	if len(args) > 1 && args[1] != nil {
		with, _ := json.Marshal(args[1]) // from JSON
		lacks += " with " + string(with)
	}
	return nil, lack{words: lacks}
}

// list is calls(tool) and calls(tool, {argument: value}).
func (b *bench) list(args ...any) (any, error) {
	if len(args) > 1 && args[len(args)-1] == true {
		args = args[:len(args)-1]
	}
	if len(args) == 0 {
		return nil, missing("the tool of calls()")
	}
	found, err := b.find(args)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, c := range found {
		list = append(list, c.shown())
	}
	return list, nil
}

// confirmed is confirmed(), for this call, and confirmed(tool) and confirmed(tool,
// {argument: value}) for an earlier one.
func (b *bench) confirmed(args ...any) (any, error) {
	if len(args) == 0 {
		return b.s.Confirmed, nil
	}
	found, err := b.find(args)
	return slices.ContainsFunc(found, func(c *seen) bool { return c.Confirmed }), err
}

// layouts are the forms of times that date reads without being told.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05",
	"2006-01-02 15:04", time.DateOnly, time.RFC1123Z, time.RFC1123}

// date is date(text) and date(text, layout); a number is seconds since 1970.
func (b *bench) date(args ...any) (any, error) {
	if len(args) == 0 {
		return nil, missing("the text of date()")
	}
	if n, ok := toFloat(args[0]); ok {
		return time.Unix(int64(n), 0).In(b.s.Now.Location()), nil
	}
	if t, ok := args[0].(time.Time); ok {
		return t, nil
	}
	text, ok := args[0].(string)
	if !ok {
		return nil, mistyped("what date() reads", kind(args[0]), "text")
	}
	forms := layouts
	if len(args) > 1 {
		if form, ok := args[1].(string); ok {
			forms = []string{form}
		}
	}
	for _, form := range forms {
		if t, err := time.ParseInLocation(form, text, b.s.Now.Location()); err == nil {
			return t, nil
		}
	}
	return nil, mistyped(fmt.Sprintf("%q", text), "text", "a time")
}

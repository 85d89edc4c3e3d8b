package guard

import (
	"encoding/json"
	"fmt"
	"time"
)

// unseen is an earlier call that a guard needs and that was not made.
type unseen struct{ tool, with string }

func (u unseen) Error() string {
	if u.with != "" {
		return fmt.Sprintf("there is no earlier call of %s with %s", u.tool, u.with)
	}
	return fmt.Sprintf("there is no earlier call of %s", u.tool)
}

// asks reads the arguments of last, calls and confirmed: a tool, and arguments that
// the call must have had.
func (b *bench) asks(args []any) (tool string, with map[string]any, err error) {
	if b.steps += len(b.calls); b.steps > maxSteps {
		return "", nil, errTooLong
	}
	tool, ok := args[0].(string)
	if !ok {
		return "", nil, mistyped{"the name of a tool", kind(args[0]), "text"}
	}
	if len(args) > 1 && args[1] != nil {
		if with, ok = args[1].(map[string]any); !ok {
			return "", nil, mistyped{"what the call was made with", kind(args[1]), "an object"}
		}
	}
	return tool, with, nil
}

// find returns the calls of a tool that were made with these arguments, oldest first.
func (b *bench) find(tool string, with map[string]any) (list []*seen) {
	for _, c := range b.calls {
		if fits(tool, c.Tool) && c.has(with) {
			list = append(list, c)
		}
	}
	return list
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
		return nil, missing{"the tool of last()"}
	}
	if list, ok := args[0].([]any); ok {
		if len(list) == 0 && !mayLack {
			return nil, missing{"the last of an empty list"}
		} else if len(list) == 0 {
			return nil, nil
		}
		return list[len(list)-1], nil
	}
	tool, with, err := b.asks(args)
	if err != nil {
		return nil, err
	}
	found := b.find(tool, with)
	switch {
	case len(found) > 0:
		return found[len(found)-1].shown(), nil
	case mayLack:
		return nil, nil
	}
	words, _ := json.Marshal(with) // from JSON
	if with == nil {
		words = nil
	}
	return nil, unseen{tool, string(words)}
}

// list is calls(tool) and calls(tool, {argument: value}).
func (b *bench) list(args ...any) (any, error) {
	if len(args) > 1 && args[len(args)-1] == true {
		args = args[:len(args)-1]
	}
	if len(args) == 0 {
		return nil, missing{"the tool of calls()"}
	}
	tool, with, err := b.asks(args)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, c := range b.find(tool, with) {
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
	tool, with, err := b.asks(args)
	if err != nil {
		return nil, err
	}
	for _, c := range b.find(tool, with) {
		if c.Confirmed {
			return true, nil
		}
	}
	return false, nil
}

// layouts are the forms of times that date reads without being told.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05",
	"2006-01-02 15:04", time.DateOnly, time.RFC1123Z, time.RFC1123}

// date is date(text) and date(text, layout); a number is seconds since 1970.
func (b *bench) date(args ...any) (any, error) {
	if len(args) == 0 {
		return nil, missing{"the text of date()"}
	}
	if n, ok := toFloat(args[0]); ok {
		return time.Unix(int64(n), 0).In(b.s.Now.Location()), nil
	}
	if t, ok := args[0].(time.Time); ok {
		return t, nil
	}
	text, ok := args[0].(string)
	if !ok {
		return nil, mistyped{"what date() reads", kind(args[0]), "text"}
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
	return nil, mistyped{fmt.Sprintf("%q", text), "text", "a time"}
}

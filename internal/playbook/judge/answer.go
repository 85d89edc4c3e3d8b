package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/internal/text"
)

// minConfidence is from where a value is taken.
const minConfidence = 0.3

// Verdict is the model's answer on one item.
type Verdict struct {
	Relevance float64 // 0-1
	Reason    string
	Value     json.RawMessage // a variable's, or a tool's arguments
	Withdrawn bool            // the variable's value was taken back
}

// answer holds what a model's text says, item by item, and notes on unreadable parts.
type answer struct {
	verdicts map[string]Verdict
	notes    []string
}

const endOfThought = "</think>"

var errUnreadable = errors.New("not the JSON that was asked for")

// lists are the keys of an answer, with what is in each list.
var lists = []struct {
	key  string
	read func(a *answer, item json.RawMessage)
	id   string // the field that names an item
}{
	{"conditions", (*answer).condition, "id"},
	{"variables", (*answer).variable, "name"},
	{"parameters", (*answer).parameters, "tool"},
}

// parse reads a model's verdicts, whatever is around them: thoughts, prose, a fence,
// another object. The last object or list with verdicts counts; one that is cut off
// counts only when no other is there, without what is half.
func parse(said string) (answer, error) {
	if at := strings.LastIndex(said, endOfThought); at >= 0 {
		if a, err := parse(said[at+len(endOfThought):]); err == nil {
			return a, nil
		}
	}
	if trimmed := strings.TrimSpace(said); trimmed == "null" {
		return answer{}, nil
	}
	var found, cut *answer
	const mostStarts = 500
	for i, starts := 0, 0; i < len(said) && starts < mostStarts; i++ {
		if said[i] != '{' && said[i] != '[' {
			continue
		}
		starts++
		whole, end := value(said[i:])
		a, ok := read(whole)
		switch {
		case ok && end > 0:
			found = &a
			i += end - 1
		case ok && cut == nil:
			cut = &a
		}
	}
	for _, a := range []*answer{found, cut} {
		if a != nil {
			return *a, nil
		}
	}
	return answer{}, errUnreadable
}

// Decode finds the last JSON object with a key in what a model said, and reads it.
func Decode(said, key string, into any) error {
	if at := strings.LastIndex(said, endOfThought); at >= 0 && Decode(said[at+len(endOfThought):], key, into) == nil {
		return nil
	}
	for i := len(said) - 1; i >= 0; i-- {
		if said[i] != '{' {
			continue
		}
		var object map[string]json.RawMessage
		whole, _ := value(said[i:])
		if json.Unmarshal([]byte(whole), &object) == nil && object[key] != nil && json.Unmarshal([]byte(whole), into) == nil {
			return nil
		}
	}
	return errUnreadable
}

// read takes one JSON value for an answer, if it looks like one: an object with a
// known list or nothing in it, or a list of items.
func read(text string) (a answer, ok bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) == nil {
		ok = len(object) == 0
		for _, l := range lists {
			if raw, has := object[l.key]; has {
				ok = true
				a.each(raw, l.read)
			}
		}
		return a, ok
	}
	var bare []map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &bare) != nil {
		return a, text == "[]"
	}
	for _, fields := range bare {
		for _, l := range lists {
			if _, has := fields[l.id]; has {
				ok = true
				raw, _ := json.Marshal(fields)
				l.read(&a, raw)
				break
			}
		}
	}
	return a, ok || len(bare) == 0
}

// each reads the items of a list. A single item stands for a list of one, and an
// object of ids for a list of them.
func (a *answer) each(raw json.RawMessage, read func(*answer, json.RawMessage)) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) == nil {
		for _, it := range items {
			read(a, it)
		}
		return
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		a.note("a list that is none")
		return
	}
	for _, l := range lists {
		if _, has := object[l.id]; has {
			read(a, raw)
			return
		}
	}
	for _, id := range slices.Sorted(maps.Keys(object)) {
		it, _ := json.Marshal(map[string]any{"id": id, "name": id, "tool": id, "relevance": object[id], "value": object[id],
			"arguments": object[id]})
		read(a, it)
	}
}

func (a *answer) note(format string, args ...any) {
	a.notes = append(a.notes, fmt.Sprintf("the model's verdicts: "+format, args...))
}

func (a *answer) put(name string, v Verdict) {
	if a.verdicts == nil {
		a.verdicts = map[string]Verdict{}
	}
	a.verdicts[name] = v
}

func (a *answer) condition(raw json.RawMessage) {
	var it struct{ ID, Relevance, Reason json.RawMessage }
	if id := plain(raw); json.Unmarshal(raw, &it) != nil && id != "" && id[0] != '{' {
		a.put(Condition(id), Verdict{Relevance: 1}) // the bare id of what holds
		return
	}
	id := plain(it.ID)
	n, ok := share(it.Relevance)
	if id == "" || !ok {
		a.note("%s counts as none: no id, or no relevance from 0 to 1", text.Shorten(string(raw), 70))
		return
	}
	a.put(Condition(id), Verdict{Relevance: n, Reason: text.Shorten(plain(it.Reason), 200)})
}

func (a *answer) variable(raw json.RawMessage) {
	var it struct{ Name, Value, Confidence, Withdrawn json.RawMessage }
	if json.Unmarshal(raw, &it) != nil || plain(it.Name) == "" {
		a.note("a variable without a name")
		return
	}
	sure, ok := 1.0, len(it.Confidence) == 0
	if !ok {
		sure, ok = share(it.Confidence)
	}
	value, withdrawn := plain(it.Value), plain(it.Withdrawn) == "true"
	if !ok || sure < minConfidence || value == "" && !withdrawn || value == "null" {
		return
	}
	a.put(Variable(plain(it.Name)), Verdict{Relevance: sure, Value: it.Value, Withdrawn: withdrawn && value == ""})
}

func (a *answer) parameters(raw json.RawMessage) {
	var it struct{ Tool, Arguments json.RawMessage }
	if json.Unmarshal(raw, &it) != nil || plain(it.Tool) == "" {
		a.note("arguments of no tool")
		return
	}
	a.put(Tool(plain(it.Tool)), Verdict{Value: json.RawMessage(plain(it.Arguments))})
}

// share reads a number from 0 to 1, as a number, as text or in percent.
func share(raw json.RawMessage) (float64, bool) {
	s := strings.TrimSpace(plain(raw))
	s, percent := strings.CutSuffix(s, "%")
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	switch {
	case s == "true":
		return 1, true
	case s == "false":
		return 0, true
	case percent:
		n /= 100
	}
	return n, err == nil && n >= 0 && n <= 1
}

// plain returns text without its quotes, and anything else as it is.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(bytes.TrimSpace(raw))
}

// value returns the JSON value that a text begins with, and where it ends. When it is
// cut off end is 0, and whole is closed without its last half entry.
func value(text string) (whole string, end int) {
	open, closers := "", "" // the brackets to close, the innermost first: now, and behind whole
	inString, escaped := false, false
	for i := range len(text) {
		switch ch := text[i]; {
		case escaped:
			escaped = false
		case inString && ch == '\\':
			escaped = true
		case ch == '"':
			inString = !inString
		case inString:
		case ch == '{' || ch == '[':
			open = string(ch+2) + open // { -> }, [ -> ]
			if ch == '[' {
				whole, closers = text[:i+1], open
			}
		case ch == '}' || ch == ']':
			if open == "" || open[0] != ch {
				return "", 0
			}
			if open = open[1:]; open == "" {
				return text[:i+1], i + 1
			}
			whole, closers = text[:i+1], open
		}
	}
	return whole + closers, 0
}

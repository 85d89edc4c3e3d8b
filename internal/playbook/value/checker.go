// Package value turns what people and models write into values of a type, and
// compares them. It stores nothing and knows no conversation.
package value

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/playbook/sheet"
	"parley/internal/text"
)

// Validation restricts a variable's values.
type Validation struct {
	Pattern       string   `json:"pattern,omitempty" rule:"len=1..500" doc:"RE2 pattern for text."`
	Min           *float64 `json:"min,omitempty" doc:"Smallest number."`
	Max           *float64 `json:"max,omitempty" doc:"Largest number."`
	MinLength     *int     `json:"min_length,omitempty" rule:"range=0..10000" doc:"Fewest characters or items."`
	MaxLength     *int     `json:"max_length,omitempty" rule:"range=0..10000" doc:"Most characters or items."`
	AllowedValues []any    `json:"allowed_values,omitempty" doc:"The only values there are."`
}

// Checker turns raw values into the variable's type and refuses others.
type Checker struct {
	Kind     string            // string, number, boolean, date, array or object
	Re       *regexp.Regexp    // of text; nil for none
	Allowed  []json.RawMessage // nil for all
	minLen   int
	maxLen   int // 0 is no limit but the cap
	min, max float64
}

// maxValue is the size in bytes of the largest value kept.
const maxValue = 4000

// NewChecker makes one for a type, "" for string; nil rules restrict nothing.
func NewChecker(kind string, rules *Validation) (Checker, error) {
	c := Checker{Kind: cmp.Or(strings.ToLower(kind), "string"), min: math.Inf(-1), max: math.Inf(1)}
	if rules == nil {
		return c, nil
	}
	var err error
	if rules.Pattern != "" {
		if c.Re, err = Compile(rules.Pattern); err != nil {
			return c, fmt.Errorf("pattern: %w", err)
		}
	}
	c.min, c.max = *cmp.Or(rules.Min, &c.min), *cmp.Or(rules.Max, &c.max)
	c.minLen, c.maxLen = *cmp.Or(rules.MinLength, &c.minLen), *cmp.Or(rules.MaxLength, &c.maxLen)
	if c.min > c.max {
		return c, errors.New("min is greater than max")
	}
	if c.maxLen > 0 && c.minLen > c.maxLen {
		return c, errors.New("min_length is greater than max_length")
	}
	for _, a := range rules.AllowedValues {
		text, err := json.Marshal(a)
		if err == nil {
			text, err = c.Coerce(text)
		}
		if err != nil {
			return c, fmt.Errorf("allowed_values: %w", err)
		}
		c.Allowed = append(c.Allowed, text)
	}
	return c, nil
}

// Check returns raw in the variable's type, or why it cannot be taken, in
// words that can be told to a person.
func (c Checker) Check(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) > maxValue {
		return nil, errors.New("it is too long")
	}
	v, err := c.Coerce(raw)
	if err != nil {
		return nil, err
	}
	switch c.Kind {
	case "number":
		switch f, _ := Number(Plain(v)); {
		case f < c.min:
			return nil, fmt.Errorf("it has to be at least %v", c.min)
		case f > c.max:
			return nil, fmt.Errorf("it has to be at most %v", c.max)
		}
	case "string", "array":
		if err := c.checkLength(v); err != nil {
			return nil, err
		}
	}
	if c.Allowed != nil {
		for _, a := range c.Allowed {
			if strings.EqualFold(string(a), string(v)) || c.Kind == "number" && (Test{Op: "=", Value: Plain(a)}).compare(Plain(v)) {
				return a, nil
			}
		}
		return nil, fmt.Errorf("it has to be one of %s", string(bytes.Join(Bytes(c.Allowed), []byte(", "))))
	}
	return v, nil
}

func (c Checker) checkLength(v json.RawMessage) error {
	n, unit := utf8.RuneCountInString(Plain(v)), "characters"
	if c.Kind == "array" {
		var list []json.RawMessage
		_ = json.Unmarshal(v, &list) // coerce has seen that it is one
		n, unit = len(list), "items"
	}
	if n < c.minLen || c.maxLen > 0 && n > c.maxLen {
		return fmt.Errorf("it has the wrong length (%d %s)", n, unit)
	}
	if c.Re != nil && c.Kind == "string" && !c.Re.MatchString(Plain(v)) {
		return errors.New("it does not have the right form")
	}
	return nil
}

// Coerce brings raw JSON into the type. Text is taken for every type, since
// models and people write "42" as readily as 42.
func (c Checker) Coerce(raw json.RawMessage) (json.RawMessage, error) {
	var x any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&x); err != nil {
		return nil, errors.New("it is not a value")
	}
	text, isText := x.(string)
	text = strings.TrimSpace(text)
	var out any
	var ok bool
	var wants string
	switch c.Kind {
	case "string":
		if n, is := x.(json.Number); is {
			text, isText = n.String(), true
		}
		out, ok, wants = text, isText && text != "", "text"
	case "number":
		out, ok = digits(x)
		wants = "a number"
	case "boolean":
		out, ok = boolean(x)
		wants = "yes or no"
	case "date":
		out, ok = date(text)
		wants = "a date like 2026-01-31"
	default:
		if isText {
			_ = json.Unmarshal([]byte(text), &x) // text that is no JSON stays text and fails below
		}
		_, list := x.([]any)
		_, object := x.(map[string]any)
		out, ok, wants = x, list == (c.Kind == "array") && object == (c.Kind == "object"), "an "+c.Kind
	}
	if !ok {
		return nil, fmt.Errorf("it has to be %s", wants)
	}
	return json.Marshal(out)
}

// written is a number as people write it.
var written = text.Pattern(`^-?[0-9]+(\.[0-9]+)?$`)

// digits returns a number as JSON with all its digits: one that JSON cannot write, such
// as 0049, stays text.
func digits(x any) (json.RawMessage, bool) {
	f, ok := Number(x)
	text, isText := x.(string)
	if n, is := x.(json.Number); is {
		text, isText = n.String(), true
	}
	text = strings.TrimSpace(text)
	var raw []byte
	switch {
	case !ok:
	case !isText || !written().MatchString(text):
		raw, _ = json.Marshal(f)
	case json.Valid([]byte(text)):
		raw = []byte(text)
	default:
		raw, _ = json.Marshal(text)
	}
	return raw, ok
}

// Number reads a finite number, written as text too.
func Number(x any) (float64, bool) {
	switch x := x.(type) {
	case json.Number:
		f, err := x.Float64()
		return f, err == nil
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(x), 64)
		return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	}
	return sheet.Number(x)
}

func boolean(x any) (value, ok bool) {
	if b, ok := x.(bool); ok {
		return b, true
	}
	s, _ := x.(string)
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "yes", "y", "yeah", "yep", "ok", "sure":
		return true, true
	case "false", "no", "n", "nope":
		return false, true
	}
	return false, false
}

// date gives YYYY-MM-DD, or the whole RFC 3339 time when one was given.
func date(s string) (string, bool) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t.UTC().Format(time.RFC3339), true
	}
	for _, layout := range []string{time.DateOnly, "2.1.2006", "2 January 2006", "2 Jan 2006", "January 2, 2006", "Jan 2, 2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.DateOnly), true
		}
	}
	return "", false
}

// Plain returns a value as people read it: text without quotes.
func Plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// Bytes is the list as bytes.Join takes it.
func Bytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, l := range list {
		out[i] = l
	}
	return out
}

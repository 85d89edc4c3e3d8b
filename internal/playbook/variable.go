package playbook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Where a value came from.
const (
	SourcePattern = "pattern" // confidence 1
	SourceModel   = "model"   // the confidence the model gave
	SourceTool    = "tool"
	SourceCommand = "command"
	SourceDefault = "default"
)

// Value is the known value of a variable.
type Value struct {
	Name       string          `json:"name"`
	Value      json.RawMessage `json:"value"` // in the variable's type
	At         time.Time       `json:"extracted_at"`
	Confidence float64         `json:"confidence"` // 0-1
	MessageID  string          `json:"source_message_id,omitempty"`
	Source     string          `json:"source"`
}

type pattern = *regexp.Regexp

// checker turns raw values into the variable's type and refuses others.
type checker struct {
	kind     string
	rules    Validation
	re       *regexp.Regexp
	allowed  []json.RawMessage
	minLen   int
	maxLen   int // 0 is no limit but the cap
	min, max float64
}

// maxValue is the size in bytes of the largest value kept.
const maxValue = 4000

func newChecker(v *Variable) (checker, error) {
	c := checker{kind: strings.ToLower(v.DataType), min: math.Inf(-1), max: math.Inf(1)}
	if c.kind == "" {
		c.kind = "string"
	}
	if v.Validation == nil {
		return c, nil
	}
	c.rules = *v.Validation
	var err error
	if c.rules.Pattern != "" {
		if c.re, err = compilePattern(c.rules.Pattern); err != nil {
			return c, fmt.Errorf("pattern: %w", err)
		}
	}
	if c.rules.Min != nil {
		c.min = *c.rules.Min
	}
	if c.rules.Max != nil {
		c.max = *c.rules.Max
	}
	if c.rules.MinLength != nil {
		c.minLen = *c.rules.MinLength
	}
	if c.rules.MaxLength != nil {
		c.maxLen = *c.rules.MaxLength
	}
	if c.min > c.max {
		return c, errors.New("min is greater than max")
	}
	if c.maxLen > 0 && c.minLen > c.maxLen {
		return c, errors.New("min_length is greater than max_length")
	}
	for _, a := range c.rules.AllowedValues {
		text, err := json.Marshal(a)
		if err == nil {
			text, err = c.coerce(text)
		}
		if err != nil {
			return c, fmt.Errorf("allowed_values: %w", err)
		}
		c.allowed = append(c.allowed, text)
	}
	return c, nil
}

// check returns raw in the variable's type, or why it cannot be taken, in
// words that can be told to a person.
func (c checker) check(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) > maxValue {
		return nil, errors.New("it is too long")
	}
	v, err := c.coerce(raw)
	if err != nil {
		return nil, err
	}
	switch c.kind {
	case "number":
		switch f, _ := strconv.ParseFloat(string(v), 64); {
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
	if c.allowed != nil {
		for _, a := range c.allowed {
			if strings.EqualFold(string(a), string(v)) {
				return a, nil
			}
		}
		return nil, fmt.Errorf("it has to be one of %s", string(bytes.Join(toBytes(c.allowed), []byte(", "))))
	}
	return v, nil
}

func (c checker) checkLength(v json.RawMessage) error {
	n, unit := utf8.RuneCountInString(plain(v)), "characters"
	if c.kind == "array" {
		var list []json.RawMessage
		_ = json.Unmarshal(v, &list) // coerce has seen that it is one
		n, unit = len(list), "items"
	}
	if n < c.minLen || c.maxLen > 0 && n > c.maxLen {
		return fmt.Errorf("it has the wrong length (%d %s)", n, unit)
	}
	if c.re != nil && c.kind == "string" && !c.re.MatchString(plain(v)) {
		return errors.New("it does not have the right form")
	}
	return nil
}

// coerce brings raw JSON into the type. Text is taken for every type, since
// models and people write "42" as readily as 42.
func (c checker) coerce(raw json.RawMessage) (json.RawMessage, error) {
	var x any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&x); err != nil {
		return nil, errors.New("it is not a value")
	}
	text, isText := x.(string)
	text = strings.TrimSpace(text)
	var out any
	switch c.kind {
	case "string":
		if n, ok := x.(json.Number); ok {
			text, isText = n.String(), true
		}
		if !isText || text == "" {
			return nil, errors.New("it has to be text")
		}
		out = text
	case "number":
		f, ok := number(x)
		if !ok {
			return nil, errors.New("it has to be a number")
		}
		out = f
	case "boolean":
		b, ok := boolean(x)
		if !ok {
			return nil, errors.New("it has to be yes or no")
		}
		out = b
	case "date":
		day, ok := date(text)
		if !ok {
			return nil, errors.New("it has to be a date like 2026-01-31")
		}
		out = day
	default:
		if isText {
			_ = json.Unmarshal([]byte(text), &x) // text that is no JSON stays text and fails below
		}
		_, list := x.([]any)
		_, object := x.(map[string]any)
		if list != (c.kind == "array") || object != (c.kind == "object") {
			return nil, fmt.Errorf("it has to be an %s", c.kind)
		}
		out = x
	}
	return json.Marshal(out)
}

func number(x any) (float64, bool) {
	switch x := x.(type) {
	case json.Number:
		f, err := x.Float64()
		return f, err == nil
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(x), 64)
		return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	case float64:
		return x, !math.IsNaN(x) && !math.IsInf(x, 0)
	case int:
		return float64(x), true
	case int64:
		return float64(x), true
	case uint64:
		return float64(x), true
	}
	return 0, false
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

// plain returns a value as people read it: text without quotes.
func plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

func toBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, l := range list {
		out[i] = l
	}
	return out
}

// varHolds decides a var: condition on what is known now.
func (t *turn) varHolds(v varTest) bool {
	value, known := t.value(v.name)
	switch v.op {
	case "set":
		return known
	case "unset":
		return !known
	case "!=":
		return known && !strings.EqualFold(plain(value.Value), v.value)
	}
	return known && compare(plain(value.Value), v)
}

func compare(got string, v varTest) bool {
	switch v.op {
	case "in":
		return slices.ContainsFunc(strings.Split(v.value, ","), func(s string) bool {
			return strings.EqualFold(strings.Trim(strings.TrimSpace(s), `"'`), got)
		})
	case "~":
		re, err := compilePattern(v.value) // checked at load
		return err == nil && re.MatchString(got)
	}
	order := strings.Compare(strings.ToLower(got), strings.ToLower(v.value))
	a, okA := number(got)
	b, okB := number(v.value)
	if okA && okB {
		order = int(math.Copysign(1, a-b))
		if a == b {
			order = 0
		}
	}
	switch v.op {
	case "=":
		return order == 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	default:
		return order >= 0
	}
}

// match finds a value by the variable's patterns. asked allows those for
// answers.
func (v *Variable) match(text string, asked bool) (string, bool) {
	n := len(v.patterns)
	if !asked {
		n = len(v.Patterns) // answer patterns come after them
	}
	for _, re := range v.patterns[:n] {
		m := re.FindStringSubmatch(text)
		for i := 1; i < len(m); i++ {
			if m[i] != "" {
				return m[i], true
			}
		}
		if len(m) == 1 && m[0] != "" {
			return m[0], true
		}
	}
	return "", false
}

// mayBeIn guesses cheaply whether a message could hold the value: it has a token of
// the right form, a digit for a number or date, an allowed value, or a word in
// common with the variable's description.
func (v *Variable) mayBeIn(t *turn) bool {
	for _, a := range v.valid.allowed {
		if strings.Contains(t.lower, strings.ToLower(plain(a))) {
			return true
		}
	}
	if v.valid.re != nil && v.tokenIn(t) {
		return true
	}
	if (v.valid.kind == "number" || v.valid.kind == "date") && strings.ContainsAny(t.lower, "0123456789") {
		return true
	}
	return slices.ContainsFunc(t.words(), func(w string) bool { return slices.Contains(v.words, w) })
}

// tokenIn reports whether a word of the message fits the validation pattern,
// which there has to be, and differs from what is known.
func (v *Variable) tokenIn(t *turn) bool {
	known, _ := t.value(v.Name)
	for word := range strings.FieldsSeq(t.sit.Text) {
		word = strings.Trim(word, `.,;:!?#()[]{}<>"'`)
		if word == "" || !v.valid.re.MatchString(word) {
			continue
		}
		raw, _ := json.Marshal(word)
		if got, err := v.valid.check(raw); err == nil && !bytes.Equal(got, known.Value) {
			return true
		}
	}
	return false
}

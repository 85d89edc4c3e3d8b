package playbook

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/playbook/value"
)

// Where a value came from.
const (
	SourcePattern = "pattern" // confidence 1
	SourceModel   = "model"   // the confidence the model gave
	SourceTool    = "tool"
	SourceOwner   = "owner"
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

// span reads a length of time with a unit of minutes, hours or days; 0 if it is none.
func span(s string) time.Duration {
	unit := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[s[len(s)-1]]
	n, err := strconv.Atoi(s[:len(s)-1])
	if err != nil || n < 0 || n > maxSpan {
		return 0
	}
	return time.Duration(n) * unit
}

// maxSpan bounds the number of a span.
const maxSpan = 100_000

// outdate forgets the values whose time is over.
func (t *turn) outdate() {
	for _, v := range t.book.doc.Variables {
		got, ok := t.store(v)[v.Name]
		if ok && v.lasts > 0 && t.sit.Now.Sub(got.At) >= v.lasts {
			delete(t.store(v), v.Name)
			t.why("%s is no longer known: it was said more than %s ago", v.Name, v.Lasts)
		}
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
	for _, a := range v.valid.Allowed {
		if strings.Contains(t.lower, strings.ToLower(value.Plain(a))) {
			return true
		}
	}
	if v.valid.Re != nil && v.tokenIn(t) {
		return true
	}
	if (v.valid.Kind == "number" || v.valid.Kind == "date") && strings.ContainsAny(t.lower, "0123456789") {
		return true
	}
	return slices.ContainsFunc(t.words(), func(w string) bool { return slices.Contains(v.words, w) })
}

// tokenIn reports whether a word of the message fits the validation pattern, which must
// be set, and differs from the known value.
func (v *Variable) tokenIn(t *turn) bool {
	known, _ := t.value(v.Name)
	for word := range strings.FieldsSeq(t.sit.Text) {
		word = strings.Trim(word, `.,;:!?#()[]{}<>"'`)
		if word == "" || !v.valid.Re.MatchString(word) {
			continue
		}
		raw, _ := json.Marshal(word)
		if got, err := v.valid.Check(raw); err == nil && !bytes.Equal(got, known.Value) {
			return true
		}
	}
	return false
}

package fields

import (
	"encoding/json"
	"fmt"
	"testing"

	"parley/internal/text"
)

func TestFields(t *testing.T) {
	const pets = `{"type":"string","enum":["pet-1","pet-2"],"enumNames":["Cats","Dogs"],"default":"pet-1"}`
	const fish = `{"type":"array","minItems":1,"maxItems":2,"items":{"anyOf":[{"const":"f1","title":"Tuna"},{"const":"f2","title":"Eel"},{"const":"f3"}]},"default":["f1"]}`
	for _, tt := range []struct{ schema, said, want string }{
		{`{"type":"string"}`, "  Ann  ", "Ann"},
		{`{"type":"string","maxLength":3}`, "Anna", "! The number of characters must be at most 3."},
		{`{"type":"string","maxLength":3}`, "äöü", "äöü"},
		{`{"type":"string","minLength":2,"maxLength":3}`, "A", "! The number of characters must be between 2 and 3."},
		{`{"type":"string","format":"email"}`, "ann@example.org", "ann@example.org"},
		{`{"type":"string","format":"email"}`, "Ann <ann@example.org>", "! I need an email address."},
		{`{"type":"string","format":"uri"}`, "example", "! I need an address that begins like https://."},
		{`{"type":"string","format":"uri"}`, "https://example.org", "https://example.org"},
		{`{"type":"string","format":"date"}`, "31.3.2026", "! I need a date such as 2026-03-31."},
		{`{"type":"string","format":"date-time"}`, "2026-03-31T18:00:00Z", "2026-03-31T18:00:00Z"},
		{`{"type":"string","format":"date-time"}`, "soon", "! I need a date and a time such as 2026-03-31T18:00:00Z."},
		{`{"type":"integer","minimum":1,"maximum":100}`, "42", "42"},
		{`{"type":"integer","minimum":1,"maximum":100}`, "4.2", "! I need a whole number."},
		{`{"type":"integer","minimum":1,"maximum":100}`, "0", "! The number must be between 1 and 100."},
		{`{"type":"number"}`, "3,5", "3.5"},
		{`{"type":"number"}`, "NaN", "! I need a number."},
		{`{"type":"number","minimum":2}`, "1", "! The number must be at least 2."},
		{pets, "dogs", "pet-2"},
		{pets, "2", "pet-2"},
		{pets, "pet-1", "pet-1"},
		{pets, "3", "! I need one of the answers in the list, or its number."},
		{fish, "1, eel", "[f1 f2]"},
		{fish, "f3", "[f3]"},
		{fish, "1,1", "[f1]"},
		{fish, "1,2,3", "! The number of answers must be between 1 and 2."},
		{fish, "", "! The number of answers must be between 1 and 2."},
	} {
		f, err := Of("x", true, json.RawMessage(tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Read(tt.said)
		got := fmt.Sprint(v)
		if err != nil {
			said, ok := text.ForPeople(err)
			if got = "! " + said; !ok {
				t.Errorf("%s: %v is not for people", tt.schema, err)
			}
		}
		if got != tt.want {
			t.Errorf("%s, %q: %s, want %s", tt.schema, tt.said, got, tt.want)
		}
	}
	for schema, want := range map[string]string{pets: "Cats", fish: "Tuna", `{"type":"boolean","default":false}`: "no",
		`{"type":"integer","default":42}`: "42", `{"type":"string"}`: ""} {
		f, err := Of("x", false, json.RawMessage(schema))
		if got := f.Shown(f.Default); err != nil || got != want || f.Title != "x" {
			t.Errorf("%s: %+v shown as %q, %v", schema, f, got, err)
		}
	}
	for _, schema := range []string{`{"type":"object"}`, `{}`, `{"type":"array","items":{"type":"string"}}`, `[]`} {
		if f, err := Of("x", false, json.RawMessage(schema)); err == nil {
			t.Errorf("%s: %+v", schema, f)
		}
	}
}

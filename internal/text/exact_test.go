package text

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestExact(t *testing.T) {
	for s, want := range map[string]string{
		"call mom":          "call mom",
		"Buy milk, now!":    "Buy milk, now!",
		"don't":             "don't",
		"at 08:30":          "at 08:30",
		"漢字 и слово":        "漢字 и слово",
		"":                  "`\"\"`",
		"a_b*c":             "`a_b*c`",
		"/stop":             "`/stop`",
		"evil.example":      "`evil.example`",
		" a":                "`\" a\"`",
		"a  b":              "`\"a \\u0020b\"`",
		`say "x"`:           "`\"say \\\"x\\\"\"`",
		"a`b":               "`\"a\\u0060b\"`",
		"x\u202ey":          "`\"x\\u202ey\"`",
		"x\U000E0041":       "`\"x\\udb40\\udc41\"`",
		"\u0301":            "`\"\\u0301\"`",
		"a\u3164b":          "`\"a\\u3164b\"`",
		"one\n\n```\ntwo  ": "\n```\n\"one\\n\"\n\"\\n\"\n\"\\u0060\\u0060\\u0060\\n\"\n\"two \\u0020\"\n```\n",
	} {
		if got := Exact(s); got != want {
			t.Errorf("%q is shown as %q, want %q", s, got, want)
		}
	}
}

// TestExactIsReadBack: whatever a text is, what is shown says it, survives the cleaning of
// everything that is sent, and shows each thing for itself.
func TestExactIsReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shown := map[string]string{}
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteRune([]rune{rune(r.IntN(0x250)), rune(0x200B + r.IntN(0x70)), rune(0xE0000 + r.IntN(0x80)), rune(r.IntN(0xD800)),
				' ', '`', '\n', '"', '\\', 'a'}[r.IntN(10)])
		}
		s := b.String()
		got := Exact(s)
		if was, ok := shown[got]; ok && was != s {
			t.Fatalf("%q and %q are both shown as %q", s, was, got)
		}
		shown[got] = s
		if Honest(Clean(got)) != got || exactly(t, got) != s {
			t.Fatalf("%q is shown as %q, which reads %q", s, got, exactly(t, got))
		}
		raw, err := json.Marshal(map[string]any{s: []any{s, 1.50}})
		if err != nil {
			t.Fatal(err)
		}
		exact, err := ExactJSON(raw)
		again, err2 := ExactJSON(exact)
		var back map[string][]any
		if err != nil || err2 != nil || string(again) != string(exact) || Clean(string(exact)) != string(exact) ||
			strings.Contains(string(exact), "`") ||
			json.Unmarshal(exact, &back) != nil || back[s][0] != s {
			t.Fatalf("%s became %s, then %s: %v %v", raw, exact, again, err, err2)
		}
	}
}

// exactly reads what Exact shows.
func exactly(t *testing.T, shown string) string {
	t.Helper()
	if block, ok := strings.CutPrefix(shown, "\n```\n"); ok {
		var b strings.Builder
		for line := range strings.Lines(strings.TrimSuffix(block, "```\n")) {
			b.WriteString(unquoted(t, strings.TrimSuffix(line, "\n")))
		}
		return b.String()
	}
	code, ok := strings.CutPrefix(shown, "`")
	if code = strings.TrimSuffix(code, "`"); ok && strings.HasPrefix(code, `"`) {
		return unquoted(t, code)
	}
	return code
}

func unquoted(t *testing.T, s string) (back string) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &back); err != nil {
		t.Fatalf("%v in %q", err, s)
	}
	return back
}

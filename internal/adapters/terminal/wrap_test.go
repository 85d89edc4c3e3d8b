package terminal

import "testing"

// TestFit: lines that are too long end between words, and what is left of one stands before
// the next where the sentence goes on there; lists and new sentences stay lines.
func TestFit(t *testing.T) {
	for text, want := range map[string]string{
		"one two three four five six\nseven eight": "one two three four\nfive six seven eight",
		"  one two three four five\n  six":         "  one two three four\n  five six",
		"one two three four five\nSix":             "one two three four\nfive\nSix",
		"one two three four five\n  6  seven":      "one two three four\nfive\n  6  seven",
		"one two three four five\n\nsix":           "one two three four\nfive\n\nsix",
		"short\nlines":                             "short\nlines",
	} {
		if got := fitted(text, narrowest); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

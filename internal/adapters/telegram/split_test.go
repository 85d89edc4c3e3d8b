package telegram

import (
	"strings"
	"testing"
)

// A long answer loses nothing: every word arrives once, in order.
func TestSplitLosesNothing(t *testing.T) {
	a := reader(t)
	for _, s := range []string{
		strings.Repeat("word after word, ", 1500),
		"```\n" + strings.Repeat("line of code();\n", 1000) + "```\nafter",
		strings.Repeat("😀", 9000),
		strings.Repeat("x", 20000),
		strings.Repeat("e\u0301", 9000),
		strings.Repeat("**bold** ", 900),
		strings.Repeat("\n", 100000) + "end",
		strings.Repeat("| a | b |\n|---|---|\n| c | d |\n\n", 400),
	} {
		var got strings.Builder
		for _, p := range a.Split(s) {
			if r := render(p); !r.fits() {
				t.Errorf("%.20q: a piece of %d bytes does not fit", s, len(p))
			}
			got.WriteString(p)
		}
		letters := func(s string) string { return strings.NewReplacer("`", "", "\n", "", " ", "").Replace(s) }
		if letters(got.String()) != letters(s) {
			t.Errorf("%.20q: %d bytes became %d", s, len(s), got.Len())
		}
	}
}

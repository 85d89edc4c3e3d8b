package telegram

import (
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	fits := func(s string) bool { return len(s) <= 24 }
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{" \n", nil},
		{"short", []string{"short"}},
		{"one two three four five six", []string{"one two three four five ", "six"}},
		{"first part is\n\nsecond part is", []string{"first part is\n\n", "second part is"}},
		{"see [the page](http://a.b/c) now", []string{"see ", "[the page](http://a.b/c)", " now"}},
		{"```go\na := 1\nb := 2\nc := 3\n```\nend", []string{"```go\na := 1\nb := 2\n```", "```go\nc := 3\n```\nend"}},
		{strings.Repeat("👨‍👩‍👧", 2), []string{"👨‍👩‍👧", "👨‍👩‍👧"}},
	} {
		got := split(c.in, fits)
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("split(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

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

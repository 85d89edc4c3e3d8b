package chat

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
		got := Split(c.in, fits)
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("Split(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("```go\na\n```\n[x](http://y) 👨‍👩‍👧", 20)
	f.Add("| a |\n|---|\n~~~\nb", 12)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = max(12, limit%200)
		fits := func(s string) bool { return len(s) <= limit }
		var all string
		for _, p := range Split(text, fits) {
			if strings.TrimSpace(p) == "" {
				t.Fatalf("a blank piece of %q", text)
			}
			all += p
		}
		letters := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if !strings.ContainsAny(text, "`~") && letters(all) != letters(text) {
			t.Fatalf("%q became %q", text, all)
		}
	})
}

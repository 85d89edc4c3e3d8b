package chat

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		limit int
		in    string
		want  []string
	}{
		{24, "", nil},
		{24, " \n", nil},
		{24, "short", []string{"short"}},
		{24, "one two three four five six", []string{"one two three four five ", "six"}},
		{24, "first part is\n\nsecond part is", []string{"first part is\n\n", "second part is"}},
		{24, "see [the page](http://a.b/c) now", []string{"see ", "[the page](http://a.b/c)", " now"}},
		{24, "```go\na := 1\nb := 2\nc := 3\n```\nend", []string{"```go\na := 1\nb := 2\n```", "```go\nc := 3\n```\nend"}},
		{24, strings.Repeat("👨‍👩‍👧", 2), []string{"👨‍👩‍👧", "👨‍👩‍👧"}},
		// What a cut goes through is closed and opened again.
		{24, "**one two three four five six**", []string{"**one two three four**", "**five six**"}},
		{24, "a ~~b c d e f g h i j k l m n~~ o", []string{"a ~~b c d e f g h i j~~", "~~k l m n~~ o"}},
		{24, "||one two three four five six||", []string{"||one two three four||", "||five six||"}},
		{24, "||one two\n\nthree four five six||", []string{"||one two||", "||three four five six||"}},
		{24, "`one two three four five six`", []string{"`one two three four`", "`five six`"}},
		{24, "**one _two three four five_ six**", []string{"**one _two three four_**", "**_five_ six**"}},
		{24, "> one two three four five six", []string{"> one two three four ", "> five six"}},
		{30, "> **one two three four five\n> six seven**\nand", []string{"> **one two three four five**", "> **six seven**\nand"}},
		{36, "> ```go\n> a := 1\n> b := 2\n> c := 3\n> ```\nend", []string{"> ```go\n> a := 1\n> b := 2\n> ```",
			"> ```go\n> c := 3\n> ```\nend"}},
		{40, "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |", []string{"| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"[:40],
			"| a | b |\n|---|---|\n| 5 | 6 |"}},
		{25, "- one\n  - two three\n    - four five\n    - six\n- seven", []string{"- one\n  - two three\n", "- four five\n- six\n- seven"}},
		{24, "> one **two three four five** six", []string{"> one **two three four**", "> **five** six"}},
		{24, "see **now** and http://a.b/c", []string{"see **now** and ", "http://a.b/c"}},
		// Not within a link, a mark or a fence where it goes beside it.
		{24, "one two three four **five six**", []string{"one two three four ", "**five six**"}},
		{38, "one two three four five\n```\na\nb\nc\nd\n```", []string{"one two three four five\n", "```\na\nb\nc\nd\n```"}},
	} {
		got := Split(c.in, func(s string) bool { return len(s) <= c.limit })
		if strings.Join(got, "¦") != strings.Join(c.want, "¦") {
			t.Errorf("Split(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

// A spoiler lies within one block where it has to, and never shows what it hid.
func TestCloseSpoilers(t *testing.T) {
	for in, want := range map[string]string{
		"||a||":                          "||a||",
		"||a\nb||":                       "||a\nb||",
		"||a\n\nb||":                     "||a||\n\n||b||",
		"x ||a\n\n- b\n- c\n\nd|| y\n":   "x ||a||\n\n- ||b||\n- ||c||\n\n||d|| y\n",
		"a || b\n\nc":                    "a || b\n\nc",
		"```\na || b\n```\n\nc || d\n\n": "```\na || b\n```\n\nc || d\n\n",
		"||a\n\n\n\n> b\n> c\n\nd||":     "||a||\n\n\n\n> ||b\n> c||\n\n||d||",
	} {
		if got := CloseSpoilers(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// bones returns a text without white space and what marks it.
func bones(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n\r\v\f\u0085\u00A0`~*_|>-#", r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
}

func FuzzSplit(f *testing.F) {
	f.Add("```go\na\n```\n[x](http://y) 👨‍👩‍👧", 20)
	f.Add("| a |\n|---|\n~~~\nb", 12)
	f.Add("> **a\n> ||b** c||\n> ```x\n> d", 14)
	f.Add("- *a* __b__\n  1. `c\n\n     ~~d~~", 13)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = max(12, limit%200)
		fits := func(s string) bool { return len(s) <= limit }
		var all string
		for _, p := range Split(text, fits) {
			if strings.TrimSpace(p) == "" {
				t.Fatalf("a blank piece of %q", text)
			}
			if !fits(p) && utf8.RuneCountInString(p) > 1 {
				t.Fatalf("a piece of %d bytes, not %d: %q of %q", len(p), limit, p, text)
			}
			all += p
		}
		// The words of a fence and the head of a table come again.
		if want := bones(text); !strings.ContainsAny(text, "`~") && !strings.Contains(text, "-") && bones(all) != want {
			t.Fatalf("%q became %q", want, bones(all))
		}
	})
}

// Tiny limits and what nobody writes cost no more for each letter than long
// texts do.
func TestSplitOfOddTextIsQuick(t *testing.T) {
	size := 100_000
	if testing.Short() {
		size = 10_000
	}
	for _, s := range []string{"`", "` `` ", "```a\n", "**a ", "[", "[a](b) ", "||", "> ", "- ", "| a |\n|-|\n", "é", "\u0301", "é word\n\n"} {
		for _, limit := range []int{1, 12, 200, 4000} {
			looked := 0
			n := len(Split(strings.Repeat(s, size/len(s)), func(s string) bool {
				looked += len(s)
				return len(s) <= limit
			}))
			if looked > 600*size {
				t.Errorf("%q to %d: %d letters were looked at for %d pieces of %d", s, limit, looked, n, size)
			}
		}
	}
}

package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"äöüß", 3, "äöü"}, {"a", 0, ""}, {"a", -1, ""},
		{"ab👨‍👩‍👧cd", 3, "ab"}, {"ab👨‍👩‍👧cd", 7, "ab👨‍👩‍👧"}, {"ab👨‍👩‍👧cd", 6, "ab"},
		{"🇨🇭🇩🇪", 3, "🇨🇭"}, {"e\u0301e\u0301", 3, "e\u0301"}, {"नमस्ते", 3, "नम"}, {"👍🏽👍🏽", 3, "👍🏽"},
		{"👨‍👩‍👧", 2, "👨‍"}, // alone too long: a bound is a bound
		{"a\r\nb", 2, "a"},
		{strings.Repeat("x", 5000) + "👨‍👩‍👧", 5002, strings.Repeat("x", 5000)},
	} {
		if got := Clip(c.in, c.n); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
	if got := ClipBytes("aä👨‍👩‍👧", 10); got != "aä" {
		t.Errorf("by bytes: %q", got)
	}
	if got := Shorten("Züri 🇨🇭 ist schön", 7); got != "Züri …" {
		t.Errorf("shortened: %q", got)
	}
	if got := Shorten("genau", 5); got != "genau" {
		t.Errorf("not shortened: %q", got)
	}
}

func FuzzClip(f *testing.F) {
	for _, s := range []string{"ab👨‍👩‍👧cd", "🇨🇭🇩🇪", "e\u0301\u0302", "नमस्ते", "\xff\xfe", "a\r\nb", "각", strings.Repeat("🇨", 700)} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		edges := map[int]bool{len(s): true}
		first := 0
		for it := graphemes.FromString(s); it.Next(); {
			edges[it.Start()] = true
			if first == 0 {
				first = it.End()
			}
		}
		for name, got := range map[string]string{"runes": Clip(s, n), "bytes": ClipBytes(s, n)} {
			if !strings.HasPrefix(s, got) || n >= 0 && name == "bytes" && len(got) > n || n >= 0 && name == "runes" &&
				utf8.RuneCountInString(got) > n {
				t.Fatalf("%s: %q to %d is %q", name, s, n, got)
			}
			if utf8.ValidString(s) && !utf8.ValidString(got) {
				t.Fatalf("%s: %q to %d tears a letter: %q", name, s, n, got)
			}
			if !edges[len(got)] && len(got) >= first && len(s) < maxJoined {
				t.Fatalf("%s: %q to %d tears a character: %q", name, s, n, got)
			}
		}
	})
}

func TestClean(t *testing.T) {
	const scotland = "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"a\u202Eb\u202Ac\u202Cd", "abcd"},
		{"a\u2066b\u2067c\u2068d\u2069", "abcd"},
		{"a\u200Eb\u200Fc\u061Cd", "abcd"},
		{"a\u200Bb\uFEFFc\u2060d\u00ADe\u180Ef\u2063g\u206Ah\uFFF9i", "abcdefghi"},
		{"\U000E0001\U000E0068\U000E0069hi", "hi"},
		{"ba\u200Dnk and ba\u200Cnk", "bank and bank"},
		{"می\u200Cخواهم", "می\u200Cخواهم"}, // Persian
		{"क्\u200Dष and र\u200D्", "क्\u200Dष and र\u200D्"},
		{"👨\u200D👩\u200D👧 ❤\uFE0F\u200D🔥 🏳\uFE0F\u200D🌈 🧑🏽\u200D⚕\uFE0F 1\uFE0F\u20E3",
			"👨\u200D👩\u200D👧 ❤\uFE0F\u200D🔥 🏳\uFE0F\u200D🌈 🧑🏽\u200D⚕\uFE0F 1\uFE0F\u20E3"},
		{"👍\u200D", "👍"}, {"\u200D👍", "👍"}, {"👍\u200D\u200D👍", "👍\u200D👍"},
		{"a\uFE0Fb", "ab"}, {"😀\uFE0F\uFE01\uFE02", "😀\uFE0F"}, {"葛\U000E0100x\U000E0101", "葛\U000E0100x"},
		{scotland + "!", scotland + "!"},
		{"🏴\U000E0067\U000E0062", "🏴"},                      // no end
		{"🏴\U000E0067\U000E007F", "🏴"},                      // no region
		{"🏳" + strings.TrimPrefix(scotland, "🏴"), "🏳"},      // another flag
		{"x" + strings.TrimPrefix(scotland, "🏴") + "", "x"}, // no flag
		{"🏴" + strings.Repeat("\U000E0061", 40) + "\U000E007F", "🏴"},
		{"\u3164a\u115F\u1160b\uFFA0", "ab"},
		{"line\nbreak\tand \x1b[0m stay", "line\nbreak\tand \x1b[0m stay"},
		{"\xffbroken\u200B", "\uFFFDbroken"},
		{"\u0600123", "\u0600123"}, // an Arabic number sign is seen
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\u202Eb", "👨\u200D👩", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
		"می\u200Cخ", "😀\uFE0F\uFE01", "\xff", "\u115F\u1160"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if again := Clean(got); again != got {
			t.Errorf("%q is not stable: %q, then %q", s, got, again)
		}
		for i, r := range got {
			if r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200E || r == 0x200F || r == 0x061C || r == 0x200B || r == 0xFEFF {
				t.Errorf("%q keeps %U at %d", s, r, i)
			}
		}
		for i := range s {
			if before := Clean(s[:i]); !strings.HasPrefix(got, before) {
				t.Fatalf("%q: the beginning %q became %q, the whole %q", s, s[:i], before, got)
			}
		}
	})
}

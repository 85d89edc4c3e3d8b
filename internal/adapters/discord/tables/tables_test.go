package tables

import (
	"strings"
	"testing"
)

func TestTablesAreAlignedCode(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a | b", "a | b"},
		{"| a | b |\n|---|--:|\n| one | 2 |\n| 茶 | 30 |", "```\na   │  b\n────┼───\none │  2\n茶  │ 30\n```"},
		{"Here:\n\n|a|b|\n|-|-|\n|**x**|`y`|\n\nafter | it", "Here:\n\n```\na │ b\n──┼──\nx │ y\n```\n\nafter | it"},
		{"before\n|a|b|\n|-|-|\n|x|\n\n|c|\n|-|\n|```|\nend", "before\n```\na │ b\n──┼──\nx │\n```\n\n```\nc\n───\n'''\nend\n```"},
		{"```\n| a | b |\n|---|---|\n```", "```\n| a | b |\n|---|---|\n```"},
		{"| name | about |\n|---|---|\n| tea | " + strings.Repeat("long ", 14) + "|\n| ink | |",
			"- **name:** tea\n- **about:** " + strings.TrimSpace(strings.Repeat("long ", 14)) + "\n\n- **name:** ink"},
	} {
		if got := Aligned(tt.text); got != tt.want {
			t.Errorf("%q\ngot  %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

func FuzzAligned(f *testing.F) {
	f.Add("a\n|a|b|\n|-|-|\n|x|\n\n> |a|\n> |-|\n")
	f.Add("- |a|\n  |-|\n||\n|-\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := Aligned(text)
		if !strings.Contains(text, "|") && got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

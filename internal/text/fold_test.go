package text_test

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/text"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"Größe.md", "Gro\u0308ße.md"},
		{"CAFÉ", "cafe\u0301"},
		{"Ａｂｃ１", "abc1"},
		{"ガイド", "ｶﾞｲﾄﾞ"},
		{"ガイド", "カ\u3099イト\u3099"},
		{"한글", "\u1112\u1161\u11ab\u1100\u1173\u11af"},
	} {
		if text.Fold(c.a) != text.Fold(c.b) {
			t.Errorf("Fold(%q) = %q, Fold(%q) = %q", c.a, text.Fold(c.a), c.b, text.Fold(c.b))
		}
	}
	for _, c := range []struct{ a, b string }{{"Größe", "Grosse"}, {"x²", "x2"}, {"café", "cafe"}, {"が", "か"}} {
		if text.Fold(c.a) == text.Fold(c.b) {
			t.Errorf("Fold(%q) = Fold(%q)", c.a, c.b)
		}
	}
	if got := text.Composed("a\u0308\r\nb"); got != "ä\r\nb" {
		t.Errorf("Composed = %q", got)
	}
}

func TestSpellings(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"GRÖSSE", "grösse größe"}, {"Größe", "grösse größe"}, {"Buße", "busse buße"}, {"STRAẞE", "strasse straße"}, {"Haus", "haus"},
		{"Straßenmasse", "strassenmasse straßenmasse strassenmaße straßenmaße"}, {"ss", "ss ß"}, {"", ""},
	} {
		got := text.Spellings(c.word)
		if got[0] != text.Lower(c.word) || slices.ContainsFunc(got, func(w string) bool { return text.Lower(w) != got[0] }) {
			t.Errorf("%s is spelled %q", c.word, got)
		}
		want := strings.Split(c.want, " ")
		if slices.Sort(want); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("%s is spelled %q, want %q", c.word, got, want)
		}
	}
	if got := text.Spellings(strings.Repeat("ss", 1000)); len(got) != 8 {
		t.Errorf("%d spellings", len(got))
	}
}

package text_test

import (
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

package ranking

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzPassages(f *testing.F) {
	f.Add("Short.")
	f.Add(strings.Repeat("A sentence of some words that ends. ", 60))
	f.Add(strings.Repeat("明天下午三点我们在公园见面。", 200))
	f.Add(strings.Repeat("- an item\n", 300))
	f.Add(strings.Repeat("x", 5000))
	f.Add(strings.Repeat("\xff\xfe ", 900))
	f.Fuzz(func(t *testing.T, said string) {
		list, at := Passages(said), 0
		for i, p := range list {
			if p.From != at || p.To < p.From || p.To == p.From && said != "" {
				t.Fatalf("passage %d is %v after %d", i, p, at)
			}
			at = p.To
			if n := utf8.RuneCountInString(said[p.From:p.To]); n > wholeText {
				t.Errorf("passage %d has %d letters", i, n)
			}
			if utf8.ValidString(said) && !utf8.ValidString(said[p.From:p.To]) {
				t.Errorf("passage %d is cut inside a letter", i)
			}
		}
		if at != len(said) {
			t.Errorf("%d of %d bytes are covered", at, len(said))
		}
	})
}

func TestPassagesEndWithSentences(t *testing.T) {
	said := strings.Repeat("We talked about the garden for an hour. ", 20) + "\n\n" +
		strings.Repeat("- Then about the roof, and who pays\n", 20)
	list := Passages(said)
	if len(list) < 3 {
		t.Fatalf("%d passages", len(list))
	}
	for _, p := range list {
		if part := strings.TrimRight(said[p.From:p.To], " "); !strings.HasSuffix(part, ".") && !strings.HasSuffix(part, "\n") {
			t.Errorf("a passage ends with %q", part[len(part)-20:])
		}
	}
}

package ranking

import (
	"slices"
	"strings"
	"testing"
)

func TestAlike(t *testing.T) {
	for _, c := range []struct{ question, word, other string }{
		{"Where do I turn off the arrow?", "off", "disable"},
		{"deleted notes", "deleted", "trash"},
		{"Wo sind die gelöschten Notizen?", "gelöschten", "papierkorb"},
		{"où sont les photos ?", "photos", "image"},
		{"dónde está mi carpeta", "carpeta", "directorio"},
		{"где моя папка", "папка", "каталог"},
		{"手机上怎么安装", "手机", "安卓"},
		{"キーボードで開きたい", "キー", "ショートカット"},
	} {
		if got := Alike(c.question)(c.word); !slices.Contains(got, c.other) {
			t.Errorf("%s: %s may stand for %q", c.question, c.word, got)
		}
	}
	for _, c := range []struct{ question, word, other string }{
		{"delete or remove", "delete", "remove"}, // it is looked for anyway
		{"手续", "手续", "安卓"},
		{"キーの色", "キー", "ショートカット"}, // only the beginning of the word
	} {
		if got := Alike(c.question)(c.word); slices.Contains(got, c.other) {
			t.Errorf("%s: %s may stand for %q", c.question, c.word, got)
		}
	}
}

func TestAlikeLinesAreWords(t *testing.T) {
	for line := range strings.Lines(alikeText) {
		words := strings.Fields(line)
		if len(words) < 3 || len(words[0]) != 2 || strings.ToLower(line) != line {
			t.Errorf("%q is no group of a language", line)
		}
		if same := slices.Compact(slices.Sorted(slices.Values(words))); len(same) != len(words) {
			t.Errorf("%q has a word twice", line)
		}
	}
}

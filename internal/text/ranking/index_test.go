package ranking

import (
	"strings"
	"testing"
	"unicode"
)

// What stands in an index must leave it again when it is forgotten: if this fails,
// add a migration that makes messages_fts anew, then change what is wanted.
func TestIndexedStaysTheSame(t *testing.T) {
	for text, want := range map[string]string{
		"The children bought 1000 houses, then ran: houses!": "the child buy 1000 hous then run z·the z·child z·buy z·1000 z·hous z·then z·run ",
		"Ich habe die Häuser gesehen": "ich habe hab die häuser haus gesehen geseh z·ich z·habe " +
			"z·hab z·die z·häuser z·haus z·gesehen z·geseh ",
		"новые билеты": "нов билет z·нов z·билет ",
		"妹妹 AI":        "妹妹 ai 妹 z·妹妹 z·ai z·妹 ",
		"강아지":          "강아 아지 강 아 지 z·강아 z·아지 z·강 z·아 z·지 ",
		"":             "", "… 😀": "",
	} {
		if got := Indexed(35, text); got != want {
			t.Errorf("%s is\n%q, want\n%q", text, got, want)
		}
	}
}

// Whatever is said and asked, the index is asked for single words, and each word
// of a text finds that text.
func FuzzIndexed(f *testing.F) {
	f.Add("The Cats’ 猫犬 naïve Ⅷ ก็ا " + strings.Repeat("x", 100))
	f.Fuzz(func(t *testing.T, text string) {
		has := map[string]bool{}
		for s := range strings.SplitSeq(Indexed(7, text), " ") {
			has[s] = true
			if strings.ContainsFunc(s, func(r rune) bool { return r < unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
				t.Errorf("%q is no word", s)
			}
		}
		for _, w := range Terms(text) {
			for _, match := range []string{Asking(text).Match(w), Match([]int64{7}, Asking(text).Stems(w)...)} {
				found := false
				for s := range strings.SplitSeq(match, " OR ") {
					found = found || has[strings.Trim(s, `"`)]
				}
				if !found {
					t.Errorf("%q asks for %s, which %q has not", w, match, Indexed(7, text))
				}
			}
		}
	})
}

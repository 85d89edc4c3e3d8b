package ranking

import (
	"slices"
	"strings"
	"testing"
	"time"
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

// What stands in an index is spelled as somebody wrote it: both ways of writing ß find it.
func TestSpelledEitherWay(t *testing.T) {
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for _, c := range [][2]string{{"Die Größe ist 43", "GRÖSSE"}, {"die grösse", "Größe"}, {"SCHUHGRÖSSE", "schuhgröße?"},
		{"Straßenmaß", "STRASSENMASS"},
	} {
		has := strings.Fields(Indexed(7, c[0]))
		found := false
		for _, s := range Asking(c[1]).Stems(Terms(c[1])...) {
			found = found || slices.Contains(has, s)
		}
		if !found {
			t.Errorf("%q does not find %q", c[1], c[0])
		}
		order := Rank(c[1], []Message{{Name: "Ann", Text: "Etwas anderes", At: at}, {Name: "Ann", Text: c[0], At: at}})
		if len(order) == 0 || order[0].Index != 1 {
			t.Errorf("%q ranks %v", c[1], order)
		}
		if got := Asking(c[1]).Excerpt(c[0], Terms(c[1])); !strings.Contains(got, "\x02") {
			t.Errorf("%q shows %q", c[1], got)
		}
	}
}

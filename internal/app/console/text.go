package console

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	whole "parley/internal/text"
	"parley/internal/text/catalog"
)

// A page with everything on it stays below 100 KB: one text takes maxText bytes
// at most, and all that a page lists maxBody.
const (
	maxText = 6000
	maxBody = 48 << 10
)

// cost returns what a rune takes in HTML.
func cost(r rune) int {
	switch r {
	case '<', '>':
		return 4
	case '&', '"', '\'', '+':
		return 5
	}
	return utf8.RuneLen(r)
}

// clip cuts a text so that it takes no more than n bytes of HTML.
func clip(s string, n int) string {
	for i, r := range s {
		if n -= cost(r); n < 0 {
			return whole.ClipBytes(s, i) + "…"
		}
	}
	return s
}

// markup is about what the tags around one text take.
const markup = 300

// weight returns what texts take on a page.
func weight(texts ...string) (n int) {
	for _, s := range texts {
		for _, r := range s {
			n += cost(r)
		}
		n += markup
	}
	return n
}

// few cuts a list of texts and each of them.
func few(list []string, most, length int) []string {
	var kept []string
	for _, s := range list[:min(len(list), most)] {
		kept = append(kept, clip(s, length))
	}
	return kept
}

func hasWord(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// span is a piece of text, marked or not.
type span struct {
	Text string
	Mark bool
}

// found is what a search put around the words it found.
var found = whole.Pattern("\x02([^\x03]*)\x03")

// marked splits a text at the words that a search found.
func marked(text string) (list []span) {
	at := 0
	for _, m := range found().FindAllStringSubmatchIndex(text, -1) {
		if m[0] > at {
			list = append(list, span{Text: text[at:m[0]]})
		}
		list = append(list, span{text[m[2]:m[3]], true})
		at = m[1]
	}
	if at < len(text) {
		list = append(list, span{Text: text[at:]})
	}
	return list
}

// stamp returns a moment as people read it; all of them are UTC.
func stamp(p catalog.Printer, t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return p.Time(t.UTC(), "2 Jan 15:04:05")
}

func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// took returns a duration in three digits or so.
func took(p catalog.Printer, d time.Duration) string {
	switch {
	case d < time.Second:
		return p.Say("%d ms", d.Milliseconds())
	case d < 100*time.Second:
		return p.Say("%s s", p.Figure(fmt.Sprintf("%.1f", d.Seconds())))
	}
	d = d.Round(time.Second)
	return p.Say("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// count returns a number in three digits or so.
func count(p catalog.Printer, n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return p.Say("%sk", tenths(p, float64(n)/1e3))
	}
	return p.Say("%sM", tenths(p, float64(n)/1e6))
}

// tenths writes a number with a tenth where it has one.
func tenths(p catalog.Printer, n float64) string {
	return p.Figure(strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0"))
}

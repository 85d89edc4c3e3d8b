package telegram

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-telegram/bot/models"

	"parley/internal/text/waittest"
)

// A long answer loses nothing: every word arrives once, in order.
func TestSplitLosesNothing(t *testing.T) {
	a := reader(t)
	for _, s := range []string{
		strings.Repeat("word after word, ", 1500),
		"```\n" + strings.Repeat("line of code();\n", 1000) + "```\nafter",
		strings.Repeat("😀", 9000),
		strings.Repeat("x", 20000),
		strings.Repeat("e\u0301", 9000),
		strings.Repeat("**bold** ", 900),
		strings.Repeat("\n", 100000) + "end",
		strings.Repeat("| a | b |\n|---|---|\n| c | d |\n\n", 400),
	} {
		var got strings.Builder
		for _, p := range a.Split(s) {
			if r := render(p); !r.fits() {
				t.Errorf("%.20q: a piece of %d bytes does not fit", s, len(p))
			}
			got.WriteString(p)
		}
		letters := func(s string) string { return strings.NewReplacer("`", "", "\n", "", " ", "").Replace(s) }
		if letters(got.String()) != letters(s) {
			t.Errorf("%.20q: %d bytes became %d", s, len(s), got.Len())
		}
	}
}

// document writes Markdown of every kind, its marks in pairs.
func document(r *rand.Rand, blocks int) string {
	words := func(n int) string {
		var list []string
		for range n {
			list = append(list, fmt.Sprintf("w%d", r.IntN(100000)))
		}
		return strings.Join(list, " ")
	}
	inline := func(n int) string {
		var list []string
		for range n {
			some := words(1 + r.IntN(12))
			mark := []string{"", "", "**", "_", "*", "~~", "||", "`"}[r.IntN(8)]
			switch r.IntN(12) {
			case 0:
				some = "[" + some + "](https://example.org/a_b_(c)/" + words(1) + ")"
			case 1:
				some = "**" + some + " _" + words(1+r.IntN(9)) + "_ " + some + "**"
			case 2:
				some = "||" + some + " **" + words(1+r.IntN(9)) + "**||"
			default:
				some = mark + some + mark
			}
			list = append(list, some)
		}
		return strings.Join(list, " ")
	}
	var b strings.Builder
	for range blocks {
		switch r.IntN(9) {
		case 0:
			b.WriteString("```go\n")
			for range r.IntN(60) {
				b.WriteString("  " + words(1+r.IntN(9)) + "\n")
			}
			b.WriteString("x\n```\n")
		case 1:
			b.WriteString("| one | two |\n|---|---|\n")
			for range 1 + r.IntN(60) {
				b.WriteString("| " + words(1) + " | " + words(2) + " |\n")
			}
		case 2:
			for range 1 + r.IntN(40) {
				b.WriteString("> " + inline(1+r.IntN(4)) + "\n")
			}
		case 3:
			for i := range 1 + r.IntN(40) {
				fmt.Fprintf(&b, "%d. %s\n   - %s\n     - %s\n", i+1, inline(1), inline(1+r.IntN(3)), words(3))
			}
			b.WriteString("\nNo list.\n") // or the next would go on with it
		case 4:
			b.WriteString("## " + words(4) + "\n")
		case 5:
			b.WriteString("**" + words(1+r.IntN(1500)) + "**\n")
		case 6:
			b.WriteString("||" + words(1+r.IntN(900)) + "||\n")
		case 7:
			b.WriteString("> ```sh\n")
			for range r.IntN(200) {
				b.WriteString("> " + words(3) + "\n")
			}
			b.WriteString("> end\n> ```\n")
		default:
			b.WriteString(inline(1+r.IntN(60)) + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

var heads = regexp.MustCompile(`one\|two-+`)

// Whatever is cut, no mark is left bare, nothing is lost or shown that was
// hidden, and what was bold, code or quoted is so on both sides of a cut.
func TestSplitKeepsMarksWhole(t *testing.T) {
	a := reader(t)
	seeds := uint64(300)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		s := document(r, 1+r.IntN(14))
		whole := render(s)
		var text strings.Builder
		marked := map[models.MessageEntityType]*strings.Builder{}
		count := func(into map[models.MessageEntityType]*strings.Builder, r rendered) {
			for _, e := range r.entities {
				if into[e.Type] == nil {
					into[e.Type] = &strings.Builder{}
				}
				from, to, _ := span(r.text, e.Offset, e.Length)
				into[e.Type].WriteString(r.text[from:to] + e.URL)
			}
		}
		for _, p := range a.Split(s) {
			r := render(p)
			if !r.fits() {
				t.Fatalf("seed %d: a piece of %d units and %d entities", seed, length(r.text), len(r.entities))
			}
			for _, bare := range []string{"**", "~~", "||", "`", "](", "|---"} {
				if strings.Contains(r.text, bare) {
					t.Fatalf("seed %d: bare %s in\n%s\nof\n%s", seed, bare, r.text, p)
				}
			}
			text.WriteString(r.text)
			count(marked, r)
		}
		flat := func(s string) string { return heads.ReplaceAllString(strings.Join(strings.Fields(s), ""), "") }
		if got, want := flat(text.String()), flat(whole.text); got != want {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Fatalf("seed %d: at %d of %d:\n got %.120q\nwant %.120q", seed, i, len(want), got[max(0, i-30):], want[max(0, i-30):])
		}
		if len(whole.entities) >= maxEntities {
			continue // some were left out of the whole
		}
		all := map[models.MessageEntityType]*strings.Builder{}
		count(all, whole)
		for kind, want := range all {
			if got := marked[kind]; got == nil || flat(got.String()) != flat(want.String()) {
				t.Fatalf("seed %d: %s is on other words after the cuts", seed, kind)
			}
		}
	}
}

// Messages are filled: it takes no more than a third above what it must.
func TestSplitFillsMessages(t *testing.T) {
	a := reader(t)
	for name, s := range map[string]string{
		"links":  lines(900, "- [Title %d](https://example.org/articles/%d) and [more %d](https://example.org/more/%d), **new**"),
		"quotes": lines(1250, "> Line %d of a long quotation that somebody asked for."),
		"bold":   lines(900, "**%d**: _some_ `words` of ~~no~~ meaning"),
		"tables": "| n | text |\n|---|---|\n" + lines(900, "| %d | some words in a cell of a table |"),
		"code":   "```go\n" + lines(900, "line(%d) // of code") + "```",
	} {
		pieces := a.Split(s)
		total := 0
		for i, p := range pieces {
			n := length(render(p).text)
			if total += n; i < len(pieces)-1 && n < maxText/2 {
				t.Errorf("%s: piece %d of %d has %d units", name, i, len(pieces), n)
			}
		}
		if most := total*4/3/maxText + 1; len(pieces) > most {
			t.Errorf("%s: %d pieces for %d units", name, len(pieces), total)
		}
	}
}

func lines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "%d", strconv.Itoa(i)) + "\n")
	}
	return b.String()
}

// What nobody writes takes no long time either. Counted is the time that this
// process had, so a busy machine does not matter.
func TestSplitIsQuick(t *testing.T) {
	a := reader(t)
	size := 50_000
	if testing.Short() {
		size = 15_000 // the race detector, which runs the short ones, takes ten times as long
	}
	for _, s := range []string{
		"`", "``` ", "` `` ```", "[", "](", "[x](", "**", "*a ", "_a_b", "|", "||", "|| a", "> ", ">", "- ", "1. ", "~~~\n",
		"```\n", "<http", "https://", "\\", "a|b\n-|-\n", "é", "\u0301", "\t", "![", "(", "* * ",
	} {
		s := strings.Repeat(s, size/len(s))
		began := waittest.CPU()
		pieces := a.Split(s)
		if took := waittest.CPU() - began; took > 10*time.Second {
			t.Errorf("%.10q: %v for %d pieces", s, took, len(pieces))
		}
	}
}

package index

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/internal/notes/links"
	"parley/internal/text/waittest"
)

func TestTitles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.md", "---\ntitle: From the front\n---\n# Heading\n", "From the front"},
		{"a.md", "---\ntitle: \"Quoted: yes\"\ntags: [x]\n---\n", "Quoted: yes"},
		{"a.md", "---\ntitle: 2024\n---\n", "2024"},
		{"a.md", "---\ntitle: >\n  Folded\n  title\n---\n", "Folded title"},
		{"a.md", "---\nother: 1\n---\n\n## Two\n\n# One **bold** [[x|shown]]\n", "One bold shown"},
		{"a.md", "Setext\n======\n", "Setext"},
		{"dir/My note.md", "no heading", "My note"},
		{"a.md", "---\ntitle: [broken\n---\n# H\n", "H"},
		{"a.md", "---\nnot closed\n# H\n", "H"},
		{"a.md", "```\n# not a heading\n```\n", "a"},
		{"a.md", "<!--\n# hidden\n-->\n", "a"},
		{"a.md", "#tag at the start\n", "a"},
		{"a.md", "\n---\ntitle: late\n---\n", "a"},
		{"a.md", "# " + strings.Repeat("é", 300), strings.Repeat("é", 200)},
	} {
		if got := parseNote(c.name, c.text).title; got != c.want {
			t.Errorf("%.60q: title %q, want %q", c.text, got, c.want)
		}
	}
}

func TestSections(t *testing.T) {
	text := `---
tags: [Cook, "#slow food"]
aliases: Levain
---
Before.

# Bread
Flour #baking and [[Starter|the starter]].

## Dough
### Cold
Rest it.
## Oven

* a list
---
after a rule

` + "```sh\n# no heading #notag [[nolink]]\n```" + `

    # indented is none
> # quoted is none

Setext
------
Done ` + "`#code`" + `, see [[sub/Old Note#part|x]], #a/b and #12.
`
	d := parseNote("x.md", text)
	type s struct {
		Heading, Trail string
		Line           int
		Begins         string
	}
	var got []s
	for _, x := range d.sections {
		first, _, _ := strings.Cut(x.text, "\n")
		got = append(got, s{x.heading, x.trail, x.line, first})
	}
	want := []s{
		{"", "", 5, "Before."},
		{"Bread", "", 8, "Flour #baking and [[Starter|the starter]]."},
		{"Cold", "Bread › Dough", 12, "Rest it."},
		{"Oven", "Bread", 15, "* a list"},
		{"Setext", "Bread", 28, "Done `#code`, see [[sub/Old Note#part|x]], #a/b and #12."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a/b", "baking", "cook", "food", "slow"}, d.tags); diff != "" {
		t.Error("tags", diff)
	}
	if diff := cmp.Diff([]string{"Starter", "sub/Old Note"}, targets(d.links)); diff != "" {
		t.Error("links", diff)
	}
	if diff := cmp.Diff([]string{"Levain"}, d.aliases); diff != "" {
		t.Error("aliases", diff)
	}
}

func TestLongSectionsAreCutBetweenParagraphs(t *testing.T) {
	paragraph := strings.Repeat("word ", 110) // 550 characters
	d := parseNote("x.md", "# H\n"+strings.Repeat(paragraph+"\n\n", 10)+strings.Repeat("ü", 5000))
	for i, s := range d.sections {
		if n := utf8.RuneCountInString(s.text); n > maxSection {
			t.Errorf("section %d has %d characters", i, n)
		}
		if i < 3 && strings.Count(s.text, "\n\n") != 2 {
			t.Errorf("section %d is not three paragraphs: %.40q", i, s.text)
		}
	}
	if d.sections[1].line != 8 {
		t.Errorf("the second section begins at line %d", d.sections[1].line)
	}
}

func TestManyHeadingsStayBounded(t *testing.T) {
	d := parseNote("x.md", strings.Repeat("# heading\ntext\n", 100_000))
	if n := len(d.sections); n > 2*maxSections {
		t.Errorf("%d sections", n)
	}
}

// nasty returns input that makes parsers slow. BenchmarkNasty measures how slow.
func nasty() map[string]string {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'z'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	indented := ""
	for i := range 350 {
		indented += strings.Repeat(" ", i) + "a:\n"
	}
	front := func(s string) string { return "---\ntitle: T\n" + s + "\n---\ntext\n" }
	return map[string]string{
		"brackets":      strings.Repeat("[", 100_000),
		"links":         strings.Repeat("[a](", 30_000),
		"quotations":    strings.Repeat(">", 50_000),
		"stars":         strings.Repeat("*a **b ", 20_000),
		"list":          strings.Repeat("- ", 50_000),
		"ticks":         strings.Repeat("` `` ", 20_000),
		"wikilinks":     strings.Repeat("[[", 50_000) + strings.Repeat("[[a]] #b ", 20_000),
		"headings":      strings.Repeat("# h\n", 25_000),
		"comments":      strings.Repeat("<!-- ", 50_000),
		"references":    strings.Repeat("[a]: /u\n", 20_000),
		"fences":        strings.Repeat("```\n~~~\n", 20_000),
		"setext":        strings.Repeat("a\n", 50_000) + "===\n",
		"bomb":          front(bomb),
		"yaml [":        front("b: " + strings.Repeat("[", 30_000)),
		"yaml {":        front(strings.Repeat("{a: ", 15_000)),
		"yaml -":        front(strings.Repeat("- ", 30_000)),
		"yaml ?":        front(strings.Repeat("? ", 30_000)),
		"yaml lines [":  front(strings.Repeat("[\n", 20_000)),
		"yaml indented": front(indented),
		"yaml anchors":  front(strings.Repeat("a: &x y\n", 7_000)),
		"yaml quote":    front("b: \"" + strings.Repeat("\\", 50_000)),
		"yaml colons":   front(strings.Repeat(":", 50_000)),
		"yaml tags":     front("b: " + strings.Repeat("! ", 30_000)),
		"yaml marks":    front(strings.Repeat("- - - -\n", 7_000)),
		"yaml strings":  front("b: |\n" + strings.Repeat("  x\n", 15_000)),
		"yaml comments": front(strings.Repeat("#\n", 30_000)),
		"yaml no end":   "---\n" + strings.Repeat("a: b\n", 100_000),
		"yaml keys":     front(keys(6_000)),
	}
}

func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: v\n", i)
	}
	return b.String()
}

// Parsing a nasty note takes about as long as a plain one. Quadratic time would be a thousand
// times as long.
func TestNastyNotesStayLinear(t *testing.T) {
	took := func(text string) time.Duration {
		begin := waittest.CPU()
		parseNote("x.md", text)
		return waittest.CPU() - begin
	}
	plain := took(strings.Repeat("Just some words of a line.\n\n", 3500))
	for name, text := range nasty() {
		if d := took(text); d > 300*max(plain, time.Millisecond) {
			t.Errorf("%s: %v, a plain note %v", name, d, plain)
		}
	}
}

func BenchmarkNasty(b *testing.B) {
	for name, text := range nasty() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				parseNote("x.md", text)
			}
			b.ReportMetric(milliseconds(b.Elapsed()/time.Duration(b.N)), "ms")
		})
	}
}

func FuzzNote(f *testing.F) {
	for _, text := range nasty() {
		f.Add(text[:min(len(text), 120)])
	}
	f.Add("---\ntitle: x\ntags: [a, b]\n---\n# A\r\n\r\ntext #tag [[link]]\n## B\n")
	f.Add("a\n===\n\n```\n# x\n```\n\xff\x00")
	f.Fuzz(func(t *testing.T, raw string) {
		text := clean(raw)
		d := parseNote("x.md", text)
		lines := strings.Split(text, "\n")
		if d.title == "" || len(d.sections) == 0 {
			t.Fatal("no title or no section")
		}
		last := 0
		for _, s := range d.sections {
			if s.line < 1 || s.line > len(lines) || s.line < last || !utf8.ValidString(s.text) || utf8.RuneCountInString(s.text) > maxSection {
				t.Fatalf("section %q at %d of %d after %d", s.text, s.line, len(lines), last)
			}
			last = s.line
			first, _, _ := strings.Cut(s.text, "\n")
			if !strings.Contains(lines[s.line-1], strings.TrimSpace(first)) {
				t.Fatalf("line %d is %q, not %q", s.line, lines[s.line-1], first)
			}
		}
		for _, p := range noteSpans(text) {
			if p.from < 1 || p.body <= p.from || p.to < p.body-1 || p.to > len(lines) {
				t.Fatalf("span %+v of %d lines", p, len(lines))
			}
		}
	})
}

func targets(all []links.Link) (said []string) {
	for _, l := range all {
		said = append(said, l.Target)
	}
	return said
}

// Searches find the properties of a note like its text.
func TestPropertiesAreFound(t *testing.T) {
	f := newFolder(t)
	f.put("People/Anna.md", "---\ntags: [friend]\nphone: \"+49 30 5550123\"\nbirthday: 2 May\n---\n# Anna\n\nLikes tea.\n")
	f.put("People/Ben.md", "---\nphone: +49 40 777\n---\n# Ben\n\nLikes coffee.\n")
	f.put("broken.md", "---\npin: [4711\n---\n# Broken\n")
	f.refresh()
	for ask, want := range map[string]string{"5550123": "People/Anna.md", "Anna's phone": "People/Anna.md",
		"birthday": "People/Anna.md", "pin 4711": "broken.md"} {
		if got := f.paths(ask); !strings.HasPrefix(got+" ", want+" ") {
			t.Errorf("%s: %q", ask, got)
		}
	}
	hits, err := f.Search(t.Context(), Query{Text: "5550123"})
	if err != nil || len(hits) == 0 || hits[0].Line != 2 || !strings.Contains(hits[0].Text, "phone: +49 30 5550123") {
		t.Errorf("%+v, %v", hits, err)
	}
}

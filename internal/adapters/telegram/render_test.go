package telegram

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-telegram/bot/models"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/text/waittest"
)

// show writes the entities of r down as kind[text].
func show(r rendered) string {
	var b strings.Builder
	for i, e := range r.entities {
		if i > 0 {
			b.WriteString(" ")
		}
		from, to, ok := span(r.text, e.Offset, e.Length)
		if !ok {
			return fmt.Sprintf("bad entity %+v", e)
		}
		fmt.Fprintf(&b, "%s%s%s[%s]", e.Type, e.URL, e.Language, r.text[from:to])
	}
	return b.String()
}

func TestRender(t *testing.T) {
	for _, c := range []struct{ in, text, entities string }{
		{"plain", "plain", ""},
		{"", "", ""},
		{" \n\n ", "", ""},
		{"**b** *i* _i_ ~~s~~ `c`", "b i i s c", "bold[b] italic[i] italic[i] strikethrough[s] code[c]"},
		{"😀 **b😀**", "😀 b😀", "bold[b😀]"},
		{"***both***", "both", "italic[both] bold[both]"},
		{"**a `b` c**", "a b c", "bold[a ] code[b] bold[ c]"},
		{"# Title\n\ntext\nmore", "Title\n\ntext\nmore", "bold[Title]"},
		{"text\n---\nmore", "text\n\n———\n\nmore", ""},
		{"```go\nx := 1\n\n\ty()\n```", "x := 1\n\n\ty()", "prego[x := 1\n\n\ty()]"},
		{"```\nnot closed", "not closed", "pre[not closed]"},
		{"    indented", "indented", "pre[indented]"},
		{"> q1\n> **q2**\n\nafter", "q1\nq2\n\nafter", "blockquote[q1\nq2] bold[q2]"},
		{"> a\n>> b", "a\n\nb", "blockquote[a\n\nb]"},
		{"- a\n- b\n  - c\n\n1) x\n2) y", "• a\n• b\n  • c\n\n1) x\n2) y", ""},
		{"3. c\n4. d", "3. c\n4. d", ""},
		{"[x](https://a.b/?q=1)", "x", "text_linkhttps://a.b/?q=1[x]"},
		{"[**x** `y`](http://a.b)", "x y", "text_linkhttp://a.b[x y] bold[x]"},
		{"[x](tg://user?id=1)", "x (tg://user?id=1)", ""},
		{"[x](javascript:alert(1))", "x (javascript:alert(1))", ""},
		{"[x](/local)", "x (/local)", ""},
		{"[](https://a.b)", "https://a.b", ""},
		{"![alt](http://a.b/i.png)", "alt", "text_linkhttp://a.b/i.png[alt]"},
		{`[x](http://a.b "why")`, "x (why)", "text_linkhttp://a.b[x]"},
		{"<https://a.b> https://c.d", "https://a.b https://c.d", ""},
		{"[ref]: http://a.b", "[ref]: http://a.b", ""},
		{"| a | b |\n|---|---|\n| 1 | `2` |", "a | b\n-----\n1 | 2", "pre[a | b\n-----\n1 | 2]"},
		{`\*not\* 1\. a`, "*not* 1. a", ""},
		{"<b><i>unclosed", "<b><i>unclosed", ""},
		{"<script>", "<script>", ""},
		{"a < b && c > d", "a < b && c > d", ""},
		{"</pre><b>", "</pre><b>", ""},
		{"[bank.com](https://evil.tld/x)", "bank.com (evil.tld)", "text_linkhttps://evil.tld/x[bank.com]"},
		{"[bank.com](https://evil.tld/x) (evil.tld)", "bank.com (evil.tld)", "text_linkhttps://evil.tld/x[bank.com]"},
		{"[Tea](obsidian://open?file=a%20b.md) tea.md", "Tea tea.md", ""},
		{"&#x3C;b&#x3E; &amp;", "&#x3C;b&#x3E; &amp;", ""},
		{"a\x00b\xff", "ab\uFFFD", ""},
		{"2 * 3 * 4 snake_case_word", "2 * 3 * 4 snake_case_word", ""},
	} {
		r := render(c.in)
		if r.text != c.text {
			t.Errorf("render(%q)\n got %q\nwant %q", c.in, r.text, c.text)
		}
		if got := show(r); got != c.entities {
			t.Errorf("render(%q)\n got %s\nwant %s", c.in, got, c.entities)
		}
	}
}

func TestRenderCallsFewPeople(t *testing.T) {
	r := render(strings.Repeat("@alice ", 50))
	if n := len(mention().FindAllString(r.text, -1)); n != maxMentions {
		t.Errorf("%d people are called, want %d", n, maxMentions)
	}
}

// Hostile texts are turned down or rendered in time.
func TestRenderHostile(t *testing.T) {
	for _, s := range []string{
		strings.Repeat("[", 8192), strings.Repeat(">", 8192), strings.Repeat("*a_", 2700), strings.Repeat("- ", 4000),
		strings.Repeat("`", 8192), strings.Repeat("![](", 2000), strings.Repeat("|a\n|-\n", 1300), strings.Repeat("e\u0301", 4000),
		strings.Repeat("**x `y` ", 1000), strings.Repeat(">", 50_000), strings.Repeat("> - ", 5000), strings.Repeat("1. > ", 5000),
		strings.Repeat("\t> ", 5000),
	} {
		began := waittest.CPU()
		r := render(s)
		if took := waittest.CPU() - began; took > 2*time.Second { // a guard against blow-ups, not a measurement
			t.Errorf("%.10q took %s", s, took)
		}
		check(t, s, r)
	}
}

// check holds r against what Telegram demands of entities.
func check(t *testing.T, source string, r rendered) {
	t.Helper()
	var list []telegramtest.Entity
	for _, e := range r.entities {
		list = append(list, telegramtest.Entity{Type: string(e.Type), Offset: e.Offset, Length: e.Length, URL: e.URL})
		if e.Type == models.MessageEntityTypeTextLink && !strings.HasPrefix(e.URL, "http") {
			t.Errorf("render(%q) links to %q", source, e.URL)
		}
	}
	if err := telegramtest.CheckEntities(r.text, list); err != nil {
		t.Errorf("render(%q): %v", source, err)
	}
	var open []models.MessageEntity
	for _, e := range r.entities {
		for len(open) > 0 && open[len(open)-1].Offset+open[len(open)-1].Length <= e.Offset {
			open = open[:len(open)-1]
		}
		for _, o := range open {
			switch {
			case e.Offset+e.Length > o.Offset+o.Length:
				t.Errorf("render(%q): %v crosses %v", source, e, o)
			case isCode(o):
				t.Errorf("render(%q): %v lies in code", source, e)
			case isCode(e) && o.Type != models.MessageEntityTypeBlockquote:
				t.Errorf("render(%q): code in %v", source, o)
			case e.Type == o.Type && e.Type == models.MessageEntityTypeBlockquote:
				t.Errorf("render(%q): nested quotations", source)
			}
		}
		open = append(open, e)
	}
}

var word = regexp.MustCompile(`[A-Za-z]+`)

func FuzzRender(f *testing.F) {
	for _, s := range []string{
		"**b** _i_ ~~s~~ `c` [x](http://y.z) > q", "```go\nx\n```\n# T\n- a\n  1. b", "> a\n> - b\n>   ```\n> c", "|a|b|\n|-|-|\n|c|d|",
		"**a `b` [c `d`](http://e.f) g**", "~~*a**b~~c*", "😀*😀*😀", "<a href=x>", "![a](b) \\* \\[", "@alice @bobby",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2000 {
			return
		}
		r := render(s)
		check(t, s, r)
		if strings.Contains(s, "```") || strings.Contains(s, "~~~") || strings.Contains(s, "](") || strings.Contains(s, "\\") ||
			strings.Contains(s, "|") {
			return // languages, addresses and escapes move or go
		}
		text := strings.ReplaceAll(r.text, "\u2060", "")
		for _, w := range word.FindAllString(clean(s), -1) {
			i := strings.Index(text, w)
			if i < 0 {
				t.Fatalf("render(%q) lost %q: %q", s, w, r.text)
			}
			text = text[i+len(w):]
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add(strings.Repeat("word ", 2000), 1)
	f.Add("```go\n"+strings.Repeat("line of code\n", 400)+"```", 1)
	f.Add("👨‍👩‍👧‍👦", 700)
	f.Add("| a | b |\n|---|---|\n| c | d |\n", 200)
	f.Add("[label](https://example.org/a/b/c) ", 400)
	a := reader(f)
	f.Fuzz(func(t *testing.T, s string, n int) {
		if n < 0 || n > 2000 || len(s)*n > 12_000 {
			return
		}
		s = strings.Repeat(s, n)
		for _, piece := range a.Split(s) {
			r := render(piece)
			if !r.fits() {
				t.Errorf("a piece of %d bytes has %d units, %d entities", len(piece), length(r.text), len(r.entities))
			}
			check(t, piece, r)
		}
	})
}

func BenchmarkRender(b *testing.B) {
	for name, s := range map[string]string{
		"plain":    "The answer to that is forty-two, as everybody knows.",
		"markdown": strings.Repeat("Some **bold** text with `code` and a [link](https://example.org).\n\n- one\n- two\n\n", 10),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				render(s)
			}
		})
	}
}

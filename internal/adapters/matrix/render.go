package matrix

import (
	"fmt"
	"html"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/markdown"
)

func escape(s string) string { return html.EscapeString(s) }

// render turns Markdown into the HTML that Matrix knows, "" where it is plain text. What others
// wrote is escaped.
func render(source string) string {
	source = strings.ReplaceAll(source, "\r", "")
	if !strings.ContainsAny(source, "\\`*_~[]<>#|&\t\n") && !startsBlock(source) && !strings.Contains(source, "://") {
		return ""
	}
	doc, read := markdown.Parse(chat.CloseSpoilers(source))
	w := &walker{source: read}
	w.blocks(doc)
	return w.out.String()
}

// startsBlock reports whether a line may begin a list.
func startsBlock(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && strings.ContainsRune("-+0123456789=", rune(line[0]))
}

// walker renders a parsed document.
type walker struct {
	source []byte
	out    strings.Builder
	linked bool // inside a link: those do not nest
}

func (w *walker) tag(name string, body func()) {
	w.out.WriteString("<" + name + ">")
	body()
	name, _, _ = strings.Cut(name, " ")
	w.out.WriteString("</" + name + ">")
}

func (w *walker) blocks(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.block(c)
	}
}

func (w *walker) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		w.tag(fmt.Sprintf("h%d", n.Level), func() { w.inlines(n) })
	case *ast.ThematicBreak:
		w.out.WriteString("<hr>")
	case *ast.FencedCodeBlock:
		w.pre(string(n.Language(w.source)), markdown.Code(n, w.source))
	case *ast.CodeBlock:
		w.pre("", markdown.Code(n, w.source))
	case *ast.Blockquote:
		w.tag("blockquote", func() { w.blocks(n) })
	case *ast.List:
		w.list(n)
	case *ast.Paragraph:
		w.tag("p", func() { w.inlines(n) })
	case *extast.Table:
		w.tag("table", func() { w.table(n) })
	default:
		if n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
			w.blocks(n)
			return
		}
		w.inlines(n)
	}
}

func (w *walker) pre(language, code string) {
	open := "<pre><code>"
	if language != "" {
		open = `<pre><code class="language-` + escape(language) + `">`
	}
	w.out.WriteString(open + escape(code) + "\n</code></pre>")
}

func (w *walker) list(n *ast.List) {
	name := "ul"
	if n.IsOrdered() {
		name = "ol"
		if n.Start != 1 {
			name = fmt.Sprintf(`ol start="%d"`, n.Start)
		}
	}
	w.tag(name, func() {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			w.tag("li", func() { w.blocks(c) })
		}
	})
}

func (w *walker) table(n ast.Node) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cell := "td"
		if _, head := row.(*extast.TableHeader); head {
			cell = "th"
		}
		w.tag("tr", func() {
			for c := row.FirstChild(); c != nil; c = c.NextSibling() {
				w.tag(cell, func() { w.inlines(c) })
			}
		})
	}
}

func (w *walker) inlines(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.inline(c)
	}
}

func (w *walker) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		w.out.WriteString(escape(markdown.Literal(n, w.source)))
		if n.SoftLineBreak() || n.HardLineBreak() {
			w.out.WriteString("<br>")
		}
	case *ast.CodeSpan:
		w.tag("code", func() { w.out.WriteString(escape(strings.ReplaceAll(markdown.Raw(n, w.source), "\n", " "))) })
	case *ast.Emphasis:
		name := "em"
		if n.Level == 2 {
			name = "strong"
		}
		w.tag(name, func() { w.inlines(n) })
	case *extast.Strikethrough:
		w.tag("del", func() { w.inlines(n) })
	case *markdown.Spoiler:
		w.tag("span data-mx-spoiler", func() { w.inlines(n) })
	case *ast.Link:
		w.link(n, string(n.Destination), string(n.Title))
	case *ast.Image:
		w.link(n, string(n.Destination), string(n.Title))
	case *ast.AutoLink:
		w.link(n, string(n.URL(w.source)), "")
	default:
		w.inlines(n)
	}
}

// link writes a link. One that is not on the web, or that Matrix would show as a person or a
// room, is spelled out.
func (w *walker) link(n ast.Node, to, title string) {
	label := func() { w.inlines(n) }
	if auto, ok := n.(*ast.AutoLink); ok {
		label = func() { w.out.WriteString(escape(string(auto.Label(w.source)))) }
	} else if n.FirstChild() == nil {
		label = func() { w.out.WriteString(escape(to)) }
	}
	u, err := url.Parse(to)
	web := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && !strings.EqualFold(u.Host, "matrix.to")
	if web && !w.linked {
		w.linked = true
		w.tag(`a href="`+escape(u.String())+`"`, label)
		w.linked = false
	} else {
		label()
	}
	_, auto := n.(*ast.AutoLink)
	switch {
	case auto || n.FirstChild() == nil:
	case err == nil && u.Scheme == "obsidian": // leads nowhere from here, and is no place in the web
	case !web && to != "":
		w.out.WriteString(escape(" (" + to + ")"))
	default:
		if host := text.Leads(markdown.Label(n, w.source), to); host != "" {
			w.out.WriteString(escape(" (" + host + ")"))
		}
	}
	if title != "" {
		w.out.WriteString(escape(" (" + title + ")"))
	}
}

package web

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/internal/text"
)

// page is the part of a document that a person would read.
type page struct {
	title string
	text  string
	links []string // absolute addresses, in order, each once
	// What no person would have seen, and was therefore taken out.
	hiddenElements, comments, hiddenCharacters int
}

const maxLinks = 20

// readPage reduces HTML to its text. base is where it came from. It fails
// when r does or when the document is nested beyond what the parser takes.
func readPage(r io.Reader, base *url.URL) (page, error) {
	doc, err := html.Parse(r)
	if err != nil {
		return page{}, fmt.Errorf("read page: %w", err)
	}
	w := reducer{base: base}
	if t := find(doc, atom.Title); t != nil && t.FirstChild != nil {
		w.page.title = strings.Join(strings.Fields(t.FirstChild.Data), " ")
	}
	body := doc
	for _, tag := range []atom.Atom{atom.Main, atom.Article} {
		if main := find(doc, tag); main != nil && !hidden(main) && len(allText(main)) > 500 {
			body = main
			break
		}
	}
	w.walk(body)
	w.page.title, _ = text.Strip(w.page.title)
	w.page.text, w.page.hiddenCharacters = text.Strip(strings.TrimSpace(blankLines().ReplaceAllString(w.out.String(), "\n\n")))
	return w.page, nil
}

var blankLines = text.Pattern(`[ \t]*\n([ \t]*\n)+`)

type reducer struct {
	page page
	base *url.URL
	out  strings.Builder
	pre  int // open pre elements
}

var (
	skipped = []atom.Atom{atom.Head, atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Object,
		atom.Svg, atom.Math, atom.Canvas, atom.Audio, atom.Video, atom.Select, atom.Textarea, atom.Button}
	blocks = []atom.Atom{atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Nav,
		atom.Aside, atom.Ul, atom.Ol, atom.Table, atom.Blockquote, atom.Pre, atom.Form, atom.Dl, atom.Figure, atom.Hr,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}
	lines = []atom.Atom{atom.Br, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Option}
)

func (w *reducer) walk(n *html.Node) {
	switch n.Type {
	case html.CommentNode:
		w.page.comments++
		return
	case html.TextNode:
		w.write(n.Data)
		return
	case html.ElementNode:
		if slices.Contains(skipped, n.DataAtom) {
			return
		}
		if hidden(n) {
			if strings.TrimSpace(allText(n)) != "" {
				w.page.hiddenElements++
			}
			return
		}
	}
	w.open(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.walk(c)
	}
	w.close(n)
}

func (w *reducer) open(n *html.Node) {
	switch {
	case slices.Contains(blocks, n.DataAtom):
		w.out.WriteString("\n\n")
	case slices.Contains(lines, n.DataAtom):
		w.out.WriteString("\n")
	}
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.out.WriteString(strings.Repeat("#", int(n.Data[1]-'0')) + " ")
	case atom.Li:
		w.out.WriteString("- ")
	case atom.Td, atom.Th:
		w.out.WriteString(" | ")
	case atom.Pre:
		w.pre++
	case atom.A:
		w.link(n)
	}
}

func (w *reducer) close(n *html.Node) {
	if n.DataAtom == atom.Pre {
		w.pre--
	}
	if slices.Contains(blocks, n.DataAtom) {
		w.out.WriteString("\n\n")
	}
}

func (w *reducer) write(text string) {
	if w.pre > 0 {
		w.out.WriteString(text)
		return
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		if text != "" {
			w.out.WriteByte(' ')
		}
		return
	}
	if strings.ContainsAny(text[:1], " \t\n\r") {
		w.out.WriteByte(' ')
	}
	w.out.WriteString(strings.Join(words, " "))
	if strings.ContainsAny(text[len(text)-1:], " \t\n\r") {
		w.out.WriteByte(' ')
	}
}

func (w *reducer) link(n *html.Node) {
	u, err := w.base.Parse(attribute(n, "href"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || len(w.page.links) >= maxLinks {
		return
	}
	u.Fragment = ""
	if to := u.String(); len(to) <= 300 && !slices.Contains(w.page.links, to) && to != w.base.String() {
		w.page.links = append(w.page.links, to)
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// unseen matches styles that hide text from people.
var unseen = text.Pattern(
	`display:none|visibility:(hidden|collapse)|opacity:0?(\.0+)?(;|!|%|$)|font-size:(0(\.\d+)?(px|pt|em|rem|%)?|1px)(;|!|$)|` +
		`(left|top|right|bottom|text-indent|margin-left|margin-top):-\d{3,}|clip:rect\(0|clip-path:inset\((50|100)%|(^|;)(max-)?(width|height):0(px)?(;|!|$)|transform:scale\(0\)`)

var spaces = strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "", "\f", "")

func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if strings.EqualFold(a.Val, "true") {
				return true
			}
		case "style":
			if unseen().MatchString(strings.ToLower(spaces.Replace(a.Val))) {
				return true
			}
		}
	}
	return false
}

func find(n *html.Node, tag atom.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == tag {
			return d
		}
	}
	return nil
}

func allText(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

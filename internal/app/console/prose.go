package console

import (
	"bytes"
	"html/template"
	"net/url"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	whole "parley/internal/text"
	"parley/internal/text/markdown"
)

// swollen limits how much longer a text may become as HTML. One that exceeds it is mostly
// markup and is shown as written.
const swollen = 2

// prose renders Markdown that somebody wrote as HTML. The result loads nothing, and links
// lead only to the web.
func prose(text string) template.HTML {
	plain := template.HTMLEscapeString(text)
	doc, source := markdown.Parse(text)
	var b bytes.Buffer
	if err := sheet.Render(&b, source, doc); err != nil || b.Len() > swollen*len(plain)+markup {
		return template.HTML(`<p class="plain">` + plain + "</p>") // escaped above
	}
	return template.HTML(b.String()) // the renderer escapes and drops raw HTML
}

// sheet is the library's renderer, except for what looks different here or leads
// elsewhere.
var sheet = renderer.NewRenderer(renderer.WithNodeRenderers(
	util.Prioritized(quiet{}, 100),
	util.Prioritized(extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), 500),
	util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
	util.Prioritized(html.NewRenderer(html.WithHardWraps()), 1000),
))

type quiet struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (quiet) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, around(`<p><b>`, "</b></p>\n")) // the page has headings of its own
	r.Register(ast.KindFencedCodeBlock, block)
	r.Register(ast.KindCodeBlock, block)
	r.Register(ast.KindLink, hyperlink)
	r.Register(ast.KindImage, hyperlink)
	r.Register(ast.KindAutoLink, address)
	r.Register(markdown.KindSpoiler, around("||", "||"))
}

func around(before, after string) renderer.NodeRendererFunc {
	return func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := after
		if entering {
			tag = before
		}
		_, err := w.WriteString(tag)
		return ast.WalkContinue, err
	}
}

// block makes code focusable, so that long lines can be scrolled by keyboard.
func block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, err := w.WriteString(`<pre tabindex="0">` + template.HTMLEscapeString(markdown.Code(n, source)) + "</pre>\n")
	return ast.WalkSkipChildren, err
}

// hyperlink shows where a link leads if its label says something else. A picture becomes a
// link, because showing it would fetch it.
func hyperlink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var to string
	switch n := n.(type) {
	case *ast.Link:
		to = string(n.Destination)
	case *ast.Image:
		to = string(n.Destination)
	}
	label := markdown.Label(n, source)
	if label == "" {
		label = to
	}
	out := anchor(to, label)
	if host := whole.Leads(label, to); host != "" {
		out += template.HTMLEscapeString(" (" + host + ")")
	}
	_, err := w.WriteString(out)
	return ast.WalkSkipChildren, err
}

func address(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	label := string(n.(*ast.AutoLink).Label(source)) // registered for this kind only
	_, err := w.WriteString(anchor(label, label))
	return ast.WalkSkipChildren, err
}

// anchor returns a link to the web; anything else becomes plain text.
func anchor(to, label string) string {
	label = template.HTMLEscapeString(label)
	u, err := url.Parse(to)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		if to = template.HTMLEscapeString(to); to != label {
			label += " (" + to + ")"
		}
		return label
	default:
		return `<a href="` + template.HTMLEscapeString(u.String()) + `" rel="noopener noreferrer nofollow" target="_blank">` + label + "</a>"
	}
}

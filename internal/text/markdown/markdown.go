// Package markdown reads Markdown the way models write it, once for all front
// ends. It renders nothing.
package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	whole "parley/internal/text"
)

// dialect is CommonMark with tables, strikethrough and spoilers. Raw HTML, link
// definitions and underlined headings are left out, so that such text stays as
// it was written and a later line never changes what an earlier block means.
func dialect(t tables) parser.Parser {
	t.ParagraphTransformer = extension.NewTableParagraphTransformer()
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
			util.Prioritized(spoilerParser{}, 500),
		),
		parser.WithParagraphTransformers(util.Prioritized(t, 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
}

var (
	usual   = dialect(tables{})
	growing = dialect(tables{barred: true})
)

// nested is a line that opens more quotations and lists within each other than
// anybody means: the parser takes the square of their number.
var nested = whole.Pattern(`(?m)^(?:[ \t]*(?:>|[-+*][ \t]|[0-9]{1,9}[.)][ \t])){20}[ \t]*`)

// Parse never fails: what it does not understand stays as text. The nodes point
// into source, which may differ from s.
func Parse(s string) (doc ast.Node, source []byte) { return parse(usual, s) }

// ParseGrowing is Parse for who prints a text while it is written: a table is
// one only when its first line begins with a bar, so that the first word of a
// line decides.
func ParseGrowing(s string) (doc ast.Node, source []byte) { return parse(growing, s) }

func parse(p parser.Parser, s string) (ast.Node, []byte) {
	source := []byte(nested().ReplaceAllString(s, "$0\\"))
	return p.Parse(text.NewReader(source)), source
}

// tables finds tables whose head has bars. The library's own rule also takes
// "--" below any line for a table of one column.
type tables struct {
	parser.ParagraphTransformer
	barred bool // the head must begin with a bar
}

// Transform implements parser.ParagraphTransformer.
func (t tables) Transform(p *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := p.Lines()
	for i := 1; i < lines.Len(); i++ {
		above, at := lines.At(i-1), lines.At(i)
		line := bytes.TrimLeft(at.Value(reader.Source()), " \t|:")
		if len(line) == 0 || line[0] != '-' || len(bytes.Trim(line, "-|: \t\n")) > 0 {
			continue
		}
		if bar := bytes.IndexByte(bytes.TrimLeft(above.Value(reader.Source()), " \t"), '|'); bar < 0 || t.barred && bar > 0 {
			return
		}
	}
	t.ParagraphTransformer.Transform(p, reader, pc)
}

// Literal returns the text of t as people read it, without the backslashes that
// escape punctuation.
func Literal(t *ast.Text, source []byte) string {
	return string(util.UnescapePunctuations(t.Value(source)))
}

// Code returns the content of a block of code, without its last line break.
func Code(n ast.Node, source []byte) string {
	return string(bytes.TrimSuffix(n.Lines().Value(source), []byte("\n")))
}

// Plain returns the text in n without marks, addresses of links included.
func Plain(n ast.Node, source []byte) string { return plain(n, source, false) }

// Raw is Plain with escapes left in: the text of code.
func Raw(n ast.Node, source []byte) string { return plain(n, source, true) }

// Label returns the text that a link shows.
func Label(n ast.Node, source []byte) string {
	var b bytes.Buffer
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.WriteString(Plain(c, source))
	}
	return b.String()
}

func plain(n ast.Node, source []byte, raw bool) string {
	var b bytes.Buffer
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		switch c := c.(type) {
		case *ast.Text:
			if entering && (raw || c.Parent().Kind() == ast.KindCodeSpan) {
				b.Write(c.Value(source))
			} else if entering {
				b.WriteString(Literal(c, source))
			}
		case *ast.AutoLink:
			if entering {
				b.Write(c.Label(source))
			}
		case *ast.Link:
			if !entering {
				b.WriteString(" (" + string(c.Destination) + ")")
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// Aloud returns n as somebody would read it out, a line for each block: without code, tables
// and HTML, and of links only what they are called. An address is left out.
func Aloud(n ast.Node, source []byte) string {
	var b bytes.Buffer
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		switch c := c.(type) {
		case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock, *ast.RawHTML, *ast.AutoLink, *ast.Image, *extast.Table:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			switch {
			case !entering:
			case c.Parent().Kind() == ast.KindCodeSpan:
				b.Write(c.Value(source))
			default:
				b.WriteString(Literal(c, source))
			}
			if entering && (c.SoftLineBreak() || c.HardLineBreak()) {
				b.WriteByte(' ')
			}
		default:
			if !entering && c.Type() == ast.TypeBlock && b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
				b.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

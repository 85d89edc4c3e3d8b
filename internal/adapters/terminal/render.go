package terminal

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/adapters/terminal/highlight"
	"parley/internal/text/markdown"
)

const (
	styleBold   = "\x1b[1m"
	styleItalic = "\x1b[3m"
	styleLink   = "\x1b[4m"
	styleStrike = "\x1b[9m"
	styleCode   = "\x1b[36m"
	styleDim    = "\x1b[2m"
	styleTitle  = "\x1b[1;4m"
	styleSub    = "\x1b[1;3m"
	styleOff    = "\x1b[0m"
)

// look is what answers look like on one terminal.
type look struct {
	width  int  // of the window, in columns; 0 is any
	styled bool // bold, underlined and the like; without it Markdown stays as it is
	color  bool
	links  bool // that can be clicked
}

// render turns Markdown into styled lines, none wider than the window if possible. Of a
// growing text it renders only the part whose look is final: the rendering of a prefix is a
// prefix of the whole rendering, so an answer can be printed piece by piece. Styles may
// stay open.
func render(text string, l look, growing bool) string {
	if growing {
		text = settled(text)
	}
	doc, source := markdown.ParseGrowing(text)
	p := &painter{source: source, look: l}
	if growing {
		p.last = lastLeaf(doc)
	}
	p.blocks(doc)
	return p.out.String()
}

// painter renders a parsed document.
type painter struct {
	source []byte
	look   look
	last   ast.Node // the block that may still grow; nil in a finished text
	done   bool     // the rest is not final yet
	out    strings.Builder
	gap    string   // the blank line before the next one, if any
	lead   string   // begins the next line,
	indent string   // and this every line after it
	styles []string // that are on
}

// blocks writes the blocks in n with a blank line between them; in a list only
// where the author left one.
func (p *painter) blocks(n ast.Node) {
	for c := n.FirstChild(); c != nil && !p.done; c = c.NextSibling() {
		if c.PreviousSibling() != nil && (n.Kind() != ast.KindListItem || c.HasBlankPreviousLines()) {
			p.leaveBlank()
		}
		p.block(c)
	}
}

func (p *painter) block(n ast.Node) {
	open := n == p.last
	switch n := n.(type) {
	case *ast.ThematicBreak:
		p.line(styleDim + "———" + styleOff)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		p.code(n, open)
	case *ast.Blockquote:
		p.within("│ ", "│ ", func() { p.blocks(n) })
	case *ast.List:
		p.list(n)
	case *extast.Table:
		if !open { // a later row may widen a column
			p.table(n)
		}
	case *ast.Heading:
		p.words(n, headings[min(n.Level, len(headings))-1])
	default:
		if c := n.FirstChild(); c != nil && c.Type() == ast.TypeBlock {
			p.blocks(n)
			return
		}
		p.words(n, "")
	}
	p.done = p.done || open
}

// within writes body with first before its first line and others before the rest.
func (p *painter) within(first, others string, body func()) {
	lead, indent, before := p.lead, p.indent, p.out.Len()
	p.lead, p.indent = lead+first, indent+others
	body()
	p.indent = indent
	if p.lead = indent; p.out.Len() == before {
		p.lead = lead
	}
}

// room returns how wide the text of a line may be; 0 is any width.
func (p *painter) room() int {
	if p.look.width < narrowest {
		return 0
	}
	return max(p.look.width-wide(p.indent), narrowest/2)
}

// leaveBlank puts a blank line before the next one.
func (p *painter) leaveBlank() { p.gap = "\n" + strings.TrimRight(p.indent, " ") }

// line writes one line; it is not broken.
func (p *painter) line(s string) {
	if p.out.Len() > 0 {
		p.out.WriteString(p.gap + "\n")
	}
	p.out.WriteString(p.lead + s)
	p.lead, p.gap = p.indent, ""
}

func (p *painter) list(n *ast.List) {
	number := n.Start
	for c := n.FirstChild(); c != nil && !p.done; c = c.NextSibling() {
		if c.PreviousSibling() != nil && c.HasBlankPreviousLines() {
			p.leaveBlank()
		}
		bullet := "• "
		if n.IsOrdered() {
			bullet = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		switch {
		case c.FirstChild() != nil:
			p.within(bullet, strings.Repeat(" ", wide(bullet)), func() { p.blocks(c) })
		case p.last == nil || c != p.last:
			p.line(bullet)
		}
		p.done = p.done || c == p.last
	}
}

// headings are the styles of titles, the highest first.
var headings = []string{styleTitle, styleBold, styleSub}

// codeStyles are the colors of code; what is not here has none.
var codeStyles = map[highlight.Kind]string{
	highlight.Comment: styleDim, highlight.Text: "\x1b[32m", highlight.Number: "\x1b[33m", highlight.Word: "\x1b[35m",
	highlight.Name: "\x1b[34m", highlight.Added: "\x1b[32m", highlight.Removed: "\x1b[31m",
}

// code writes a block of code. Its lines are not wrapped, so that it can be copied. A line
// that may still grow is not shown.
func (p *painter) code(n ast.Node, open bool) {
	code := string(n.Lines().Value(p.source))
	if open && !bytes.HasSuffix(p.source, []byte("\n")) {
		code = code[:strings.LastIndexByte(strings.TrimSuffix(code, "\n"), '\n')+1]
	}
	if open && code == "" {
		return
	}
	var language *highlight.Language
	if f, ok := n.(*ast.FencedCodeBlock); ok {
		language = highlight.Of(string(f.Language(p.source)))
	}
	var state highlight.State
	for l := range strings.SplitSeq(strings.TrimSuffix(code, "\n"), "\n") {
		if language == nil || !p.look.color {
			p.line(p.colored(styleCode, l))
			continue
		}
		var b strings.Builder
		var pieces []highlight.Piece
		pieces, state = language.Line(l, state)
		for _, piece := range pieces {
			b.WriteString(p.colored(codeStyles[piece.Kind], piece.Text))
		}
		p.line(b.String())
	}
}

// colored puts a color on a text, where there are colors.
func (p *painter) colored(style, text string) string {
	if style == "" || !p.look.color {
		return text
	}
	return style + text + styleOff
}

// words writes a block of text.
func (p *painter) words(n ast.Node, style string) {
	inner := &painter{source: p.source, look: p.look}
	if n == p.last {
		inner.last = n
	}
	inner.styled(style, func() { inner.inlines(n) })
	text := inner.out.String()
	if n == p.last {
		text = whole(text)
	}
	for _, l := range breakLines(text, p.room()) {
		p.line(l)
	}
}

// styled puts a style on what body writes, unless body stops early.
func (p *painter) styled(style string, body func()) {
	if style == "" {
		body()
		return
	}
	p.out.WriteString(style)
	p.styles = append(p.styles, style)
	body()
	p.styles = p.styles[:len(p.styles)-1]
	if !p.done {
		p.out.WriteString(styleOff + strings.Join(p.styles, ""))
	}
}

// inlines writes the text in n; of the block that may still grow, only the final part.
func (p *painter) inlines(n ast.Node) {
	stop := place{}
	if n == p.last {
		stop = unsettled(n, p.source)
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c == stop.child {
			if t, ok := c.(*ast.Text); ok {
				p.out.WriteString(markdown.Literal(ast.NewTextSegment(t.Segment.WithStop(stop.at)), p.source))
			}
			p.done = true
			return
		}
		p.inline(c)
	}
	p.done = p.done || n == p.last
}

func (p *painter) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		p.out.WriteString(markdown.Literal(n, p.source))
		if n.SoftLineBreak() || n.HardLineBreak() {
			p.out.WriteByte('\n')
		}
	case *ast.CodeSpan:
		p.codeSpan(strings.ReplaceAll(markdown.Raw(n, p.source), "\n", " "))
	case *ast.Emphasis:
		style := styleItalic
		if n.Level == 2 {
			style = styleBold
		}
		p.styled(style, func() { p.inlines(n) })
	case *extast.Strikethrough:
		p.styled(styleStrike, func() { p.inlines(n) })
	case *markdown.Spoiler: // shown with its bars: there is nothing to lift here
		p.out.WriteString("||")
		p.inlines(n)
		p.out.WriteString("||")
	case *ast.Link:
		p.link(n, string(n.Destination), string(n.Title))
	case *ast.Image:
		p.link(n, string(n.Destination), string(n.Title))
	case *ast.AutoLink:
		p.to(string(n.URL(p.source)), func() { p.out.Write(n.Label(p.source)) })
	default:
		p.inlines(n)
	}
}

// codeSpan shows code in a line: with its marks where there are no colors.
func (p *painter) codeSpan(code string) {
	if !p.look.color {
		p.out.WriteString("`" + code + "`")
		return
	}
	p.styled(styleCode, func() { p.out.WriteString(code) })
}

// link always shows where it leads.
func (p *painter) link(n ast.Node, to, title string) {
	label := markdown.Label(n, p.source)
	if strings.TrimSpace(label) == "" || label == to {
		p.to(to, func() { p.out.WriteString(to) })
	} else {
		p.to(to, func() { p.inlines(n) })
		if to != "" {
			p.out.WriteString(" (" + to + ")")
		}
	}
	if title != "" {
		p.out.WriteString(" (" + title + ")")
	}
}

// to writes what opens an address.
func (p *painter) to(address string, body func()) {
	opens := ""
	if p.look.links {
		opens = target(address)
	}
	if opens != "" {
		p.out.WriteString(linkStart + opens + linkDone)
	}
	p.styled(styleLink, body)
	if opens != "" && !p.done {
		p.out.WriteString(linkEnd)
	}
}

// table aligns its columns, or writes each row as a list of its cells if that would
// be too wide.
func (p *painter) table(n *extast.Table) {
	t := markdown.ReadTable(n, p.source, wide)
	if p.look.width > 0 && t.Width() > p.room() && len(t.Rows) > 1 {
		p.records(t.Rows)
		return
	}
	for i := range t.Rows {
		if i > 0 {
			p.line(t.Row(i))
			continue
		}
		p.line(styleBold + t.Row(i) + styleOff)
		p.line(t.Rule())
	}
}

// records writes each row as a list of its cells, with their headings.
func (p *painter) records(rows [][]string) {
	for i, row := range rows[1:] {
		if i > 0 {
			p.leaveBlank()
		}
		for k, cell := range row {
			if cell == "" {
				continue
			}
			for _, l := range breakLines(styleBold+rows[0][k]+":"+styleOff+" "+cell, p.room()) {
				p.line(l)
			}
		}
	}
}

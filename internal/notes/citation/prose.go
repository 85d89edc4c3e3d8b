package citation

import (
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	source "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/internal/text"
)

// stretch is a part of a text, in bytes.
type stretch struct{ from, to int }

// answers parses the Markdown of answers as far as prose depends on it.
var answers = parser.NewParser(
	parser.WithBlockParsers(
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
		util.Prioritized(parser.NewAutoLinkParser(), 300),
	),
)

var (
	// tooDeep matches a line that nests quotations and lists absurdly deep: the parser
	// needs the square of the depth.
	tooDeep = text.Pattern(`(?m)^(?:[ \t]*(?:>|[-+*][ \t]|[0-9]{1,9}[.)][ \t])){20}[^\n]*`)
	// aside matches what is inside prose but no prose: mathematics, links and URLs.
	aside = text.Pattern(`(?s)!?\[[^\[\]\n]*\]\((?:[^()\s]|\([^()\s]*\))+(?:\s+"[^"\n]*")?\)|\$\$.+?\$\$|\\\[.+?\\\]|\\\(.+?\\\)|\$[^\s$](?:[^$\n]*[^\s$\\])?\$(?:\b|[^\d$]|$)|https?://[^\s)\]>]+(?:\[[^\]\s]*\][^\s)>]*)?`)
)

// proseIn lists the stretches of a text that are prose: no code, links or mathematics.
func proseIn(s string) []stretch { return without(uncoded(s), aside().FindAllStringIndex(s, -1)) }

// uncoded lists the stretches of a text that are no code.
func uncoded(s string) (all []stretch) {
	said := tooDeep().ReplaceAllFunc([]byte(s), func(line []byte) []byte {
		line = slices.Clone(line)
		for i, c := range line {
			if c < 0x80 && c != ' ' {
				line[i] = 'x' // as long as before
			}
		}
		return line
	})
	_ = ast.Walk(answers.Parse(source.NewReader(said)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.AutoLink, *ast.CodeBlock, *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if !entering {
				break
			}
			seg := stretch{n.Segment.Start, n.Segment.Stop}
			if last := len(all) - 1; last >= 0 && all[last].to == seg.from {
				all[last].to = seg.to
			} else {
				all = append(all, seg)
			}
		}
		return ast.WalkContinue, nil
	})
	return all
}

// without cuts holes out of stretches, both in order.
func without(all []stretch, holes [][]int) (left []stretch) {
	for _, s := range all {
		for _, h := range holes {
			if h[1] <= s.from || h[0] >= s.to {
				continue
			}
			if h[0] > s.from {
				left = append(left, stretch{s.from, h[0]})
			}
			s.from = min(h[1], s.to)
		}
		if s.from < s.to {
			left = append(left, s)
		}
	}
	return left
}

package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Spoiler is text between double bars.
type Spoiler struct{ ast.BaseInline }

// KindSpoiler is the kind of a Spoiler.
var KindSpoiler = ast.NewNodeKind("Spoiler")

// Kind implements ast.Node.
func (*Spoiler) Kind() ast.NodeKind { return KindSpoiler }

// Dump implements ast.Node.
func (s *Spoiler) Dump(source []byte, level int) { ast.DumpHelper(s, source, level, nil, nil) }

// spoilerParser finds spoilers.
type spoilerParser struct{}

// Trigger implements parser.InlineParser.
func (spoilerParser) Trigger() []byte { return []byte{'|'} }

// Parse implements parser.InlineParser.
func (p spoilerParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	if n := len(line) - len(bytes.TrimLeft(line, "|")); n > 2 { // taken at once, or it would be read anew from each
		block.Advance(n)
		return ast.NewTextSegment(segment.WithStop(segment.Start + n))
	}
	node := parser.ScanDelimiter(line, before, 2, p)
	if node == nil || node.OriginalLength != 2 || before == '|' {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

// IsDelimiter implements parser.DelimiterProcessor.
func (spoilerParser) IsDelimiter(b byte) bool { return b == '|' }

// CanOpenCloser implements parser.DelimiterProcessor.
func (spoilerParser) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch implements parser.DelimiterProcessor.
func (spoilerParser) OnMatch(int) ast.Node { return &Spoiler{} }

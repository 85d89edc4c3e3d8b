// Package yamldoc reads YAML that people write: it parses one document within
// bounds, tells where a mistake is and shows the lines around it. It gives the
// document no meaning and decodes nothing, so aliases expand to nothing.
package yamldoc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Nesting that nobody writes by hand. The parser recurses and must never see
// it. A block of depth n starts at column n at the earliest.
const (
	maxDepth  = 40  // levels of brackets
	maxColumn = 400 // where a list item or a key may start
)

// Errors of Parse, by errors.Is. Every other *Error is a mistake in the syntax.
var (
	ErrTooDeep = errors.New("nested too deep")
	ErrSeveral = errors.New("more than one document in a file")
)

// Error is why a text was not parsed.
type Error struct {
	Line, Column int    // from 1; 0 is unknown
	Problem      string // in the parser's words, which may quote the text
	Err          error  // ErrTooDeep or ErrSeveral; nil for a mistake in the syntax
}

// Error implements error.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Problem
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Problem)
}

// Unwrap makes errors.Is work.
func (e *Error) Unwrap() error { return e.Err }

// Parse returns the one document of a text, nil when it is empty. Every error
// is an *Error. It never panics, whatever the text is.
func Parse(text string) (root ast.Node, err error) {
	defer func() { // the parser is fed by people's typing
		if r := recover(); r != nil {
			root, err = nil, &Error{Problem: fmt.Sprintf("the parser gave up: %v", r)}
		}
	}()
	tokens := lexer.Tokenize(text)
	if tk := tooDeep(tokens); tk != nil {
		return nil, failure(tk, ErrTooDeep)
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, syntax(err)
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if root != nil {
			return nil, failure(doc.Body.GetToken(), ErrSeveral)
		}
		root = doc.Body
	}
	return root, nil
}

// tooDeep returns the first token that is nested too deep, nil when none is.
func tooDeep(tokens token.Tokens) *token.Token {
	flow := 0
	for _, tk := range tokens {
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		case token.SequenceEntryType, token.MappingKeyType:
			if flow == 0 && tk.Position.Column > maxColumn {
				return tk
			}
		}
		if flow > maxDepth {
			return tk
		}
	}
	return nil
}

func failure(tk *token.Token, err error) *Error {
	return at(tk, &Error{Problem: err.Error(), Err: err})
}

// syntax takes the parser's error apart.
func syntax(err error) *Error {
	var located interface {
		GetMessage() string
		GetToken() *token.Token
	}
	if !errors.As(err, &located) {
		return &Error{Problem: err.Error()}
	}
	return at(located.GetToken(), &Error{Problem: located.GetMessage()})
}

// at places an error.
func at(tk *token.Token, e *Error) *Error {
	if tk != nil && tk.Position != nil {
		e.Line, e.Column = tk.Position.Line, tk.Position.Column
	}
	return e
}

// Scalar returns a single value as it was written. ok is false for lists, mappings
// and nothing, and for anchors, aliases and tags, which are not taken.
func Scalar(n ast.Node) (value string, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// Excerpt shows a line with its neighbors, and a caret below column where that
// is not 0. show is what may be seen of a line.
func Excerpt(lines []string, line, column int, show func(line string) string) string {
	var b strings.Builder
	for n := max(1, line-1); n <= min(len(lines), line+1); n++ {
		mark := ' '
		if n == line {
			mark = '>'
		}
		fmt.Fprintf(&b, "%c %4d | %s\n", mark, n, show(strings.TrimRight(lines[n-1], "\r")))
		if n == line && column > 0 {
			fmt.Fprintf(&b, "       | %s^\n", strings.Repeat(" ", min(column-1, 200)))
		}
	}
	return b.String()
}

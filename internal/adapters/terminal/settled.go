package terminal

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/text"
)

// undecided matches the beginning of a line that may still become any kind of block, or a
// fence, which only the end of its line decides.
var undecided = text.Pattern("^(?:[-+*_=>#`~:|0-9.)( \\t]*|[-+*>0-9.) \\t]*(?:```|~~~).*)$")

// settled returns the part of an unfinished text whose blocks, and the neighbors of each
// run of marks, are final.
func settled(text string) string {
	text = whole(text)
	at := strings.LastIndexByte(text, '\n') + 1
	if !undecided().MatchString(text[at:]) {
		text = strings.TrimRight(text, "*_~`#|\\!]")
	}
	if undecided().MatchString(text[at:]) { // or what is left of it
		text = text[:at]
	}
	for { // the head of a table, if the next line says so, and its rows
		last := strings.TrimSuffix(text, "\n")
		at = strings.LastIndexByte(last, '\n') + 1
		if !strings.Contains(last[at:], "|") {
			return text
		}
		text = text[:at]
	}
}

// lastLeaf returns the block at the very end of a document; nil in an empty one.
func lastLeaf(n ast.Node) (last ast.Node) {
	for c := n.LastChild(); c != nil && c.Type() == ast.TypeBlock; c = c.LastChild() {
		last = c
		if c.Kind() == extast.KindTable {
			break
		}
	}
	return last
}

// place is somewhere in a child of a block. The zero value is nowhere.
type place struct {
	child ast.Node
	at    int
}

// unsettled finds the first place in a block whose look may change as the block grows: an
// unclosed mark that could open something. When in doubt, it holds text back.
func unsettled(leaf ast.Node, source []byte) (stop place) {
	var brackets []place
	end := len(bytes.TrimRightFunc(source, unicode.IsSpace))
	for child := leaf.FirstChild(); child != nil; child = child.NextSibling() {
		for t := range texts(child) {
			for i := t.Segment.Start; i < t.Segment.Stop; i++ {
				here := place{child, i}
				switch c := source[i]; {
				case c == '\\':
					i++
				case c == '[':
					if i > t.Segment.Start && source[i-1] == '!' {
						here.at--
					}
					brackets = append(brackets, here)
				case c == ']' && len(brackets) > 0 && i+1 < end && source[i+1] != '(':
					brackets = brackets[:len(brackets)-1]
				case stop.child == nil && opens(source, i, t == child):
					stop = here
				}
			}
		}
	}
	if len(brackets) > 0 && (stop.child == nil || brackets[0].at < stop.at) {
		return brackets[0]
	}
	return stop
}

// texts returns the texts in n, except code and addresses.
func texts(n ast.Node) func(yield func(*ast.Text) bool) {
	return func(yield func(*ast.Text) bool) {
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
			switch t, ok := n.(*ast.Text); {
			case n.Kind() == ast.KindCodeSpan:
				return ast.WalkSkipChildren, nil
			case ok && entering && !yield(t):
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
	}
}

// opens reports whether the mark at i, which closes nothing, may open something.
// Marks inside a closed span are settled (top is false), except for code and
// addresses, which take precedence over everything else.
func opens(source []byte, i int, top bool) bool {
	next, before := byte(' '), byte(' ')
	if i+1 < len(source) {
		next = source[i+1]
	}
	if i > 0 {
		before = source[i-1]
	}
	switch source[i] {
	case '`':
		return true
	case '<':
		return !bytes.ContainsAny(source[i+1:], " \t\n<")
	case '*', '~':
		return top && !isSpace(next)
	case '_':
		return top && !isSpace(next) && !isAlnum(before)
	case '|':
		return top && next == '|'
	}
	return false
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

func isAlnum(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

package parley_test

import (
	"bytes"
	"go/ast"
	"go/token"
	"testing"
	"unicode/utf8"
)

// maxLine is in characters; a tab is one. A text in quotes may be longer: a tag of a
// struct and a sentence are not broken.
const maxLine = 140

func TestLines(t *testing.T) {
	for _, s := range sources(t) {
		quoted := map[int]bool{} // lines on which a text stands that is long by itself
		ast.Inspect(s.file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			at := s.line(lit.Pos())
			for i, part := range bytes.Split([]byte(lit.Value), []byte("\n")) {
				quoted[at+i] = quoted[at+i] || utf8.RuneCount(part) > maxLine/3
			}
			return true
		})
		for i, line := range bytes.Split(read(t, s.path), []byte("\n")) {
			if n := utf8.RuneCount(line); n > maxLine && !quoted[i+1] {
				t.Errorf("%s:%d: %d characters; at most %d", s.path, i+1, n, maxLine)
			}
		}
	}
}

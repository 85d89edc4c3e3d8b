package parley_test

import (
	"fmt"
	"go/ast"
	"testing"
)

// exceptions from the size budget, with the reason. Written as the complaint
// names them: "file", "file:function" or "file:interface".
var exceptions = map[string]string{
	"internal/adapters/discord/rest.go:call":                    "method, path, what is limited, body and answer: what a request is",
	"internal/adapters/discord/discordtest/gateway.go:event":    "the fields of an event",
	"internal/adapters/discord/discordtest/gateway.go:Press":    "the fields of an event",
	"internal/adapters/telegram/telegramtest/updates.go:Press":  "the fields of an event",
	"internal/command/gate/gate_test.go:mayPass":                "the columns of a matrix",
	"internal/adapters/telegram/update_test.go:TestNormalize":   "a table of updates",
	"internal/chat/typing_test.go:TestTypingWhileSomebodyWaits": "a table of conversations",
	"internal/playbook/compile.go:unique":                       "a mistake and its place",
	"internal/playbook/compile.go:known":                        "a mistake and its place",
	"internal/playbook/compile.go:knownName":                    "a mistake and its place",
	"internal/playbook/lint.go:add":                             "a finding and its place",
}

// The size budget, in lines, methods and parameters. A package's lines and a struct's
// fields are questions at review, not limits: does this have one reason to change?
const (
	maxFunction   = 60
	maxTest       = 80
	mostFunctions = 40  // nine in ten are shorter
	maxCommand    = 400 // all of cmd/bot without tests
	maxFile       = 500
	maxInterface  = 4
	maxParameters = 4 // after ctx
)

func TestSize(t *testing.T) {
	excused := map[string]bool{}
	complain := func(what, format string, args ...any) {
		if exceptions[what] != "" {
			excused[what] = true
			return
		}
		t.Errorf("%s: %s", what, fmt.Sprintf(format, args...))
	}
	functions, long := 0, 0
	for _, s := range sources(t) {
		n := s.line(s.file.FileEnd - 1)
		if n > maxFile {
			complain(s.path, "%d lines; at most %d", n, maxFile)
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				what := s.path + ":" + n.Name.Name
				lines := s.line(n.End()) - s.line(n.Pos()) + 1
				functions++
				if lines >= mostFunctions {
					long++
				}
				most := maxFunction
				if s.isTest() {
					most = maxTest
				}
				if lines > most {
					complain(what, "%d lines; at most %d", lines, most)
				}
				if p := parameters(n.Type); p > maxParameters {
					complain(what, "%d parameters after ctx; at most %d", p, maxParameters)
				}
			case *ast.TypeSpec:
				if t, ok := n.Type.(*ast.InterfaceType); ok {
					if m := methods(t); m > maxInterface {
						complain(s.path+":"+n.Name.Name, "%d methods; at most %d", m, maxInterface)
					}
				}
			}
			return true
		})
	}
	if long*10 > functions {
		t.Errorf("%d of %d functions have %d lines or more; at most one in ten", long, functions, mostFunctions)
	}
	for what := range exceptions {
		if !excused[what] {
			t.Errorf("%s: needs no exception any more", what)
		}
	}
}

// TestCommandIsSmall: cmd/bot is the command line, and nothing grows there.
func TestCommandIsSmall(t *testing.T) {
	lines := 0
	for _, s := range sources(t) {
		if s.dir() == "cmd/bot" && !s.isTest() {
			lines += s.line(s.file.FileEnd - 1)
		}
	}
	if lines == 0 || lines > maxCommand {
		t.Errorf("cmd/bot has %d lines; at most %d", lines, maxCommand)
	}
}

// parameters counts them without a leading context or, in tests, testing.TB.
func parameters(f *ast.FuncType) (n int) {
	for i, field := range f.Params.List {
		if i == 0 && isHandle(field.Type) {
			continue
		}
		n += max(1, len(field.Names))
	}
	return n
}

func isHandle(t ast.Expr) bool {
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	sel, ok := t.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && (pkg.Name == "testing" || pkg.Name == "context" && sel.Sel.Name == "Context")
}

// methods counts those an interface declares itself; what it embeds is counted
// where it is declared.
func methods(i *ast.InterfaceType) (n int) {
	for _, field := range i.Methods.List {
		n += len(field.Names)
	}
	return n
}

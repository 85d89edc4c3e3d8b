package webhooks

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/vm"

	"parley/internal/text"
)

// Bounds of a template and of what it makes.
const (
	maxTemplate = 4000   // bytes
	maxNodes    = 500    // of one expression
	maxMemory   = 50_000 // elements one expression may make
	maxValue    = 1000   // runes of one value
	maxWords    = 3500   // runes of the whole
)

// Template makes words of what came.
type Template struct{ pieces []piece }

// piece is a text, or an expression in it.
type piece struct {
	text string
	code *vm.Program // nil is text
	in   surroundings
}

// surroundings say what would act as Markdown around an expression.
type surroundings byte

const (
	inLine  surroundings = iota
	inCode               // between `
	inBlock              // between ```
)

// known holds the variables of expressions.
type known struct {
	Body    any               `expr:"body"`    // JSON as values
	Event   string            `expr:"event"`   // the sender's name for what happened, from a header
	Headers map[string]string `expr:"headers"` // those without secrets, by lower-case name
	Hook    string            `expr:"hook"`    // its name
}

// whole is the template where there is none.
const whole = "**{{hook}}**{{event == \"\" ? \"\" : \" · \" + event}}\n```\n{{body}}\n```"

// Parse reads a template: text with expressions between {{ and }}. The error names the one
// that is wrong, and may be shown to people.
func Parse(source string) (*Template, error) {
	if strings.TrimSpace(source) == "" {
		source = whole
	}
	if len(source) > maxTemplate {
		return nil, text.Tell("The template is longer than %d characters.", maxTemplate)
	}
	t := &Template{}
	before := ""
	for rest := source; rest != ""; {
		plain, after, found := strings.Cut(rest, "{{")
		before += plain
		t.pieces = append(t.pieces, piece{text: plain})
		if !found {
			break
		}
		code, behind, closed := strings.Cut(after, "}}")
		if !closed {
			return nil, text.Tell("The template opens an expression with {{ and never closes it.")
		}
		program, err := compile(code)
		if err != nil {
			return nil, text.Tell("The template's expression %s is wrong: %s", text.Exact(strings.TrimSpace(code)), text.Exact(firstLine(err)))
		}
		p := piece{code: program}
		switch {
		case strings.Count(before, "```")%2 == 1:
			p.in = inBlock
		case strings.HasSuffix(plain, "`"):
			p.in = inCode
		}
		t.pieces = append(t.pieces, p)
		rest = behind
	}
	return t, nil
}

func compile(code string) (*vm.Program, error) {
	flat := &nesting{}
	program, err := expr.Compile(code, expr.Env(known{}), expr.MaxNodes(maxNodes), func(c *conf.Config) {
		c.Visitors = append(c.Visitors, flat)
	})
	if err == nil && flat.deep {
		err = fmt.Errorf("it goes through a list within another")
	}
	return program, err
}

// nesting notices loops within loops, which could take for ever: one alone takes as long as
// what came is long.
type nesting struct{ deep bool }

// Visit implements ast.Visitor. Inner nodes are visited first.
func (n *nesting) Visit(node *ast.Node) {
	p, ok := (*node).(*ast.PredicateNode)
	if !ok {
		return
	}
	inner := &counting{}
	ast.Walk(&p.Node, inner)
	n.deep = n.deep || inner.loops > 0
}

type counting struct{ loops int }

// Visit implements ast.Visitor.
func (c *counting) Visit(node *ast.Node) {
	if _, ok := (*node).(*ast.PredicateNode); ok {
		c.loops++
	}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return text.Shorten(line, 200)
}

// Render makes the words; "" says nothing. With plain they are for a model, and what came
// stays as it is; else nothing in it acts as Markdown, links or calls anybody. A panic of the
// library is an error.
func (t *Template) Render(k known, plain bool) (words string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the template broke off: %v", p)
		}
	}()
	var b strings.Builder
	said := false
	for _, p := range t.pieces {
		if p.code == nil {
			b.WriteString(p.text)
			continue
		}
		machine := vm.VM{MemoryBudget: maxMemory}
		out, err := machine.Run(p.code, k)
		if err != nil {
			return "", fmt.Errorf("the template does not fit what came: %s", firstLine(err))
		}
		value := text.Shorten(text.Plain(written(out)), maxValue)
		said = said || strings.TrimSpace(value) != ""
		if !plain {
			value = p.in.tame(value)
		}
		b.WriteString(value)
	}
	if !said && t.asks() {
		return "", nil
	}
	return text.Shorten(strings.TrimSpace(b.String()), maxWords), nil
}

// asks reports whether there is an expression at all.
func (t *Template) asks() bool {
	for _, p := range t.pieces {
		if p.code != nil {
			return true
		}
	}
	return false
}

// written is a value as text; nil is none.
func written(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// tame takes from a value what would act in its surroundings.
func (s surroundings) tame(value string) string {
	switch {
	case s == inBlock:
		value, _ = text.Strip(value)
		return strings.ReplaceAll(value, "```", "'''")
	case s == inCode:
		value, _ = text.Strip(value)
		return strings.ReplaceAll(strings.Join(strings.Fields(value), " "), "`", "'")
	case isAddress(value):
		return "<" + value + ">"
	}
	return uncalled(leading(text.Literal(value)))
}

// isAddress reports whether a value is one address of the web and nothing else.
func isAddress(value string) bool {
	return (strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "http://")) && len(value) <= 500 &&
		!strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("<>\"`\\|", r) })
}

// uncalled returns a text that calls nobody: a platform takes @ for a call where a word
// begins.
func uncalled(s string) string {
	var b strings.Builder
	before := ' '
	for _, r := range s {
		if r == '@' && !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			b.WriteRune('＠')
		} else {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// leading escapes what would begin a heading or a list.
func leading(s string) string {
	rest := strings.TrimLeft(s, "0123456789")
	switch {
	case s == "":
		return s
	case strings.ContainsRune("#-+=", rune(s[0])):
		return `\` + s
	case rest != s && (strings.HasPrefix(rest+" ", ". ") || strings.HasPrefix(rest+" ", ") ")):
		return s[:len(s)-len(rest)] + `\` + rest
	}
	return s
}

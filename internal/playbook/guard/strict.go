package guard

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// The language makes nothing of what is missing and calls a text unequal to a number.
// A guard must not be passed that way. So what it reads, compares and repeats is done
// by functions of ours, under names that nobody can write.
const (
	fnField = "\x00field" // container, key, how it is written
	fnMaybe = "\x00maybe" // the same, and nil where it is missing
	fnSame  = "\x00same"  // left, right, how they are written
	fnAmong = "\x00among" // one, list, how the list is written
	fnStep  = "\x00step"  // a value of a predicate, or one that a function goes through
)

// replaced are functions of the language that we give another meaning.
var replaced = []string{"last", "now", "date"}

func options(env any) []expr.Option {
	list := []expr.Option{expr.Env(env), expr.AsBool(), expr.MaxNodes(maxNodes)}
	for _, name := range replaced {
		list = append(list, expr.DisableBuiltin(name))
	}
	return list
}

func parse(source string) (*parser.Tree, error) {
	c := conf.CreateNew()
	c.MaxNodes = maxNodes
	for _, name := range replaced {
		delete(c.Builtins, name)
		c.Disabled[name] = true
	}
	tree, err := parser.ParseWithConfig(source, c)
	return tree, problem(err)
}

// problem returns an error of the library in one line, with the place in the
// expression.
func problem(err error) error {
	var e *file.Error
	if !errors.As(err, &e) {
		return err
	}
	return fmt.Errorf("%s (line %d, column %d)", plainTypes.Replace(e.Message), max(e.Line, 1), e.Column+1)
}

// plainTypes names types as YAML's readers do.
var plainTypes = strings.NewReplacer("float64", "number", "map[string]interface {}", "object", "[]interface {}",
	"list", "interface {}", "anything", "time.Time", "time", "time.Duration", "span of time")

// strict compiles an expression that fails on what is missing or of another type.
func strict(source string) (*vm.Program, error) {
	env := map[string]any{}
	for _, name := range []string{"args", "person", "place", "variables"} {
		env[name] = map[string]any{}
	}
	env["tool"], env["role"] = "", ""
	for _, name := range append([]string{"last", "calls", "confirmed", "now", "date"}, fnField, fnMaybe, fnSame, fnAmong, fnStep) {
		env[name] = func(...any) (any, error) { return nil, nil }
	}
	t := tighten{lenient{}, methods{}}
	program, err := expr.Compile(source, append(options(env), expr.Optimize(false), expr.Patch(t.lenient), expr.Patch(t.methods),
		expr.Patch(t))...)
	return program, problem(err)
}

// lenient are the nodes where something may be missing: before ?? and ?., and what is
// compared with nil.
type lenient map[ast.Node]bool

// Visit notes them.
func (l lenient) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		_, leftNil := n.Left.(*ast.NilNode)
		_, rightNil := n.Right.(*ast.NilNode)
		if n.Operator == "??" || rightNil {
			l.chain(n.Left)
		}
		if leftNil {
			l.chain(n.Right)
		}
	case *ast.ChainNode:
		l.chain(n.Node)
	}
}

func (l lenient) chain(node ast.Node) {
	for {
		l[node] = true
		switch n := node.(type) {
		case *ast.MemberNode:
			node = n.Node
		case *ast.ChainNode:
			node = n.Node
		default:
			return
		}
	}
}

// methods are the members that are called, such as Hours of a span of time.
type methods map[ast.Node]bool

// Visit notes them.
func (m methods) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.CallNode); ok {
		m[n.Callee] = true
	}
}

// tighten puts our functions where the language would look away.
type tighten struct {
	lenient lenient
	methods methods
}

// Visit implements ast.Visitor; children come before what holds them.
func (t tighten) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.MemberNode:
		if t.methods[n] {
			return
		}
		name := fnField
		if t.lenient[n] {
			name = fnMaybe
		}
		replace(node, name, n.Node, n.Property, &ast.StringNode{Value: written(n)})
	case *ast.CallNode:
		if id, ok := n.Callee.(*ast.IdentifierNode); ok && id.Value == "last" && t.lenient[n] {
			n.Arguments = append(n.Arguments, &ast.BoolNode{Value: true})
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "==", "!=":
			t.compare(node, n)
		case "contains", "startsWith", "endsWith", "matches":
			n.Left = step(n.Left)
		case "in":
			replace(node, fnAmong, n.Left, n.Right, &ast.StringNode{Value: written(n.Right)})
		}
	case *ast.BuiltinNode:
		if len(n.Arguments) > 0 {
			n.Arguments[0] = step(n.Arguments[0])
		}
	case *ast.PredicateNode:
		n.Node = step(n.Node)
	}
}

// step has a value counted.
func step(value ast.Node) ast.Node {
	counted := value
	replace(&counted, fnStep, value)
	return counted
}

func (t tighten) compare(node *ast.Node, n *ast.BinaryNode) {
	for _, side := range []ast.Node{n.Left, n.Right} {
		if _, isNil := side.(*ast.NilNode); isNil {
			return
		}
	}
	is := n.Operator == "=="
	replace(node, fnSame, n.Left, n.Right, &ast.StringNode{Value: written(n.Left)}, &ast.StringNode{Value: written(n.Right)})
	if !is {
		ast.Patch(node, &ast.UnaryNode{Operator: "not", Node: *node})
	}
}

func replace(node *ast.Node, name string, args ...ast.Node) {
	ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: args})
}

// written returns how an expression was written, before we changed its parts.
func written(n ast.Node) string {
	switch n := n.(type) {
	case *ast.CallNode:
		id, ok := n.Callee.(*ast.IdentifierNode)
		if !ok {
			break
		}
		switch id.Value {
		case fnField, fnMaybe:
			return n.Arguments[2].(*ast.StringNode).Value
		case fnSame:
			return n.Arguments[2].(*ast.StringNode).Value + " == " + n.Arguments[3].(*ast.StringNode).Value
		case fnStep:
			return written(n.Arguments[0])
		case "last", "calls":
			if len(n.Arguments) > 0 {
				return fmt.Sprintf("%s(%s)", id.Value, n.Arguments[0])
			}
		}
	case *ast.MemberNode:
		if p, ok := n.Property.(*ast.StringNode); ok {
			if _, pointer := n.Node.(*ast.PointerNode); pointer {
				return "." + p.Value
			}
			return written(n.Node) + "." + p.Value
		}
		return written(n.Node) + "[" + written(n.Property) + "]"
	case *ast.ChainNode:
		return written(n.Node)
	case *ast.PointerNode:
		return "each"
	case *ast.BuiltinNode:
		return n.Name + "(…)"
	}
	return n.String()
}

// lack says what keeps a guard from a decision. absent is true for what is not there.
type lack struct {
	words  string
	absent bool
}

func (l lack) Error() string { return l.words }

// missing is the lack of what a guard needs and does not find.
func missing(what string) error { return lack{what + " is missing", true} }

// mistyped is the lack of a value of the type that a guard needs.
func mistyped(what, is, wants string) error {
	return lack{words: fmt.Sprintf("%s is %s, not %s", what, is, wants)}
}

// field returns what stands under a key.
func field(args ...any) (any, error) {
	from, key, what := args[0], args[1], args[2].(string)
	switch c := from.(type) {
	case nil:
		return nil, missing(what)
	case map[string]any:
		name, ok := key.(string)
		if v, there := c[name]; ok && there {
			return v, nil
		}
		return nil, missing(what)
	case []any:
		n, ok := toFloat(key)
		if i := int(n); ok && i >= -len(c) && i < len(c) {
			return c[(i+len(c))%len(c)], nil
		}
		return nil, missing(what)
	}
	return nil, mistyped(what, "part of "+kind(from), "of an object or a list")
}

// maybe returns what stands under a key, nil for nothing.
func maybe(args ...any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	v, err := field(args...)
	if l, ok := err.(lack); ok && l.absent {
		return nil, nil
	}
	return v, err
}

// same compares two values of one type.
func same(args ...any) (any, error) {
	a, b := args[0], args[1]
	x, numeric := toFloat(a)
	y, also := toFloat(b)
	if numeric && also {
		return x == y, nil
	}
	if at, ok := a.(time.Time); ok {
		if bt, ok := b.(time.Time); ok {
			return at.Equal(bt), nil
		}
	}
	if kind(a) == kind(b) {
		return reflect.DeepEqual(a, b), nil
	}
	left, right := args[2].(string), args[3].(string)
	// name what was read, not what it was compared with
	if a != nil && (b == nil || !strings.ContainsAny(left, ".(") || strings.HasPrefix(left, `"`)) {
		return nil, mistyped(right, kind(b), kind(a))
	}
	return nil, mistyped(left, kind(a), kind(b))
}

func toFloat(v any) (float64, bool) {
	r := reflect.ValueOf(v)
	switch {
	case v == nil:
	case r.Type() == reflect.TypeFor[time.Duration]():
	case r.CanInt():
		return float64(r.Int()), true
	case r.CanFloat():
		return r.Float(), true
	}
	return 0, false
}

// kind names the type of a value for people.
func kind(v any) string {
	if _, ok := toFloat(v); ok {
		return "a number"
	}
	switch v.(type) {
	case nil:
		return "nothing"
	case string:
		return "text"
	case bool:
		return "yes or no"
	case time.Time:
		return "a time"
	case time.Duration:
		return "a span of time"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "something else"
}

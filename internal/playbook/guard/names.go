package guard

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/parser"
	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/playbook/sheet"
)

// known are the names that expressions may use beyond functions of the language, with
// their members; nil is anything.
var known = map[string][]string{
	"args": nil, "variables": nil, "tool": {}, "role": {}, "last": {}, "calls": {}, "confirmed": {}, "now": {}, "date": {},
	"person": {"id", "name", "role"},
	"place":  {"platform", "channel", "thread", "guild", "direct"},
}

// ofCall are the members of an earlier call.
var ofCall = []string{"tool", "args", "result", "at", "confirmed"}

// names looks for names in an expression that mean nothing, and for tools it reads.
type names struct {
	args      []byte            // schema of the call's arguments; nil is any
	schemas   map[string][]byte // of the arguments of all tools that are known
	variables []string          // nil leaves them

	reads []string
	local []string // what let declares
	err   error
}

// check returns the first mistake.
func (n *names) check(tree *parser.Tree) error {
	ast.Walk(&tree.Node, (*declared)(n))
	ast.Walk(&tree.Node, n)
	return n.err
}

type declared names

// Visit notes what let declares.
func (d *declared) Visit(node *ast.Node) {
	if v, ok := (*node).(*ast.VariableDeclaratorNode); ok {
		d.local = append(d.local, v.Name)
	}
}

// Visit implements ast.Visitor.
func (n *names) Visit(node *ast.Node) {
	switch x := (*node).(type) {
	case *ast.IdentifierNode:
		n.name(x.Value)
	case *ast.MemberNode:
		n.member(x)
	case *ast.CallNode:
		n.call(x)
	case *ast.BinaryNode:
		n.choice(x.Left, x.Right)
		n.choice(x.Right, x.Left)
	}
}

func (n *names) complain(format string, args ...any) {
	if n.err == nil {
		n.err = fmt.Errorf(format, args...)
	}
}

func (n *names) name(name string) {
	if _, ok := known[name]; ok || slices.Contains(n.local, name) || slices.Contains(builtin.Names, name) && !slices.Contains(replaced, name) {
		return
	}
	list := slices.Concat(slices.Sorted(maps.Keys(known)), n.local, builtin.Names)
	n.complain("unknown name %q%s", name, sheet.Suggest(name, list))
}

// member checks what stands behind a dot, as far as it is known.
func (n *names) member(m *ast.MemberNode) {
	key, ok := m.Property.(*ast.StringNode)
	if !ok {
		return
	}
	switch of := plain(m.Node).(type) {
	case *ast.IdentifierNode:
		n.under(of.Value, key.Value)
	case *ast.CallNode:
		if _, ok := n.earlier(of); ok && !slices.Contains(ofCall, key.Value) {
			n.complain("an earlier call has no %q%s", key.Value, sheet.Suggest(key.Value, ofCall))
		}
	case *ast.MemberNode:
		call, ok := plain(of.Node).(*ast.CallNode)
		if !ok {
			return
		}
		part, _ := of.Property.(*ast.StringNode)
		if tool, ok := n.earlier(call); ok && part != nil && part.Value == "args" {
			n.argument(n.schemas[tool], tool, key.Value)
		}
	}
}

// plain returns a node without the mark of an optional chain.
func plain(node ast.Node) ast.Node {
	if c, ok := node.(*ast.ChainNode); ok {
		return c.Node
	}
	return node
}

// under checks a member of one of the known names.
func (n *names) under(name, key string) {
	switch {
	case slices.Contains(n.local, name):
	case name == "args":
		n.argument(n.args, "", key)
	case name == "variables":
		if n.variables != nil && !slices.Contains(n.variables, key) {
			n.complain("unknown variable %q%s", key, sheet.Suggest(key, n.variables))
		}
	case len(known[name]) > 0 && !slices.Contains(known[name], key):
		n.complain("%s has no %q%s", name, key, sheet.Suggest(key, known[name]))
	}
}

// argument checks the name of a tool's argument.
func (n *names) argument(schema []byte, tool, name string) {
	s := read(schema)
	if s == nil || s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
		return
	}
	if _, ok := s.Properties[name]; ok {
		return
	}
	of := "the tool"
	if tool != "" {
		of = tool
	}
	n.complain("%s has no argument %q%s", of, name, sheet.Suggest(name, slices.Sorted(maps.Keys(s.Properties))))
}

func read(schema []byte) *jsonschema.Schema {
	var s jsonschema.Schema
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil || len(s.Properties) == 0 {
		return nil
	}
	return &s
}

// earlier returns the tool that last, calls or confirmed asks for.
func (n *names) earlier(c *ast.CallNode) (tool string, ok bool) {
	id, isName := c.Callee.(*ast.IdentifierNode)
	if !isName || len(c.Arguments) == 0 || id.Value != "last" && id.Value != "calls" && id.Value != "confirmed" {
		return "", false
	}
	if name, ok := c.Arguments[0].(*ast.StringNode); ok {
		return name.Value, true
	}
	return "", false
}

func (n *names) call(c *ast.CallNode) {
	tool, ok := n.earlier(c)
	if !ok {
		id, isName := c.Callee.(*ast.IdentifierNode)
		if isName && (id.Value == "calls" || id.Value == "confirmed" && len(c.Arguments) > 0) {
			n.complain(`%s wants the name of a tool, such as %s("get_order")`, id.Value, id.Value)
		}
		return
	}
	if !slices.Contains(n.reads, tool) {
		n.reads = append(n.reads, tool)
	}
	if len(c.Arguments) < 2 {
		return
	}
	with, ok := c.Arguments[1].(*ast.MapNode)
	if !ok {
		n.complain("%s wants its arguments as {name: value}", c.Callee)
		return
	}
	for _, p := range with.Pairs {
		if key, ok := p.(*ast.PairNode).Key.(*ast.StringNode); ok {
			n.argument(n.schemas[tool], tool, key.Value)
		}
	}
}

// choice checks a text that an argument is compared with against those it may have.
func (n *names) choice(arg, value ast.Node) {
	m, ok := plain(arg).(*ast.MemberNode)
	text, isText := value.(*ast.StringNode)
	s := read(n.args)
	if !ok || !isText || s == nil {
		return
	}
	id, isName := m.Node.(*ast.IdentifierNode)
	key, named := m.Property.(*ast.StringNode)
	if !isName || id.Value != "args" || !named || s.Properties[key.Value] == nil || len(s.Properties[key.Value].Enum) == 0 {
		return
	}
	var list []string
	for _, v := range s.Properties[key.Value].Enum {
		list = append(list, fmt.Sprint(v))
	}
	if !slices.Contains(list, text.Value) {
		n.complain("%s is never %q%s", key.Value, text.Value, sheet.Suggest(text.Value, list))
	}
}

package guard

import (
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"
	"github.com/google/jsonschema-go/jsonschema"
)

// typed checks the types in an expression, as far as schemas give them. args is the
// schema of the call's own arguments.
func typed(source string, args []byte, schemas map[string][]byte) error {
	env := types.Map{
		"args": object(args), "tool": types.String, "role": types.String, "variables": anything,
		"person": types.Map{"id": types.String, "name": types.String, "role": types.String},
		"place": types.Map{"platform": types.String, "channel": types.String, "thread": types.String, "guild": types.String,
			"direct": types.Bool},
		"last":      types.TypeOf(func(any, ...map[string]any) any { return nil }),
		"calls":     types.TypeOf(func(string, ...map[string]any) []any { return nil }),
		"confirmed": types.TypeOf(func(...any) bool { return false }),
		"now":       types.TypeOf(func() time.Time { return time.Time{} }),
		"date":      types.TypeOf(func(any, ...string) time.Time { return time.Time{} }),
	}
	for tool, schema := range schemas {
		call := types.Map{"tool": types.String, "args": object(schema), "result": types.Any, "at": types.TypeOf(time.Time{}),
			"confirmed": types.Bool}
		env[ofTool("last", tool)], env[ofTool("calls", tool)] = call, types.Array(call)
	}
	_, err := expr.Compile(source, append(options(env), expr.Optimize(false), expr.Patch(knownCalls(schemas)))...)
	return problem(err)
}

// anything is an object with any names.
var anything = types.Map{types.Extra: types.Any}

func ofTool(function, tool string) string { return "\x00" + function + " " + tool }

// knownCalls gives earlier calls of known tools their types.
type knownCalls map[string][]byte

// Visit implements ast.Visitor.
func (k knownCalls) Visit(node *ast.Node) {
	c, ok := (*node).(*ast.CallNode)
	if !ok {
		return
	}
	id, isName := c.Callee.(*ast.IdentifierNode)
	if !isName || id.Value != "last" && id.Value != "calls" || len(c.Arguments) == 0 {
		return
	}
	tool, isText := c.Arguments[0].(*ast.StringNode)
	if !isText || k[tool.Value] == nil {
		return
	}
	known := ast.Node(&ast.IdentifierNode{Value: ofTool(id.Value, tool.Value)})
	if len(c.Arguments) > 1 { // it stays, so that it is checked, too
		is := &ast.BinaryNode{Operator: "==", Left: c.Arguments[1], Right: &ast.NilNode{}}
		known = &ast.ConditionalNode{Ternary: true, Cond: is, Exp1: known, Exp2: &ast.IdentifierNode{Value: ofTool(id.Value, tool.Value)}}
	}
	ast.Patch(node, known)
}

// object returns the type of a tool's arguments.
func object(schema []byte) types.Type {
	s := read(schema)
	if s == nil {
		return anything
	}
	return typeAt(s, 0)
}

// maxDepth is how deep schemas are followed.
const maxDepth = 8

func typeAt(s *jsonschema.Schema, depth int) types.Type {
	if s == nil || depth > maxDepth || s.Ref != "" || len(s.AnyOf)+len(s.OneOf)+len(s.AllOf)+len(s.Types) > 0 {
		return types.Any
	}
	switch s.Type {
	case "string":
		return types.String
	case "boolean":
		return types.Bool
	case "integer", "number":
		return types.Float64
	case "array":
		return types.Array(typeAt(s.Items, depth+1))
	case "object":
		fields := types.Map{types.Extra: types.Any}
		for name, p := range s.Properties {
			fields[name] = typeAt(p, depth+1)
		}
		return fields
	}
	return types.Any
}

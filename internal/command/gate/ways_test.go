package gate_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"parley/internal/chat"
	"parley/internal/command/gate"
)

// ways are the kinds of what may come in; the matrix of the gate is over them.
var ways = []chat.Kind{chat.KindText, chat.KindCommand, chat.KindEdit, chat.KindButton, chat.KindDeleted, chat.KindAdded, chat.KindSkipped}

// everyKind is ways, if these are all the kinds that there are in the code: a
// new one has to be thought about first.
func everyKind(t *testing.T) []chat.Kind {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../chat/message.go", nil, 0)
	must(t, err)
	var declared []chat.Kind
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := v.Type.(*ast.Ident); ok && name.Name == "Kind" {
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			must(t, err)
			declared = append(declared, chat.Kind(text))
		}
		return true
	})
	slices.Sort(declared)
	listed := slices.Sorted(slices.Values(ways))
	if len(declared) == 0 || !slices.Equal(declared, listed) {
		t.Fatalf("kinds in the code %q, at the gate %q: decide who may pass with it", declared, listed)
	}
	return ways
}

// TestWhoMayStop: whoever asked, an administrator and the owner; nobody who may
// not speak, even if they asked before they were kept out.
func TestWhoMayStop(t *testing.T) {
	c := newClock()
	s := store(t, c)
	must(t, s.Access.Grant(t.Context(), barred, "denied", owner))
	const boss = "telegram:5"
	g := newGate(t, gate.GateOptions{Mode: "allowlist", Owners: []string{owner}, Allow: []string{member, boss, "telegram:6"},
		Rows: s.Access, Now: c.now,
		IsAdmin: func(_ context.Context, _ chat.Key, id string) (bool, error) { return id == boss, nil }})
	for _, tt := range []struct {
		who, asked string
		want       bool
	}{
		{member, member, true}, {member, "telegram:6", false}, {boss, member, true}, {owner, member, true},
		{stranger, member, false}, {stranger, stranger, false}, {barred, barred, false}, {member, owner, false},
	} {
		m := group(tt.who, "/stop")
		m.Kind = chat.KindCommand
		if got := g.MayStop(t.Context(), m, group(tt.asked, "hi")); got != tt.want {
			t.Errorf("%s stops what %s asked: %v", tt.who, tt.asked, got)
		}
	}
}

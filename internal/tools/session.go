package tools

import (
	"context"
	_ "embed" // description
	"fmt"
	"strings"
)

// VariableSet is the Data of a result that sets a context variable.
type VariableSet struct {
	Name  string
	Value any
}

//go:embed variable.md
var variableText string

// SetVariable returns the tool set_variable. check explains to the model why a value
// is refused; the turn that runs the tool stores the value.
func SetVariable(check func(c Call, name string, value any) error) Tool {
	type args struct {
		Name  string `json:"name" jsonschema:"name of the variable"`
		Value any    `json:"value" jsonschema:"its value"`
	}
	meta := Meta{Name: "set_variable", Words: "keeps what the owner's rules ask about you",
		Description: strings.TrimSpace(variableText), Category: About, Idempotent: true, SideEffect: true}
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		_, plain := a.Value.(string)
		return withRest(sentence(ctx, "Set %s to \"%s\"?", a.Name, fmt.Sprint(a.Value)), c, !plain), nil
	})
	return Func(meta, func(_ context.Context, c Call, a args) (Result, error) {
		if err := check(c, a.Name, a.Value); err != nil {
			return Result{}, &ArgumentError{[]string{"arguments: " + err.Error()}}
		}
		return Result{Content: fmt.Sprintf("%s is now %v.", a.Name, a.Value), Data: VariableSet(a)}, nil
	})
}

package tools

import (
	"context"
	_ "embed" // description
	"errors"
	"fmt"
	"strings"
)

// Decided is the Data of a result that adds a decision to the session, in place of another
// one unless Replaces is "".
type Decided struct{ Content, Replaces string }

// VariableSet is the Data of a result that sets a context variable.
type VariableSet struct {
	Name  string
	Value any
}

//go:embed decision.md
var decisionText string

// SaveDecision returns the tool save_decision. The turn that runs it keeps the
// decision in its session row.
func SaveDecision() Tool {
	type args struct {
		Content  string `json:"content" jsonschema:"the decision, one short sentence"`
		Replaces string `json:"replaces,omitempty" jsonschema:"the earlier decision that no longer holds"`
	}
	meta := Meta{Name: "save_decision", Words: "keeps a decision of this conversation",
		Description: strings.TrimSpace(decisionText), Category: Thread, Idempotent: true,
		SideEffect: true, Core: true}
	meta.Ask = about("Note this as decided here: \"%s\"?", func(a args) []string { return []string{a.Content} })
	return Func(meta, func(_ context.Context, _ Call, a args) (Result, error) {
		text := strings.TrimSpace(a.Content)
		if text == "" {
			return Result{}, &ArgumentError{[]string{"arguments/content: must not be blank"}}
		}
		if len(text) > 300 {
			return Result{}, errors.New("a decision is one short sentence, at most 300 characters")
		}
		return Result{Content: "Decision recorded: " + text, Data: Decided{text, strings.TrimSpace(a.Replaces)}}, nil
	})
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

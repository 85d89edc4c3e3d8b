package tools

import (
	"context"
	_ "embed" // description
	"errors"
	"strings"
	"unicode/utf8"

	"parley/internal/text/catalog"
)

// HandOver is the Data of a result that passes the conversation on to people. The
// turn ends with it: the assistant says so and is silent from then on.
type HandOver struct {
	By     catalog.Phrase // what wants it: "the rule refunds", "the guard cancel_window"
	Reason string         // for the people who take over; "" is none
}

// ByAssistant is what the model wants, for this reason.
func ByAssistant(reason string) HandOver {
	return HandOver{By: catalog.Words("the assistant"), Reason: reason}
}

//go:embed hand_over.md
var handOverText string

// maxReason is how long the reason of a handoff may be, in characters.
const maxReason = 300

// HandOverTool returns the tool hand_over. open explains why the conversation of a
// call cannot be handed over; nil if it can.
func HandOverTool(open func(ctx context.Context, c Call) error) Tool {
	type args struct {
		Reason string `json:"reason" jsonschema:"why, one short sentence without anything that the person did not say here"`
	}
	meta := Meta{Name: "hand_over", Words: "has a person answer here",
		Description: strings.TrimSpace(handOverText), Category: About, Scope: []string{""},
		SideEffect: true, Idempotent: true}
	meta.Ask = about("Pass this conversation on to a person? They will read what you wrote here. The reason: %s", func(a args) []string { return []string{a.Reason} })
	return Func(meta, func(ctx context.Context, c Call, a args) (Result, error) {
		if utf8.RuneCountInString(a.Reason) > maxReason {
			return Result{}, errors.New("the reason is one short sentence, at most 300 characters")
		}
		if err := open(ctx, c); err != nil {
			return Result{}, err
		}
		if c.Taint.Private {
			a.Reason = "" // it may hold what they did not say here
		}
		return Result{Content: "Handed over.", Data: ByAssistant(strings.TrimSpace(a.Reason))}, nil
	})
}

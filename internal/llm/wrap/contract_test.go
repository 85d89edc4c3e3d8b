package wrap

import (
	"context"
	"log/slog"
	"testing"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/offline"
	"parley/internal/text"
)

// What stands around a model is a model: all that llm.Model promises holds
// behind it.
func TestContract(t *testing.T) {
	llmtest.Contract(t, func(*testing.T) llmtest.Rig {
		meter := Meter{Model: Traced{Model: offline.Model{}}, Count: func(context.Context, Call) {},
			Instead: func(error) llm.Model { return nil },
			Reserve: func(context.Context, Amount) (func(Amount), error) { return func(Amount) {}, nil }}
		route := Route{Legs: []Leg{{Model: meter, Name: "a", Breaker: &Breaker{}}, {Model: meter, Name: "b", Breaker: &Breaker{}}},
			Log: slog.New(slog.DiscardHandler)}
		return llmtest.Rig{Model: Discreet{Model: route, Hide: text.NewRedactor([]string{"a secret of ours"}, 8)}}
	})
}

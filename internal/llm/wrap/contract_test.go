package wrap

import (
	"context"
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
		free := func(context.Context, int64) (func(int64), error) { return func(int64) {}, nil }
		inner := Discreet{Model: Traced{Model: offline.Model{}}, Hide: text.NewRedactor([]string{"a secret of ours"}, 8)}
		return llmtest.Rig{Model: Meter{Model: inner, Reserve: free, Instead: func(error) llm.Model { return nil }, Count: func(string, string, llm.Usage) {}}}
	})
}

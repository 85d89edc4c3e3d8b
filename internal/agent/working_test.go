package agent

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"parley/internal/llm"
)

// TestPeopleSeeWhichToolsAreAtWork: whoever waits is told of each call as it runs.
func TestPeopleSeeWhichToolsAreAtWork(t *testing.T) {
	var ran atomic.Int32
	b := newBench(t, Options{}, adder(&ran))
	b.model.Call(llm.ToolCall{ID: "1", Name: "add", Args: `{"text":"milk"}`}).Say("3")
	w := &viewer{}
	m := b.accept(sent("hello"))
	_, err := b.Handle(context.Background(), m, w)
	must(t, err)
	if want := []string{"addtrue", "addfalse"}; !slices.Equal(w.told, want) {
		t.Errorf("told of %q, want %q", w.told, want)
	}
}

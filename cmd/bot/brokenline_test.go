package main

import (
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
)

// TestABrokenLineInAStream: a line of an answer that is no JSON costs one more try, and nothing of
// what stood before it stays. Where no try is whole, the person reads that the answer was of no
// use, and not that the model cannot be reached.
func TestABrokenLineInAStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	broken := llmtest.Turn{Stream: []string{llmtest.Piece(`{"content":"half of it"}`, ""), `data: {"choices":[{"delta":{"content":"an`,
		llmtest.Piece(`{"content":"d more"}`, "stop"), "data: [DONE]"}}
	w.llm.Queue(broken, says("The whole answer."))
	if got := w.say(t, 7, "hello"); got != "The whole answer." {
		t.Errorf("it says %q", got)
	}
	if n := len(w.words()); n != 2 {
		t.Errorf("%d requests", n)
	}
	w.settled(t)
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return broken })
	before := len(w.words())
	if got := w.say(t, 7, "and now?"); !strings.Contains(got, "did not get a usable answer") {
		t.Errorf("it says %q", got)
	}
	if n := len(w.words()) - before; n > 4 {
		t.Errorf("%d requests for one message", n)
	}
}

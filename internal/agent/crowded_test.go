package agent

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/llm"
)

// TestLongTalkCostsFewSummaries: as long as there is room, many messages are summed
// up with one call, and none is left out before that.
func TestLongTalkCostsFewSummaries(t *testing.T) {
	b := newBench(t, Options{Limits: Limits{MaxMessages: 100}})
	b.model.Answer = folding("ok", `{"summary":"They counted.","title":"Counting","decisions":[],"facts":[]}`)
	for i := range 200 {
		b.say(fmt.Sprintf("number %d.", i))
	}
	requests := b.model.Requests()
	if n := len(requests); n > 210 {
		t.Errorf("%d model calls for 200 messages", n)
	}
	summed := 0
	for _, r := range requests {
		if r.Schema != nil {
			summed += strings.Count(r.Messages[1].Content, "number ")
			continue
		}
		last := 0
		_, _ = fmt.Sscanf(r.Messages[len(r.Messages)-1].Content, "number %d.", &last)
		if n := count(r.Messages, llm.RoleUser); n+summed <= last || n > 32 {
			t.Fatalf("message %d comes with %d others, and %d are summed up", last, n-1, summed)
		}
	}
}

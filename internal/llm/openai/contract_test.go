package openai

import (
	"fmt"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
)

func TestContract(t *testing.T) {
	for _, stream := range []bool{true, false} {
		t.Run(fmt.Sprintf("stream=%t", stream), func(t *testing.T) {
			llmtest.Contract(t, func(t *testing.T) llmtest.Rig { return rig(t, stream) })
		})
	}
}

// rig returns a client of a fake, whose deadlines a busy machine can keep.
func rig(t *testing.T, stream bool) llmtest.Rig {
	s := fake(t)
	s.Structured(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: `{"ok":true}`} })
	s.Respond(func(r llmtest.Request) llmtest.Turn {
		last := r.Messages[len(r.Messages)-1]
		if last.Role == "user" && last.Text() == llmtest.Wish && len(r.Tools) > 0 {
			return llmtest.Turn{Calls: []llmtest.Call{{ID: "1", Name: llmtest.Tool, Args: llmtest.Thing}}}
		}
		return llmtest.Turn{Text: "Why not?"}
	})
	c, err := New(Options{BaseURL: s.URL(), Model: "test", Timeout: 10 * time.Second, Stream: stream})
	if err != nil {
		t.Fatal(err)
	}
	return llmtest.Rig{Model: c, Break: s.Close}
}

package openai

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

// TestFaultFloods: however a server tries to fill the memory, little of it is
// read, and what can be shown of it is an answer that was cut.
func TestFaultFloods(t *testing.T) {
	// What the two sockets hold beside what was read.
	const buffers = 12 << 20
	for _, tt := range []struct {
		name   string
		turn   llmtest.Turn
		stream bool
		text   bool // something to show comes of it
	}{
		{"endless text", llmtest.Turn{Flood: llmtest.Piece(`{"content":"on and on "}`, "") + "\n\n"}, true, true},
		{"text, then one endless line", llmtest.Turn{Stream: []string{llmtest.Piece(`{"content":"so far"}`, "")}, Flood: "data: x"}, true, true},
		{"one endless line", llmtest.Turn{Flood: "x"}, true, false},
		{"one endless data line", llmtest.Turn{Header: map[string]string{"Content-Type": "text/event-stream"},
			Body: `data: {"choices":[{"delta":{"content":"`, Flood: "long "}, true, false},
		{"endless comments", llmtest.Turn{Flood: ": keep-alive\n\n"}, true, false},
		{"endless empty lines", llmtest.Turn{Flood: "\n"}, true, false},
		{"endless reasoning", llmtest.Turn{Flood: llmtest.Piece(`{"reasoning_content":"hm, "}`, "") + "\n\n"}, true, false},
		{"endless reasoning in the text", llmtest.Turn{Stream: []string{llmtest.Piece(`{"content":"<think>"}`, "")},
			Flood: llmtest.Piece(`{"content":"hm, "}`, "") + "\n\n"}, true, false},
		{"endless arguments", llmtest.Turn{Flood: llmtest.Piece(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"add","arguments":"1"}}]}`,
			"") + "\n\n"}, true, false},
		{"endless calls", llmtest.Turn{Flood: llmtest.Piece(`{"tool_calls":[{"id":"","function":{"name":"add","arguments":"{}"}}]}`, "") + "\n\n"},
			true, false},
		{"endless usage", llmtest.Turn{Flood: `data: {"usage":{"prompt_tokens":1}}` + "\n\n"}, true, false},
		{"an endless body", llmtest.Turn{Body: `{"choices":[{"message":{"content":"`, Flood: "long "}, false, false},
		{"an endless body for a stream", llmtest.Turn{Body: `{"choices":[{"message":{"content":"`, Flood: "long "}, true, false},
		{"an endless error", llmtest.Turn{Status: 400, Body: `{"error":"`, Flood: "long "}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := fake(t)
			s.Respond(func(llmtest.Request) llmtest.Turn { return tt.turn })
			c := made(t, Options{BaseURL: s.URL(), Model: "test", Timeout: 20 * time.Second, Stream: tt.stream})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := c.Complete(t.Context(), ask("hi"), func(string) {})
			runtime.ReadMemStats(&after)
			if tt.text && (err != nil || r.Finish != llm.FinishLength || r.Message.Content == "") {
				t.Errorf("%.100q %s, %v", r.Message.Content, r.Finish, err)
			}
			if len(r.Message.Content) > maxSaid(0)+1<<10 {
				t.Errorf("%d bytes of text", len(r.Message.Content))
			}
			var e *llm.Error
			if !tt.text && (!errors.As(err, &e) || errors.Is(err, llm.ErrUnavailable)) {
				t.Errorf("%.100q %s, %v", r.Message.Content, r.Finish, err)
			}
			attempts := int64(len(s.Requests()))
			if n := s.Flooded(); n > attempts*(maxAnswer+buffers) {
				t.Errorf("%d MiB were taken in %d attempts", n>>20, attempts)
			}
			if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 64<<20 {
				t.Errorf("the heap grew by %d MiB", grown>>20)
			}
		})
	}
}

// TestLongAnswersAreNotCut: a model that may say much is let say it, with what
// is around each of its words on the wire.
func TestLongAnswersAreNotCut(t *testing.T) {
	s := fake(t)
	line := llmtest.Piece(`{"content":"word "}`, "")
	line = strings.Replace(line, `"model"`, fmt.Sprintf(`"padding":%q,"model"`, strings.Repeat("p", 300)), 1)
	all := make([]string, 0, 16001)
	for range 16000 {
		all = append(all, line)
	}
	s.Queue(llmtest.Turn{Stream: append(all, llmtest.Piece(`{}`, "stop"))})
	c := made(t, Options{BaseURL: s.URL(), Model: "test", MaxTokens: 16000, Stream: true})
	r, err := c.Complete(t.Context(), ask("hi"), nil)
	if err != nil || r.Finish != llm.FinishStop || len(r.Message.Content) != 5*16000 {
		t.Errorf("%d bytes, %s, %v", len(r.Message.Content), r.Finish, err)
	}
}

package openai

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/llm"
)

// Whoever listens to a call hears each attempt: the bytes that went over the wire, and
// what the model wrote with nothing taken out, streamed or not.
func TestOverhearing(t *testing.T) {
	const streamed = "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"reasoning_content\":\"let me \"}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"see\"}}]}\n\ndata: " +
		"{\"choices\":[{\"delta\":{\"content\":\"<think>so</think>Hel\"}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\ndata: " +
		"{\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3,\"total_tokens\":15}}\n\ndata: [DONE]\n\n"
	for name, stream := range map[string]bool{"stream": true, "whole": false} {
		t.Run(name, func(t *testing.T) {
			var came []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost {
					http.NotFound(w, r)
					return
				}
				b, _ := io.ReadAll(r.Body)
				came = append(came, string(b))
				switch {
				case len(came) == 1:
					w.WriteHeader(http.StatusBadRequest)
					_, _ = io.WriteString(w,
						`{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","code":"unsupported_parameter","param":"temperature"}}`)
				case stream:
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, streamed)
				default:
					_, _ = io.WriteString(w, `{"id":"odd field","choices":[{"message":{"content":"<think>so</think>Hello"},"finish_reason":"stop"}]}`)
				}
			}))
			t.Cleanup(s.Close)
			c, err := New(Options{BaseURL: s.URL, Model: "test", Stream: stream})
			if err != nil {
				t.Fatal(err)
			}
			var heard []llm.Exchange
			ctx := llm.Overheard(context.Background(), func(e llm.Exchange) { heard = append(heard, e) })
			resp, err := c.Complete(ctx, llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}},
				Tools: []llm.ToolSpec{{Name: "now", Description: "time", Parameters: []byte(`{"type":"object"}`)}}}, nil)
			if err != nil || resp.Message.Content != "Hello" {
				t.Fatalf("%q, %v", resp.Message.Content, err)
			}
			if len(heard) != 2 || len(came) != 2 || string(heard[0].Sent) != came[0] || string(heard[1].Sent) != came[1] {
				t.Fatalf("heard %q, sent %q", heard, came)
			}
			if heard[0].Err == nil || !strings.Contains(heard[0].Err.Error(), "temperature") || heard[1].Err != nil {
				t.Errorf("heard the errors %v and %v", heard[0].Err, heard[1].Err)
			}
			wants := []string{`odd field`, `"content":"<think>so</think>Hello"`}
			if stream {
				wants = []string{`"reasoning_content":"let me see"`, `"content":"<think>so</think>Hello"`, `"prompt_tokens":12`}
			}
			for _, want := range wants {
				if !strings.Contains(string(heard[1].Got), want) {
					t.Errorf("the answer is %s, want %s", heard[1].Got, want)
				}
			}
		})
	}
}

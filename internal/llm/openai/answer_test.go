package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// Each way to be endless ends at its own bound, long before an answer's.
func TestCapped(t *testing.T) {
	const piece = 32 << 10 // what is read at once
	for _, tt := range []struct {
		name, text string
		stream     bool
		most       int
	}{
		{"a body", "x", false, maxAnswer},
		{"data lines", "data: x\n\n", true, maxAnswer},
		{"one data line", "data: x", true, maxLine},
		{"one line that is none", "x", true, maxBeside},
		{"comments", ": keep-alive\n\n", true, maxBeside * 14 / 12},
	} {
		body := io.NopCloser(strings.NewReader(strings.Repeat(tt.text, 2*maxAnswer/len(tt.text))))
		n, err := io.CopyBuffer(onlyWriter{io.Discard}, &capped{ReadCloser: body, left: maxAnswer, stream: tt.stream, start: true},
			make([]byte, piece))
		if !errors.Is(err, errOverlong) || int(n) > tt.most+piece || int(n) < tt.most-piece-8 {
			t.Errorf("%s: %d bytes, at most %d: %v", tt.name, n, tt.most, err)
		}
	}
}

// onlyWriter hides how a writer reads by itself.
type onlyWriter struct{ io.Writer }

// An answer of nothing but calls has an end.
func TestCallsAreBounded(t *testing.T) {
	a := &answer{}
	for n := range 1000 {
		index := n
		a.addCall(fragment{Index: &index})
	}
	if len(a.calls) > 200 {
		t.Errorf("%d calls", len(a.calls))
	}
}

// TestRecordedAnswers plays what llama.cpp's server streamed from SmolLM2-135M,
// recorded with eval/live: keep-alives, a first piece without text, and a model
// that repeats the fence around a turn's context. What is shown is what is said,
// and usage is reported.
func TestRecordedAnswers(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		must(t, err)
		s := fake(t)
		s.Queue(llmtest.Turn{Body: string(body), Header: map[string]string{"Content-Type": "text/event-stream"}})
		shown := ""
		resp, err := client(t, s, true).Complete(t.Context(), offering("hi"), func(d string) { shown += d })
		if err != nil || resp.Message.Content == "" || strings.TrimSpace(shown) != strings.TrimSpace(resp.Message.Content) ||
			resp.Usage.Completion == 0 || resp.Usage.Attempts != 1 {
			t.Errorf("%s: %+v, shown %q, %v", file, resp, shown, err)
		}
		if strings.Contains(resp.Message.Content, "<context>") || strings.Contains(resp.Message.Content, "</context>") {
			t.Errorf("%s: the fence is shown: %q", file, resp.Message.Content)
		}
	}
}

// TestAWholeAnswerThatGrows: without streaming the timeout is for the first byte
// of the answer and for each gap; blanks that keep a connection are no answer.
func TestAWholeAnswerThatGrows(t *testing.T) {
	const timeout, gap = 3 * time.Second, 500 * time.Millisecond
	for name, pieces := range map[string][]string{
		"grows": {`{"model":"m",`, `"choices":`, `[{"message":`, `{"role":"assistant",`, `"content":"hi"},`, `"finish_reason":`, `"stop"}]}`},
		"blank": {" ", "\n", " ", "\n", " ", "\n", " "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for _, piece := range pieces {
					_, _ = fmt.Fprint(w, piece)
					w.(http.Flusher).Flush()
					waittest.Take(r.Context(), gap)
				}
				if name == "blank" {
					<-r.Context().Done()
				}
			}))
			t.Cleanup(s.Close)
			c := made(t, Options{BaseURL: s.URL, Model: "test", Timeout: timeout, Total: 30 * time.Second})
			began := time.Now()
			resp, err := c.Complete(context.Background(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}}}, nil)
			if (name == "grows") != (err == nil) || err == nil && resp.Message.Content != "hi" || time.Since(began) > 20*time.Second {
				t.Errorf("%q, %v after %s", resp.Message.Content, err, time.Since(began))
			}
		})
	}
}

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
			c := made(t, Options{BaseURL: s.URL, Model: "test", Stream: stream})
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
	c := made(t, Options{BaseURL: s.URL(), Model: "test", Timeout: 10 * time.Second, Stream: stream})
	return llmtest.Rig{Model: c, Break: s.Close}
}

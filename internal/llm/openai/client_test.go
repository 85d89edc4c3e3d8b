package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/llm"
	"parley/internal/llm/dialect"
	"parley/internal/llm/llmtest"
)

const key = "sk-canary-0123456789"

// client returns a Client of a fake. Its deadlines are met on a busy machine, too;
// tests of silence make them shorter.
func client(t testing.TB, s *llmtest.Server, stream bool) *Client {
	t.Helper()
	return made(t, Options{BaseURL: s.URL(), APIKey: key, Model: "test", Timeout: 20 * time.Second, Total: 20 * time.Second, Stream: stream})
}

func made(t testing.TB, o Options) *Client {
	t.Helper()
	c, err := New(o)
	must(t, err)
	return c
}

// complete has a request answered without an error.
func complete(t testing.TB, c *Client, r llm.Request) {
	t.Helper()
	if _, err := c.Complete(context.Background(), r, nil); err != nil {
		t.Fatal(err)
	}
}

func fake(t testing.TB) *llmtest.Server {
	s := llmtest.NewServer()
	t.Cleanup(s.Close)
	return s
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: text}}}
}

func TestAnswers(t *testing.T) {
	for _, stream := range []bool{true, false} {
		t.Run(fmt.Sprintf("stream=%t", stream), func(t *testing.T) {
			s := fake(t)
			s.RequireKey(key)
			c := client(t, s, stream)
			s.Queue(llmtest.Turn{Text: "Hello there", Usage: [2]int{12, 3}},
				llmtest.Turn{Calls: []llmtest.Call{{ID: "a", Name: "add", Args: `{"x":1}`}, {ID: "b", Name: "sub", Args: `{}`}}})
			var streamed string
			r, err := c.Complete(context.Background(), ask("hi"), func(d string) { streamed += d })
			if err != nil || r.Message.Content != "Hello there" || r.Finish != llm.FinishStop ||
				r.Usage != (llm.Usage{Prompt: 12, Completion: 3, Total: 15, Attempts: 1}) {
				t.Fatalf("%+v, %v", r, err)
			}
			if streamed != "Hello there" {
				t.Errorf("streamed %q", streamed)
			}
			r, err = c.Complete(context.Background(), ask("calc"), nil)
			if err != nil || r.Finish != llm.FinishToolCalls || len(r.Message.ToolCalls) != 2 || r.Message.ToolCalls[0].Args != `{"x":1}` ||
				r.Message.ToolCalls[1].Name != "sub" {
				t.Fatalf("%+v, %v", r, err)
			}
			sent := s.Requests()[0]
			if sent.MaxTokens != 1024 {
				t.Errorf("max_tokens %d", sent.MaxTokens)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	boom := llmtest.Refusal(500, `{"error":{"message":"boom `+key+`"}}`)
	for _, tt := range []struct {
		name     string
		turns    []llmtest.Turn
		class    error // nil: it works in the end
		attempts int
	}{
		{"500", []llmtest.Turn{boom}, llm.ErrUnavailable, 1},
		{"529 as HTML", []llmtest.Turn{llmtest.Refusal(529, "<html>overloaded</html>")}, llm.ErrUnavailable, 1},
		{"429", []llmtest.Turn{llmtest.Refusal(429, `{}`, "Retry-After", "0.02")}, llm.ErrRateLimited, 1},
		{"quota", []llmtest.Turn{llmtest.Refusal(429, `{"error":{"code":"insufficient_quota"}}`)}, llm.ErrQuota, 1},
		{"key", []llmtest.Turn{llmtest.Refusal(401, `{"error":{"message":"bad key `+key+`"}}`)}, llm.ErrAuth, 1},
		{"model", []llmtest.Turn{llmtest.Refusal(404, `{"error":"model \"x\" not found, try pulling it first"}`)}, llm.ErrModelNotFound, 1},
		{"overflow", []llmtest.Turn{llmtest.Refusal(400, `{"error":{"code":"context_length_exceeded","message":"too long"}}`)}, llm.ErrContextOverflow, 1},
		{"overflow, Gemini's array", []llmtest.Turn{llmtest.Refusal(400, `[{"error":{"message":"input exceeds the maximum context length"}}]`)},
			llm.ErrContextOverflow, 1},
		{"filtered before", []llmtest.Turn{llmtest.Refusal(400, `{"error":{"code":"content_filter"}}`)}, llm.ErrFiltered, 1},
		{"filtered after", []llmtest.Turn{{Text: "x", Finish: "content_filter"}}, llm.ErrFiltered, 1},
		{"refused", []llmtest.Turn{llmtest.Refusal(400, `{"error":{"message":"no"}}`)}, llm.ErrBadRequest, 1},
		{"cut stream", []llmtest.Turn{{Stream: []string{llmtest.Piece(`{"content":"half"}`, "")}}}, llm.ErrUnavailable, 1},
		{"error in the stream", []llmtest.Turn{{Stream: []string{`data: {"error":{"message":"overloaded"}}`}}}, llm.ErrUnavailable, 1},
		{"error as a text", []llmtest.Turn{{Stream: []string{`data: {"error":"boom"}`}}}, llm.ErrUnavailable, 1},
		{"rate limit beside choices", []llmtest.Turn{{Stream: []string{`data: {"choices":[],"error":{"message":"rate limit"}}`}}},
			llm.ErrRateLimited, 1},
		{"error as an object", []llmtest.Turn{{Stream: []string{`data: {"object":"error","message":"out of memory"}`}}}, llm.ErrUnavailable, 1},
		{"key, in the stream", []llmtest.Turn{{Stream: []string{`data: {"error":{"message":"bad key ` + key + `","code":401}}`}}},
			llm.ErrAuth, 1},
		{"key, by OpenAI's code",
			[]llmtest.Turn{{Stream: []string{`data: {"error":{"message":"no","type":"invalid_request_error","code":"invalid_api_key"}}`}}},
			llm.ErrAuth, 1},
		{"key, as vLLM says it",
			[]llmtest.Turn{{Stream: []string{`data: {"object":"error","message":"Unauthorized","type":"AuthenticationError","code":401}`}}},
			llm.ErrAuth, 1},
		{"key, beside choices", []llmtest.Turn{{Stream: []string{llmtest.Piece(`{"content":"a"}`, ""),
			`data: {"choices":[{"delta":{},"finish_reason":"error"}],"error":{"code":401,"message":"User not found."}}`}}}, llm.ErrAuth, 1},
		{"overloaded, as Anthropic says it",
			[]llmtest.Turn{{Stream: []string{"event: error\ndata: " +
				`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}}}, llm.ErrUnavailable, 1},
		{"quota, as Google says it",
			[]llmtest.Turn{{Stream: []string{`data: {"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}`}}}, llm.ErrRateLimited, 1},
		{"overflow, as llama.cpp says it",
			[]llmtest.Turn{{Stream: []string{`data: {"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`}}}, llm.ErrContextOverflow, 1},
		{"an error without any form", []llmtest.Turn{{Stream: []string{`{"error":{"message":"no","code":"invalid_api_key"}}`}}}, llm.ErrAuth, 1},
		{"unseen, then well", []llmtest.Turn{{Text: "\u200b\u2060 \n\u202e"}, {Text: "ok"}}, nil, 2},
		{"empty, then well", []llmtest.Turn{{Stream: []string{llmtest.Piece(`{"content":""}`, "stop"), "data: [DONE]"}}, {Text: "ok"}}, nil, 2},
		{"reasoning only", []llmtest.Turn{{Stream: []string{llmtest.Piece(`{"reasoning_content":"hm"}`, "stop")}},
			{Stream: []string{llmtest.Piece(`{"reasoning_content":"hm"}`, "stop")}}}, llm.ErrInvalidOutput, 2},
		{"a broken line, then well", []llmtest.Turn{{Stream: []string{llmtest.Piece(`{"content":"half"}`, ""), `data: {"choices":[{"de`}},
			{Text: "ok"}}, nil, 2},
		{"broken lines", []llmtest.Turn{{Stream: []string{`data: {"choices":[{"de`}}, {Stream: []string{`data: {"choices":[{"de`}}},
			llm.ErrInvalidOutput, 2},
		{"silence after a piece", []llmtest.Turn{{Stream: []string{llmtest.Piece(`{"content":"a"}`, "")}, Hang: true}}, llm.ErrUnavailable, 1},
		{"no answer at all", []llmtest.Turn{{Held: make(chan struct{})}}, llm.ErrUnavailable, 1},
		{"only comments", []llmtest.Turn{{Stream: []string{": a", ": b", ": c"}, Hang: true}}, llm.ErrUnavailable, 1},
		{"silence after the end", []llmtest.Turn{{Stream: []string{llmtest.Piece(`{"content":"a"}`, "stop")}, Hang: true}}, nil, 1},
		{"an error after the end", []llmtest.Turn{{Stream: []string{llmtest.Piece(`{"content":"a"}`, "stop"), "data: [DO"}}}, nil, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := fake(t)
			s.Queue(tt.turns...)
			c := client(t, s, true)
			if tt.turns[0].Hang || tt.turns[0].Held != nil {
				c.o.Timeout = 2 * time.Second
			}
			_, err := c.Complete(context.Background(), ask("hi"), func(string) {})
			if !errors.Is(err, tt.class) || (tt.class == nil) != (err == nil) {
				t.Errorf("got %v, want %v", err, tt.class)
			}
			if n := len(s.Requests()); n != tt.attempts {
				t.Errorf("%d attempts, want %d", n, tt.attempts)
			}
			if err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("the key is in %q", err)
			}
		})
	}
}

func TestStreamOddities(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lines  []string
		text   string
		calls  []llm.ToolCall
		finish llm.Finish
	}{
		{"comments and a usage chunk", []string{": PROCESSING", llmtest.Piece(`{"content":"a"}`, "stop"),
			`data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, "data: [DONE]"}, "a", nil, llm.FinishStop},
		{"calls without an index", []string{llmtest.Piece(`{"tool_calls":[{"id":"1","function":{"name":"a","arguments":"{"}}]}`, ""),
			llmtest.Piece(`{"tool_calls":[{"id":"1","function":{"arguments":"}"}},{"id":"2","function":{"name":"b","arguments":"{}"}}]}`, "stop")}, "",
			[]llm.ToolCall{{ID: "1", Name: "a", Args: "{}"}, {ID: "2", Name: "b", Args: "{}"}}, llm.FinishToolCalls},
		{"arguments as an object", []string{llmtest.Piece(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"a","arguments":{"x":1}}}]}`,
			"tool_calls")}, "", []llm.ToolCall{{ID: "1", Name: "a", Args: `{"x":1}`}}, llm.FinishToolCalls},
		{"cut calls are dropped", []string{llmtest.Piece(`{"content":"let me"}`, ""),
			llmtest.Piece(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x"}}]}`, "length")}, "let me", nil, llm.FinishLength},
		{"reasoning in the text", []string{llmtest.Piece(`{"content":"<thi"}`, ""),
			llmtest.Piece(`{"content":"nk>secret</think>\n\nseen"}`, "stop")},
			"seen", nil, llm.FinishStop},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := fake(t)
			s.Queue(llmtest.Turn{Stream: tt.lines})
			var streamed string
			r, err := client(t, s, true).Complete(context.Background(), ask("hi"), func(d string) { streamed += d })
			if err != nil || r.Message.Content != tt.text || streamed != tt.text || r.Finish != tt.finish ||
				fmt.Sprint(r.Message.ToolCalls) != fmt.Sprint(tt.calls) {
				t.Errorf("%+v, streamed %q, %v", r, streamed, err)
			}
		})
	}
}

func TestRetryTellsThatTheTextIsVoid(t *testing.T) {
	s := fake(t)
	s.Queue(llmtest.Turn{Stream: []string{llmtest.Piece(`{"content":"half"}`, ""),
		`data: {"error":{"code":400,"message":"System role not supported"}}`}}, llmtest.Turn{Text: "whole"})
	var got []string
	if _, err := client(t, s, true).Complete(context.Background(), ask("hi"), func(d string) { got = append(got, d) }); err != nil {
		t.Fatal(err)
	}
	if got[0] != "half" || got[1] != llm.RetryText || strings.Join(got[2:], "") != "whole" {
		t.Errorf("streamed %q", got)
	}
}

func TestServersThatTakeLess(t *testing.T) {
	s := fake(t)
	c := client(t, s, false)
	s.Queue(llmtest.Refusal(400, `{"error":{"message":"response_format is not supported"}}`), llmtest.Turn{Text: `{"a":1}`},
		llmtest.Refusal(500, `{"error":{"code":500,"message":"System role not supported","type":"server_error"}}`), llmtest.Turn{Text: "ok"})
	r := ask("hi")
	r.Schema = &llm.Schema{Name: "a", JSON: json.RawMessage(`{"type":"object"}`)}
	complete(t, c, r)
	if last := s.Requests()[1]; len(last.ResponseFormat) != 0 || !strings.Contains(last.System(), `{"type":"object"}`) {
		t.Errorf("the schema did not move into the prompt: %s", last.Raw)
	}
	r = llm.Request{Messages: []llm.Message{{Role: llm.RoleSystem, Content: "one"}, {Role: llm.RoleSystem, Content: "two"},
		{Role: llm.RoleUser, Content: "hi"}}}
	complete(t, c, r)
	if asked := s.Requests(); len(asked) != 4 || asked[3].System() != "" ||
		asked[3].Last("user") != "one\n\n<context>\ntwo\n</context>\n\nhi" {
		t.Errorf("the system message stayed: %s", asked[len(asked)-1].Raw)
	}
	r.Messages = append(r.Messages, llm.Message{Role: llm.RoleAssistant, Content: "ok"}, llm.Message{Role: llm.RoleSystem,
		Content: "now"}, llm.Message{Role: llm.RoleUser, Content: "again"})
	complete(t, c, r)
	if asked := s.Requests(); len(asked) != 5 || asked[4].System() != "now" {
		t.Errorf("it was not learned once, or the turn's context went astray: %s", asked[len(asked)-1].Raw)
	}
}

// TestTemplateWithoutTools: a template that knows no calls among the messages
// is told of them in words; the message that taught it is answered.
func TestTemplateWithoutTools(t *testing.T) {
	s := fake(t)
	c := client(t, s, true)
	s.Queue(llmtest.Refusal(500, `{"error":{"code":500,"message":"Conversation roles must alternate user/assistant/user/assistant/..."}}`),
		llmtest.Turn{Text: "ok"}, llmtest.Turn{Text: "ok"})
	r := ask("time?")
	r.Messages = append(r.Messages, llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "now", Args: "{}"}}},
		llm.Message{Role: llm.RoleTool, Name: "now", ToolCallID: "1", Content: "noon"})
	for range 2 { // learned once
		complete(t, c, r)
	}
	asked := s.Requests()
	last := asked[len(asked)-1]
	if len(asked) != 3 || strings.Contains(string(last.Raw), `"tool_calls"`) || !strings.Contains(last.Last("assistant"), "now") ||
		!strings.Contains(last.Last("user"), "noon") {
		t.Errorf("%d requests, the last %s", len(asked), last.Raw)
	}
}

func TestExtraGoesBackWithItsCall(t *testing.T) {
	s := fake(t)
	c := client(t, s, true)
	r := ask("hi")
	r.Messages = append(r.Messages, llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "a",
		Args: "{}", Extra: json.RawMessage(`{"google":{"thought_signature":"sig"}}`)}}},
		llm.Message{Role: llm.RoleTool, Name: "a", ToolCallID: "1", Content: ""})
	complete(t, c, r)
	if raw := string(s.Requests()[0].Raw); !strings.Contains(raw, `"thought_signature":"sig"`) || !strings.Contains(raw, "(empty)") {
		t.Errorf("sent %s", raw)
	}
}

// TestToolsOnTheWire changes a tool between two requests, and has provider data
// written into the second as well.
func TestToolsOnTheWire(t *testing.T) {
	s := fake(t)
	c := client(t, s, true)
	r := ask("hi")
	r.Tools = []llm.ToolSpec{{Name: "add", Description: "Adds <a>.", Parameters: json.RawMessage(`{"type": "object"}`)},
		{Name: "sub", Description: "Subtracts.", Parameters: json.RawMessage(`{"type":"object"}`)}}
	form := `[{"function":{"name":"add","description":%q,"parameters":{"type":"object"}},"type":"function"},{"function":{"name":"sub","description":"Subtracts.","parameters":{"type":"object"}},"type":"function"}]`
	for i, about := range []string{"Adds <a>.", "Adds <a>.", "Sums up."} {
		r.Tools[0].Description = about
		if i == 2 {
			r.Messages = append(r.Messages, llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "add",
				Args: "{}", Extra: json.RawMessage(`{"seen":true}`)}}},
				llm.Message{Role: llm.RoleTool, Name: "add", ToolCallID: "1", Content: "2"})
		}
		complete(t, c, r)
		sent := s.Requests()[i]
		var got, want any
		must(t, errors.Join(json.Unmarshal(sent.Tools, &got), json.Unmarshal(fmt.Appendf(nil, form, about), &want)))
		if diff := cmp.Diff(want, got); diff != "" || len(sent.Messages) != len(r.Messages) ||
			(i == 2) != strings.Contains(string(sent.Raw), `"seen":true`) {
			t.Errorf("request %d: %s\n%s", i, diff, sent.Raw)
		}
	}
	r.Tools[0].Parameters = json.RawMessage(`{`)
	if _, err := c.Complete(context.Background(), r, nil); err == nil || len(s.Requests()) != 3 {
		t.Errorf("broken parameters were sent: %v", err)
	}
}

// TestMessagesComeLast: whatever is in them, and whatever is called messages
// elsewhere.
func TestMessagesComeLast(t *testing.T) {
	s := fake(t)
	c := client(t, s, true)
	for i, text := range []string{"hi", `]}"\`, `"messages":[{`, `{"messages":[]}]`, "\\\"[", "✓ «\u2028»\n"} {
		r := ask(text)
		r.Tools = []llm.ToolSpec{{Name: "a", Description: `says "messages":[`,
			Parameters: json.RawMessage(`{"type":"object","properties":{"messages":{"type":"array"}}}`)}}
		if _, err := c.Complete(context.Background(), r, nil); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		got := s.Requests()[i]
		tail := bytes.LastIndex(got.Raw, []byte(`,"messages":[{"role"`))
		if got.Messages[0].Text() != text || len(got.Tools) < 50 || got.MaxTokens == 0 || tail < bytes.Index(got.Raw, []byte(`"tools":`)) {
			t.Errorf("%q: sent %s", text, got.Raw)
		}
	}
}

func TestSpendBoundsAttempts(t *testing.T) {
	s := fake(t)
	s.Queue(llmtest.Turn{Stream: []string{llmtest.Piece(`{"content":""}`, "stop")}})
	spent := errors.New("spent")
	left := 1
	r := ask("hi")
	r.Spend = func() error {
		if left--; left < 0 {
			return spent
		}
		return nil
	}
	if _, err := client(t, s, true).Complete(context.Background(), r, nil); !errors.Is(err, spent) || len(s.Requests()) != 1 {
		t.Errorf("%v after %d attempts", err, len(s.Requests()))
	}
}

func TestConcurrencyIsCapped(t *testing.T) {
	s := fake(t)
	s.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Delay: 10 * time.Millisecond} })
	c := made(t, Options{BaseURL: s.URL(), Model: "test", Concurrent: 3})
	done := make(chan error)
	for range 20 {
		go func() { _, err := c.Complete(context.Background(), ask("hi"), nil); done <- err }()
	}
	for range 20 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := s.Most(); n > 3 {
		t.Errorf("%d at once", n)
	}
}

func TestCheck(t *testing.T) {
	s := fake(t)
	s.Models("qwen3:latest", "models/gemini-pro")
	for name, class := range map[string]error{"qwen3": nil, "gemini-pro": nil, "llama9": llm.ErrModelNotFound} {
		c := made(t, Options{BaseURL: s.URL(), Model: name})
		if err := c.Check(context.Background()); !errors.Is(err, class) || (class == nil) != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, ok := Probe(context.Background(), "http://127.0.0.1:1/v1"); ok {
		t.Error("nothing answered, and yet")
	}
	if names, ok := Probe(context.Background(), s.URL()); !ok || len(names) != 2 {
		t.Errorf("probe: %v, %t", names, ok)
	}
}

func FuzzTake(f *testing.F) {
	f.Add(`{"choices":[{"delta":{"content":"a"}}]}`)
	f.Add(`{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":7}}]}}]}`)
	f.Add(`{"error":"x"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		a := &answer{reader: &dialect.Reader{Show: func(string) {}}}
		for range 3 {
			_ = a.take([]byte(raw))
		}
		if r, err := a.response(); err == nil && r.Message.Content == "" && len(r.Message.ToolCalls) == 0 {
			t.Fatal("an empty answer passed")
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, v := range []string{"1", "0.5", "-3", "1e300", "NaN", "Wed, 21 Oct 2026 07:28:00 GMT", "soon"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		for _, name := range []string{"Retry-After", "Retry-After-Ms"} {
			if d := retryAfter(http.Header{name: {v}}, time.Now()); d < 0 || d > 24*time.Hour {
				t.Fatalf("%s: %q is %s", name, v, d)
			}
		}
	})
}

func BenchmarkComplete(b *testing.B) {
	for _, stream := range []bool{true, false} {
		b.Run(fmt.Sprintf("stream=%t", stream), func(b *testing.B) {
			s := fake(b)
			s.Quiet()
			c := client(b, s, stream)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Complete(context.Background(), ask("hi"), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestTranscribe(t *testing.T) {
	s := fake(t)
	s.RequireKey(key)
	s.Hear(func(r llmtest.Recording) string {
		if r.Model != "ears" || r.Name != "audio.ogg" || string(r.Audio) != "sound" {
			return ""
		}
		return "hello"
	})
	c := client(t, s, false)
	if _, err := c.Transcribe(t.Context(), "audio.ogg", []byte("sound")); !errors.Is(err, llm.ErrModelNotFound) {
		t.Errorf("without a model: %v", err)
	}
	c.o.Transcription = "ears"
	if text, err := c.Transcribe(t.Context(), "audio.ogg", []byte("sound")); text != "hello" || err != nil {
		t.Errorf("heard %q, %v", text, err)
	}
	if _, err := c.Transcribe(t.Context(), "audio.ogg", []byte("noise")); !errors.Is(err, llm.ErrBadRequest) {
		t.Errorf("a recording the server refuses: %v", err)
	}
	s.RequireKey("another")
	if _, err := c.Transcribe(t.Context(), "audio.ogg", []byte("sound")); !errors.Is(err, llm.ErrAuth) || strings.Contains(err.Error(), key) {
		t.Errorf("a wrong key: %v", err)
	}
	s.Close()
	if _, err := c.Transcribe(t.Context(), "audio.ogg", []byte("sound")); !errors.Is(err, llm.ErrUnavailable) {
		t.Errorf("without a server: %v", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

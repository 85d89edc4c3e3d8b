package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"parley/internal/llm/llmtest"
	"parley/internal/llm/wrap"
)

// collector is the end of OTLP/HTTP that keeps what it is sent.
type collector struct {
	*httptest.Server
	mu    sync.Mutex
	raw   strings.Builder
	spans map[string][]wrap.Span
}

func newCollector(t *testing.T) *collector {
	c := &collector{spans: map[string][]wrap.Span{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []wrap.Span } }
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		err := json.NewDecoder(io.TeeReader(r.Body, &c.raw)).Decode(&in)
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %v", r.URL.Path, err)
			return
		}
		for _, s := range in.ResourceSpans[0].ScopeSpans[0].Spans {
			c.spans[s.Name] = append(c.spans[s.Name], s)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func TestTraces(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	w := newWorld(t, "BOT_OTEL_ENDPOINT="+c.URL)
	w.run(t)
	w.llm.Queue(llmtest.Turn{Calls: []llmtest.Call{{ID: "1", Name: "current_time", Args: `{}`}}, Usage: [2]int{100, 10}},
		llmtest.Turn{Text: "secretly noon", Usage: [2]int{200, 5}}, llmtest.Turn{Status: 400, Body: `{"error":{"message":"no"}}`})
	w.saying(t, 7, 7, "private question")
	w.saying(t, 8, 8, "fails")
	if err := w.stop(); err != nil { // what waits is sent
		t.Fatal(err)
	}
	messages, models, ran := c.spans["message"], c.spans["chat test"], c.spans["execute_tool current_time"]
	if len(messages) != 2 || len(models) != 3 || len(ran) != 1 {
		t.Fatalf("%d messages, %d model calls, %d tool calls", len(messages), len(models), len(ran))
	}
	first := messages[0]
	if first.Parent != "" || len(first.TraceID) != 32 || len(first.ID) != 16 || first.Kind != wrap.Server || first.Start > first.End {
		t.Errorf("%+v", first)
	}
	for _, s := range append(ran, models[:2]...) {
		if s.TraceID != first.TraceID || s.Parent != first.ID || s.Status.Code != 0 || s.Start < first.Start || s.End > first.End {
			t.Errorf("not within the message: %+v", s)
		}
	}
	if models[2].TraceID == first.TraceID || models[2].Status.Code != 2 {
		t.Errorf("the failed call: %+v", models[2])
	}
	text := c.raw.String()
	for _, want := range []string{`"attributes"`, `"gen_ai.operation.name"`, `"parley.first_token_ms"`, `"error.type"`,
		`"bad_request"`, `"gen_ai.tool.name"`, `"current_time"`, `"intValue":"200"`, `"gen_ai.usage.input_tokens"`, `"telegram"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
	if strings.Contains(text, "private") || strings.Contains(text, "noon") {
		t.Errorf("what was said is in a trace: %s", text)
	}
}

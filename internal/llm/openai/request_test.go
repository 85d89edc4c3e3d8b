package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/llm"
)

// TestCacheHints: a key and marks go to those that take them, and to nobody else.
func TestCacheHints(t *testing.T) {
	for _, tt := range []struct {
		base, model string
		key, marked bool
	}{
		{"https://api.openai.com/v1", "gpt-4o", true, false},
		{"https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4", false, true},
		{"https://openrouter.ai/api/v1", "openai/gpt-4o", false, false},
		{"https://api.mistral.ai/v1", "mistral-large-latest", false, false},
		{"http://127.0.0.1:11434/v1", "qwen3", false, false},
	} {
		c := made(t, Options{BaseURL: tt.base, Model: tt.model})
		const list = `[{"role":"system","content":"You are."},{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]`
		req, err := http.NewRequest(http.MethodPost, tt.base, bytes.NewReader([]byte(`{"model":"m","messages":[]}`)))
		must(t, err)
		ex := &exchange{messages: []byte(list), members: [][]byte{c.cacheKey("session-1")}, marks: c.marksCache(tt.model)}
		must(t, ex.complete(req))
		sent, err := io.ReadAll(req.Body)
		must(t, err)
		marks := 0
		if tt.marked {
			marks = 2
		}
		if strings.Contains(string(sent), `"prompt_cache_key":"session-1"`) != tt.key || strings.Count(string(sent),
			`"cache_control":{"type":"ephemeral"}`) != marks {
			t.Errorf("%s: sent %s", tt.base, sent)
		}
	}
}

// Messages come last, whatever stands in them, and nothing is lost.
func TestCompletePutsMessagesLast(t *testing.T) {
	odd := `[{"role":"user","content":"a \"messages\":[] } \\ [{"},{"role":"tool","content":""}]`
	for body, want := range map[string]string{
		`{"model":"m","messages":[],"stream":true}`: `{"model":"m","stream":true,"tools":[{},{"a":1}],"messages":` + odd + `}`,
		`{"model":"\"messages\":[]","messages":[]}`: `{"model":"\"messages\":[]","tools":[{},{"a":1}],"messages":` + odd + `}`,
		`{"messages":[]}`: `{"tools":[{},{"a":1}],"messages":` + odd + `}`,
		`{"messages":[],"n":1,"schema":{"messages":[]}}`: `{"n":1,"schema":{"messages":[]},"tools":[{},{"a":1}],"messages":` + odd + `}`,
	} {
		req, err := http.NewRequest(http.MethodPost, "http://model.invalid", bytes.NewReader([]byte(body)))
		must(t, err)
		must(t, (&exchange{tools: [][]byte{[]byte("{}"), []byte(`{"a":1}`)}, messages: []byte(odd)}).complete(req))
		got, err := io.ReadAll(req.Body)
		if err != nil || string(got) != want || req.ContentLength != int64(len(want)) || !json.Valid(got) {
			t.Errorf("%s\n%s, %v", body, cmp.Diff(want, string(got)), err)
		}
	}
	req, _ := http.NewRequest(http.MethodPost, "http://model.invalid", bytes.NewReader([]byte(`{"input":"\"messages\":["}`)))
	if err := (&exchange{}).complete(req); err == nil {
		t.Error("a request without messages was rewritten")
	}
}

// TestTemperatureOnTheWire: what is set is what is written, digit by digit. A number close
// to zero instead of zero makes llama.cpp's server divide by it and answer with noise.
func TestTemperatureOnTheWire(t *testing.T) {
	for _, tt := range []struct {
		model string
		set   *float64
		want  string // "" for none
	}{
		{"test", new(0.0), `"temperature":0`},
		{"test", new(0.7), `"temperature":0.7`},
		{"test", new(1.0 / 3), `"temperature":0.3333333333333333`},
		{"test", new(2.0), `"temperature":2`},
		{"test", nil, ""},
		{"o3-mini", new(0.0), ""}, // takes only its own
		{"gpt-5-nano", new(0.7), ""},
	} {
		for _, stream := range []bool{true, false} {
			s := fake(t)
			s.Models(tt.model)
			c := made(t, Options{BaseURL: s.URL(), Model: tt.model, Temperature: tt.set, Stream: stream})
			r := everything()
			r.Messages = append([]llm.Message{}, r.Messages...)
			complete(t, c, r)
			raw := string(s.Requests()[0].Raw)
			end := raw[strings.LastIndex(raw[:strings.Index(raw, messagesKey)], "{")+1:]
			if tt.want == "" && strings.Contains(raw, `"temperature"`) || tt.want != "" && !strings.Contains(raw, tt.want+",") {
				t.Errorf("%s, %v, stream=%t: sent %s", tt.model, fmt.Sprint(tt.want), stream, end)
			}
		}
	}
}

package openai

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
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
		c, err := New(Options{BaseURL: tt.base, Model: tt.model})
		if err != nil {
			t.Fatal(err)
		}
		const list = `[{"role":"system","content":"You are."},{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]`
		req, err := http.NewRequest(http.MethodPost, tt.base, bytes.NewReader([]byte(`{"model":"m","messages":[]}`)))
		if err != nil {
			t.Fatal(err)
		}
		ex := &exchange{messages: []byte(list), cache: c.cacheKey("session-1"), marks: c.marksCache(tt.model)}
		if err := ex.complete(req); err != nil {
			t.Fatal(err)
		}
		sent, err := io.ReadAll(req.Body)
		if err != nil {
			t.Fatal(err)
		}
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

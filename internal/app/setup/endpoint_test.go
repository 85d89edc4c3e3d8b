package setup

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley/config"
	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

// TestNoKey: a model that nobody runs at home and no key for it is a mistake
// that is named, not a server that cannot be reached.
func TestNoKey(t *testing.T) {
	here := llmtest.NewServer()
	t.Cleanup(here.Close)
	here.Models("gpt-oss:20b", "qwen3")
	for name, tt := range map[string]struct{ model, ollama, want string }{
		"OpenAI's, nothing runs":  {"gpt-4o", "http://127.0.0.1:1/v1", "no key is set"},
		"OpenAI's, Ollama runs":   {"o3-mini", here.URL(), "no key is set"},
		"Anthropic's":             {"claude-sonnet-4", here.URL(), "no key is set"},
		"Ollama's, and it runs":   {"qwen3", here.URL(), ""},
		"open weights of OpenAI":  {"gpt-oss:20b", here.URL(), ""},
		"Ollama's, not yet there": {"llama3", "http://127.0.0.1:1/v1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config.Default()
			cfg.Model.Name, cfg.OllamaURL = tt.model, tt.ollama
			_, err := Connect(t.Context(), cfg, nil, slog.New(slog.DiscardHandler))
			var e *config.Error
			if (err != nil) != (tt.want != "") || err != nil && (!errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) ||
				!strings.Contains(err.Error(), "OPENAI_API_KEY")) {
				t.Errorf("%v", err)
			}
		})
	}
	cfg := config.Default()
	cfg.Models = []config.Engine{{Name: "main", Model: "gpt-4o"}}
	if _, err := Connect(t.Context(), cfg, nil, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(),
		"models[0].api_key") {
		t.Errorf("in a list: %v", err)
	}
}

// TestOneRoomForAllModels: limits.concurrent_model_calls holds for all models
// together.
func TestOneRoomForAllModels(t *testing.T) {
	s := llmtest.NewServer()
	t.Cleanup(s.Close)
	s.Models("a", "b")
	s.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Delay: 10 * time.Millisecond} })
	cfg := config.Default()
	cfg.Limits.ConcurrentModelCalls = 2
	cfg.Models = []config.Engine{{Name: "a", BaseURL: s.URL(), Model: "a"}, {Name: "b", BaseURL: s.URL(), Model: "b"}}
	cfg.Routes.Answer = []string{"a", "b"}
	e, err := Connect(t.Context(), cfg, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for range 10 {
		for _, engine := range e.Engines() {
			go func() {
				_, err := engine.Client.Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}}}, nil)
				done <- err
			}()
		}
	}
	for range 20 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := s.Most(); n > 2 || len(e.Engines()) != 2 {
		t.Errorf("%d at once, %d models", n, len(e.Engines()))
	}
}

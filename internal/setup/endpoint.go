// Package setup makes of the settings what a start and the operator's commands
// both need: the model's endpoint and the log. It keeps nothing running.
package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"syscall"
	"time"

	"parley/config"
	"parley/internal/llm"
	"parley/internal/llm/offline"
	"parley/internal/llm/openai"
	"parley/internal/llm/provider"
)

// Endpoint is the model and what is known about it.
type Endpoint struct {
	llm.Model
	Name     string                                                               // asked for, and shown
	About    string                                                               // the line that tells the operator which model this is
	Fallback llm.Model                                                            // the built-in responder, unless it is the model itself
	Book     llm.Model                                                            // decides playbook conditions; nil is Model
	See      bool                                                                 // takes pictures
	Hear     func(ctx context.Context, name string, audio []byte) (string, error) // nil is deaf
	Embed    llm.Embedder                                                         // nil for none
	Check    func(context.Context) error                                          // nil where there is nothing to ask
	List     func(context.Context) ([]string, error)                              // models to choose from; nil for none
	Quirks   func(context.Context) ([]string, error)                              // what was learned of it, in words; nil for none
}

// defaultModel is what a key without a model name asks for.
const defaultModel = "gpt-4o-mini"

// Attempts and the wait between them before a required model is given up at
// start.
const (
	startTries = 3
	startWait  = 500 * time.Millisecond
)

// Connect chooses the model: what is configured; else Ollama, if it answers;
// else the built-in responder. What is learned of a model is kept in the
// notebook; nil learns anew.
func Connect(ctx context.Context, cfg config.Config, notes openai.Notebook, log *slog.Logger) (Endpoint, error) {
	m := cfg.Model
	if m.Name == offline.Name {
		return builtin("Model: the built-in responder, as configured."), nil
	}
	base, name := m.BaseURL, m.Name
	switch {
	case base != "":
	case m.APIKey != "":
		if p := provider.Of(string(m.APIKey)); p != nil && p.Base != provider.OpenAI {
			return Endpoint{}, fmt.Errorf("model.api_key is a key of %s and was sent nowhere: set model.base_url to %s, and model.name", p.Name, p.Base)
		}
		base = provider.OpenAI
	case name != "":
		base = cfg.OllamaURL
	default:
		models, ok := openai.Probe(ctx, cfg.OllamaURL)
		if !ok || len(models) == 0 {
			return builtin("Model: the built-in responder, because no language model is set. Set OPENAI_API_KEY, or OPENAI_BASE_URL and OPENAI_MODEL, or start Ollama."), nil
		}
		base, name = cfg.OllamaURL, models[0]
	}
	if name == "" && base == provider.OpenAI {
		name = defaultModel
	}
	client := func(model string) (*openai.Client, error) {
		return openai.New(openai.Options{
			BaseURL: base, APIKey: string(m.APIKey), Model: model, Transcription: m.Transcription, Embedding: m.Embedding, Temperature: m.Temperature,
			MaxTokens: m.MaxTokens, Timeout: m.Timeout, Total: cfg.Agent.TurnTimeout, Retries: m.Retries, Stream: m.Stream,
			Concurrent: affordable(cfg.Limits.ConcurrentModelCalls, log), Log: log, Notebook: notes,
		})
	}
	c, err := client(name)
	if err != nil {
		return Endpoint{}, err
	}
	if name == "" {
		if name, err = onlyModel(ctx, c, base); err != nil {
			return Endpoint{}, err
		}
		if c, err = client(name); err != nil {
			return Endpoint{}, err
		}
	}
	e := Endpoint{Model: c, Name: name, About: fmt.Sprintf("Model: %s at %s.", name, base), Fallback: offline.Model{}, Check: c.Check, List: c.Models, Quirks: c.Quirks, See: m.Images}
	if m.Transcription != "" {
		e.Hear = c.Transcribe
	}
	if m.Embedding != "" {
		e.Embed = c
	}
	if m.PlaybookName != "" {
		if e.Book, err = client(m.PlaybookName); err != nil {
			return Endpoint{}, err
		}
	}
	return e, nil
}

// affordable lowers the number of model calls at once to a quarter of the file
// descriptors: platforms and the database must not go without.
func affordable(calls int, log *slog.Logger) int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur)/4 >= uint64(calls) {
		return calls
	}
	fewer := max(1, int(limit.Cur/4))
	log.Warn("few file descriptors: fewer model calls at once than limits.concurrent_model_calls", "descriptors", limit.Cur, "calls", fewer)
	return fewer
}

// onlyModel takes the first model of an endpoint for which none was named.
func onlyModel(ctx context.Context, c *openai.Client, base string) (string, error) {
	names, err := c.Models(ctx)
	if err != nil {
		return "", fmt.Errorf("model.name is not set, and %s does not list its models: %w", base, err)
	}
	if len(names) == 0 {
		return "", fmt.Errorf("model.name is not set, and %s has no models", base)
	}
	return names[0], nil
}

func builtin(about string) Endpoint {
	return Endpoint{Model: offline.Model{}, Name: offline.Name, About: about}
}

// Ready asks whether the model can be used: three times, because a server next
// door may still be starting. A wrong key or a missing model is not asked again.
func (e Endpoint) Ready(ctx context.Context) error {
	if e.Check == nil {
		return nil
	}
	var err error
	for try := 1; ; try++ {
		if err = e.Check(ctx); err == nil {
			return nil
		}
		if try == startTries || !errors.Is(err, llm.ErrUnavailable) {
			return fmt.Errorf("the model %s cannot be used: %w", e.Name, err)
		}
		select {
		case <-time.After(startWait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

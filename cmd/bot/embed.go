package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"parley/internal/llm"
)

const (
	recentVectors = 64               // questions whose vectors are kept: one message is asked about by facts, notes and rules
	embedRest     = 30 * time.Second // after a failure everything is found by words alone
	embedFor      = 20 * time.Second // of one tick
)

// errNoVectors is every failure to make vectors; the log was told.
var errNoVectors = errors.New("the embedding model does not answer")

// embedder hands out vectors: each question's once, with secrets hidden, and
// none for a while after a failure, which it tells the log once.
type embedder struct {
	llm.Embedder
	name   string
	hide   redactor
	counts *counters
	log    *slog.Logger
	now    func() time.Time

	mu     sync.Mutex // guards the rest
	down   bool
	until  time.Time // of the rest
	recent []recentVector
}

type recentVector struct {
	text   [sha256.Size]byte
	vector []float32
}

// Embed implements llm.Embedder.
func (e *embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	safe := make([]string, len(texts))
	for i, text := range texts {
		safe[i] = e.hide.text(text)
	}
	if len(safe) == 1 {
		if v := e.known(safe[0]); v != nil {
			return [][]float32{v}, nil
		}
	}
	if e.resting() {
		return nil, errNoVectors
	}
	list, err := e.Embedder.Embed(ctx, safe)
	e.note(ctx, err)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoVectors, err)
	}
	if len(safe) == 1 {
		e.keep(safe[0], list[0])
	}
	return list, nil
}

func (e *embedder) known(text string) []float32 {
	e.mu.Lock()
	defer e.mu.Unlock()
	sum := sha256.Sum256([]byte(text))
	if i := slices.IndexFunc(e.recent, func(r recentVector) bool { return r.text == sum }); i >= 0 {
		return e.recent[i].vector
	}
	return nil
}

func (e *embedder) keep(text string, v []float32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.recent) == recentVectors {
		e.recent = slices.Delete(e.recent, 0, 1)
	}
	e.recent = append(e.recent, recentVector{sha256.Sum256([]byte(text)), v})
}

func (e *embedder) resting() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.now().Before(e.until)
}

// note heeds how a request went. That somebody gave up on an answer says nothing
// about the endpoint.
func (e *embedder) note(ctx context.Context, err error) {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	was := e.down
	e.down = err != nil
	switch {
	case err != nil:
		e.until = e.now().Add(embedRest)
		e.counts.modelCall(e.name, "failed", llm.Usage{})
		if !was {
			e.log.Warn("the embedding model failed; facts, notes and rules are found by words alone until it answers", "model", e.name, "err", err)
		}
	default:
		e.counts.modelCall(e.name, "ok", llm.Usage{})
		if was {
			e.log.Info("the embedding model answers again", "model", e.name)
		}
	}
}

// newEmbedder is the embedder of the settings, nil for none.
func (a *app) newEmbedder() *embedder {
	name := a.cfg.Model.Embedding
	if name == "" {
		return nil
	}
	if a.model.embed == nil {
		a.log.Warn("model.embedding is not used: the built-in responder has no embedding model", "model", name)
		return nil
	}
	return &embedder{Embedder: a.model.embed, name: name, hide: newRedactor(a.cfg, shortestSaid), counts: a.counts, log: a.log, now: a.now}
}

// embed makes vectors for whatever asks; it is nil in the options of those who
// do where no embedding model is set.
func (a *app) embed(ctx context.Context, texts []string) ([][]float32, error) {
	if a.embedder == nil {
		return nil, errNoVectors
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
			if more, err = batch(ctx); errors.Is(err, errNoVectors) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

package wrap

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
	"parley/internal/text"
)

const (
	recentVectors = 64               // questions whose vectors are kept: one message is asked about by facts, notes and rules
	embedRest     = 30 * time.Second // after a failure everything is found by words alone
)

// ErrNoVectors is every failure to make vectors; the log was told.
var ErrNoVectors = errors.New("the embedding model does not answer")

// Vectors is an embedding model at one of its endpoints.
type Vectors struct {
	llm.Embedder
	Name  string // the owner's
	Price Price
}

// Embedder hands out vectors: each question's once, with secrets hidden, and
// none for a while after a failure of all endpoints, which it tells the log once.
type Embedder struct {
	Of    []Vectors // the same model at each; the first that works
	Name  string    // of the model
	Hide  text.Redactor
	Count Count
	Log   *slog.Logger
	Now   func() time.Time

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
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	safe := make([]string, len(texts))
	for i, t := range texts {
		safe[i] = e.Hide.Hide(t)
	}
	if len(safe) == 1 {
		if v := e.known(safe[0]); v != nil {
			return [][]float32{v}, nil
		}
	}
	if e.resting() {
		return nil, ErrNoVectors
	}
	list, err := e.first(ctx, safe)
	e.note(ctx, err)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoVectors, err)
	}
	if len(safe) == 1 {
		e.keep(safe[0], list[0])
	}
	return list, nil
}

// first asks each endpoint until one answers, and counts what each took.
func (e *Embedder) first(ctx context.Context, texts []string) (list [][]float32, err error) {
	for _, v := range e.Of {
		var used llm.Usage
		list, used, err = v.Embed(ctx, texts)
		used.Cost = v.Price.Of(used)
		call := Call{"embedding", v.Name, "ok", used}
		if err != nil {
			call.Outcome = "failed"
		}
		e.Count(ctx, call)
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return list, err
}

func (e *Embedder) known(text string) []float32 {
	e.mu.Lock()
	defer e.mu.Unlock()
	sum := sha256.Sum256([]byte(text))
	if i := slices.IndexFunc(e.recent, func(r recentVector) bool { return r.text == sum }); i >= 0 {
		return e.recent[i].vector
	}
	return nil
}

func (e *Embedder) keep(text string, v []float32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.recent) == recentVectors {
		e.recent = slices.Delete(e.recent, 0, 1)
	}
	e.recent = append(e.recent, recentVector{sha256.Sum256([]byte(text)), v})
}

func (e *Embedder) resting() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.Now().Before(e.until)
}

// note heeds how a request went. That somebody gave up on an answer says nothing
// about the endpoint.
func (e *Embedder) note(ctx context.Context, err error) {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	was := e.down
	e.down = err != nil
	switch {
	case err != nil:
		e.until = e.Now().Add(embedRest)
		if !was {
			e.Log.Warn("the embedding model failed; facts, notes and rules are found by words alone until it answers", "model", e.Name, "err", err)
		}
	default:
		if was {
			e.Log.Info("the embedding model answers again", "model", e.Name)
		}
	}
}

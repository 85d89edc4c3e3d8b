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
	"parley/internal/llm/vector"
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

// Embedder hands out vectors, with secrets hidden; it asks for each question's once.
// After a failure of all endpoints, logged once, it makes none for a while. Questions and
// stored texts rest apart: a failure of one says little about the other. A text that is
// refused while the model takes others costs only itself.
type Embedder struct {
	Of    []Vectors // the same model at each; the first that works
	Name  string    // of the model
	Hide  text.Redactor
	Count Count
	Log   *slog.Logger
	Now   func() time.Time
	// Wait is how long a question waits for its vector, however many ask for it;
	// 0 is until there is one. Its request continues, for the next who asks.
	Wait time.Duration
	// Background runs what nobody waits for, and is waited for at the end; nil
	// only without Wait.
	Background func(func())

	mu     sync.Mutex // guards the rest
	flying map[[sha256.Size]byte]*flight
	rests  map[bool]time.Time // until when, of questions (true) and of the others; none when it works
	recent []recentVector
}

// flight is a request for the vector of a question.
type flight struct {
	patience time.Duration // from its beginning
	began    time.Time
	done     chan struct{} // closed when the rest is there
	list     [][]float32
	err      error
}

// late is when the request for a question is given up.
const late = 5 * time.Second

type recentVector struct {
	text   [sha256.Size]byte
	vector []float32
}

// probe is a text that every model takes.
const probe = "hello"

// Embed implements vector.Embed.
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
	if e.resting(ctx) {
		return nil, ErrNoVectors
	}
	if vector.Asking(ctx) && len(safe) == 1 && e.Wait > 0 {
		return e.inTime(ctx, safe[0])
	}
	return e.request(ctx, safe)
}

// inTime waits for the vector of a question as long as Wait allows.
func (e *Embedder) inTime(ctx context.Context, question string) ([][]float32, error) {
	f := e.board(ctx, question)
	wait := time.NewTimer(f.patience - e.Now().Sub(f.began))
	defer wait.Stop()
	select {
	case <-f.done:
		return f.list, f.err
	case <-wait.C:
	case <-ctx.Done():
	}
	return nil, fmt.Errorf("%w in time", ErrNoVectors)
}

// board joins the request for a question, or begins one.
func (e *Embedder) board(ctx context.Context, question string) *flight {
	sum := sha256.Sum256([]byte(question))
	e.mu.Lock()
	defer e.mu.Unlock()
	if f := e.flying[sum]; f != nil {
		return f
	}
	if e.flying == nil {
		e.flying = map[[sha256.Size]byte]*flight{}
	}
	f := &flight{patience: e.Wait, began: e.Now(), done: make(chan struct{})}
	e.flying[sum] = f
	e.Background(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), late)
		defer cancel()
		f.list, f.err = e.request(ctx, []string{question})
		close(f.done)
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.flying, sum)
	})
	return f
}

// request asks the model and notes the outcome.
func (e *Embedder) request(ctx context.Context, safe []string) ([][]float32, error) {
	list, err := e.each(ctx, safe)
	e.note(ctx, err)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoVectors, err)
	}
	if len(safe) == 1 {
		e.keep(safe[0], list[0])
	}
	return list, nil
}

// each is first, but where the model still takes other texts, a batch that
// fails is halved, and a text that fails twice by itself gets no vector.
func (e *Embedder) each(ctx context.Context, texts []string) ([][]float32, error) {
	list, err := e.first(ctx, texts)
	if err == nil || !aboutTexts(ctx, err) {
		return list, err
	}
	if _, down := e.first(ctx, []string{probe}); down != nil {
		return nil, err
	}
	if len(texts) == 1 {
		if list, err = e.first(ctx, texts); err != nil && aboutTexts(ctx, err) {
			e.Log.Warn("the embedding model refuses a text; it is found by words alone", "model", e.Name, "bytes", len(texts[0]), "err", err)
			return [][]float32{nil}, nil
		}
		return list, err
	}
	head, err := e.each(ctx, texts[:len(texts)/2])
	if err != nil {
		return nil, err
	}
	tail, err := e.each(ctx, texts[len(texts)/2:])
	return append(head, tail...), err
}

// aboutTexts reports whether a failure may be due to one of the texts: not the
// key, a limit, or somebody who no longer waits. Servers also break or fall
// silent over a text.
func aboutTexts(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	classes := []error{llm.ErrUnavailable, llm.ErrBadRequest, llm.ErrContextOverflow, llm.ErrFiltered, llm.ErrInvalidOutput}
	return slices.ContainsFunc(classes, func(class error) bool { return errors.Is(err, class) })
}

// first asks each endpoint until one answers, and counts what each took.
func (e *Embedder) first(ctx context.Context, texts []string) (list [][]float32, err error) {
	for _, v := range e.Of {
		var used llm.Usage
		list, used, err = v.Embed(ctx, texts)
		used.Cost = v.Price.Of(used)
		e.Count(ctx, Call{"embedding", v.Name, outcome(err), used})
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

func (e *Embedder) resting(ctx context.Context) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.Now().Before(e.rests[vector.Asking(ctx)])
}

// note records how a request went. That somebody gave up on an answer says nothing
// about the endpoint.
func (e *Embedder) note(ctx context.Context, err error) {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	was := len(e.rests) > 0
	if err == nil {
		delete(e.rests, vector.Asking(ctx))
		if was && len(e.rests) == 0 {
			e.Log.Info("the embedding model answers again", "model", e.Name)
		}
		return
	}
	if e.rests == nil {
		e.rests = map[bool]time.Time{}
	}
	e.rests[vector.Asking(ctx)] = e.Now().Add(embedRest)
	if !was {
		e.Log.Warn("the embedding model failed; facts, messages, notes and rules are found by words alone until it answers",
			"model", e.Name, "err", err)
	}
}

package endpoint

import (
	"context"
	"slices"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/tokens"
)

// turns are the requests that clients wait for in this process, by id.
type turns struct {
	mu  sync.Mutex // guards all, and who waits for each
	all map[string]*turn
}

// turn is one of them. Its answer may come from another process, which only the database
// tells.
type turn struct {
	waiting int // clients; guarded by turns

	mu      sync.Mutex // guards the rest
	growing string
	parts   []chat.Part
	over    bool
	changed chan struct{} // closed and replaced with each change
}

// join begins to wait for a request; call leave once.
func (ts *turns) join(id string) (t *turn, leave func()) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t = ts.all[id]
	if t == nil {
		t = &turn{changed: make(chan struct{})}
		ts.all[id] = t
	}
	t.waiting++
	return t, func() {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		if t.waiting--; t.waiting == 0 {
			delete(ts.all, id)
		}
	}
}

// of returns the turn of a request; nil if nobody waits for it here.
func (ts *turns) of(id string) *turn {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.all[id]
}

func (t *turn) change(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do()
	close(t.changed)
	t.changed = make(chan struct{})
}

// glance is how far a turn has come.
type glance struct {
	growing string
	parts   []chat.Part
	over    bool
	changed <-chan struct{}
}

func (t *turn) glance() glance {
	t.mu.Lock()
	defer t.mu.Unlock()
	return glance{t.growing, slices.Clone(t.parts), t.over, t.changed}
}

// How often a waiting client looks at the database, and how long an answer may be on its way
// after its row is gone.
const (
	look     = time.Second
	lostTurn = 15 * time.Second
)

// await returns a request once it is answered. show is called with the growing answer, and
// at least once per look; its error ends the waiting, and the answer is kept.
func (e *Endpoint) await(ctx context.Context, t *turn, id string, show func(growing string) error) (tokens.Request, error) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	var gone time.Time // when its row was first missing
	for {
		g := t.glance()
		if g.over {
			return e.answered(ctx, id, g)
		}
		if err := show(g.growing); err != nil {
			return tokens.Request{}, err
		}
		select {
		case <-g.changed:
			continue
		case <-ctx.Done():
			return tokens.Request{}, context.Cause(ctx)
		case <-tick.C:
		}
		r, ok, err := e.o.Store.Tokens.Request(ctx, id)
		switch {
		case err != nil:
			e.o.Log.Warn("look for an answer", "err", err)
		case ok && r.Over:
			return r, nil
		case ok:
			gone = time.Time{}
		case gone.IsZero():
			gone = e.o.Now()
		case e.o.Now().Sub(gone) > lostTurn:
			return tokens.Request{}, errGone
		}
	}
}

// answered adds to what the database knows of an answer what only this process does: the
// answer to somebody who is forgotten by now.
func (e *Endpoint) answered(ctx context.Context, id string, g glance) (tokens.Request, error) {
	r, ok, err := e.o.Store.Tokens.Request(ctx, id)
	if err != nil {
		return r, err
	}
	if !ok || len(r.Parts) < len(g.parts) {
		r.Parts = g.parts
	}
	return r, nil
}

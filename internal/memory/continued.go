package memory

import (
	"context"
	"errors"
	"sync"
)

// thread is what a session's other rows are found by.
type thread struct {
	session, line string
	after         int64 // see Session.SummarizedAt
}

// threads are those of the sessions that were read last. They have nobody's words.
type threads struct {
	mu  sync.Mutex // guards all
	all map[Place]thread
}

// maxThreads bounds them; beyond it they begin anew.
const maxThreads = 20_000

func (t *threads) of(p Place) (thread, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, ok := t.all[p]
	return one, ok
}

func (t *threads) note(p Place, se Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil || len(t.all) >= maxThreads {
		t.all = map[Place]thread{}
	}
	t.all[p] = thread{se.ID, se.Line, se.SummarizedAt}
}

// Continued is LiveSession with the session's Window, for a server: all is read at once where
// the session is the one that was alive there the last time, as it nearly always is.
func (s *Store) Continued(ctx context.Context, p Place, limit int) (se Session, ok bool, window []Entry, err error) {
	last, known := s.Sessions.threads.of(p)
	if !known {
		if se, ok, err = s.Sessions.LiveSession(ctx, p); ok {
			window, err = s.Window(ctx, se.ID, se.SummarizedAt, limit)
		}
		return se, ok, window, err
	}
	var held Session
	var errs [3]error
	var all sync.WaitGroup
	all.Go(func() { held, errs[0] = s.Sessions.held(Session{Line: last.line}, nil) })
	all.Go(func() { window, errs[1] = s.Window(ctx, last.session, last.after, limit) })
	se, ok, errs[2] = s.Sessions.live(p)
	all.Wait()
	if err = errors.Join(errs[:]...); err != nil || !ok {
		return se, false, nil, err
	}
	if now := (thread{se.ID, se.Line, se.SummarizedAt}); now != last {
		s.Sessions.threads.note(p, se)
		if se, err = s.Sessions.held(se, nil); err == nil {
			window, err = s.Window(ctx, se.ID, se.SummarizedAt, limit)
		}
		return se, true, window, err
	}
	se.Decisions, se.Decided = held.Decisions, held.Decided
	return se, true, window, nil
}

package app

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/chat"
)

// TestRefusals: a platform that refuses the bot is retried every three minutes while
// another works. When none works, all give up at once, with the exit code that stops
// supervisors.
func TestRefusals(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	no := &chat.RefusedError{Err: errors.New("no intent")}
	synctest.Test(t, func(t *testing.T) {
		down, began := newRefusals(2), time.Now()
		errs, tries, ends := make(chan error, 2), 0, make(chan error)
		go func() { errs <- down.keep(t.Context(), log, func() error { tries++; return no }) }()
		go func() { errs <- down.keep(t.Context(), log, func() error { return <-ends }) }()
		chat.Sleep(t.Context(), time.Hour+time.Second)
		synctest.Wait()
		if tries != 21 { // the first at once
			t.Errorf("%d tries in an hour", tries)
		}
		ends <- no
		if a, b := <-errs, <-errs; !refused(a) || !refused(b) || time.Since(began) > time.Hour+time.Minute {
			t.Errorf("gave up with %v and %v after %v", a, b, time.Since(began))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		down, ctx := newRefusals(2), t.Context()
		fixed, end := context.WithCancel(ctx)
		tries, errs := 0, make(chan error, 1)
		go func() {
			errs <- down.keep(fixed, log, func() error {
				if tries++; tries == 1 {
					return no
				}
				<-fixed.Done()
				return nil
			})
		}()
		chat.Sleep(t.Context(), time.Hour)
		if end(); <-errs != nil || tries != 2 {
			t.Errorf("%d tries until it was fixed", tries)
		}
	})
	synctest.Test(t, func(t *testing.T) { // another one gives up for another reason
		down, errs := newRefusals(2), make(chan error, 2)
		go func() { errs <- down.keep(t.Context(), log, func() error { return no }) }()
		chat.Sleep(t.Context(), time.Minute)
		go func() { errs <- down.keep(t.Context(), log, func() error { return errors.New("the port is taken") }) }()
		if a, b := <-errs, <-errs; refused(a) == refused(b) {
			t.Errorf("gave up with %v and %v", a, b)
		}
	})
	var leaves interface{ ExitCode() int }
	for _, tt := range []struct {
		errs []error
		code bool
	}{{[]error{no}, true}, {[]error{no, no}, true}, {[]error{no, errors.New("the port is taken")}, false}} {
		ps := &platforms{base: &base{log: log}, adapters: make([]chat.Adapter, len(tt.errs))}
		given := make(chan error, len(tt.errs))
		for _, err := range tt.errs {
			given <- err
		}
		err := ps.wait(t.Context(), given, func() {})
		if errors.As(err, &leaves) != tt.code || tt.code && leaves.ExitCode() != 2 {
			t.Errorf("%v: ends with %v", tt.errs, err)
		}
	}
}

package chat

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestCredential: one question decides for all calls that were refused before it, a question
// without an answer decides nothing, and a refused token is asked about again.
func TestCredential(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked int
		taken, failed := true, error(nil)
		c := NewCredential(func(context.Context) (bool, error) {
			asked++
			Sleep(context.Background(), time.Second)
			return taken, failed
		}, time.Now)
		if !c.Usable(t.Context()) || asked != 0 {
			t.Error("asked before any refusal")
		}
		doubt := func(calls int) {
			began := time.Now()
			Sleep(t.Context(), time.Millisecond)
			var all sync.WaitGroup
			for range calls {
				all.Go(func() { c.Doubt(t.Context(), began) })
			}
			all.Wait()
		}
		if doubt(20); c.Refused() || asked != 1 {
			t.Errorf("refused %t after %d questions", c.Refused(), asked)
		}
		failed = errors.New("no network")
		if doubt(1); c.Refused() || asked != 2 {
			t.Errorf("no answer: refused %t after %d questions", c.Refused(), asked)
		}
		taken, failed = false, nil
		if doubt(20); c.Usable(t.Context()) || asked != 3 {
			t.Errorf("revoked: refused %t after %d questions", c.Refused(), asked)
		}
		Sleep(t.Context(), RefusedRest)
		if first, second := c.Usable(t.Context()), c.Usable(t.Context()); first || second || asked != 4 {
			t.Errorf("after a rest: refused %t after %d questions", c.Refused(), asked)
		}
		taken = true
		Sleep(t.Context(), RefusedRest)
		if !c.Usable(t.Context()) || c.Refused() || asked != 5 {
			t.Errorf("taken again: refused %t after %d questions", c.Refused(), asked)
		}
	})
}

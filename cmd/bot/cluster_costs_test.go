package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/text/waittest"
)

// took asks once and returns how long the answer took to be sent.
func (f *fleet) took(t *testing.T, token string) time.Duration {
	t.Helper()
	asked := time.Now()
	f.tg.Push(telegramtest.Text(1000, 1000, token))
	must(t, f.tg.Wait(t.Context(), func() bool {
		sent := f.tg.Sent()
		return len(sent) > 0 && strings.Contains(sent[len(sent)-1].Text, token)
	}))
	calls := f.tg.Calls("sendMessage")
	return calls[len(calls)-1].At.Sub(asked)
}

// TestClusterCosts: with three processes on a database one message at a time takes about as
// long as with one. Both are asked in turn, so that whatever else the machine does concerns
// both.
func TestClusterCosts(t *testing.T) {
	t.Parallel()
	one, three := newFleet(t, 1), newFleet(t, 3)
	rounds := 20
	if whole {
		rounds = 300
	}
	var alone, beside []time.Duration
	for i := range rounds + 10 {
		a, b := one.took(t, fmt.Sprintf("tok-%d.", i)), three.took(t, fmt.Sprintf("tok-%d.", i))
		if i >= 10 { // the first ones prepare their statements
			alone, beside = append(alone, a), append(beside, b)
		}
	}
	p1, p3 := waittest.Percentile(alone, 50), waittest.Percentile(beside, 50)
	t.Logf("p50 of one process %.1f ms, of three %.1f ms", p1, p3)
	if whole && p3-p1 > 3+p1/2 { // a busy machine has three wait for each other's processors
		t.Error("three cost too much")
	}
}

package gate_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
)

// usage is what calls took that have ended.
type usage struct {
	user, channel, all atomic.Int64
	cents              atomic.Int64 // of everybody
}

func (u *usage) UserSpent(context.Context, string, time.Time) (int64, float64, error) {
	return u.user.Load(), float64(u.cents.Load()) / 100, nil
}

func (u *usage) ChannelSpent(context.Context, chat.Key, time.Time) (int64, float64, error) {
	return u.channel.Load(), float64(u.cents.Load()) / 100, nil
}

func (u *usage) AllSpent(context.Context, time.Time) (int64, float64, error) {
	return u.all.Load(), float64(u.cents.Load()) / 100, nil
}

// tokens returns an amount of nothing else.
func tokens(n int64) gate.Amount { return gate.Amount{Tokens: n} }

// TestRate: after the limit one notice, then silence.
func TestRate(t *testing.T) {
	c := newClock()
	q := gate.NewQuotas(gate.QuotaOptions{Limits: gate.Limits{PerMinute: 20}, Now: c.now,
		Exempt: func(m chat.Message) bool { return m.Key.Platform == "terminal" }})
	a := &agent{}
	h := q.Rate(a)
	told := 0
	for range 30 {
		if got := handle(t, h, direct(member, "hi")); got.Text != "agent" {
			if got.Record != (chat.End{Outcome: chat.Refused, Reason: chat.TooFast}) {
				t.Errorf("record %v", got.Record)
			}
			if got.Text != "" {
				told++
			}
		}
	}
	if a.count() != 20 || told != 1 {
		t.Errorf("%d passed, told %d times", a.count(), told)
	}
	wantText(t, handle(t, h, direct(owner, "hi")), "agent") // others go on
	c.pass(3 * time.Second)                                 // one more is due
	wantText(t, handle(t, h, direct(member, "hi")), "agent")
	wantText(t, handle(t, h, direct(member, "hi")), "")
	c.pass(time.Hour)
	if left, err := q.Left(t.Context(), direct(member, "x")); err != nil || left != (gate.Left{Messages: 20,
		User: gate.Amount{Tokens: -1, Money: -1}, Channel: gate.Amount{Tokens: -1, Money: -1}, All: gate.Amount{Tokens: -1, Money: -1}}) {
		t.Errorf("left %+v, %v", left, err)
	}
	for range 100 {
		wantText(t, handle(t, h, direct("terminal:local", "hi")), "agent")
	}
}

func TestManyPeopleAreBounded(t *testing.T) {
	c := newClock()
	q := gate.NewQuotas(gate.QuotaOptions{Limits: gate.Limits{PerMinute: 1}, Now: c.now})
	h := q.Rate(&agent{})
	for i := range 30_000 {
		handle(t, h, direct(fmt.Sprintf("telegram:%d", i), "x"))
	}
	if n := gate.Remembered(q); n > 10_000 {
		t.Errorf("%d people are remembered", n)
	}
}

// TestBudgetOvershoot: side by side, by one call at most.
func TestBudgetOvershoot(t *testing.T) {
	c := newClock()
	u := &usage{}
	q := gate.NewQuotas(gate.QuotaOptions{Limits: gate.Limits{User: tokens(1000)}, Usage: u, Now: c.now})
	var mu sync.Mutex // guards open
	var open []func(gate.Amount)
	h := q.Budget(chat.HandlerFunc(func(ctx context.Context, _ chat.Message, _ chat.Reply) (chat.Answer, error) {
		done, err := q.Reserve(ctx, tokens(90))
		if err == nil {
			mu.Lock()
			open = append(open, done) // the call goes on
			mu.Unlock()
		}
		return chat.Answer{}, err
	}))
	ask := func() {
		m := group(member, "x")
		m.Key.Channel = rand.Text()
		if _, err := h.Handle(t.Context(), m, nil); err != nil && !errors.Is(err, gate.ErrQuota) {
			t.Error(err)
		}
	}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(ask)
	}
	wg.Wait()
	if len(open) != 12 { // 11 x 90 < 1000 <= 12 x 90
		t.Errorf("%d calls at once", len(open))
	}
	for _, done := range open {
		done(tokens(50))
	}
	open = nil
	for range 50 {
		ask()
	}
	if len(open) != 5 { // 600 + 4 x 90 < 1000 <= 600 + 5 x 90
		t.Errorf("%d more calls", len(open))
	}
}

func TestBudget(t *testing.T) {
	c := newClock()
	u := &usage{}
	q := gate.NewQuotas(gate.QuotaOptions{Usage: u, Now: c.now,
		Limits: gate.Limits{User: tokens(100), Channel: tokens(200), All: tokens(300)}})
	a := &agent{}
	h := q.Budget(a)
	m := group(member, "x")
	wantText(t, handle(t, h, m), "agent")
	u.user.Store(99)
	wantText(t, handle(t, h, m), "agent")
	left, err := q.Left(t.Context(), m)
	if err != nil || left.User.Tokens != 1 || left.Channel.Tokens != 200 || left.All.Tokens != 300 || left.User.Money != -1 {
		t.Errorf("left %+v, %v", left, err)
	}
	u.user.Store(100)
	wantText(t, handle(t, h, m), "allowance")
	wantText(t, handle(t, h, m), "")
	c.pass(time.Minute)
	wantText(t, handle(t, h, m), "allowance")
	u.user.Store(0) // midnight
	c.pass(12 * time.Hour)
	wantText(t, handle(t, h, m), "agent")
	u.all.Store(300)
	wantText(t, handle(t, h, m), "agent") // it is summed once a second
	c.pass(time.Second)
	wantText(t, handle(t, h, m), "allowance")
	if _, err := q.Reserve(t.Context(), tokens(1)); !errors.Is(err, gate.ErrQuota) {
		t.Errorf("work without a person: %v", err)
	}
}

// TestMoney: a limit of money holds as one of tokens does, and says when it
// renews.
func TestMoney(t *testing.T) {
	for name, l := range map[string]gate.Limits{
		"user": {User: gate.Amount{Money: 0.5}}, "channel": {Channel: gate.Amount{Money: 0.5}}, "all": {All: gate.Amount{Money: 0.5}},
	} {
		t.Run(name, func(t *testing.T) {
			c, u := newClock(), &usage{}
			q := gate.NewQuotas(gate.QuotaOptions{Usage: u, Now: c.now, Limits: l})
			h, m := q.Budget(&agent{}), group(member, "x")
			u.cents.Store(49)
			wantText(t, handle(t, h, m), "agent")
			ctx := chat.PaidBy(t.Context(), m)
			done, err := q.Reserve(ctx, gate.Amount{Tokens: 5, Money: 0.02})
			must(t, err)
			if _, err := q.Reserve(ctx, gate.Amount{Money: 0.01}); !errors.Is(err, gate.ErrQuota) {
				t.Errorf("beside a call that takes the rest: %v", err)
			}
			done(gate.Amount{Tokens: 5, Money: 0.001})
			if _, err := q.Reserve(ctx, gate.Amount{Money: 0.01}); err != nil {
				t.Errorf("after a call that took less: %v", err)
			}
			u.cents.Store(50)
			wantText(t, handle(t, h, group(owner, "x")), "renews at midnight UTC, in")
		})
	}
}

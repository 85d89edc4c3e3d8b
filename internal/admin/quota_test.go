package admin_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/admin"
	"parley/internal/chat"
)

// usage is what finished turns took.
type usage struct{ user, channel, all atomic.Int64 }

func (u *usage) UserTokens(context.Context, string, time.Time) (int64, error) {
	return u.user.Load(), nil
}

func (u *usage) ChannelTokens(context.Context, chat.Key, time.Time) (int64, error) {
	return u.channel.Load(), nil
}

func (u *usage) AllTokens(context.Context, time.Time) (int64, error) { return u.all.Load(), nil }

// TestRate: after the limit one notice, then silence.
func TestRate(t *testing.T) {
	c := newClock()
	q := admin.NewQuotas(admin.QuotaOptions{Limits: admin.Limits{PerMinute: 20}, Now: c.now,
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
	if left, err := q.Left(t.Context(), direct(member, "x")); err != nil || left != (admin.Left{Messages: 20, UserTokens: -1, ChannelTokens: -1, AllTokens: -1}) {
		t.Errorf("left %+v, %v", left, err)
	}
	for range 100 {
		wantText(t, handle(t, h, direct("terminal:local", "hi")), "agent")
	}
}

func TestManyPeopleAreBounded(t *testing.T) {
	c := newClock()
	q := admin.NewQuotas(admin.QuotaOptions{Limits: admin.Limits{PerMinute: 1}, Now: c.now})
	h := q.Rate(&agent{})
	for i := range 30_000 {
		handle(t, h, direct(fmt.Sprintf("telegram:%d", i), "x"))
	}
	if n := admin.Remembered(q); n > 10_000 {
		t.Errorf("%d people are remembered", n)
	}
}

// TestBudgetOvershoot: side by side, by one call at most.
func TestBudgetOvershoot(t *testing.T) {
	c := newClock()
	u := &usage{}
	q := admin.NewQuotas(admin.QuotaOptions{Limits: admin.Limits{UserTokens: 1000}, Usage: u, Now: c.now})
	var mu sync.Mutex // guards open
	var open []func(int64)
	h := q.Budget(chat.HandlerFunc(func(ctx context.Context, _ chat.Message, _ chat.Reply) (chat.Answer, error) {
		done, err := q.Reserve(ctx, 90)
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
		if _, err := h.Handle(t.Context(), m, nil); err != nil && !errors.Is(err, admin.ErrQuota) {
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
		done(50)
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
	q := admin.NewQuotas(admin.QuotaOptions{Usage: u, Now: c.now,
		Limits: admin.Limits{UserTokens: 100, ChannelTokens: 200, AllTokens: 300}})
	a := &agent{}
	h := q.Budget(a)
	m := group(member, "x")
	wantText(t, handle(t, h, m), "agent")
	u.user.Store(99)
	wantText(t, handle(t, h, m), "agent")
	left, err := q.Left(t.Context(), m)
	if err != nil || left.UserTokens != 1 || left.ChannelTokens != 200 || left.AllTokens != 300 {
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
	wantText(t, handle(t, h, m), "allowance")
	if _, err := q.Reserve(t.Context(), 1); !errors.Is(err, admin.ErrQuota) {
		t.Errorf("work without a person: %v", err)
	}
}

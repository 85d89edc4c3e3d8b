package app

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/chat"
	"parley/internal/command/health"
)

// faulty is an adapter with a given health.
type faulty struct {
	chat.Adapter
	err atomic.Pointer[error]
}

func (f *faulty) Platform() string { return "somewhere" }
func (f *faulty) Health() error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

// TestDegradedIsReady: a degraded bot stays ready, and the watchdog is fed. Findings
// contain no token.
func TestDegradedIsReady(t *testing.T) {
	t.Parallel()
	cfg := configured(t, "BOT_TELEGRAM_TOKEN=12345:a-token-that-nobody-is-told")
	a, err := Process{}.newApp(t.Context(), cfg, slog.New(slog.DiscardHandler), false)
	must(t, err)
	defer a.close()
	p := &faulty{}
	a.platforms.adapters = []chat.Adapter{p}
	must(t, a.storage.store.File.Check(t.Context()))
	if got := a.vitals.findings(); len(got) != 0 {
		t.Errorf("findings of a healthy bot: %v", got)
	}
	for _, tt := range []struct {
		err  error
		want health.State
	}{{&chat.DegradedError{Err: errors.New("half an ear")}, health.Degraded},
		{fmt.Errorf("gateway: %w", &chat.DegradedError{Err: errors.New("half an ear")}), health.Degraded},
		{errors.New("deaf"), health.Unavailable}} {
		p.err.Store(&tt.err)
		if got := health.Worst(a.vitals.findings()); got != tt.want {
			t.Errorf("%v is %s", tt.err, got)
		}
		if a.vitals.alive(t.Context()) != (tt.want == health.Degraded) {
			t.Errorf("%v: alive %t", tt.err, a.vitals.alive(t.Context()))
		}
	}
	secret := errors.New("the address " + string(cfg.Telegram.Token) + " does not answer")
	p.err.Store(&secret)
	if got := fmt.Sprint(a.vitals.findings()); strings.Contains(got, string(cfg.Telegram.Token)) {
		t.Errorf("a finding contains the token: %s", got)
	}
}

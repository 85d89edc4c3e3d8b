package app

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/memory"
)

// TestRetention: sessions archived for long enough lose their messages and keep their
// summary; by default they keep everything.
func TestRetention(t *testing.T) {
	t.Parallel()
	for _, days := range []int{0, 30} {
		ctx := context.Background()
		st := staged(t, fmt.Sprintf(
			"-- settings.yaml --\nretention: {days: %d}\n-- talk --\n> my file is plan.txt\n= Noted.\n> /session end\nafter "+
				"1m\nafter 1m\nafter 1m\n> /session list\nafter 744h\n", days), nil)
		must(t, st.Play(ctx, st.script))
		var log bytes.Buffer
		st.app.log = slog.New(slog.NewTextHandler(&log, nil))
		must(t, st.app.chores.prune(ctx))
		want := 2
		if days > 0 {
			want = 0
		}
		if n, err := st.app.storage.store.Rows(ctx, "messages"); err != nil || n != want {
			t.Errorf("after %d days of retention: %d messages, %v", days, n, err)
		}
		if !strings.Contains(log.String(), fmt.Sprintf("messages=%d ", 2-want)) {
			t.Errorf("logged %s", &log)
		}
		list, err := st.app.storage.store.Sessions.Sessions(ctx, memory.SessionQuery{})
		if err != nil || len(list) != 1 || list[0].Status != memory.Archived || !strings.Contains(list[0].Closing, "plan.txt") {
			t.Errorf("sessions %+v, %v", list, err)
		}
	}
}

// TestPanickingJob: a panicking job shows in log and status, and runs again with its next
// tick.
func TestPanickingJob(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	a := built(t, configured(t), slog.New(slog.NewTextHandler(&log, nil)), nil)
	a.start()
	a.chores.schedule(a.jobs)
	ran := 0
	work := func(context.Context) error {
		if ran++; ran == 1 {
			panic("out of order")
		}
		return nil
	}
	a.jobs.Add("test", "@every 1h", work)
	tick := func() string {
		a.jobs.Run("test", work)
		answer, err := a.front.commands.Wrap(nil).Handle(context.Background(), chat.Message{
			Kind: chat.KindCommand, Text: "/status", Key: chat.Key{Platform: "terminal", Channel: "local"},
			From: chat.User{ID: "terminal:local"}, Direct: true,
		}, nil)
		must(t, err)
		return answer.Text
	}
	if got := tick(); !regexp.MustCompile(`cron test.*failed: .*out of order`).MatchString(got) ||
		!strings.Contains(log.String(), "out of order") {
		t.Errorf("status %q, log %s", got, &log)
	}
	if got := tick(); ran != 2 || strings.Contains(got, "failed") {
		t.Errorf("the next tick: ran %d times, %q", ran, got)
	}
	a.jobs.Run("test", func(context.Context) error { panic("at start") }) // as the first sweep runs
	a.drain()
}

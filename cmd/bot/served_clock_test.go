package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/memorytest"
)

// TestServedByItsClock: processes on one database go by its clock, however wrong that of
// their machine is. A reminder comes when that one says so, and /status and bot doctor say
// that the two differ.
func TestServedByItsClock(t *testing.T) {
	w := newWorld(t)
	url, set := postgrestest.Clocked(t, memorytest.URL(t))
	w.env = append(w.env, "BOT_DATABASE_URL="+url, "BOT_MODEL_NAME=builtin")
	w.run(t)
	if got := w.saying(t, 1, 1, "/remind in 30 minutes to look up"); !strings.Contains(got, "look up") {
		t.Fatal(got)
	}
	if got := w.saying(t, 1, 1, "/status"); strings.Contains(got, "clock") {
		t.Errorf("while they agree: %s", got)
	}
	set(40 * time.Minute)
	eventually(t, "the reminder", func() bool {
		return slices.ContainsFunc(w.tg.Sent(), func(m telegramtest.SentMessage) bool { return strings.Contains(m.Text, "look up (I am") })
	})
	if got := w.saying(t, 1, 1, "/status"); !strings.Contains(got, "this machine's clock is 40m0s behind") {
		t.Errorf("/status: %s", got)
	}
	if out, _ := w.examined(t); !strings.Contains(out, "this machine's clock is off by -40m") {
		t.Errorf("doctor: %s", out)
	}
}

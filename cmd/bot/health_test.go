package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
	"parley/internal/command/health"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
)

// probe asks a running bot; problems are by part.
func probe(t *testing.T, address string) (status int, word string, problems map[string]string) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		return 0, "", nil
	}
	defer func() { _ = resp.Body.Close() }()
	var body struct {
		Status   string
		Problems map[string]string
	}
	must(t, json.NewDecoder(resp.Body).Decode(&body))
	return resp.StatusCode, body.Status, body.Problems
}

// TestFaultNothingGetsThrough: answers that fail for longer than a hiccup turn
// probe red with the reason, everywhere it is asked for; it is green again as
// soon as they arrive.
func TestFaultNothingGetsThrough(t *testing.T) {
	t.Parallel()
	patience := health.Patience
	health.Patience = 300 * time.Millisecond
	t.Cleanup(func() { health.Patience = patience }) // after the bot has stopped
	w := newWorld(t)
	base := w.withPort(t)
	w.run(t)
	w.saying(t, 7, 7, "one")
	eventually(t, "green", func() bool { _, word, _ := probe(t, base+"/readyz"); return word == "ok" })
	lift := w.tg.Fail(telegramtest.Fault{Method: "sendMessage", Drop: true})
	w.tg.Push(telegramtest.Text(7, 7, "two"), telegramtest.Text(8, 8, "three"))
	eventually(t, "red", func() bool {
		status, word, problems := probe(t, base+"/healthz")
		return status == 503 && word == "unavailable" && problems["telegram delivery"] != ""
	})
	// A connection that is cut does not say what became of a request: the second
	// attempt is the last one, and nothing is waiting any more.
	eventually(t, "red with nothing waiting", func() bool {
		status, _, problems := probe(t, base+"/healthz")
		return status == 503 && strings.Contains(problems["telegram delivery"], "2 parts of answers, one after the other")
	})
	if status, _, _ := probe(t, base+"/readyz"); status != 503 {
		t.Errorf("readyz says %d", status)
	}
	if text := fetched(t, base+"/metrics"); !strings.Contains(text, "\nparley_health 2\n") || !strings.Contains(text,
		`parley_events_total{event="waits",platform="telegram"}`) {
		t.Errorf("metrics say nothing of it:\n%s", text)
	}
	lift()
	w.saying(t, 7, 7, "four")
	eventually(t, "green again", func() bool { status, word, _ := probe(t, base+"/readyz"); return status == 200 && word == "ok" })
}

// TestFaultFloodIsLasting: a platform that asks for silence again and again is
// told of too, by doctor as well, which asks nobody but the database.
func TestFaultFloodIsLasting(t *testing.T) {
	patience := health.Patience
	health.Patience = 300 * time.Millisecond
	t.Cleanup(func() { health.Patience = patience })
	w := newWorld(t)
	base := w.withPort(t)
	w.env = append(w.env, "BOT_LIMITS_SHUTDOWN_GRACE=100ms")
	w.run(t)
	eventually(t, "a poll", w.tg.Polling)
	w.tg.Fail(telegramtest.Fault{Method: "sendMessage", Status: 429, RetryAfter: 60})
	w.tg.Push(telegramtest.Text(7, 7, "two"))
	eventually(t, "red", func() bool {
		status, _, problems := probe(t, base+"/healthz")
		return status == 503 && strings.Contains(problems["telegram delivery"], "1 conversation got no answers through for")
	})
	if out, code := w.examined(t); code != 1 || !strings.Contains(out, "BAD  telegram delivery") {
		t.Errorf("doctor, exit %d:\n%s", code, out)
	}
}

// TestFaultDamagedFileIsTold: garbage in the file of a bot that is not running
// keeps it from starting, or turns health red soon after; doctor names the
// command that repairs it either way.
func TestFaultDamagedFileIsTold(t *testing.T) {
	for _, tt := range []struct {
		name string
		page func(pages int64) int64
	}{{"in the middle", func(n int64) int64 { return n / 2 }}, {"at the end", func(n int64) int64 { return n }},
		{"near the beginning", func(int64) int64 { return 4 }}} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			base := w.withPort(t)
			fill(t, w.dir)
			path := filepath.Join(w.dir, datadir.Name)
			st, err := os.Stat(path)
			must(t, err)
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(t, err)
			junk := []byte(strings.Repeat("\xeejunk", 1000))[:4096]
			if _, err := f.WriteAt(junk, (tt.page(st.Size()/4096)-1)*4096); err != nil {
				t.Fatal(err)
			}
			_ = f.Close()
			child := w.start(t)
			gone := make(chan struct{})
			go func() { _ = child.Wait(); close(gone) }()
			defer func() { _ = child.Process.Kill(); <-gone }() // a second Wait beside this one may hang
			eventually(t, "refused, or red", func() bool {
				select {
				case <-gone:
					return true
				default:
				}
				status, _, problems := probe(t, base+"/healthz")
				return status == 503 && strings.Contains(problems["database"], "bot restore")
			})
			if out, code := w.examined(t); code != 1 || !strings.Contains(out, "bot restore FILE") {
				t.Errorf("doctor, exit %d:\n%s", code, out)
			}
		})
	}
}

// fill makes a database with many messages in it.
func fill(t *testing.T, dir string) {
	t.Helper()
	s, err := memory.Open(t.Context(), dir, memory.Options{})
	must(t, err)
	b := chat.Batch{Platform: "telegram"}
	for i := range 500 {
		b.Messages = append(b.Messages, chat.Message{ID: fmt.Sprint(i), Key: chat.Key{Platform: "telegram", Channel: "1"},
			From: chat.User{ID: "telegram:1"}, Kind: chat.KindSkipped, Text: strings.Repeat("x", 1000)})
	}
	if _, err := s.Accept(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	must(t, s.Close())
}

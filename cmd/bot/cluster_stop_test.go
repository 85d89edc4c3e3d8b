package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

// balancer is before processes that all listen. It posts many updates at a time, as
// Telegram does.
type balancer struct {
	*httptest.Server
	ports []string
	posts sync.WaitGroup

	mu    sync.Mutex // guards the rest
	turn  int
	route func(update string) int // -1 is whose turn it is
	came  map[string]time.Time    // when an update was posted, by what it says
}

func (b *balancer) pass(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	b.mu.Lock()
	to := b.route(string(body))
	if to < 0 {
		b.turn++
		to = b.turn % len(b.ports)
	}
	b.mu.Unlock()
	b.posts.Go(func() {
		for range 100 {
			b.mu.Lock()
			b.came[string(body)] = time.Now()
			b.mu.Unlock()
			req, err := http.NewRequest(http.MethodPost, "http://"+b.ports[to]+r.URL.Path, bytes.NewReader(body))
			if err != nil {
				return
			}
			req.Header = r.Header.Clone()
			resp, err := http.DefaultClient.Do(req)
			if err == nil {
				_ = resp.Body.Close()
				if resp.StatusCode/100 == 2 {
					return
				}
			}
			waittest.Take(context.Background(), 20*time.Millisecond)
		}
	})
}

// when returns when an update that says something was posted last.
func (b *balancer) when(says string) (at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for body, came := range b.came {
		if strings.Contains(body, says) {
			at = came
		}
	}
	return at
}

// listening starts processes that Telegram posts to.
func listening(t *testing.T, n int, route func(update string) int) (*fleet, *balancer) {
	t.Helper()
	w := newWorld(t)
	w.llm.Quiet()
	f := &fleet{world: w, url: memorytest.URL(t), lives: map[string]*lifetime{}}
	b := &balancer{route: route, came: map[string]time.Time{}}
	b.Server = httptest.NewServer(http.HandlerFunc(b.pass))
	t.Cleanup(func() { b.Close(); b.posts.Wait() })
	f.listen(t, n, b.URL, &b.ports)
	f.owning(t)
	return f, b
}

// TestClusterStopUnderLoad: a hundred messages a second come to both of two processes, and a
// /stop of an answer that one makes comes to the other. It is answered within a second, and
// nothing more is shown of that answer.
func TestClusterStopUnderLoad(t *testing.T) {
	t.Parallel()
	waittest.Alone(t)
	const every, first = 60, int64(5000) // messages between two that want a long answer
	rounds := 2
	if whole {
		rounds = 20
	}
	load := (rounds + 2) * every
	f, b := listening(t, 2, func(update string) int {
		for i := range rounds {
			if strings.Contains(update, fmt.Sprintf("think long %d.", i)) {
				return i % 2
			}
			if strings.Contains(update, fmt.Sprintf("/stop %d.", i)) {
				return (i + 1) % 2
			}
		}
		return -1
	})
	f.llm.Respond(func(r llmtest.Request) (turn llmtest.Turn) {
		if strings.Contains(r.Last("user"), "think long") {
			turn = llmtest.Turn{Text: strings.Repeat("on and on ", 200), Chunks: 400, ChunkWait: 100 * time.Millisecond}
		}
		return turn
	})
	for i := range load {
		chat := int64(1000 + i%100)
		f.tg.Push(telegramtest.Text(chat, chat, fmt.Sprintf("tok-%d.", i)))
		if n := int64(i / every); i%every == 0 {
			if n < int64(rounds) {
				f.tg.Push(telegramtest.Text(first+n, first+n, fmt.Sprintf("think long %d.", n)))
			}
			if n -= 2; n >= 0 {
				must(t, f.tg.Wait(t.Context(), func() bool {
					return slices.ContainsFunc(f.tg.Actions(), func(a telegramtest.Action) bool { return a.Chat == first+n })
				}))
				f.tg.Push(telegramtest.Text(first+n, first+n, fmt.Sprintf("/stop %d.", n)))
			}
		}
		waittest.Take(t.Context(), 10*time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	must(t, f.tg.Wait(ctx, func() bool { return len(f.tg.Sent()) >= load+rounds }))
	waittest.Take(t.Context(), 4500*time.Millisecond) // typing would be shown again by now
	took, shown, after := stops(f, b, first, rounds)
	got := outcome{late: after, pauses: pauses{slowest: slices.Max(took), usual: usually(f, b)}}
	t.Logf("stopped after %v, half of them after %.0f ms; %d signs of the answers before, %d after; other answers took %v",
		got.slowest, waittest.Percentile(took, 50), shown, after, got.usual)
	got.within(t, time.Second)
	if f.open() > 0 || shown-after < rounds {
		t.Errorf("%d open, %d shown", f.open(), shown)
	}
	if again := f.flew(t); len(again) > 0 {
		t.Logf("a process had no time to keep its lease, with %d on their way", len(again))
		return
	}
	for n := range rounds {
		chat := first + int64(n)
		var said []string
		for _, m := range f.tg.Sent() {
			if m.Chat == chat {
				said = append(said, m.Text)
			}
		}
		if len(said) != 1 || !strings.Contains(said[0], "topped") {
			t.Errorf("round %d: said %q", n, said)
		}
	}
	if got.late > 0 {
		t.Errorf("%d times something was shown of an answer that was stopped", got.late)
	}
}

// stops returns how many signs there were of the answers that were stopped, how long it took
// until each was said, and how many signs came after that.
func stops(f *fleet, b *balancer, first int64, rounds int) (took []time.Duration, shown, after int) {
	for n := range rounds {
		chat, asked := fmt.Sprint(first+int64(n)), b.when(fmt.Sprintf("/stop %d.", n))
		var ended time.Time
		for _, c := range f.tg.Calls("") {
			if c.Fields["chat_id"] != chat {
				continue
			}
			if ended.IsZero() && c.At.After(asked) && (c.Method == "sendMessage" || c.Method == "editMessageText") &&
				strings.Contains(c.Fields["text"], "topped") {
				ended = c.At
				took = append(took, ended.Sub(asked))
				continue
			}
			if shown++; !ended.IsZero() {
				after++
			}
		}
	}
	return took, shown, after
}

// usually returns within which time nine of ten were answered.
func usually(f *fleet, b *balancer) time.Duration {
	var took []time.Duration
	for _, c := range f.tg.Calls("sendMessage") {
		if token := c.Fields["text"]; strings.Contains(token, "tok-") {
			took = append(took, c.At.Sub(b.when(token[strings.Index(token, "tok-"):strings.IndexByte(token, '.')+1])))
		}
	}
	slices.Sort(took)
	return took[len(took)*9/10]
}

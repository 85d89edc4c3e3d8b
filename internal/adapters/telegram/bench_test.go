package telegram

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
)

// echo answers everything at once, each message in a goroutine of its own.
type echo struct {
	a  *Adapter
	wg sync.WaitGroup
}

func (e *echo) Deliver(_ context.Context, b chat.Batch) error {
	for _, m := range b.Messages {
		e.wg.Go(func() {
			_, _ = e.a.Send(context.Background(), chat.Part{Key: m.Key, ReplyTo: m.ID, Text: m.Text})
		})
	}
	return nil
}

func (e *echo) Room(ctx context.Context) error                             { return ctx.Err() }
func (e *echo) Cursors(context.Context, string) (map[string]string, error) { return nil, nil }

func echoing(b *testing.B) *telegramtest.Server {
	s := telegramtest.New()
	a, err := New(Options{Token: s.Token(), APIURL: s.URL()})
	if err != nil {
		b.Fatal(err)
	}
	e := &echo{a: a}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = a.Run(ctx, e) })
	b.Cleanup(func() { cancel(); wg.Wait(); e.wg.Wait(); a.wire.send.CloseIdleConnections(); s.Close() })
	return s
}

// BenchmarkOneAtATime is a message's way in and its answer's way out, the
// fake's own work included.
func BenchmarkOneAtATime(b *testing.B) {
	s := echoing(b)
	for n := 1; b.Loop(); n++ {
		s.Push(telegramtest.Text(42, 42, "hello"))
		if _, err := s.WaitSent(b.Context(), n); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBurst is 200 chats with 5 messages each at once.
func BenchmarkBurst(b *testing.B) {
	s := echoing(b)
	for n := 1; b.Loop(); n++ {
		for i := range 5 {
			for c := range int64(200) {
				s.Push(telegramtest.Text(c+1, c+1, fmt.Sprint("hello ", i)))
			}
		}
		if _, err := s.WaitSent(b.Context(), n*1000); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "answers/s")
}

// BenchmarkStart is the time from New to the first poll.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s := telegramtest.New()
		a, err := New(Options{Token: s.Token(), APIURL: s.URL()})
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		var wg sync.WaitGroup
		wg.Go(func() { _ = a.Run(ctx, &echo{a: a}) })
		if _, err := s.WaitCalls(ctx, "getUpdates", 1); err != nil {
			b.Fatal(err)
		}
		cancel()
		wg.Wait()
		a.wire.send.CloseIdleConnections()
		s.Close()
	}
}

// BenchmarkSplit cuts a long answer of everything.
func BenchmarkSplit(b *testing.B) {
	a, err := New(Options{Token: telegramtest.DefaultToken})
	if err != nil {
		b.Fatal(err)
	}
	s := strings.Repeat("Some **bold** text with `code` and a [link](https://example.org).\n\n```go\nx := 1\n```\n- one\n- two\n\n", 300)
	for b.Loop() {
		a.Split(s)
	}
}

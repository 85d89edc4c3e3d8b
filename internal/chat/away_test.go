package chat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/chat"
	"parley/internal/chat/chattest"
	"parley/internal/memory"
	"parley/internal/text/waittest"
)

// gone is a journal that cannot store for a while that something was sent.
type gone struct {
	*papers
	until time.Time
	known time.Time // when it was stored
}

func (g *gone) Mark(ctx context.Context, p chat.Part, s chat.PartState, id string, until time.Time) error {
	if s == chat.PartSent && time.Now().Before(g.until) {
		return errors.New("away")
	}
	if s == chat.PartSent {
		g.known = time.Now()
	}
	return g.papers.Mark(ctx, p, s, id, until)
}

// TestSentIsStoredFirst: what was sent while the database was away, however long, is stored
// within half a second once it is back: sooner than any other process takes it for unsent.
func TestSentIsStoredFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &gone{papers: &papers{}, until: time.Now().Add(47 * time.Second)}
		h := chat.NewHub(chat.HubOptions{Inbox: j, Outbox: j, Adapters: []chat.Adapter{&chattest.Adapter{}},
			Handler: chat.HandlerFunc(func(context.Context, chat.Message, chat.Reply) (chat.Answer, error) {
				return chat.Answer{Text: "hi"}, nil
			})})
		if err := h.Deliver(t.Context(), chat.Batch{Platform: "p", Messages: []chat.Message{said("1", "hi")}}); err != nil {
			t.Fatal(err)
		}
		waittest.Pass(time.Minute)
		if late := j.known.Sub(j.until); j.known.IsZero() || late > 500*time.Millisecond {
			t.Errorf("stored %v after the database was back", late)
		}
		h.Drain(t.Context())
	})
}

// unmarked is a journal that takes nothing more about what is sent.
type unmarked struct {
	*memory.Store
	off atomic.Bool
}

func (u *unmarked) Mark(ctx context.Context, p chat.Part, s chat.PartState, id string, until time.Time) error {
	if s == chat.PartSent && u.off.Load() {
		return errAway
	}
	return u.Store.Mark(ctx, p, s, id, until)
}

// TestSentIsKnownToTheNextProcess: what was sent while that could not be stored is not sent
// again by the process that begins where this one was killed.
func TestSentIsKnownToTheNextProcess(t *testing.T) {
	dir := data(t)
	s := newStage(t, dir, chat.HubOptions{})
	rows := &unmarked{Store: s.store}
	rows.off.Store(true)
	s.Hub = chat.NewHub(chat.HubOptions{Inbox: rows, Outbox: rows, Adapters: []chat.Adapter{s.p}, Previews: book(t, dir),
		Handler: chat.HandlerFunc(echo)})
	s.say("c", "hi")
	s.until("it is noted", func() bool { return len(book(t, dir).Noted()) == 1 })
	s.end(0)
	next := s.next(dir, chat.HubOptions{Handler: chat.HandlerFunc(echo), Previews: book(t, dir), RepeatUnknown: true})
	next.n = s.n
	next.say("c", "again")
	next.until("answered", func() bool { return len(next.p.Texts()) > 0 })
	next.end(time.Minute)
	if got := next.p.Texts(); !slices.Equal(got, []string{"again"}) {
		t.Errorf("the next process sends %q", got)
	}
	if left := book(t, dir).Noted(); len(left) > 0 {
		t.Errorf("still noted: %+v", left)
	}
}

// full is a journal that takes no message for a while.
type full struct {
	*papers
	fails int
	slow  time.Duration // the first that it takes
}

func (f *full) Accept(ctx context.Context, b chat.Batch) ([]chat.Message, error) {
	if f.fails--; f.fails >= 0 {
		return nil, errors.New("away")
	}
	chat.Sleep(ctx, f.slow)
	f.slow = 0
	return f.papers.Accept(ctx, b)
}

// TestWhatThePlatformKeptIsAnswered: after an outage more messages of a conversation come at
// once than may wait there otherwise. None is refused, however short the outage was; of those
// that are written at once some are.
func TestWhatThePlatformKeptIsAnswered(t *testing.T) {
	for _, tt := range []struct {
		name  string
		age   time.Duration // when the process starts; below 0 that much later
		away  full
		sheds bool
		// before are so many that waited for longer.
		before int
	}{
		{"at once", 0, full{}, true, 0},
		{"a few, behind some that waited", 0, full{}, false, 22},
		{"some seconds old, and nothing was away", -3 * time.Second, full{}, true, 0},
		{"old", time.Minute, full{}, false, 0},
		{"from before the start", time.Second, full{}, false, 0},
		{"not stored at first", 3 * time.Second, full{fails: 1}, false, 0},
		{"stored slowly", 2 * time.Second, full{slow: 4 * time.Second}, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var refused atomic.Int64
				j := &tt.away
				j.papers = &papers{}
				h := chat.NewHub(chat.HubOptions{Inbox: j, Outbox: j, Adapters: []chat.Adapter{&chattest.Adapter{}},
					Observe: func(e chat.Event) {
						if e.Name == "shed" {
							refused.Add(1)
						}
					},
					Handler: chat.HandlerFunc(func(ctx context.Context, _ chat.Message, _ chat.Reply) (chat.Answer, error) {
						chat.Sleep(ctx, time.Second)
						return chat.Answer{Text: "hi"}, nil
					})})
				old := chat.Batch{Platform: "p"}
				for i := range tt.before {
					m := said(fmt.Sprint("old", i), "hi")
					m.At = time.Now().Add(-time.Minute)
					old.Messages = append(old.Messages, m)
				}
				if tt.before > 0 {
					if err := h.Deliver(t.Context(), old); err != nil {
						t.Fatal(err)
					}
				}
				b := chat.Batch{Platform: "p"}
				for i := range 30 - tt.before {
					m := said(fmt.Sprint(i), "hi")
					if m.At = time.Now().Add(-tt.age); tt.age < 0 {
						m.At = time.Now()
					}
					b.Messages = append(b.Messages, m)
				}
				chat.Sleep(t.Context(), -tt.age)
				for h.Deliver(t.Context(), b) != nil { // the platform brings them again
					chat.Sleep(t.Context(), time.Second)
				}
				waittest.Pass(time.Minute)
				if got := refused.Load(); (got > 0) != tt.sheds {
					t.Errorf("%d refused", got)
				}
				h.Drain(t.Context())
			})
		})
	}
}

package chat_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/chat"
	"parley/internal/chat/chattest"
	"parley/internal/memory"
	"parley/internal/text/waittest"
)

// unnoted is a journal that takes no ids of previews for a while.
type unnoted struct {
	*memory.Store
	fails, noted atomic.Int32
}

func (u *unnoted) Previewed(ctx context.Context, m chat.Message, id string) error {
	if u.fails.Add(-1) >= 0 {
		return errors.New("the server cannot be reached")
	}
	defer u.noted.Add(1)
	return u.Store.Previewed(ctx, m, id)
}

// board is a platform whose previews can be removed.
type board struct {
	chattest.Adapter
	mu      sync.Mutex // guards removed
	removed []string
}

func (b *board) Withdraw(_ context.Context, _ chat.Key, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.removed = append(b.removed, id)
}

func (b *board) gone() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.removed)
}

// previews begins to answer a message on a board and returns once a preview stands for it.
// What is sent to more is shown, and the answer is what say returns.
func previews(t *testing.T, s *stage, rows *unnoted, say func(ctx context.Context, w chat.Reply) chat.Answer) *board {
	t.Helper()
	b := &board{}
	s.Hub = chat.NewHub(chat.HubOptions{Inbox: rows, Outbox: rows, Adapters: []chat.Adapter{b},
		Handler: chat.HandlerFunc(func(ctx context.Context, _ chat.Message, w chat.Reply) (chat.Answer, error) {
			w.Text("growing")
			a := say(ctx, w)
			return a, ctx.Err()
		})})
	s.say("c", "hi")
	s.until("a preview", func() bool { return len(b.Shown()) > 0 })
	return b
}

// TestPreviewThatCouldNotBeNoted: where the journal does not take a preview's id, the
// process that knows it makes it the answer all the same.
func TestPreviewThatCouldNotBeNoted(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{})
	rows := &unnoted{Store: s.store}
	rows.fails.Store(1 << 20)
	seen := make(chan struct{})
	b := previews(t, s, rows, func(context.Context, chat.Reply) chat.Answer {
		<-seen
		return chat.Answer{Text: "grown"}
	})
	close(seen)
	s.until("sent", func() bool { return len(b.Sent()) == 1 })
	s.end(time.Minute)
	if p := b.Sent()[0]; p.Preview != "preview" || p.Text != "grown" || len(b.gone()) > 0 {
		t.Errorf("sent %+v, removed %q", p, b.gone())
	}
}

// TestPreviewIsNotedLater: an id that the journal did not take is noted with a later
// picture, once.
func TestPreviewIsNotedLater(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{})
	rows := &unnoted{Store: s.store}
	rows.fails.Store(1)
	seen := make(chan struct{})
	b := previews(t, s, rows, func(_ context.Context, w chat.Reply) chat.Answer {
		for {
			select {
			case <-seen:
				return chat.Answer{Text: "grown"}
			case <-time.After(time.Millisecond):
				w.Text(".")
			}
		}
	})
	s.until("it is noted", func() bool { return rows.noted.Load() == 1 })
	more := len(b.Shown())
	s.until("it grows", func() bool { return len(b.Shown()) > more+2 })
	close(seen)
	s.until("sent", func() bool { return len(b.Sent()) == 1 })
	s.end(time.Minute)
	if n := rows.noted.Load(); n != 1 {
		t.Errorf("noted %d times", n)
	}
}

// TestPreviewOfAProcessThatEnds: one that the journal knows is left for the next process,
// one that it does not know is removed.
func TestPreviewOfAProcessThatEnds(t *testing.T) {
	for name, fails := range map[string]int32{"noted": 0, "not noted": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			dir := data(t)
			s := newStage(t, dir, chat.HubOptions{})
			rows := &unnoted{Store: s.store}
			rows.fails.Store(fails)
			b := previews(t, s, rows, func(ctx context.Context, _ chat.Reply) chat.Answer {
				<-ctx.Done()
				return chat.Answer{}
			})
			s.end(0)
			want := "preview"
			if fails > 0 {
				want = ""
			}
			if got := b.gone(); len(got) > 0 != (fails > 0) {
				t.Errorf("removed %q", got)
			}
			s = s.next(dir, chat.HubOptions{Handler: chat.HandlerFunc(echo)})
			s.until("answered", func() bool { return len(s.p.Texts()) == 1 })
			s.end(time.Minute)
			if p := s.p.Sent()[0]; p.Preview != want {
				t.Errorf("the next process sends %+v", p)
			}
		})
	}
}

// TestPreviewWithoutAnAnswer: a preview that becomes no part of the answer is removed by a
// part of its own, which outlasts the process.
func TestPreviewWithoutAnAnswer(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{})
	seen := make(chan struct{})
	b := previews(t, s, &unnoted{Store: s.store}, func(context.Context, chat.Reply) chat.Answer {
		<-seen
		return chat.Answer{}
	})
	close(seen)
	s.until("removed", func() bool { return len(b.Sent()) == 1 })
	s.end(time.Minute)
	if p := b.Sent()[0]; p.Preview != "preview" || p.Text != "" || len(p.Files) > 0 {
		t.Errorf("sent %+v", p)
	}
}

// distant is a platform that a request reaches a second after it was sent, whether or not
// somebody still waits for it.
type distant struct {
	chattest.Adapter
	mu     sync.Mutex // guards stands
	stands string
}

func (d *distant) Send(ctx context.Context, p chat.Part) (string, error) {
	d.mu.Lock()
	d.stands = p.Text
	d.mu.Unlock()
	return d.Adapter.Send(ctx, p)
}

func (d *distant) Preview(ctx context.Context, _ chat.Message, id, text string) (string, time.Duration, error) {
	if id == "" {
		return "preview", time.Second, nil
	}
	time.AfterFunc(time.Second, func() {
		d.mu.Lock()
		d.stands = text
		d.mu.Unlock()
	})
	if !chat.Sleep(ctx, time.Second+time.Millisecond) {
		return id, 0, ctx.Err()
	}
	return id, time.Second, nil
}

// TestPreviewDoesNotOvertake: an edit that is on the wire when the answer is ready does not
// land on it.
func TestPreviewDoesNotOvertake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &distant{}
		c := newCrowd(t, p, p.Texts, func(ctx context.Context, _ chat.Message, w chat.Reply) (chat.Answer, error) {
			for range 26 { // a moment after the second picture was sent
				w.Text("half ")
				chat.Sleep(ctx, 100*time.Millisecond)
			}
			return chat.Answer{Text: "whole"}, nil
		})
		c.write(1)
		waittest.Pass(10 * time.Second)
		if p.stands != "whole" {
			t.Errorf("%q stands there", p.stands)
		}
		c.Drain(t.Context())
	})
}

// TestPreviewOfSomebodyForgotten: where the author is forgotten before the answer is
// stored, nothing of it stays.
func TestPreviewOfSomebodyForgotten(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{})
	seen := make(chan struct{})
	b := previews(t, s, &unnoted{Store: s.store}, func(context.Context, chat.Reply) chat.Answer {
		<-seen
		return chat.Answer{Text: "grown"}
	})
	if err := s.store.ForgetPerson(t.Context(), "p:1", 0); err != nil {
		t.Fatal(err)
	}
	close(seen)
	s.until("removed", func() bool { return slices.Equal(b.gone(), []string{"preview"}) })
	s.end(time.Minute)
	if got := b.Sent(); len(got) > 0 {
		t.Errorf("sent %+v", got)
	}
}

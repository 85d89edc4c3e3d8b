package chat_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/chat"
	"parley/internal/chat/chattest"
	"parley/internal/text/waittest"
)

// papers is a journal in memory: of what the Hub stores only the parts.
type papers struct {
	mu    sync.Mutex // guards what follows
	rows  int64
	parts []chat.Part
}

func (p *papers) Accept(_ context.Context, b chat.Batch) ([]chat.Message, error) {
	p.mu.Lock()
	for i := range b.Messages {
		p.rows++
		b.Messages[i].Row = p.rows
	}
	p.mu.Unlock()
	b.Taken(b.Messages)
	return b.Messages, nil
}

func (p *papers) Finish(_ context.Context, _ chat.Message, parts []chat.Part, _ any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range parts {
		p.rows++
		parts[i].Row = p.rows
		p.parts = append(p.parts, parts[i])
	}
	return nil
}

func (p *papers) Pending(_ context.Context, k chat.Key) (list []chat.Part, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, part := range p.parts {
		if part.Key == k {
			list = append(list, part)
		}
	}
	return list, nil
}

func (p *papers) Mark(_ context.Context, done chat.Part, s chat.PartState, _ string, _ time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, part := range p.parts {
		if part.Row == done.Row && s == chat.PartSent {
			p.parts = append(p.parts[:i:i], p.parts[i+1:]...)
			break
		}
	}
	return nil
}

func (p *papers) Left(context.Context) ([]chat.Key, error)                   { return nil, nil }
func (p *papers) Adopt(context.Context, []chat.Key) ([]chat.Message, error)  { return nil, nil }
func (p *papers) Cursors(context.Context, string) (map[string]string, error) { return nil, nil }
func (p *papers) Revise(context.Context, chat.Message, []int64) error        { return nil }
func (p *papers) Previewed(context.Context, chat.Message, string) error      { return nil }
func (p *papers) Fate(context.Context, chat.Preview) (chat.Fate, error)      { return chat.Awaits, nil }
func (p *papers) Move(context.Context, chat.Move) error                      { return nil }

// typist is a platform where typing is seen for five seconds, or until the bot
// says something.
type typist struct {
	chattest.Adapter
	mu    sync.Mutex // guards what follows
	began time.Time
	at    []time.Time // of typing
	sent  []time.Time
}

func (a *typist) Typing(context.Context, chat.Message) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = append(a.at, time.Now())
	return nil
}

func (a *typist) Send(ctx context.Context, p chat.Part) (string, error) {
	a.mu.Lock()
	a.sent = append(a.sent, time.Now())
	a.mu.Unlock()
	return a.Adapter.Send(ctx, p)
}

// unseen returns the longest that typing was not seen between two moments.
func (a *typist) unseen(from, to time.Duration) (longest time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	const step = 50 * time.Millisecond
	var dark time.Duration
	for t := a.began.Add(from); t.Before(a.began.Add(to)); t = t.Add(step) {
		if a.lit(t) {
			dark = 0
			continue
		}
		dark += step
		longest = max(longest, dark)
	}
	return longest
}

func (a *typist) lit(t time.Time) bool {
	var last time.Time
	for _, at := range a.at {
		if !at.After(t) {
			last = at
		}
	}
	for _, s := range a.sent {
		if !s.Before(last) && !s.After(t) {
			return false
		}
	}
	return !last.IsZero() && t.Sub(last) < 5*time.Second
}

func (a *typist) after(d time.Duration) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, at := range a.at {
		if at.After(a.began.Add(d)) {
			n++
		}
	}
	return n
}

// folds is a record with work left once the answer is out.
type folds struct{ lasts time.Duration }

func (f folds) After() func(context.Context) {
	return func(context.Context) { waittest.Take(context.Background(), f.lasts) }
}

// Whoever waits sees within a second that the bot is at work, for as long as
// that takes and no longer.
func TestTypingWhileSomebodyWaits(t *testing.T) {
	text := func(id string) chat.Message { return said(id, id) }
	overheard := func(id string) chat.Message {
		m := said(id, id)
		m.Addressed = false
		return m
	}
	type step struct {
		at time.Duration
		m  chat.Message
	}
	for name, tt := range map[string]struct {
		say      []step
		do       time.Duration // work of the lane's own, at 0
		handle   func(m chat.Message, w chat.Reply) chat.Answer
		from, to time.Duration // when somebody waits
	}{
		"a long answer": {say: []step{{0, text("1")}}, to: 13 * time.Second, handle: func(chat.Message, chat.Reply) chat.Answer {
			waittest.Take(context.Background(), 13*time.Second)
			return chat.Answer{Text: "done"}
		}},
		"a fold": {say: []step{{0, text("1")}, {2 * time.Second, text("2")}}, from: 2 * time.Second, to: 9 * time.Second,
			handle: func(m chat.Message, _ chat.Reply) chat.Answer {
				if m.ID == "1" {
					return chat.Answer{Text: "one", Record: folds{8 * time.Second}}
				}
				waittest.Take(context.Background(), time.Second)
				return chat.Answer{Text: "two"}
			}},
		"work of another kind": {do: 7 * time.Second, say: []step{{time.Second, text("1")}}, from: time.Second, to: 7 * time.Second,
			handle: func(chat.Message, chat.Reply) chat.Answer {
				return chat.Answer{Text: "one"}
			}},
		"what was overheard is looked at": {say: []step{{0, overheard("1")}, {time.Second, text("2")}}, from: time.Second, to: 7 * time.Second,
			handle: func(m chat.Message, _ chat.Reply) chat.Answer {
				if m.ID == "1" {
					waittest.Take(context.Background(), 6*time.Second)
				}
				return chat.Answer{}
			}},
		"a channel where everything is answered": {say: []step{{0, overheard("1")}}, to: 7 * time.Second,
			handle: func(_ chat.Message, w chat.Reply) chat.Answer {
				chat.Await(w)
				waittest.Take(context.Background(), 7*time.Second)
				return chat.Answer{Text: "one"}
			}},
		"an album": {say: []step{{0, chat.Message{ID: "1", Album: "a", Text: "look", Addressed: true, From: chat.User{ID: "p:1"}}}},
			to: 5 * time.Second,
			handle: func(chat.Message, chat.Reply) chat.Answer {
				waittest.Take(context.Background(), 5*time.Second)
				return chat.Answer{Text: "one"}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, j := &typist{began: time.Now()}, &papers{}
				h := chat.NewHub(chat.HubOptions{Inbox: j, Outbox: j, Adapters: []chat.Adapter{a},
					Handler: chat.HandlerFunc(func(_ context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
						return tt.handle(m, w), nil
					})})
				if tt.do > 0 {
					h.Do(said("0", "").Key, chat.InOrder, func(context.Context) { waittest.Take(context.Background(), tt.do) })
				}
				for _, s := range tt.say {
					waittest.Pass(time.Until(a.began.Add(s.at)))
					s.m.Key = said("0", "").Key
					if err := h.Deliver(t.Context(), chat.Batch{Platform: "p", Messages: []chat.Message{s.m}}); err != nil {
						t.Fatal(err)
					}
				}
				waittest.Pass(time.Minute)
				if dark := a.unseen(tt.from, tt.to); dark > time.Second {
					t.Errorf("nothing was seen for %s; typing at %s", dark, since(a))
				}
				if n := a.after(tt.to + 2*time.Second); n > 0 {
					t.Errorf("typed %d times after everything was over, at %s", n, since(a))
				}
				h.Drain(t.Context())
			})
		})
	}
}

func since(a *typist) (list []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, at := range a.at {
		list = append(list, fmt.Sprint(at.Sub(a.began)))
	}
	return list
}

// watcher is a platform that shows which tools are at work.
type watcher struct {
	chattest.Adapter
	seen []string
}

func (w *watcher) Watch(m chat.Message, tools []string) {
	w.seen = append(w.seen, fmt.Sprint(m.Text, tools))
}

// bare is a Reply that shows no tools.
type bare struct{ chat.Reply }

func (bare) Status(string) {}

func TestToolsAtWorkAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, j := &watcher{}, &papers{}
		h := chat.NewHub(chat.HubOptions{Inbox: j, Outbox: j, Adapters: []chat.Adapter{w},
			Handler: chat.HandlerFunc(func(_ context.Context, _ chat.Message, r chat.Reply) (chat.Answer, error) {
				one, two := chat.Work(r, "a"), chat.Work(r, "b")
				again := chat.Work(r, "a")
				one()
				two()
				again()
				chat.Work(bare{}, "a")() // shows nothing, and breaks nothing
				return chat.Answer{Text: "done"}, nil
			})})
		if err := h.Deliver(t.Context(), chat.Batch{Platform: chattest.Platform, Messages: []chat.Message{said("1", "hi")}}); err != nil {
			t.Fatal(err)
		}
		h.Drain(t.Context())
		if want := []string{"hi[a]", "hi[a b]", "hi[a b a]", "hi[b a]", "hi[a]", "hi[]"}; !slices.Equal(w.seen, want) {
			t.Errorf("seen are %q, want %q", w.seen, want)
		}
	})
}

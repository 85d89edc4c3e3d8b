package chat_test

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/chat"
	"parley/internal/chat/chattest"
	"parley/internal/memory"
	"parley/internal/memory/previews"
	"parley/internal/text/waittest"
)

// unnoted is a journal that takes no ids of previews for a while, or does and cannot say so,
// and that knows nothing of them while it is away.
type unnoted struct {
	*memory.Store
	fails, noted atomic.Int32
	lost, away   atomic.Bool
	book         chat.Previews // nil for none
}

var errAway = errors.New("the server cannot be reached")

func (u *unnoted) Previewed(ctx context.Context, m chat.Message, id string) error {
	if u.fails.Add(-1) >= 0 || u.away.Load() {
		return errAway
	}
	defer u.noted.Add(1)
	if err := u.Store.Previewed(ctx, m, id); err != nil || !u.lost.Load() {
		return err
	}
	return errAway
}

func (u *unnoted) Fate(ctx context.Context, p chat.Preview) (chat.Fate, error) {
	if u.away.Load() {
		return chat.Awaits, errAway
	}
	return u.Store.Fate(ctx, p)
}

// board is a platform whose previews can be removed.
type board struct {
	chattest.Adapter
	mu      sync.Mutex // guards the rest
	removed []string
	refuses int // so often it is away
}

func (b *board) Withdraw(_ context.Context, _ chat.Key, id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuses--; b.refuses >= 0 {
		return errors.New("the platform is away")
	}
	b.removed = append(b.removed, id)
	return nil
}

func (b *board) away(times int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuses = times
}

func (b *board) gone() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.removed)
}

// growing begins to answer a message on a board and returns once a preview stands for it.
// What is sent to more is shown, and the answer is what say returns.
func growing(t *testing.T, s *stage, rows *unnoted, say func(ctx context.Context, w chat.Reply) chat.Answer) *board {
	t.Helper()
	b := &board{}
	s.Hub = chat.NewHub(chat.HubOptions{Inbox: rows, Outbox: rows, Adapters: []chat.Adapter{b}, Previews: rows.book,
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
	b := growing(t, s, rows, func(context.Context, chat.Reply) chat.Answer {
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
	b := growing(t, s, rows, func(_ context.Context, w chat.Reply) chat.Answer {
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

// TestPreviewOfAProcessThatEnds: whatever the journal knew of it while the process lived,
// the next process makes a preview its answer, and nobody removes it.
func TestPreviewOfAProcessThatEnds(t *testing.T) {
	for name, prepare := range map[string]func(*unnoted){
		"noted":                     func(*unnoted) {},
		"not noted":                 func(u *unnoted) { u.fails.Store(1 << 20) },
		"noted, and nobody told so": func(u *unnoted) { u.lost.Store(true) },
		"away until after the end":  func(u *unnoted) { u.away.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := data(t)
			s := newStage(t, dir, chat.HubOptions{})
			rows := &unnoted{Store: s.store, book: book(t, dir)}
			prepare(rows)
			b := growing(t, s, rows, func(ctx context.Context, _ chat.Reply) chat.Answer {
				<-ctx.Done()
				return chat.Answer{}
			})
			s.end(0)
			if got := b.gone(); len(got) > 0 {
				t.Errorf("removed %q", got)
			}
			s = s.next(dir, chat.HubOptions{Handler: chat.HandlerFunc(echo), Previews: book(t, dir)})
			s.until("answered", func() bool { return len(s.p.Texts()) == 1 })
			s.end(time.Minute)
			if p := s.p.Sent()[0]; p.Preview != "preview" {
				t.Errorf("the next process sends %+v", p)
			}
			if left := book(t, dir).Noted(); len(left) > 0 {
				t.Errorf("still noted: %+v", left)
			}
		})
	}
}

// elsewhere has another process answer what is unfinished: into the preview that the journal
// knows, or beside one of which it knows nothing.
func (s *stage) elsewhere() {
	s.t.Helper()
	list, err := s.store.Adopt(s.t.Context(), []chat.Key{{Platform: "p", Channel: "c"}})
	if err != nil || len(list) != 1 {
		s.t.Fatalf("%d are unfinished: %v", len(list), err)
	}
	parts := []chat.Part{{Key: list[0].Key, Text: "the answer"}}
	err = s.store.Finish(s.t.Context(), list[0], parts, nil)
	id := cmp.Or(parts[0].Preview, "its own")
	if err = errors.Join(err, s.store.Mark(s.t.Context(), parts[0], chat.PartSent, id, time.Time{})); err != nil {
		s.t.Fatal(err)
	}
}

// book opens the notes of previews in a folder.
func book(t *testing.T, dir string) *previews.Book {
	t.Helper()
	b, err := previews.Open(filepath.Join(dir, previews.Name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// TestPreviewBesideAnAnswer: another process has answered without knowing of the preview of
// one that was cut off. That removes it once it can tell, however often the platform is away,
// and also where it was killed and begins again; and it removes nothing that became the answer.
func TestPreviewBesideAnAnswer(t *testing.T) {
	for _, tt := range []struct {
		name         string
		known, again bool // to the other process; the first was killed
	}{{"unknown", false, false}, {"unknown, and killed", false, true}, {"known", true, false}, {"known, and killed", true, true}} {
		t.Run(tt.name, func(t *testing.T) {
			dir := data(t)
			s := newStage(t, dir, chat.HubOptions{})
			rows := &unnoted{Store: s.store, book: book(t, dir)}
			rows.lost.Store(tt.known)
			rows.away.Store(!tt.known)
			over := make(chan struct{})
			b := growing(t, s, rows, func(ctx context.Context, _ chat.Reply) chat.Answer {
				<-over
				return chat.Answer{}
			})
			s.until("it is noted", func() bool { return len(rows.book.Noted()) == 1 && (!tt.known || rows.noted.Load() > 0) })
			s.elsewhere()
			b.away(2)
			h := s.Hub
			if s.Abandon(); tt.again { // as where the lease is over
				h = chat.NewHub(chat.HubOptions{Inbox: rows, Outbox: rows, Adapters: []chat.Adapter{b}, Previews: book(t, dir)})
			} else {
				close(over)
				s.rest()
			}
			rows.away.Store(false)
			if err := h.Reclaim(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.until("nothing is noted", func() bool { return len(book(t, dir).Noted()) == 0 })
			if got := b.gone(); len(got) > 0 == tt.known {
				t.Errorf("removed %q", got)
			}
			if tt.again {
				close(over)
				h.Drain(t.Context())
			}
			s.end(time.Minute)
		})
	}
}

// TestPreviewWithoutAnAnswer: a preview that becomes no part of the answer is removed by a
// part of its own, which outlasts the process.
func TestPreviewWithoutAnAnswer(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{})
	seen := make(chan struct{})
	b := growing(t, s, &unnoted{Store: s.store}, func(context.Context, chat.Reply) chat.Answer {
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
	b := growing(t, s, &unnoted{Store: s.store}, func(context.Context, chat.Reply) chat.Answer {
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

// TestPreviewOfSomebodyForgottenAndAKill: their author is forgotten while an answer grows, and
// the process is killed before it could remove what stands. Its next start does.
func TestPreviewOfSomebodyForgottenAndAKill(t *testing.T) {
	dir := data(t)
	s := newStage(t, dir, chat.HubOptions{})
	rows := &unnoted{Store: s.store, book: book(t, dir)}
	over := make(chan struct{})
	b := growing(t, s, rows, func(context.Context, chat.Reply) chat.Answer {
		<-over
		return chat.Answer{}
	})
	s.until("the row knows it", func() bool { return rows.noted.Load() == 1 })
	if err := s.store.ForgetPerson(t.Context(), "p:1", 0); err != nil {
		t.Fatal(err)
	}
	next := chat.NewHub(chat.HubOptions{Inbox: rows, Outbox: rows, Adapters: []chat.Adapter{b}, Previews: book(t, dir)})
	if err := next.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.until("removed", func() bool { return slices.Equal(b.gone(), []string{"preview"}) && len(book(t, dir).Noted()) == 0 })
	next.Drain(t.Context())
	close(over)
	s.end(time.Minute)
}

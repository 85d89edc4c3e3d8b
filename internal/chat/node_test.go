package chat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
)

// node is a process among others that is told what it may do.
type node struct {
	dead, elsewhere atomic.Bool
	asked           atomic.Int32

	mu   sync.Mutex
	left []chat.Key
}

func (n *node) Alive() bool { return !n.dead.Load() }

func (n *node) Own(context.Context, chat.Key) (bool, error) {
	n.asked.Add(1)
	return !n.elsewhere.Load(), nil
}

func (n *node) Leave(k chat.Key) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.left = append(n.left, k)
}

func (n *node) has() []chat.Key {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.left)
}

// TestDeadNodeIsSilent: a process that may not act any more shows nothing, changes
// nothing and sends nothing, and what it had under way is there for another.
func TestDeadNodeIsSilent(t *testing.T) {
	n, dir := &node{}, data(t)
	begun, gate := make(chan struct{}, 9), make(chan struct{})
	var effects atomic.Int32
	s := newStage(t, dir, chat.HubOptions{Node: n, Handler: chat.HandlerFunc(func(ctx context.Context, m chat.Message,
		w chat.Reply) (chat.Answer, error) {
		begun <- struct{}{}
		select {
		case <-gate:
		case <-ctx.Done():
			if !errors.Is(context.Cause(ctx), chat.ErrDraining) {
				t.Errorf("cancelled with %v", context.Cause(ctx))
			}
			return chat.Answer{}, ctx.Err()
		}
		if chat.OnDisk(ctx) == nil {
			effects.Add(1)
		}
		return echo(ctx, m, w)
	})})
	s.say("a", "slow")
	s.say("a", "behind it")
	<-begun
	n.dead.Store(true)
	gate <- struct{}{}
	s.rest()
	if got := s.p.Texts(); len(got) > 0 || effects.Load() > 0 {
		t.Errorf("sent %q, %d effects", got, effects.Load())
	}
	n.dead.Store(false) // another life
	s.say("b", "later")
	<-begun
	s.Abandon()
	s.rest()
	s.say("c", "afterwards")
	<-begun
	gate <- struct{}{}
	s.until("what comes afterwards is answered", func() bool { return slices.Equal(s.p.Texts(), []string{"afterwards"}) })
	s.end(time.Minute)
	close(gate)
	next := s.next(dir, chat.HubOptions{Handler: chat.HandlerFunc(echo)})
	next.until("another process answers the rest", func() bool { return len(next.p.Texts()) == 3 })
	got := next.p.Texts()
	slices.Sort(got)
	if fmt.Sprint(got) != "[behind it later slow]" {
		t.Errorf("it said %q", got)
	}
	next.end(time.Minute)
}

// TestOwnedByItsAnswer: work behind a message does not ask whose the conversation is, for
// the answer was stored there; it asks in another life, and where no message was.
func TestOwnedByItsAnswer(t *testing.T) {
	n := &node{}
	begun, gate := make(chan struct{}), make(chan struct{})
	s := newStage(t, data(t), chat.HubOptions{Node: n, Handler: chat.HandlerFunc(func(ctx context.Context, m chat.Message,
		w chat.Reply) (chat.Answer, error) {
		begun <- struct{}{}
		<-gate
		return echo(ctx, m, w)
	})})
	asked := func(want int32, why string) {
		t.Helper()
		if got := n.asked.Load(); got != want {
			t.Errorf("%s: whose it is was asked %d times, want %d", why, got, want)
		}
	}
	work := func(do func()) {
		t.Helper()
		done := make(chan struct{})
		s.Do(chat.Key{Platform: "p", Channel: "a"}, chat.Quick, func(context.Context) { do(); close(done) })
		<-done
	}
	s.say("a", "one")
	<-begun
	done := make(chan struct{})
	s.Do(chat.Key{Platform: "p", Channel: "a"}, chat.Quick, func(context.Context) { asked(0, "behind an answer"); close(done) })
	gate <- struct{}{}
	<-done
	s.rest()
	work(func() { asked(1, "without a message") })
	s.rest()
	s.say("a", "two")
	<-begun
	second := make(chan struct{})
	s.Do(chat.Key{Platform: "p", Channel: "a"}, chat.Quick, func(context.Context) {
		s.Abandon()
		s.Do(chat.Key{Platform: "p", Channel: "a"}, chat.Quick, func(context.Context) { asked(2, "in another life"); close(second) })
	})
	gate <- struct{}{}
	<-second
	s.end(time.Minute)
}

// fenced is a store in which the conversation became another's.
type fenced struct {
	*memory.Store
	now atomic.Bool
}

func (f *fenced) Finish(ctx context.Context, m chat.Message, parts []chat.Part, record any) error {
	if f.now.Load() {
		return fmt.Errorf("finish: %w", chat.ErrFenced)
	}
	return f.Store.Finish(ctx, m, parts, record)
}

// TestFencedConversation: an answer to what is another's by now is dropped, with all
// that waits behind it; nothing is tried again and again.
func TestFencedConversation(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{})
	store := &fenced{Store: s.store}
	var answered atomic.Int32
	begun, gate := make(chan struct{}), make(chan struct{})
	s.on(store, &node{}, func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		answered.Add(1)
		begun <- struct{}{}
		<-gate
		return echo(ctx, m, w)
	})
	s.say("a", "one")
	<-begun
	s.say("a", "two")
	store.now.Store(true)
	close(gate)
	s.rest()
	if answered.Load() != 1 || len(s.p.Texts()) > 0 {
		t.Errorf("%d were answered, and %q sent", answered.Load(), s.p.Texts())
	}
	s.end(time.Minute)
}

// reborn is a store whose process loses its lease, and lives anew, while a write of it is
// on its way: as when it was stopped for longer than the lease lasts.
type reborn struct {
	*memory.Store
	lost func()
}

func (r *reborn) Mark(ctx context.Context, p chat.Part, state chat.PartState, id string, until time.Time) error {
	err := r.Store.Mark(ctx, p, state, id, until)
	if state == chat.PartStarted {
		r.lost()
	}
	return err
}

// TestNextLifeSendsNothingOfTheLast: what was about to be sent when a process lost its lease
// is another's to send, also where this one lives again by the time that it looks.
func TestNextLifeSendsNothingOfTheLast(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{})
	store := &reborn{Store: s.store, lost: func() { s.Abandon() }}
	s.on(store, &node{}, echo)
	s.say("a", "one")
	s.until("it rests", func() bool {
		lanes, _ := s.Active()
		list, err := s.store.Pending(t.Context(), chat.Key{Platform: "p", Channel: "a"})
		return lanes == 0 && err == nil && len(list) == 1 && list[0].Unknown == 0
	})
	if got := s.p.Texts(); len(got) > 0 {
		t.Errorf("sent %q", got)
	}
	store.lost = func() {}
	s.Flush(chat.Key{Platform: "p", Channel: "a"})
	s.until("whoever has it next sends it", func() bool { return slices.Equal(s.p.Texts(), []string{"one"}) })
	s.end(time.Minute)
}

// TestWorkOfAnothersConversation: work without a message is done where the conversation
// is, and nothing is sent from anywhere else.
func TestWorkOfAnothersConversation(t *testing.T) {
	n := &node{}
	s := newStage(t, data(t), chat.HubOptions{Node: n, Handler: chat.HandlerFunc(echo)})
	k := chat.Key{Platform: "p", Channel: "a"}
	n.elsewhere.Store(true)
	if err := s.store.Notify(t.Context(), "r", []chat.Part{{Key: k, Text: "remember"}}); err != nil {
		t.Fatal(err)
	}
	s.Flush(k)
	s.Do(k, chat.Quick, func(context.Context) { t.Error("done here") })
	s.until("it rests", func() bool { lanes, _ := s.Active(); return lanes == 0 && n.asked.Load() == 2 })
	if got := s.p.Texts(); len(got) > 0 {
		t.Errorf("sent %q", got)
	}
	n.elsewhere.Store(false)
	s.Flush(k)
	s.until("it is sent", func() bool { return slices.Equal(s.p.Texts(), []string{"remember"}) })
	s.end(time.Minute)
}

// TestNodeThatEndsLeavesSoon: while a process among several ends, a conversation is left
// after the message under way: what waits behind it is another one's at once.
func TestNodeThatEndsLeavesSoon(t *testing.T) {
	n := &node{}
	begun, gate := make(chan struct{}), make(chan struct{})
	s := newStage(t, data(t), chat.HubOptions{Node: n, Handler: chat.HandlerFunc(func(ctx context.Context, m chat.Message,
		w chat.Reply) (chat.Answer, error) {
		begun <- struct{}{}
		<-gate
		return echo(ctx, m, w)
	})})
	s.say("a", "one")
	<-begun
	s.say("a", "two")
	ended := make(chan int)
	go func() { ended <- s.end(time.Minute) }()
	s.until("it ends", func() bool { return !s.Do(chat.Key{Platform: "p", Channel: "x"}, chat.Quick, func(context.Context) {}) })
	close(gate)
	<-ended
	if got := s.p.Texts(); !slices.Equal(got, []string{"one"}) {
		t.Errorf("sent %q", got)
	}
	if got := n.has(); !slices.Contains(got, chat.Key{Platform: "p", Channel: "a"}) {
		t.Errorf("left %v", got)
	}
}

// TestHandedOver: what another process stored for this one is answered here, and a /stop
// among it stops what runs.
func TestHandedOver(t *testing.T) {
	begun := make(chan struct{})
	s := newStage(t, data(t), chat.HubOptions{Node: &node{}, Handler: chat.HandlerFunc(func(ctx context.Context,
		m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Text != "slow" {
			return echo(ctx, m, w)
		}
		close(begun)
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), chat.ErrStopped) {
			t.Errorf("it ended with %v", context.Cause(ctx))
		}
		return chat.Answer{Text: "stopped"}, nil
	})})
	s.say("a", "slow")
	<-begun
	k := chat.Key{Platform: "p", Channel: "a"}
	fresh, err := s.store.Accept(t.Context(), chat.Batch{Platform: "p", Messages: []chat.Message{
		{ID: "s", Key: k, Kind: chat.KindCommand, From: chat.User{ID: "p:1"}, Text: "/stop", Addressed: true},
		{ID: "t", Key: k, Kind: chat.KindText, From: chat.User{ID: "p:1"}, Text: "two", Addressed: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.Hand(fresh)
	s.until("both are done", func() bool { return slices.Equal(s.p.Texts(), []string{"stopped", "two"}) })
	s.end(time.Minute)
}

package chat_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/chat"
)

// needy answers what begins with "model" once well is closed; until then that waits for what
// fails. It counts how often it began such an answer.
type needy struct {
	began atomic.Int32
	well  chan struct{}
	speak bool // it has shown something of the answer when it fails
}

func (n *needy) Handle(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
	if !strings.HasPrefix(m.Text, "model") {
		return chat.Answer{Text: fmt.Sprintf("%s alone=%t", m.Text, chat.Alone(ctx))}, nil
	}
	n.began.Add(1)
	if n.speak {
		w.Text("Once upon")
	}
	tries := chat.Kept(ctx, func() *int { return new(int) })
	*tries++
	chat.Failing(ctx, true)
	select {
	case <-n.well:
	case <-ctx.Done():
		return chat.Answer{}, context.Cause(ctx)
	}
	return chat.Answer{Text: fmt.Sprintf("%s after %d, attempt %d", m.Text, *tries, m.Attempt)}, nil
}

func free(_ context.Context, m chat.Message) bool { return strings.HasPrefix(m.Text, "free") }

// What needs nothing of what a message waits for is answered first, in its own order; all else
// waits, and the message is answered at last, once.
func TestFailingLetsOthersPass(t *testing.T) {
	n := &needy{well: make(chan struct{})}
	s := newStage(t, data(t), chat.HubOptions{Handler: n, Alone: free})
	s.deliver(said("1", "model"), said("2", "other"), said("3", "free a"), said("4", "free b"))
	s.until("two pass", func() bool { return len(s.p.Texts()) == 2 })
	s.deliver(said("5", "free c"))
	s.until("a third passes", func() bool { return len(s.p.Texts()) == 3 })
	s.until("it is tried again", func() bool { return n.began.Load() == 3 })
	close(n.well)
	s.settled()
	want := []string{"free a alone=true", "free b alone=true", "free c alone=true", "model after 3, attempt 1", "other alone=false"}
	if got := s.p.Texts(); !slices.Equal(got, want) {
		t.Errorf("sent %q", got)
	}
	s.end(time.Second)
}

// A message of which something is to be read lets nobody pass, nor does one that let ten pass.
func TestFailingGivesWayForAWhile(t *testing.T) {
	n := &needy{well: make(chan struct{}), speak: true}
	s := newStage(t, data(t), chat.HubOptions{Handler: n, Alone: free})
	s.deliver(said("1", "model"), said("2", "free"))
	s.until("it is begun", func() bool { return n.began.Load() == 1 })
	close(n.well)
	s.settled()
	if got := s.p.Texts(); len(got) != 2 || !strings.HasPrefix(got[0], "model after 1") {
		t.Errorf("sent %q", got)
	}
	s.end(time.Second)
	n = &needy{well: make(chan struct{})}
	s = s.next(data(t), chat.HubOptions{Handler: n, Alone: free, Bounds: chat.Bounds{QueuePerLane: 100}})
	s.deliver(said("1", "model"))
	for i := range 10 {
		s.deliver(said(fmt.Sprint("f", i), "free"))
		s.until("it passes", func() bool { return len(s.p.Texts()) == i+1 && n.began.Load() == int32(i+2) })
	}
	s.deliver(said("last", "free at last"))
	close(n.well)
	s.settled()
	if got := s.p.Texts(); len(got) != 12 || !strings.HasPrefix(got[11], "free at last") {
		t.Errorf("sent %q", got)
	}
	s.end(time.Second)
}

// Killed while a message that gave way waits again, both are answered once by the next process.
func TestGivingWaySurvives(t *testing.T) {
	dir := data(t)
	n := &needy{well: make(chan struct{})}
	s := newStage(t, dir, chat.HubOptions{Handler: n, Alone: free})
	s.deliver(said("1", "model"), said("2", "free"))
	s.until("one passes, the other begins again", func() bool { return len(s.p.Texts()) == 1 && n.began.Load() == 2 })
	s.deliver(edit("1", "model changed"))
	if parked := s.end(0); parked != 2 {
		t.Errorf("parked %d", parked)
	}
	n = &needy{well: make(chan struct{})}
	close(n.well)
	s = s.next(dir, chat.HubOptions{Handler: n, Alone: free})
	s.settled()
	if got := s.p.Texts(); len(got) == 0 || !strings.HasPrefix(got[0], "model") || strings.Contains(strings.Join(got, ""), "free") {
		t.Errorf("sent %q", got)
	}
	s.end(time.Second)
}

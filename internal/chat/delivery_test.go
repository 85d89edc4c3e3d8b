package chat_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/chat/chattest"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
)

// forgetful is a journal that commits and, a few times, loses the reply.
type forgetful struct {
	*memory.Store
	finishes int // replies to lose
}

func (f *forgetful) Finish(ctx context.Context, m chat.Message, parts []chat.Part, record any) error {
	err := f.Store.Finish(ctx, m, parts, record)
	if f.finishes--; err == nil && f.finishes >= 0 {
		for i := range parts { // as a write that was never heard of leaves them
			parts[i].Row, parts[i].Nonce, parts[i].At = 0, "", time.Time{}
		}
		return errors.New("disk I/O error")
	}
	return err
}

// An answer whose commit succeeded and whose reply was lost goes out, once and
// under the nonce that is stored, and the lane goes on.
func TestFaultFinishWhoseReplyIsLost(t *testing.T) {
	dir := data(t)
	store, err := memorytest.Try(t, dir, memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, p: &chattest.Adapter{}, store: store}
	s.disk.Store = store
	s.Hub = chat.NewHub(chat.HubOptions{Inbox: &forgetful{Store: store, finishes: 2}, Outbox: &s.disk, Adapters: []chat.Adapter{s.p},
		Handler: chat.HandlerFunc(echo)})
	s.say("c", "one")
	s.say("c", "two")
	s.until("both", func() bool { return len(s.p.Texts()) == 2 })
	s.until("settled", func() bool { lanes, _ := s.Active(); return lanes == 0 })
	first := s.p.Sent()[0]
	if first.Row == 0 || len(first.Nonce) != 25 || first.At.IsZero() || first.Nonce == s.p.Sent()[1].Nonce {
		t.Errorf("sent %+v", first)
	}
	if left, err := store.Pending(context.Background(), first.Key); err != nil || len(left) != 0 {
		t.Errorf("left %+v, %v", left, err)
	}
	s.end(time.Minute)
	if got := s.p.Texts(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("sent %q", got)
	}
}

// next returns the process after s, on the same data.
func (s *stage) next(dir string, o chat.HubOptions, errs ...error) *stage {
	s.t.Helper()
	n := newStage(s.t, dir, o)
	n.p.Fail(errs...)
	if err := n.Recover(context.Background()); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// An answer that was never on the wire is not given up, whatever ended the
// process before: a drain between two steps, or a kill.
func TestCrashBeforeTheWireLosesNothing(t *testing.T) {
	for _, how := range []string{"drained", "killed"} {
		t.Run(how, func(t *testing.T) {
			dir := data(t)
			var s *stage
			reached := make(chan struct{})
			s = newStage(t, dir, chat.HubOptions{Handler: chat.HandlerFunc(echo), Failpoint: func(point string) {
				if point != "after_finish" {
					return
				}
				close(reached)
				if how == "killed" {
					runtime.Goexit()
				}
				s.until("drained", func() bool { return s.Aborted() })
			}})
			s.say("c", "one")
			<-reached
			s.end(0)
			if got := s.p.Texts(); len(got) != 0 {
				t.Fatalf("sent %q", got)
			}
			s = s.next(dir, chat.HubOptions{Handler: chat.HandlerFunc(echo)})
			s.until("sent", func() bool { return len(s.p.Texts()) == 1 })
			s.end(time.Minute)
		})
	}
}

// How often an attempt was unknown outlasts everything that comes between: a
// part is repeated once, over all processes together.
func TestUnknownAttemptsAreCountedOverRestarts(t *testing.T) {
	unknown := fmt.Errorf("cut: %w", chat.ErrUnknownOutcome)
	o := chat.HubOptions{RepeatUnknown: true, Handler: chat.HandlerFunc(echo)}
	for name, before := range map[string]error{"asked to wait": &chat.WaitError{After: time.Second}, "not written": errors.New("refused")} {
		t.Run(name, func(t *testing.T) {
			dir, key := data(t), chat.Key{Platform: "p", Channel: "c"}
			s := newStage(t, dir, o)
			s.p.Fail(unknown, before, before, before, before)
			s.say("c", "one")
			s.until("waiting", func() bool { return s.p.Tried() >= 2 })
			s.until("stored", func() bool {
				parts, err := s.store.Pending(context.Background(), key)
				return err == nil && len(parts) == 1 && !parts[0].Started
			})
			s.end(0)
			s = s.next(dir, o, unknown, unknown)
			s.until("given up", func() bool {
				parts, err := s.store.Pending(context.Background(), key)
				return err == nil && len(parts) == 0
			})
			if n := len(s.p.Texts()); n != 1 {
				t.Errorf("sent %d times after the restart", n)
			}
			s.end(time.Minute)
		})
	}
}

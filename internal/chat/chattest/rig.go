package chattest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text/waittest"
)

// Rig is an adapter and the other side of its wire: one person, who writes to
// the bot in a direct chat. A nil field is not possible on the platform.
type Rig struct {
	Adapter  chat.Adapter // not running yet
	Identity chat.Identity
	Person   string // User.ID of who writes
	Say      func(text string)
	// Stop asks to stop the answer that is being written.
	Stop func()
	// Shown returns the current texts of the bot's messages, the oldest first.
	Shown func() []string

	Again  func()            // the platform tells once more of what was said last
	Edit   func(text string) // the person changes what they said last
	Delete func()            // the person takes back what they said last

	// Errors makes the next Send to the person end in this class; each is tried
	// on a Rig of its own.
	Errors map[Class]func()
}

// Class is a class of errors of Send.
type Class string

// The classes of errors.
const (
	Waits   Class = "asked to wait"            // chat.WaitError
	Gone    Class = "gone"                     // chat.GoneError
	Unknown Class = "unknown outcome"          // chat.ErrUnknownOutcome
	Refused Class = "not delivered, try again" // any other
)

// classOf returns the class of an error of Send; "" is none.
func classOf(err error) Class {
	var (
		waits *chat.WaitError
		gone  *chat.GoneError
		moved *chat.MovedError
	)
	switch {
	case err == nil:
		return ""
	case errors.As(err, &waits):
		return Waits
	case errors.As(err, &gone):
		return Gone
	case errors.Is(err, chat.ErrUnknownOutcome):
		return Unknown
	case errors.As(err, &moved):
		return "moved"
	}
	return Refused
}

// deadline is when a test gives up waiting. It is generous: the machine may be
// busy.
const deadline = time.Minute

// stage is a rig at work: its adapter runs, joined to a hub on a real store.
type stage struct {
	Rig
	t     *testing.T
	store *memory.Store
	hub   *chat.Hub
	end   func() error // ends Run and returns what it returned

	mu  sync.Mutex // guards got
	got []chat.Message
}

// start runs a rig. handle answers; nil repeats what is said.
func start(t *testing.T, r Rig, handle chat.HandlerFunc) *stage {
	t.Helper()
	store, err := memory.Open(t.Context(), filepath.Join(t.TempDir(), "data"), memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{Rig: r, t: t, store: store}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	s.connect(handle)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Adapter.Run(ctx, s.hub) }()
	s.end = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() {
		if err := s.end(); err != nil {
			t.Errorf("Run: %v", err)
		}
		s.drain(deadline)
	})
	s.until("receiving", func() bool { return r.Adapter.Health() == nil })
	return s
}

// connect makes a hub, as each process does.
func (s *stage) connect(handle chat.HandlerFunc) {
	if handle == nil {
		handle = echo
	}
	s.hub = chat.NewHub(chat.HubOptions{
		Inbox: s.store, Outbox: s.store, Adapters: []chat.Adapter{s.Adapter},
		Handler: chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
			s.mu.Lock()
			s.got = append(s.got, m)
			s.mu.Unlock()
			return handle(ctx, m, w)
		}),
	})
}

func echo(_ context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
	return chat.Answer{Text: "re: " + m.Text}, nil
}

func (s *stage) drain(grace time.Duration) (parked int) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return s.hub.Drain(ctx)
}

// handled returns what the handler was given.
func (s *stage) handled() []chat.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

// heard waits until the handler has received a first message.
func (s *stage) heard() chat.Message {
	s.t.Helper()
	s.until("heard", func() bool { return len(s.handled()) > 0 })
	return s.handled()[0]
}

// reads waits until the bot's messages have these texts and nothing is left to do.
func (s *stage) reads(want ...string) {
	s.t.Helper()
	same := func() bool {
		lanes, _ := s.hub.Active()
		return lanes == 0 && slices.Equal(s.Shown(), want)
	}
	if !waittest.Within(deadline, same) {
		s.t.Fatalf("the bot said %q, not %q", s.Shown(), want)
	}
}

func (s *stage) until(what string, ok func() bool) {
	s.t.Helper()
	waittest.Until(s.t, what, ok)
}

// part returns an answer to m, made of one piece.
func part(m chat.Message, text string) chat.Part {
	return chat.Part{Key: m.Key, To: m.From, Origin: m.Origin, Text: text, Nonce: fmt.Sprintf("%-25.25s", "n"+text),
		Sending: chat.Sending{At: time.Now()}}
}

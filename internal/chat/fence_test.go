package chat_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/chat/chattest"
	"parley/internal/text/waittest"
)

// stumbler is an adapter that panics at a word, like one that cannot take a certain Markdown.
type stumbler struct {
	*chattest.Adapter
	in string // the call that panics

	mu   sync.Mutex // guards trips
	trip int
}

func (s *stumbler) over(call, said string) {
	if call == s.in && strings.Contains(said, "poison") {
		s.mu.Lock()
		s.trip++
		s.mu.Unlock()
		panic("cannot render")
	}
}

func (s *stumbler) trips() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trip
}

func (s *stumbler) Split(said string) []string {
	s.over("Split", said)
	return s.Adapter.Split(said)
}

func (s *stumbler) Typing(ctx context.Context, m chat.Message) error {
	s.over("Typing", m.Text)
	return s.Adapter.Typing(ctx, m)
}

func (s *stumbler) Preview(ctx context.Context, m chat.Message, id, said string) (string, time.Duration, error) {
	s.over("Preview", said)
	return s.Adapter.Preview(ctx, m, id, said)
}

func (s *stumbler) Send(ctx context.Context, p chat.Part) (string, error) {
	s.over("Send", p.Text)
	return s.Adapter.Send(ctx, p)
}

func (s *stumbler) Idempotent(p chat.Part) bool {
	s.over("Idempotent", p.Text)
	return true
}

func (s *stumbler) Done(m chat.Message) { s.over("Done", m.Text) }

// notes is a log in memory.
type notes struct {
	mu   sync.Mutex // guards said
	said strings.Builder
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.said.Write(p)
}

func (n *notes) count(word string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Count(n.said.String(), word)
}

func TestAPanicOfAnAdapterEndsOneCall(t *testing.T) {
	for _, tt := range []struct {
		in    string
		shows string // for the message it panics over
		parts int    // of that
	}{
		{in: "Split", shows: "poison", parts: 3},
		{in: "Send", shows: "went wrong", parts: 1},
		{in: "Typing", shows: "poison", parts: 3},
		{in: "Preview", shows: "poison", parts: 3},
		{in: "Idempotent", shows: "poison", parts: 3},
		{in: "Done", shows: "poison", parts: 3},
	} {
		t.Run(tt.in, func(t *testing.T) {
			var log notes
			p := &stumbler{Adapter: &chattest.Adapter{}, in: tt.in}
			s := newStage(t, data(t), chat.HubOptions{})
			shown := tt.in == "Typing" || tt.in == "Preview"
			answer := func(_ context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
				w.Text(m.Text)
				if m.Text != "fine" && shown && !waittest.Within(time.Minute, func() bool { return p.trips() > 0 }) {
					t.Error("never shown")
				}
				w.Text(m.Text)
				return chat.Answer{Text: m.Text}, nil
			}
			s.Hub = chat.NewHub(chat.HubOptions{Inbox: s.store, Outbox: s.store, Adapters: []chat.Adapter{p},
				Log: slog.New(slog.NewTextHandler(&log, nil)), Handler: chat.HandlerFunc(answer)})
			long := "poison" + strings.Repeat("ä", 1200)
			if tt.in == "Send" {
				long = "poison"
			}
			s.say("c", long)
			s.say("c", "fine")
			s.p = p.Adapter
			s.rest()
			texts := s.p.Texts()
			if len(texts) != tt.parts+1 || !strings.Contains(texts[0], tt.shows) || texts[tt.parts] != "fine" {
				t.Errorf("sent %d: %.60q", len(texts), texts)
			}
			if got := strings.Join(texts[:tt.parts], ""); tt.in != "Send" && got != long {
				t.Errorf("lost something: %d bytes of %d", len(got), len(long))
			}
			if n := log.count("stack="); n != p.trips() || n == 0 {
				t.Errorf("%d stacks of %d panics in the log", n, p.trips())
			}
			if n := p.trips(); tt.in != "Idempotent" && n != 1 {
				t.Errorf("it stumbled %d times over one message", n)
			}
			s.end(time.Minute)
		})
	}
}

// TestAPartThatCannotBeShownIsNotTriedByTheNextProcess: it would stumble, too.
func TestAPartThatCannotBeShownIsNotTriedByTheNextProcess(t *testing.T) {
	dir := data(t)
	open := func(in string) (*stage, *stumbler) {
		p := &stumbler{Adapter: &chattest.Adapter{}, in: in}
		s := newStage(t, dir, chat.HubOptions{})
		s.p = p.Adapter
		s.Hub = chat.NewHub(chat.HubOptions{Inbox: s.store, Outbox: s.store, Adapters: []chat.Adapter{p}, Handler: chat.HandlerFunc(echo)})
		if err := s.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s, p
	}
	s, _ := open("Send")
	s.say("c", "poison")
	s.rest()
	s.end(time.Minute)
	s, p := open("Send")
	s.rest()
	if n, texts := p.trips(), s.p.Texts(); n != 0 || len(texts) != 0 {
		t.Errorf("the next process stumbled %d times and sent %q", n, texts)
	}
	s.end(time.Minute)
}

// TestAFenceHidesNoCapability: As finds what the adapter has, and nothing else.
func TestAFenceHidesNoCapability(t *testing.T) {
	has := chat.Fence(slog.New(slog.DiscardHandler), &stumbler{Adapter: &chattest.Adapter{}})[0]
	if _, ok := chat.As[chat.Repeater](has); !ok {
		t.Error("Repeater is hidden")
	}
	if _, ok := chat.As[chat.TurnTaker](has); !ok {
		t.Error("TurnTaker is hidden")
	}
	if _, ok := chat.As[chat.Amender](has); ok {
		t.Error("an Amender from nowhere")
	}
	if _, ok := chat.As[chat.Repeater](nil); ok {
		t.Error("a Repeater of nobody")
	}
}

// TestReceivingGoesOnAfterAPanic: the connection is made again.
func TestReceivingGoesOnAfterAPanic(t *testing.T) {
	a := &faller{Adapter: &chattest.Adapter{}}
	fenced := chat.Fence(slog.New(slog.DiscardHandler), a)[0]
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error)
	go func() { over <- fenced.Run(ctx, nil) }()
	if !waittest.Within(time.Minute, func() bool { return a.runs() == 2 }) {
		t.Error("it never ran again")
	}
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// faller panics in its first Run.
type faller struct {
	*chattest.Adapter
	mu sync.Mutex // guards n
	n  int
}

func (f *faller) runs() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

func (f *faller) Run(ctx context.Context, in chat.Intake) error {
	f.mu.Lock()
	f.n++
	first := f.n == 1
	f.mu.Unlock()
	if first {
		panic("READY with nobody in it")
	}
	return f.Adapter.Run(ctx, in)
}

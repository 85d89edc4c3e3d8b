package gate_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is a hand-moved time.
type clock struct {
	mu sync.Mutex // guards t
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// store returns a real one on a temporary file.
func store(t testing.TB, c *clock) *memory.Store {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "data"), c)
}

func reopen(t testing.TB, dir string, c *clock) *memory.Store {
	t.Helper()
	s, err := memorytest.Try(t, dir, memory.Options{Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// agent stands for what is behind admin and remembers what reached it.
type agent struct {
	mu     sync.Mutex // guards got
	got    []chat.Message
	before func() // an answer; nil does nothing
}

func (a *agent) Handle(_ context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
	if a.before != nil {
		a.before()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.got = append(a.got, m)
	return chat.Answer{Text: "agent"}, nil
}

func (a *agent) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.got)
}

func direct(user, text string) chat.Message {
	platform, id, _ := strings.Cut(user, ":")
	m := chat.Message{ID: "1", Key: chat.Key{Platform: platform, Channel: id}, From: chat.User{ID: user, Name: "Somebody"},
		Text: text, Direct: true, Addressed: true}
	if strings.HasPrefix(text, "/") {
		m.Kind = chat.KindCommand
	}
	return m
}

func group(user, text string) chat.Message {
	m := direct(user, text)
	m.Key.Channel, m.Direct, m.Addressed = "-100", false, m.Kind == chat.KindCommand
	return m
}

// named is said in a group to the bot, by its name.
func named(user, text string) chat.Message {
	m := group(user, text)
	m.Named, m.Addressed = true, true
	return m
}

func handle(t testing.TB, h chat.Handler, m chat.Message) chat.Answer {
	t.Helper()
	a, err := h.Handle(t.Context(), m, nil)
	if err != nil {
		t.Fatalf("%+v: %v", m, err)
	}
	return a
}

// ids are the grammars of platforms as adapters supply them.
var ids = chat.Identities{
	{Platform: "telegram", Person: chat.IsNumber, Shared: map[string]string{"1087968824": "anonymous administrators", "777000": "channels"},
		Place: func(id string) bool { return strings.HasPrefix(id, "chat:-") && chat.IsNumber(id[6:]) }},
	{Platform: "discord", Person: chat.IsNumber,
		Place: func(id string) bool { return strings.HasPrefix(id, "guild:") && chat.IsNumber(id[6:]) }},
	{Platform: "terminal", Person: func(id string) bool { return id != "" }},
}

func newGate(t testing.TB, o gate.GateOptions) *gate.Gate {
	t.Helper()
	o.IDs = ids
	g, err := gate.NewGate(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantText(t testing.TB, a chat.Answer, part string) {
	t.Helper()
	if part == "" && a.Text != "" || !strings.Contains(a.Text, part) {
		t.Fatalf("got %q, want %q", a.Text, part)
	}
}

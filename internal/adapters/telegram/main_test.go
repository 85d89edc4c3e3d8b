package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
	"parley/internal/text/waittest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// intake keeps what it is given, once.
type intake struct {
	mu      sync.Mutex // guards all below
	changed *sync.Cond
	got     []chat.Message
	moves   []chat.Move
	dead    []chat.DeadLetter
	seen    map[string]bool
	refuse  int           // how many Delivers fail first
	gate    chan struct{} // Room waits for it when not nil
}

func newIntake() *intake {
	in := &intake{seen: map[string]bool{}}
	in.changed = sync.NewCond(&in.mu)
	return in
}

var errDiskFull = errors.New("disk full")

func (in *intake) Deliver(_ context.Context, b chat.Batch) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.refuse > 0 {
		in.refuse--
		return errDiskFull
	}
	in.moves = append(in.moves, b.Moved...)
	for _, m := range b.Messages { // as the store does it
		if _, err := json.Marshal(m); err != nil {
			return err
		}
	}
	for _, d := range b.Dead {
		if id := "dead " + d.ID; !in.seen[id] {
			in.seen[id] = true
			in.dead = append(in.dead, d)
		}
	}
	for _, m := range b.Messages {
		if id := m.Key.String() + " " + m.ID; !in.seen[id] {
			in.seen[id] = true
			in.got = append(in.got, m)
		}
	}
	in.changed.Broadcast()
	return nil
}

func (in *intake) Room(ctx context.Context) error {
	if in.gate == nil {
		return ctx.Err()
	}
	select {
	case <-in.gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (in *intake) Cursors(context.Context, string) (map[string]string, error) { return nil, nil }

// letters returns the updates that were put aside.
func (in *intake) letters() []chat.DeadLetter {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.dead)
}

// wait blocks until n messages were stored.
func (in *intake) wait(t *testing.T, n int) []chat.Message {
	t.Helper()
	ctx := soon(t)
	stop := context.AfterFunc(ctx, func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.changed.Broadcast()
	})
	defer stop()
	in.mu.Lock()
	defer in.mu.Unlock()
	for len(in.got) < n {
		if ctx.Err() != nil {
			t.Fatalf("got %d of %d messages", len(in.got), n)
		}
		in.changed.Wait()
	}
	return append([]chat.Message(nil), in.got...)
}

// quick are waits for tests.
var quick = Timing{Poll: 2 * time.Second, Grace: 2 * time.Second, Send: 2 * time.Second, RetryMin: 5 * time.Millisecond,
	RetryMax: 20 * time.Millisecond, PauseMin: time.Millisecond, PauseMax: 10 * time.Millisecond}

type logs struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// adapter makes an adapter on s that is not running.
func adapter(t *testing.T, s *telegramtest.Server, change func(*Options)) *Adapter {
	t.Helper()
	o := Options{Token: s.Token(), APIURL: s.URL(), Timing: quick}
	out := &logs{}
	o.Log = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if change != nil {
		change(&o)
	}
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.wire.send.CloseIdleConnections()
		if bytes.Contains([]byte(out.String()), []byte(s.Token())) {
			t.Error("the token is in the log")
		}
	})
	return a
}

// fresh makes an adapter that is not running, and a fake with these chats.
func fresh(t *testing.T, chats ...int64) (*telegramtest.Server, *Adapter) {
	t.Helper()
	s := server(t)
	for _, chat := range chats {
		s.AddChat(chat)
	}
	return s, adapter(t, s, nil)
}

// server starts a fake that ends with the test; without options it has the usual ones.
func server(t *testing.T, o ...telegramtest.Options) *telegramtest.Server {
	t.Helper()
	s := telegramtest.Start(append(o, telegramtest.Options{})[0])
	t.Cleanup(s.Close)
	return s
}

// running is an adapter whose Run is under way.
type running struct {
	*Adapter
	in   *intake
	stop func() error // ends Run and returns what it returned
}

// run starts an adapter and ends it with the test.
func run(t *testing.T, s *telegramtest.Server, in *intake, change func(*Options)) *running {
	t.Helper()
	a := adapter(t, s, change)
	return start(t, a, in)
}

func start(t *testing.T, a *Adapter, in *intake) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, in) }()
	stop := sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() { _ = stop() })
	return &running{Adapter: a, in: in, stop: stop}
}

// soon returns a context that ends a test which hangs.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits for something that no event announces.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	waittest.Until(t, what, ok)
}

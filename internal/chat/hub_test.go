package chat_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/chat"
	"parley/internal/chat/chattest"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

// stage is a hub between a platform in memory and a real store.
type stage struct {
	*chat.Hub
	t     testing.TB
	p     *chattest.Adapter
	store *memory.Store
	disk  disk
	n     int
}

// disk is the store on a disk that fails a few times.
type disk struct {
	*memory.Store
	reads, moves atomic.Int32 // to fail
}

func (d *disk) Pending(ctx context.Context, k chat.Key) ([]chat.Part, error) {
	if d.reads.Add(-1) >= 0 {
		return nil, errors.New("disk I/O error")
	}
	return d.Store.Pending(ctx, k)
}

func (d *disk) Move(ctx context.Context, mv chat.Move) error {
	if d.moves.Add(-1) >= 0 {
		return errors.New("disk I/O error")
	}
	return d.Store.Move(ctx, mv)
}

func newStage(t testing.TB, dir string, o chat.HubOptions) *stage {
	t.Helper()
	return newStageOn(t, dir, memory.Options{}, o)
}

func newStageOn(t testing.TB, dir string, m memory.Options, o chat.HubOptions) *stage {
	t.Helper()
	store, err := memorytest.Try(t, dir, m)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, p: &chattest.Adapter{}, store: store}
	s.disk.Store = store
	o.Inbox, o.Outbox, o.Adapters = store, &s.disk, []chat.Adapter{s.p}
	s.Hub = chat.NewHub(o)
	return s
}

// end drains and closes, as a process does.
func (s *stage) end(grace time.Duration) (parked int) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	parked = s.Drain(ctx)
	if err := s.store.Close(); err != nil {
		s.t.Error(err)
	}
	return parked
}

func (s *stage) say(channel, text string) {
	s.t.Helper()
	s.n++
	kind := chat.KindText
	if strings.HasPrefix(text, "/") {
		kind = chat.KindCommand
	}
	m := chat.Message{ID: fmt.Sprint(s.n), Key: chat.Key{Platform: "p", Channel: channel}, Kind: kind, From: chat.User{ID: "p:1"},
		Text: text, Addressed: true}
	s.deliver(m)
}

func (s *stage) deliver(list ...chat.Message) {
	s.t.Helper()
	if err := s.Deliver(context.Background(), chat.Batch{Platform: "p", Messages: list}); err != nil {
		s.t.Fatal(err)
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

// on has the hub of s keep its rows elsewhere.
func (s *stage) on(rows rows, n chat.Node, handle chat.HandlerFunc) {
	s.Hub = chat.NewHub(chat.HubOptions{Inbox: rows, Outbox: rows, Adapters: []chat.Adapter{s.p}, Node: n, Handler: handle})
}

// rows are a journal.
type rows interface {
	chat.Inbox
	chat.Outbox
}

// rest waits until no lane is at work.
func (s *stage) rest() {
	s.t.Helper()
	s.until("it rests", func() bool { lanes, _ := s.Active(); return lanes == 0 })
}

func (s *stage) until(what string, ok func() bool) {
	s.t.Helper()
	if !waittest.Within(time.Minute, ok) {
		s.t.Fatalf("never: %s; sent %q", what, s.p.Texts())
	}
}

func echo(_ context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
	return chat.Answer{Text: m.Text}, nil
}

func data(t testing.TB) string { return filepath.Join(t.TempDir(), "data") }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOrderWithinAndTogetherness(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{Bounds: chat.Bounds{QueuePerLane: 100}, Handler: chat.HandlerFunc(echo)})
	for i := range 20 {
		for c := range 10 {
			s.say(fmt.Sprint(c), fmt.Sprintf("%d-%d", c, i))
		}
	}
	s.until("all", func() bool { return len(s.p.Texts()) == 200 })
	next := map[string]int{}
	for _, text := range s.p.Texts() {
		c, n, _ := strings.Cut(text, "-")
		if n != fmt.Sprint(next[c]) {
			t.Errorf("channel %s: %s after %d", c, n, next[c])
		}
		next[c]++
	}
	if n := s.end(time.Minute); n != 0 {
		t.Errorf("%d parked", n)
	}
}

func TestBusyIsSaidOnceAndTheLaneRecovers(t *testing.T) {
	gate := make(chan struct{})
	s := newStage(t, data(t), chat.HubOptions{Bounds: chat.Bounds{QueuePerLane: 2},
		Handler: chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
			<-gate
			return echo(ctx, m, w)
		})})
	for i := range 10 {
		s.say("c", fmt.Sprint("m", i))
	}
	close(gate)
	s.rest()
	busy := 0
	for _, text := range s.p.Texts() {
		if strings.Contains(text, "still working") {
			busy++
		}
	}
	if busy != 1 {
		t.Errorf("%d notices in %q", busy, s.p.Texts())
	}
	s.say("c", "after")
	s.until("after", func() bool { l := s.p.Texts(); return l[len(l)-1] == "after" })
	s.end(time.Minute)
}

func TestPanicIsOneFriendlySentence(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{Handler: chat.HandlerFunc(func(ctx context.Context, m chat.Message,
		w chat.Reply) (chat.Answer, error) {
		if m.Text == "boom" {
			panic("secret detail")
		}
		return echo(ctx, m, w)
	})})
	s.say("c", "boom")
	s.say("c", "fine")
	s.until("both", func() bool { return len(s.p.Texts()) == 2 })
	if got := s.p.Texts(); strings.Contains(got[0], "secret") || !strings.Contains(got[0], "went wrong") || got[1] != "fine" {
		t.Errorf("sent %q", got)
	}
	s.end(time.Minute)
}

func TestStopJumpsTheQueue(t *testing.T) {
	running := make(chan struct{})
	s := newStage(t, data(t), chat.HubOptions{Handler: chat.HandlerFunc(func(ctx context.Context, m chat.Message,
		w chat.Reply) (chat.Answer, error) {
		if m.Text != "long" {
			return echo(ctx, m, w)
		}
		close(running)
		<-ctx.Done()
		return chat.Answer{Text: fmt.Sprint(context.Cause(ctx))}, nil
	})})
	s.say("c", "long")
	s.say("c", "next")
	<-running
	s.say("c", "/stop")
	s.until("next", func() bool { return len(s.p.Texts()) == 2 })
	if got := s.p.Texts(); got[0] != chat.ErrStopped.Error() || got[1] != "next" {
		t.Errorf("sent %q", got)
	}
	s.end(time.Minute)
}

// TestStopIsNoFailure: a handler that only knows that it was ended is told of as stopped.
func TestStopIsNoFailure(t *testing.T) {
	running := make(chan struct{})
	s := newStage(t, data(t), chat.HubOptions{Handler: chat.HandlerFunc(func(ctx context.Context, _ chat.Message,
		_ chat.Reply) (chat.Answer, error) {
		close(running)
		<-ctx.Done()
		return chat.Answer{}, fmt.Errorf("read a quota: %w", ctx.Err())
	})})
	s.say("c", "long")
	<-running
	s.say("c", "/stop")
	s.until("the answer", func() bool { return len(s.p.Texts()) == 1 })
	if got := s.p.Texts(); got[0] != "Stopped." {
		t.Errorf("sent %q", got)
	}
	s.end(time.Minute)
}

func TestDrainParksAndTheNextProcessAnswersOnce(t *testing.T) {
	dir := data(t)
	s := newStage(t, dir, chat.HubOptions{Handler: chat.HandlerFunc(func(ctx context.Context, _ chat.Message,
		_ chat.Reply) (chat.Answer, error) {
		<-ctx.Done()
		return chat.Answer{}, context.Cause(ctx)
	})})
	s.say("c", "one")
	s.say("c", "two")
	if n := s.end(20 * time.Millisecond); n != 2 {
		t.Errorf("%d parked", n)
	}
	if got := s.p.Texts(); len(got) != 0 {
		t.Errorf("sent while draining: %q", got)
	}
	s = s.next(dir, chat.HubOptions{Handler: chat.HandlerFunc(echo)})
	s.until("both", func() bool { return len(s.p.Texts()) == 2 })
	s.end(time.Minute)
	if got := s.p.Texts(); got[0] != "one" || got[1] != "two" {
		t.Errorf("sent %q", got)
	}
}

func TestDelivery(t *testing.T) {
	unknown := fmt.Errorf("cut: %w", chat.ErrUnknownOutcome)
	moved := chat.Key{Platform: "p", Channel: "new"}
	for _, tt := range []struct {
		name   string
		errs   []error
		repeat bool
		sent   int // what the platform shows of two messages
	}{
		{"asked to wait", []error{&chat.WaitError{After: 20 * time.Millisecond}, &chat.WaitError{After: 20 * time.Millisecond}}, false, 2},
		{"gone", []error{&chat.GoneError{Err: errors.New("blocked")}}, false, 1},
		{"unknown, prefer loss", []error{unknown}, false, 2},
		{"unknown, prefer a double", []error{unknown}, true, 3},
		{"unknown twice", []error{unknown, unknown}, true, 3},
		{"not written", []error{errors.New("refused")}, false, 2},
		{"moved", []error{&chat.MovedError{To: moved}}, false, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, data(t), chat.HubOptions{RepeatUnknown: tt.repeat, Handler: chat.HandlerFunc(echo)})
			s.p.Fail(tt.errs...)
			s.say("c", "one")
			s.say("c", "two")
			s.until("settled", func() bool {
				lanes, _ := s.Active()
				parts, err := s.store.Pending(context.Background(), chat.Key{Platform: "p", Channel: "c"})
				return lanes == 0 && err == nil && len(parts) == 0
			})
			s.end(time.Minute)
			got := s.p.Texts()
			if len(got) != tt.sent || got[len(got)-1] != "two" && tt.name != "moved" {
				t.Errorf("sent %q", got)
			}
			if tt.name == "moved" && s.p.Sent()[0].Key.Channel != "new" && s.p.Sent()[1].Key.Channel != "new" {
				t.Errorf("sent to %v", s.p.Sent())
			}
		})
	}
}

// TestMoveOutlastsABadDisk: a part whose conversation moved is sent there
// although the journal failed at first.
func TestMoveOutlastsABadDisk(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{Handler: chat.HandlerFunc(echo)})
	s.p.Fail(&chat.MovedError{To: chat.Key{Platform: "p", Channel: "new"}})
	s.disk.moves.Store(1)
	s.disk.reads.Store(1)
	s.say("c", "one")
	s.until("sent", func() bool { return len(s.p.Texts()) == 1 })
	s.end(time.Minute)
	if got := s.p.Sent()[0].Key.Channel; got != "new" {
		t.Errorf("sent to %s", got)
	}
}

// TestRecordThatCannotBeStored: the answer goes out without it, and the
// conversation goes on.
func TestRecordThatCannotBeStored(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{Handler: chat.HandlerFunc(func(_ context.Context, m chat.Message,
		_ chat.Reply) (chat.Answer, error) {
		se := memory.Session{ID: "s", Key: m.Key, Status: memory.Active}
		return chat.Answer{Text: m.Text, Record: &memory.Turn{Session: &se, Entries: []memory.Entry{{Role: "nobody", Content: "x"}}}}, nil
	})})
	s.say("c", "one")
	s.say("c", "two")
	s.until("both", func() bool { return len(s.p.Texts()) == 2 })
	s.end(time.Minute)
}

func TestPreviewIsTakenOverByTheAnswer(t *testing.T) {
	var s *stage
	s = newStage(t, data(t), chat.HubOptions{Handler: chat.HandlerFunc(func(_ context.Context, m chat.Message,
		w chat.Reply) (chat.Answer, error) {
		w.Text("growing")
		waittest.Until(t, "the first preview", func() bool { return len(s.p.Shown()) > 0 })
		return chat.Answer{Text: "grown"}, nil
	})})
	s.say("c", "hi")
	s.until("sent", func() bool { return len(s.p.Texts()) == 1 })
	s.end(time.Minute)
	if p := s.p.Sent()[0]; p.Preview != "preview" || len(s.p.Shown()) == 0 || s.p.Typed() == 0 {
		t.Errorf("part %+v, shown %q, typing %d", p, s.p.Shown(), s.p.Typed())
	}
}

// TestLongAnswersComeAsAFile: an answer of more messages than anybody wants is
// one message, and a file with all of it; buttons and files are below that.
func TestLongAnswersComeAsAFile(t *testing.T) {
	text := ""
	for i := range 1250 {
		text += fmt.Sprintf("> line %d of a long quotation\n", i)
	}
	s := newStage(t, data(t), chat.HubOptions{Handler: chat.HandlerFunc(func(_ context.Context, m chat.Message,
		_ chat.Reply) (chat.Answer, error) {
		if m.Text == "short" {
			return chat.Answer{Text: text[:5000]}, nil
		}
		return chat.Answer{
			Text: text, Buttons: [][]chat.Button{{{Label: "Go", Data: "go"}}}, Files: []chat.File{{Name: "a.txt", Data: []byte("A")}},
		}, nil
	})})
	s.say("c", "long")
	s.until("sent", func() bool { return len(s.p.Texts()) == 2 })
	s.say("c", "short")
	s.until("sent", func() bool { return len(s.p.Texts()) == 8 })
	s.end(time.Minute)
	first, last := s.p.Sent()[0], s.p.Sent()[1]
	if len(first.Text) < 500 || !strings.HasPrefix(first.Text, "> line 0 ") || len(first.Files)+len(first.Buttons) > 0 || first.ReplyTo == "" {
		t.Errorf("first %d bytes, %+v", len(first.Text), first.Files)
	}
	if len(last.Files) != 2 || last.Files[0].Name != "answer.md" || string(last.Files[0].Data) != text ||
		last.Files[1].Name != "a.txt" || len(last.Buttons) != 1 {
		t.Errorf("last %q with %d files", last.Text, len(last.Files))
	}
	for _, p := range s.p.Sent()[2:] {
		if len(p.Files) > 0 {
			t.Error("an answer of few messages came as a file")
		}
	}
}

// TestPrivateWithoutAWay: on a platform that knows no way to one person alone,
// nothing of a private answer is sent to a place of many, and they read why.
func TestPrivateWithoutAWay(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{Handler: chat.HandlerFunc(func(context.Context, chat.Message, chat.Reply) (chat.Answer, error) {
		return chat.Answer{Text: "the secret", Files: []chat.File{{Name: "secret.txt", Data: []byte("secret")}}, Private: true}, nil
	})})
	s.say("room", "/page")
	s.until("a word", func() bool { return len(s.p.Texts()) == 1 })
	for _, p := range s.p.Sent() {
		if strings.Contains(p.Text, "secret") || len(p.Files) > 0 || !strings.Contains(p.Text, "direct chat") {
			t.Errorf("sent %+v", p)
		}
	}
	s.end(time.Minute)
}

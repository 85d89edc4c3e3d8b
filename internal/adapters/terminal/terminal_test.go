package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// intake answers every message as a hub would: in a goroutine, parts, then Done.
type intake struct {
	a      *Adapter
	answer func(m chat.Message) []chat.Part
	fail   error

	mu  sync.Mutex // guards got
	got []chat.Message
	wg  sync.WaitGroup
}

func (i *intake) Deliver(ctx context.Context, b chat.Batch) error {
	if i.fail != nil {
		return i.fail
	}
	for _, m := range b.Messages {
		i.mu.Lock()
		i.got = append(i.got, m)
		i.mu.Unlock()
		i.wg.Go(func() {
			for _, p := range i.answer(m) {
				_, _ = i.a.Send(context.WithoutCancel(ctx), p)
			}
			i.a.Done(m)
		})
	}
	return nil
}

func (i *intake) Room(context.Context) error                                 { return nil }
func (i *intake) Cursors(context.Context, string) (map[string]string, error) { return nil, nil }

// talk runs one conversation in a pipe and returns what stdout got.
func talk(t *testing.T, o Options, input string, answer func(chat.Message) []chat.Part) (string, []chat.Message) {
	t.Helper()
	var out bytes.Buffer
	o.In, o.Out = strings.NewReader(input), &out
	a := New(o)
	in := &intake{a: a, answer: answer}
	if err := a.Run(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	in.wg.Wait()
	return out.String(), in.got
}

func echo(m chat.Message) []chat.Part { return []chat.Part{{Text: "re: " + m.Text}} }

func TestOneLineIsOneMessage(t *testing.T) {
	out, got := talk(t, Options{User: "alice"}, "one\r\n\n \t\ntwo\n/help\nlast", echo)
	if want := "re: one\nre: two\nre: /help\nre: last\n"; out != want {
		t.Errorf("stdout %q, want %q", out, want)
	}
	ids := map[string]bool{}
	for _, m := range got {
		ids[m.ID] = true
		if m.Key != (chat.Key{Platform: "terminal", Channel: "alice"}) || m.From != (chat.User{ID: "terminal:alice", Name: "alice"}) ||
			!m.Direct || !m.Addressed || m.At.IsZero() {
			t.Errorf("message %+v", m)
		}
	}
	if len(ids) != 4 || got[2].Kind != chat.KindCommand || got[3].Kind != chat.KindText {
		t.Errorf("messages %+v", got)
	}
}

func TestIdentity(t *testing.T) {
	t.Setenv("USER", "Anna")
	for _, tt := range []struct {
		o    Options
		from chat.User
		key  string
	}{
		{Options{}, chat.User{ID: "terminal:local", Name: "Anna"}, "terminal:local"},
		{Options{User: "terminal:bob", Channel: "work/tea"}, chat.User{ID: "terminal:bob", Name: "bob"}, "terminal:work/tea"},
		{Options{User: "bob", Name: "Bob B."}, chat.User{ID: "terminal:bob", Name: "Bob B."}, "terminal:bob"},
	} {
		a := New(tt.o)
		if k, ok := chat.ParseKey(a.key.String()); a.from != tt.from || a.key.String() != tt.key || !ok || k != a.key {
			t.Errorf("%+v: %+v %s", tt.o, a.from, a.key)
		}
	}
}

func TestTheNextLineWaitsForTheAnswer(t *testing.T) {
	var mu sync.Mutex
	open := 0
	out, _ := talk(t, Options{}, strings.Repeat("x\n", 50), func(m chat.Message) []chat.Part {
		mu.Lock()
		defer mu.Unlock()
		if open++; open != 1 {
			t.Error("a second message before the first was done")
		}
		defer func() { open-- }()
		return []chat.Part{{Text: "a"}, {Text: "b\n"}}
	})
	if out != strings.Repeat("a\nb\n", 50) {
		t.Errorf("stdout %q", out)
	}
}

func TestNoAnswerGoesOn(t *testing.T) {
	out, got := talk(t, Options{}, "a\nb\n", func(chat.Message) []chat.Part { return nil })
	if out != "" || len(got) != 2 {
		t.Errorf("stdout %q, %d messages", out, len(got))
	}
}

func TestHugeAndBrokenLines(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	_, got := talk(t, Options{}, "a\xff\x00b\n"+long+"\n"+strings.Repeat("y", maxLine+9)+"\nz\n", echo)
	if len(got) != 4 || got[0].Text != "a\uFFFDb" || got[1].Text != long || len(got[2].Text) != maxLine || got[3].Text != "z" {
		t.Errorf("%d messages, first %q", len(got), got[0].Text)
	}
}

func TestButtonsAreNumbers(t *testing.T) {
	asked := func(m chat.Message) []chat.Part {
		if m.Text != "delete" {
			return echo(m)
		}
		return []chat.Part{{Text: "Sure?", Buttons: [][]chat.Button{{{Label: "Yes", Data: "y"}, {Label: "No", Data: "n"}},
			{{Label: "Maybe", Data: "m"}}}}}
	}
	out, got := talk(t, Options{}, "delete\n2\n2\ndelete\n9\n1\n", asked)
	if want := "Sure?\n1) Yes  2) No\n3) Maybe\nre: n\nre: 2\nSure?\n1) Yes  2) No\n3) Maybe\nre: 9\nre: 1\n"; out != want {
		t.Errorf("stdout %q", out)
	}
	if m := got[1]; m.Kind != chat.KindButton || m.Text != "n" || m.ReplyTo == "" {
		t.Errorf("choice %+v", m)
	}
	for _, i := range []int{2, 4, 5} { // picked already, out of range, not right after
		if got[i].Kind != chat.KindText {
			t.Errorf("message %d is %+v", i, got[i])
		}
	}
}

func TestAnswersCannotSteerTheTerminal(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31mred\x1b[0m":           "ared",
		"\x1b]0;title\x07x":             "x",
		"\x1b]8;;http://e\x1b\\l\x1b\\": "l",
		"\u009b2Jx\u0085":               "x",
		"a\rb\bc\td\ne":                 "abc\td\ne",
		"\x1b\x1b[0m[2Jx":               "[2Jx",
		"\x1b(0x\x1bc":                  "x",
		"no end \x1b]52;c;aGk=":         "no end ]52;c;aGk=",
		"\xff":                          "\uFFFD",
		"שלום **b**":                    "שלום **b**",
	} {
		if got := clean(text); got != want {
			t.Errorf("clean(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b\x1b[0m[2Jx\u009b")
	f.Fuzz(func(t *testing.T, text string) {
		if got := clean(text); strings.ContainsFunc(got, isControl) {
			t.Errorf("%q leaves %q", text, got)
		}
	})
}

func TestFiles(t *testing.T) {
	file := []chat.Part{{Text: "here", Files: []chat.File{{Name: "../../n\x1b[2Jotes.md", Data: []byte("hi")}}}}
	give := func(chat.Message) []chat.Part { return file }
	if out, _ := talk(t, Options{}, "x\n", give); out != "here\n[file notes.md, 2 bytes]\n" {
		t.Errorf("stdout %q", out)
	}
	dir := t.TempDir()
	out, _ := talk(t, Options{Downloads: dir}, "x\ny\n", give)
	for _, name := range []string{"notes.md", "notes-2.md"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != "hi" || !strings.Contains(out, name) {
			t.Errorf("%s: %q %v, stdout %q", name, b, err, out)
		}
	}
}

func TestQuitEndsAndFailureIsTold(t *testing.T) {
	if out, _ := talk(t, Options{}, "a\n/quit\nb\n", echo); out != "re: a\n" {
		t.Errorf("stdout %q", out)
	}
	a := New(Options{In: strings.NewReader("a\nb\n"), Out: io.Discard, Log: slog.New(slog.DiscardHandler)})
	full := errors.New("disk full")
	if err := a.Run(context.Background(), &intake{a: a, fail: full}); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

func TestEndOfContextEndsABlockedRead(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	a := New(Options{In: r, Out: io.Discard})
	done := make(chan error)
	in := &intake{a: a, answer: func(chat.Message) []chat.Part { cancel(); return nil }}
	go func() { done <- a.Run(ctx, in) }()
	if _, err := w.WriteString("x\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	in.wg.Wait()
}

func TestBrokenPipeIsForGood(t *testing.T) {
	r, w, _ := os.Pipe()
	r.Close()
	defer w.Close()
	_, err := New(Options{Out: w}).Send(context.Background(), chat.Part{Text: "x"})
	var gone *chat.GoneError
	if !errors.As(err, &gone) {
		t.Errorf("got %v", err)
	}
}

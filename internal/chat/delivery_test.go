package chat_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
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
	s := newStage(t, data(t), chat.HubOptions{})
	s.on(&forgetful{Store: s.store, finishes: 2}, nil, echo)
	s.say("c", "one")
	s.say("c", "two")
	s.until("both", func() bool { return len(s.p.Texts()) == 2 })
	s.rest()
	first := s.p.Sent()[0]
	if first.Row == 0 || len(first.Nonce) != 25 || first.At.IsZero() || first.Nonce == s.p.Sent()[1].Nonce {
		t.Errorf("sent %+v", first)
	}
	if left, err := s.store.Pending(context.Background(), first.Key); err != nil || len(left) != 0 {
		t.Errorf("left %+v, %v", left, err)
	}
	s.end(time.Minute)
	if got := s.p.Texts(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("sent %q", got)
	}
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

// TestNothingUnseenIsSent: what nobody sees, or what turns the direction of
// text, is in no preview, no answer, no file name and on no button.
func TestNothingUnseenIsSent(t *testing.T) {
	const hidden = "\u202E\u2066\u2069\u200E\u200F\u061C\u200B\U000E0068\U000E0069\uFEFF"
	shown := make(chan struct{})
	s := newStage(t, data(t), chat.HubOptions{Handler: chat.HandlerFunc(func(_ context.Context, m chat.Message,
		w chat.Reply) (chat.Answer, error) {
		if m.Text == "nothing" {
			return chat.Answer{Text: hidden}, nil
		}
		w.Text("gro" + hidden + "wing")
		<-shown
		return chat.Answer{
			Text:    "gr" + hidden + "own 👨\u200D👩\u200D👧 می\u200Cخواهم",
			Files:   []chat.File{{Name: "a" + hidden + "txt.exe", Data: []byte(hidden)}},
			Buttons: [][]chat.Button{{{Label: "Y" + hidden + "es", Data: "yes" + hidden}}},
		}, nil
	})})
	s.say("c", "hi")
	s.until("previewed", func() bool { return len(s.p.Shown()) > 0 })
	close(shown)
	s.say("c", "nothing")
	s.say("c", "hi")
	s.until("sent", func() bool { return len(s.p.Texts()) == 2 })
	// What nobody asked for takes another way.
	elsewhere := chat.Key{Platform: "p", Channel: "d"}
	if err := s.store.Notify(context.Background(), "notice", []chat.Part{{Key: elsewhere, Text: "mind" + hidden + "ed"}}); err != nil {
		t.Fatal(err)
	}
	s.Flush(elsewhere)
	s.until("reminded", func() bool { return len(s.p.Texts()) == 3 })
	s.end(time.Minute)
	if got := s.p.Texts()[2]; got != "minded" {
		t.Errorf("reminded %q", got)
	}
	p := s.p.Sent()[0]
	if p.Text != "grown 👨\u200D👩\u200D👧 می\u200Cخواهم" || p.Files[0].Name != "atxt.exe" || p.Buttons[0][0].Label != "Yes" {
		t.Errorf("sent %q, %q, %q", p.Text, p.Files[0].Name, p.Buttons[0][0].Label)
	}
	if string(p.Files[0].Data) != hidden || p.Buttons[0][0].Data != "yes"+hidden {
		t.Error("what is in a file, or comes back from a button, was changed")
	}
	if all := fmt.Sprintf("%q", s.p.Shown()); strings.Contains(all, `\u`) || !strings.Contains(all, "growing") {
		t.Errorf("previews %s", all)
	}
}

// TestStopAsAnInteractionIsAnswered: where the platform shows that an answer is
// being made, it does not do so for ever.
func TestStopAsAnInteractionIsAnswered(t *testing.T) {
	running := make(chan struct{})
	s := newStage(t, data(t), chat.HubOptions{Handler: chat.HandlerFunc(func(ctx context.Context, _ chat.Message,
		_ chat.Reply) (chat.Answer, error) {
		close(running)
		<-ctx.Done()
		return chat.Answer{Text: "so far"}, nil
	})})
	s.say("c", "long")
	<-running
	m := chat.Message{ID: "i", Key: chat.Key{Platform: "p", Channel: "c"}, Kind: chat.KindCommand, From: chat.User{ID: "p:1"},
		Text: "/stop", Addressed: true, Direct: true, Origin: "home"}
	s.deliver(m)
	s.until("both", func() bool { return len(s.p.Texts()) == 2 })
	s.end(time.Minute)
	for _, p := range s.p.Sent() {
		if want := map[string]string{"": "so far", "home": "Stopped."}[p.Origin]; p.Text != want {
			t.Errorf("%q said %q", p.Origin, p.Text)
		}
	}
}

// journal is a log that may be read while it is written.
type journal struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(b)
}

func (j *journal) has(text string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Contains(j.buf.String(), text)
}

// TestFaultDiskFullOnAnswer: an answer that cannot be stored is kept and, once
// there is room again, sent once; the model is not asked twice.
func TestFaultDiskFullOnAnswer(t *testing.T) {
	memorytest.AboutFiles(t)
	asked := 0
	log := &journal{}
	s := newStageOn(t, data(t), memory.Options{MaxPages: 400}, chat.HubOptions{Log: slog.New(slog.NewTextHandler(log, nil)),
		Handler: chat.HandlerFunc(func(context.Context, chat.Message, chat.Reply) (chat.Answer, error) {
			asked++
			return chat.Answer{Text: strings.Repeat("a long answer ", 5000)}, nil
		})})
	elsewhere := chat.Key{Platform: "other", Channel: "1"}
	ctx := context.Background()
	full := false
	for i := 0; !full && i < 1000; i++ {
		full = s.store.Notify(ctx, fmt.Sprint("filler", i), []chat.Part{{Key: elsewhere, Text: strings.Repeat("x", 20_000)}}) != nil
	}
	fillers, err := s.store.Pending(ctx, elsewhere)
	if err != nil || !full || len(fillers) < 10 {
		t.Fatalf("the disk was never full: %d fillers, %v", len(fillers), err)
	}
	free := func(list []chat.Part) {
		for _, p := range list {
			if err := s.store.Mark(ctx, p, chat.PartSent, "1", time.Time{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	free(fillers[:1]) // room for the message, not for its answer
	s.say("c", "hello")
	s.until("the disk is full", func() bool { return log.has("finish failed") })
	free(fillers[1:])
	s.until("sent", func() bool { lanes, _ := s.Active(); return lanes == 0 })
	s.end(time.Minute)
	whole := string(s.p.Sent()[len(s.p.Sent())-1].Files[0].Data)
	if n := strings.Count(whole, "answer"); n != 5000 || asked != 1 {
		t.Errorf("sent %d of 5000 words, asked %d times", n, asked)
	}
}

package chat_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
)

// heard is a handler that notes what it is asked, once it is let go.
type heard struct {
	mu   sync.Mutex // guards all
	all  []chat.Message
	busy chan struct{} // a message with the text "first" waits for it
	in   chan struct{} // closed when that is being answered
}

func listening() *heard { return &heard{busy: make(chan struct{}), in: make(chan struct{})} }

func (h *heard) Handle(ctx context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
	if m.Kind == chat.KindEdit || m.Kind == chat.KindDeleted {
		return chat.Answer{}, nil
	}
	if m.Text == "first" {
		close(h.in)
		select {
		case <-h.busy:
		case <-ctx.Done():
			return chat.Answer{}, context.Cause(ctx)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, m)
	return chat.Answer{Text: m.Text}, nil
}

func (h *heard) texts() (list []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.all {
		list = append(list, m.Text)
	}
	return list
}

func said(id, text string) chat.Message {
	return chat.Message{ID: id, Key: chat.Key{Platform: "p", Channel: "c"}, From: chat.User{ID: "p:1"}, Text: text, Addressed: true}
}

func edit(of, text string) chat.Message {
	m := said(of+"@1"+text, text)
	m.Kind, m.ReplyTo = chat.KindEdit, of
	return m
}

func deletion(of string) chat.Message {
	m := said(of+"@gone", "")
	m.Kind, m.ReplyTo, m.From, m.Addressed = chat.KindDeleted, of, chat.User{}, false
	return m
}

func (s *stage) settled() {
	s.t.Helper()
	s.until("settled", func() bool { lanes, n := s.Active(); return lanes == 0 && n == 0 })
}

// What is changed while it waits is answered as changed, once; what is deleted
// then is not answered; what somebody else says about it counts for nothing.
func TestChangesToWhatWaits(t *testing.T) {
	picture := said("6", "look")
	picture.Files, picture.Forwarded = []chat.File{{Name: "a.png", Ref: "a"}}, true
	recaptioned := edit("6", "see")
	recaptioned.Files, recaptioned.Relayed = []chat.File{{Name: "a.png", Ref: "a"}, {Name: "b.png", Ref: "b"}}, true
	command := said("7", "/ask one")
	command.Kind = chat.KindCommand
	stranger := edit("8", "stranger")
	stranger.From.ID = "p:2"
	h := listening()
	s := newStage(t, data(t), chat.HubOptions{Bounds: chat.Bounds{QueuePerLane: 100}, Handler: h})
	s.deliver(said("1", "first"))
	<-h.in
	s.deliver(said("2", "old"), said("3", "unwanted"), said("4", "kept"))
	s.deliver(edit("2", "newer"), deletion("3"), edit("2", "newest"))
	s.deliver(picture, recaptioned, command, edit("7", "/ask two"), said("8", "mine"), stranger)
	s.deliver(said("9", "twice"), edit("9", "changed"), deletion("9"), edit("1", "too late"))
	close(h.busy)
	s.settled()
	want := []string{"first", "newest", "kept", "see", "/ask two", "mine"}
	if got := h.texts(); !slices.Equal(got, want) || !slices.Equal(s.p.Texts(), want) {
		t.Errorf("answered %q, sent %q", got, s.p.Texts())
	}
	if m := h.all[3]; len(m.Files) != 2 || !m.Forwarded || !m.Relayed {
		t.Errorf("an edit took marks away: %+v", m)
	}
	if open, err := s.store.Left(context.Background()); err != nil || len(open) != 0 {
		t.Errorf("left over: %+v %v", open, err)
	}
	s.end(time.Minute)
}

// What comes in one piece after a silence is one message as it stands now,
// although nothing is being answered.
func TestChangesThatComeWithTheirMessage(t *testing.T) {
	for range 50 {
		h := listening()
		s := newStage(t, data(t), chat.HubOptions{Handler: h})
		s.deliver(said("1", "old"), edit("1", "new"), said("2", "unwanted"), deletion("2"))
		s.settled()
		if got := h.texts(); !slices.Equal(got, []string{"new"}) {
			t.Fatalf("answered %q", got)
		}
		s.end(time.Minute)
	}
}

// A crash between a change and the answer loses neither.
func TestCrashKeepsChangesToWhatWaits(t *testing.T) {
	dir, h := data(t), listening()
	s := newStage(t, dir, chat.HubOptions{Handler: h})
	s.deliver(said("1", "first"))
	<-h.in
	s.deliver(said("2", "old"), said("3", "unwanted"))
	s.deliver(edit("2", "new"))
	s.deliver(deletion("3"))
	s.end(0)
	again := listening()
	close(again.busy)
	n := s.next(dir, chat.HubOptions{Handler: again})
	n.settled()
	if got := append(s.p.Texts(), n.p.Texts()...); !slices.Equal(got, []string{"first", "new"}) {
		t.Errorf("sent %q", got)
	}
	n.end(time.Minute)
}

// Where an earlier process has done a step of the answer, that goes on: with an edit taken
// up before the step, and without one that came later, which would do the step again.
func TestCrashAfterAStepGoesOnWithItsText(t *testing.T) {
	for name, list := range map[string][]chat.Message{"edited before": {said("1", "old"), edit("1", "first")},
		"edited later": {said("1", "first")}} {
		t.Run(name, func(t *testing.T) {
			dir, h := data(t), listening()
			s := newStage(t, dir, chat.HubOptions{Handler: h})
			s.deliver(list...)
			<-h.in
			if err := s.store.SaveSteps(context.Background(), 1, []memory.Step{{N: 1, Kind: "tool", Key: "c", Done: true}})(); err != nil {
				t.Fatal(err)
			}
			if len(list) == 1 {
				s.deliver(edit("1", "new"))
			}
			s.end(0)
			again := listening()
			close(again.busy)
			n := s.next(dir, chat.HubOptions{Handler: again})
			n.settled()
			if got := n.p.Texts(); !slices.Equal(got, []string{"first"}) {
				t.Errorf("sent %q", got)
			}
			n.end(time.Minute)
		})
	}
}

// done is a record of a turn that changed something, or not.
type done bool

func (d done) Effects() bool { return bool(d) }

// A message that is deleted while it is answered is answered no more, unless
// people have seen something of the answer or something was done.
func TestDeletedWhileItIsAnswered(t *testing.T) {
	for name, tt := range map[string]struct {
		show, ignore bool
		did          any
		want         int
	}{
		"nothing was shown":    {want: 0, did: done(false)},
		"it ends all the same": {want: 0, did: done(false), ignore: true},
		"a part was shown":     {show: true, want: 1, did: done(false)},
		"something was done":   {want: 1, did: done(true)},
		"a command":            {want: 1, did: nil},
	} {
		t.Run(name, func(t *testing.T) {
			in := make(chan context.Context, 1)
			var s *stage
			s = newStage(t, data(t), chat.HubOptions{Handler: chat.HandlerFunc(func(ctx context.Context, m chat.Message,
				w chat.Reply) (chat.Answer, error) {
				if m.Text != "long" {
					return chat.Answer{Text: strings.TrimSpace(m.Text)}, nil
				}
				if tt.show {
					w.Text("growing")
					s.until("shown", func() bool { shown := s.p.Shown(); return len(shown) > 0 && shown[len(shown)-1] != "" })
				}
				in <- ctx
				<-ctx.Done()
				if tt.ignore {
					return chat.Answer{Text: "done"}, fmt.Errorf("cut: %w", context.Cause(ctx))
				}
				return chat.Answer{Text: "stopped", Record: tt.did}, nil
			})})
			s.deliver(said("1", "long"))
			answering := <-in
			if s.deliver(deletion("7")); answering.Err() != nil {
				t.Error("stopped, though something else was deleted")
			}
			s.deliver(deletion("1"), said("2", "next"))
			s.settled()
			if got := s.p.Texts(); len(got) != tt.want+1 || got[tt.want] != "next" {
				t.Errorf("sent %q", got)
			}
			s.end(time.Minute)
		})
	}
}

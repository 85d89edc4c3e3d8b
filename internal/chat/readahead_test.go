package chat_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/chat"
)

// TestReadAhead: what is read while a message is stored is for that message, once, where
// nothing that changes it is under way in its conversation; otherwise its Handler reads.
func TestReadAhead(t *testing.T) {
	for _, tt := range []struct {
		name  string
		point string // at which the first message is, when the second comes
		fold  any
		fails error
		want  any
	}{
		{name: "it rests", want: "second"},
		{name: "it works", point: "before_finish"},
		{name: "it only sends", point: "before_send", want: "second"},
		{name: "it folds after that", point: "before_send", fold: folds{}},
		{name: "it moves", point: "before_send", fails: &chat.MovedError{To: chat.Key{Platform: "p", Channel: "b"}}},
		{name: "something is done meanwhile", point: "after_inbox_commit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s *stage
			second := func() { s.say("a", "second") }
			var points atomic.Int32 // a send and a storing may be at one at the same time
			o := chat.HubOptions{Node: &node{}, Failpoint: func(point string) {
				if point != tt.point {
					return
				}
				switch n := points.Add(1); {
				case point == "after_inbox_commit" && n == 2:
					did := make(chan struct{})
					s.Do(chat.Key{Platform: "p", Channel: "a"}, chat.InOrder, func(context.Context) { close(did) })
					<-did
				case point != "after_inbox_commit" && n == 1:
					second()
				}
			}}
			o.Ahead = func(_ context.Context, m chat.Message) any { return m.Text }
			read := make(chan any, 9)
			o.Handler = chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
				if m.Text == "second" {
					read <- chat.Ahead(ctx)
					if again := chat.Ahead(ctx); again != nil {
						t.Errorf("and again %v", again)
					}
				}
				return chat.Answer{Text: m.Text, Record: tt.fold}, nil
			})
			s = newStage(t, data(t), o)
			if tt.fails != nil {
				s.p.Fail(tt.fails)
			}
			s.say("a", "first")
			if tt.point == "" || tt.point == "after_inbox_commit" {
				s.rest()
				second()
			}
			if got := <-read; got != tt.want {
				t.Errorf("it was told %v, want %v", got, tt.want)
			}
			s.end(time.Minute)
		})
	}
}

// TestReadAheadPanics: what goes wrong while reading ahead is no matter of the message, which
// is answered as if nothing had been read.
func TestReadAheadPanics(t *testing.T) {
	s := newStage(t, data(t), chat.HubOptions{
		Node:  &node{},
		Ahead: func(context.Context, chat.Message) any { panic("a row nobody foresaw") },
		Handler: chat.HandlerFunc(func(ctx context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
			if got := chat.Ahead(ctx); got != nil {
				t.Errorf("it was told %v", got)
			}
			return chat.Answer{Text: m.Text}, nil
		}),
	})
	s.say("a", "first")
	s.until("it is answered", func() bool { lanes, _ := s.Active(); return lanes == 0 && len(s.p.Sent()) == 1 })
	s.end(time.Minute)
}

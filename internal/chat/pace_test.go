package chat_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
)

// pace reads it off the first character: "?" only reads, "!" is quick.
func pace(m chat.Message) chat.Pace {
	switch m.Text[0] {
	case '?':
		return chat.Beside
	case '!':
		return chat.Quick
	}
	return chat.InOrder
}

// What only reads is answered while an answer hangs; what changes something
// waits; what was asked behind something quick knows of it.
func TestBeside(t *testing.T) {
	hang, begun := make(chan struct{}), make(chan struct{}, 9)
	s := newStage(t, data(t), chat.HubOptions{Pace: pace, Handler: chat.HandlerFunc(func(_ context.Context, m chat.Message,
		_ chat.Reply) (chat.Answer, error) {
		if strings.HasPrefix(m.Text, "long") {
			begun <- struct{}{}
			<-hang
		}
		return chat.Answer{Text: m.Text}, nil
	})})
	s.deliver(said("1", "long"))
	<-begun
	s.deliver(said("2", "!add"), said("3", "?list"), said("4", "?status"))
	s.until("read", func() bool { return len(s.p.Texts()) == 2 })
	if got := s.p.Texts(); !slices.Equal(got, []string{"?list", "?status"}) {
		t.Fatalf("beside a turn: %q", got)
	}
	close(hang)
	s.settled()
	s.deliver(said("5", "!add"), said("6", "?list"), said("7", "!add"), said("8", "?list"), said("9", "long again"), said("10", "?last"))
	s.settled()
	want := []string{"?list", "?status", "long", "!add", "!add", "?list", "!add", "?list"}
	if got := s.p.Texts(); len(got) != 10 || !slices.Equal(got[:8], want) {
		t.Errorf("sent %q", got)
	}
	s.end(time.Second)
}

// The parts of two answers never mix, each is sent once, and nothing is left
// over when the process ends between.
func TestAnswersBesideDoNotMix(t *testing.T) {
	dir := data(t)
	s := newStage(t, dir, chat.HubOptions{Pace: pace, Bounds: chat.Bounds{QueuePerLane: 100},
		Handler: chat.HandlerFunc(func(_ context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
			return chat.Answer{Text: strings.Repeat(m.ID+" ", 3500/len(m.ID+" "))}, nil
		})})
	n := 40
	for i := range n {
		text := "talk"
		if i%2 == 1 {
			text = "?read"
		}
		s.deliver(said(fmt.Sprint(i), text))
		if i%5 == 0 {
			s.Flush(said("0", "").Key)
		}
	}
	s.settled()
	var order []string
	sent := s.p.Sent()
	rows := map[int64]bool{}
	for _, p := range sent {
		rows[p.Row] = true
		id := strings.Fields(p.Text)[0]
		if len(order) == 0 || order[len(order)-1] != id {
			order = append(order, id)
		}
	}
	slices.Sort(order)
	if len(slices.Compact(slices.Clone(order))) != n || len(order) != n || len(rows) != len(sent) {
		t.Errorf("%d answers in %d runs of parts, %d of %d parts sent once", n, len(order), len(rows), len(sent))
	}
	s.end(time.Second)
}

// What was to be read when the process died is read by the next one.
func TestBesideSurvives(t *testing.T) {
	dir := data(t)
	begun := make(chan struct{}, 2)
	hang := chat.HandlerFunc(func(ctx context.Context, _ chat.Message, _ chat.Reply) (chat.Answer, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return chat.Answer{}, context.Cause(ctx)
	})
	s := newStage(t, dir, chat.HubOptions{Pace: pace, Handler: hang})
	s.deliver(said("1", "long"))
	<-begun
	s.deliver(said("2", "?status"))
	<-begun
	if parked := s.end(0); parked != 2 {
		t.Errorf("parked %d", parked)
	}
	s = s.next(dir, chat.HubOptions{Pace: pace, Handler: listening()})
	s.settled()
	got := s.p.Texts()
	slices.Sort(got)
	if !slices.Equal(got, []string{"?status", "long"}) {
		t.Errorf("answered %q", got)
	}
	s.end(time.Second)
}

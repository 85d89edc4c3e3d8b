package chat_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/internal/chat"
)

// album delivers pictures of one album, each as its own update.
func (s *stage) album(user, id string, captions ...string) {
	s.t.Helper()
	for _, text := range captions {
		s.n++
		m := chat.Message{ID: fmt.Sprint(s.n), Key: chat.Key{Platform: "p", Channel: "1"}, From: chat.User{ID: user}, Text: text,
			Files: []chat.File{{Name: fmt.Sprint(s.n, ".png")}}, Album: id, Addressed: text != ""}
		s.deliver(m)
	}
}

func names(_ context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
	text := fmt.Sprintf("%s addressed=%t:", m.Text, m.Addressed)
	for _, f := range m.Files {
		text += " " + f.Name
	}
	return chat.Answer{Text: text}, nil
}

// TestAlbumIsOneMessage: pictures that were sent as one get one answer, also
// when the process ends over them.
func TestAlbumIsOneMessage(t *testing.T) {
	t.Parallel()
	dir := data(t)
	handling := make(chan struct{}, 10)
	stuck := func(ctx context.Context, m chat.Message, r chat.Reply) (chat.Answer, error) {
		handling <- struct{}{}
		<-ctx.Done()
		return chat.Answer{}, context.Cause(ctx)
	}
	s := newStage(t, dir, chat.HubOptions{Handler: chat.HandlerFunc(stuck)})
	s.album("p:1", "a", "", "what are these?", "")
	s.album("p:2", "a", "not mine")
	s.album("p:1", "b", "others")
	s.say("1", "and now?")
	<-handling
	s.end(time.Millisecond)

	s = s.next(dir, chat.HubOptions{Handler: chat.HandlerFunc(names)})
	s.until("all", func() bool { return len(s.p.Texts()) >= 4 })
	want := []string{"what are these? addressed=true: 1.png 2.png 3.png", "not mine addressed=true: 4.png",
		"others addressed=true: 5.png", "and now? addressed=true:"}
	if parked := s.end(time.Minute); parked != 0 || !slices.Equal(s.p.Texts(), want) {
		t.Errorf("%d parked, sent %q", parked, s.p.Texts())
	}

	s = s.next(dir, chat.HubOptions{Handler: chat.HandlerFunc(names)})
	if s.end(time.Minute); len(s.p.Texts()) != 0 {
		t.Errorf("answered again: %q", s.p.Texts())
	}
}

// TestAlbumIsNotShed: it counts as one where messages queue up.
func TestAlbumIsNotShed(t *testing.T) {
	t.Parallel()
	s := newStage(t, data(t), chat.HubOptions{Handler: chat.HandlerFunc(names), Bounds: chat.Bounds{QueuePerLane: 1}})
	s.album("p:1", "a", "", "", "", "ten", "", "", "", "", "", "")
	s.until("answered", func() bool { return len(s.p.Texts()) > 0 })
	s.end(time.Minute)
	if got := s.p.Texts(); len(got) != 1 || got[0] != "ten addressed=true: 1.png 2.png 3.png 4.png 5.png 6.png 7.png 8.png 9.png 10.png" {
		t.Errorf("sent %q", got)
	}
}

// A caption that is changed while its album is still coming in is read as
// changed, whichever picture it belongs to.
func TestAlbumIsEditedWhileItComes(t *testing.T) {
	h := listening()
	s := newStage(t, data(t), chat.HubOptions{Handler: h})
	picture := func(id, caption string) chat.Message {
		m := said(id, caption)
		m.Album, m.Files = "a", []chat.File{{Name: id + ".png", Ref: id}}
		return m
	}
	s.deliver(picture("1", "one"), picture("2", "two"), picture("3", "three"))
	s.until("taken", func() bool { _, n := s.Active(); return n <= 1 })
	s.deliver(edit("2", "second"), deletion("3"), edit("1", "first of them"))
	s.settled()
	if got := h.texts(); len(got) != 1 || got[0] != "first of them\nsecond" {
		t.Errorf("answered %q", got)
	}
	if open, err := s.store.Left(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("left over: %+v %v", open, err)
	}
	s.end(time.Second)
}

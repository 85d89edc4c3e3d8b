package chat_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
)

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
	if err := s.Deliver(t.Context(), chat.Batch{Platform: "p", Messages: []chat.Message{m}}); err != nil {
		t.Fatal(err)
	}
	s.until("both", func() bool { return len(s.p.Texts()) == 2 })
	s.end(time.Minute)
	for _, p := range s.p.Sent() {
		if want := map[string]string{"": "so far", "home": "Stopped."}[p.Origin]; p.Text != want {
			t.Errorf("%q said %q", p.Origin, p.Text)
		}
	}
}

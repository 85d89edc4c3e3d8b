package chat_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
)

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

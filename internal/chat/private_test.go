package chat_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
)

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

package telegram

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-telegram/bot"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
)

// Where drafts are refused the answer grows by edits of one message, and drafts
// are not tried again there: nowhere at all when the server knows none.
func TestDraftsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		fault telegramtest.Fault
		tries int // in two chats, two answers each
	}{
		"in this chat":   {telegramtest.Fault{Chat: 42, Status: 400, Description: "Bad Request: TEXTDRAFT_PEER_INVALID"}, 1},
		"forbidden":      {telegramtest.Fault{Chat: 42, Status: 403, Description: "Forbidden: not enough rights"}, 1},
		"unknown method": {telegramtest.Fault{Status: 404, Description: "Not Found: method not found"}, 1},
		"fails":          {telegramtest.Fault{Chat: 42, Status: 500}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t)
			s.AddChat(42)
			s.AddChat(43)
			c.fault.Method = "sendMessageDraft"
			s.Fail(c.fault)
			a := adapter(t, s, nil)
			for answer := range 2 {
				for _, who := range []int64{42, 43} {
					id := ""
					for _, text := range []string{"one", "one two", "one two three", "one two three four"} {
						got, wait, err := a.Preview(t.Context(), chat.Message{ID: "1", Key: place(who, 0), Row: int64(7 + answer)}, id, text)
						if err != nil || wait <= 0 {
							t.Errorf("Preview: %q %s %v", got, wait, err)
						}
						if got != "" {
							id = got
						}
					}
					if who == 42 && id != "" {
						if again, err := a.Send(t.Context(), chat.Part{Key: place(who, 0), Text: "whole",
							Sending: chat.Sending{Preview: id}}); err != nil || again != id {
							t.Errorf("Send: %q %v", again, err)
						}
					}
				}
			}
			tries := 0
			for _, call := range s.Calls("sendMessageDraft") {
				if call.Chat == 42 {
					tries++
				}
			}
			if tries != c.tries {
				t.Errorf("%d drafts tried", tries)
			}
			seen := 0
			for _, m := range s.Sent() {
				if m.Chat == 42 {
					if seen++; m.Text != "whole" {
						t.Errorf("shown %q", m.Text)
					}
				}
			}
			if seen != 2 {
				t.Errorf("%d messages for two answers", seen)
			}
		})
	}
}

// TestTheIDOfADraftIsANumber, as the Bot API has it.
func TestTheIDOfADraftIsANumber(t *testing.T) {
	body, err := json.Marshal(&draftParams{DraftID: 7, SendMessageDraftParams: bot.SendMessageDraftParams{ChatID: 42, Text: "x"}})
	if got := string(body); err != nil || !strings.Contains(got, `"draft_id":7`) || strings.Count(got, "draft_id") != 1 {
		t.Errorf("%s %v", got, err)
	}
}

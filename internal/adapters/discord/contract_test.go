package discord

import (
	"testing"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/chat/chattest"
)

func TestContract(t *testing.T) { chattest.Contract(t, rig) }

// rig returns the adapter on a fake of the gateway and of the REST endpoint. Discord
// has no answer that says "not now" and not for how long: what it refuses is
// refused for good, and after a failure of its own nobody knows.
func rig(t *testing.T) chattest.Rig {
	const person, channel, posts = "42", "10", "/channels/10/messages"
	s := fake(t)
	a, err := New(Options{Token: discordtest.Token, APIURL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	var id, text string
	return chattest.Rig{
		Adapter:  a,
		Identity: Identity,
		Person:   "discord:42",
		Say:      func(said string) { id, text = s.Message("", channel, person, said), said },
		Stop:     func() { s.Message("", channel, person, "/stop") },
		Again: func() {
			s.Dispatch("MESSAGE_CREATE", map[string]any{"id": id, "channel_id": channel, "content": text,
				"author": map[string]any{"id": person, "username": "user42"}})
		},
		Edit:   func(text string) { s.Edit(id, text) },
		Delete: func() { s.Delete("", channel, id) },
		Shown: func() (list []string) {
			for _, m := range s.Sent() {
				list = append(list, m.Content)
			}
			return list
		},
		Errors: map[chattest.Class]func(){
			chattest.Waits:   func() { s.Fail(discordtest.Fault{Method: "POST", Path: posts, Status: 429, RetryAfter: 35}) },
			chattest.Gone:    func() { s.Gone(channel, 50007) },
			chattest.Unknown: func() { s.Fail(discordtest.Fault{Method: "POST", Path: posts, After: true, Cut: true}) },
		},
	}
}

package console

import (
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/chat/chattest"
	"parley/internal/text/waittest"
)

// The page's chat fulfills the platforms' contract. Its only person is the owner, and a
// form submitted twice is one message.
func TestContract(t *testing.T) {
	chattest.Contract(t, func(t *testing.T) chattest.Rig {
		c := &Chat{now: time.Now, changed: func() {}}
		var last chat.Message
		tell := func() {
			waittest.Until(t, "an intake", func() bool {
				err := c.say(t.Context(), last)
				if err != nil && !errors.Is(err, errDown) {
					t.Fatal(err)
				}
				return err == nil
			})
		}
		say := func(text string) {
			last = chat.Message{ID: rand.Text(), Text: text}
			if text[0] == '/' {
				last.Kind = chat.KindCommand
			}
			tell()
		}
		return chattest.Rig{
			Adapter:  c,
			Identity: chat.Identity{Platform: platform, Person: func(id string) bool { return id == "owner" }},
			Person:   owner.ID, Say: say, Again: tell,
			Stop: func() { say("/stop") },
			Shown: func() (list []string) {
				c.with(func() {
					for _, s := range c.log {
						if !s.Mine {
							list = append(list, s.Text)
						}
					}
				})
				return list
			},
		}
	})
}

package telegram

import (
	"strconv"
	"strings"

	"parley/internal/chat"
)

// Identity is the grammar of Telegram's ids. Usernames can change hands.
var Identity = chat.Identity{
	Platform: platform,
	Numeric:  true,
	Person:   chat.IsNumber,
	Place: func(id string) bool {
		group, ok := strings.CutPrefix(id, "chat:-")
		return ok && chat.IsNumber(group)
	},
	Shared: map[string]string{
		"1087968824": "every anonymous group administrator",
		"777000":     "every channel that posts into its group",
		"136817688":  "everybody who writes as a channel",
	},
	People: []string{"telegram:42"},
	Places: []string{"telegram:chat:-100…"},
}

// Whispers implements chat.Confidant: in a Telegram group everybody reads everything.
func (a *Adapter) Whispers(chat.Message) bool { return false }

// DirectKey implements chat.Confidant: the direct chat with a person has the
// person's id.
func (a *Adapter) DirectKey(u chat.User) (chat.Key, bool) {
	to, err := personOf(u)
	if err != nil || shared(to.chat) {
		return chat.Key{}, false
	}
	return chat.Key{Platform: platform, Channel: strconv.FormatInt(to.chat, 10)}, true
}

// Name implements chat.Named.
func (a *Adapter) Name() string {
	me := a.me.Load()
	if me == nil || me.Username == "" {
		return ""
	}
	return "@" + me.Username
}

// Door implements chat.Confidant: the link offers to start the bot.
func (a *Adapter) Door() string {
	me := a.me.Load()
	if me == nil || me.Username == "" {
		return ""
	}
	return "https://t.me/" + me.Username + "?start=answer"
}

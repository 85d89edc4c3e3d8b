package telegram

import (
	"strconv"

	"parley/internal/chat"
)

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

// Door implements chat.Confidant: the link shows a button that starts the bot.
func (a *Adapter) Door() string {
	me := a.me.Load()
	if me == nil || me.Username == "" {
		return ""
	}
	return "https://t.me/" + me.Username + "?start=answer"
}

package discord

import (
	"context"
	"net/http"
	"strings"

	"github.com/bwmarrin/discordgo"

	"parley/internal/chat"
	"parley/internal/text"
)

// Threads that are opened for conversations: how long their names may be, in
// characters, and after how many minutes of silence Discord puts them away.
const (
	maxThreadName = 60
	threadSilence = 24 * 60
	wordsThread   = "Conversation" // one that has no words of its own
)

// threadExists is Discord's code for a message that has a thread.
const threadExists = 160004

// marks are how mentions, channels and emoji are written.
var marks = text.Pattern(`<[@#:a][^<>\s]*>`)

// branch moves a message that addresses the bot in a server's channel into a thread of its
// own, and an edit into the thread of its message. If no thread can be opened, the
// conversation stays in the channel.
func (a *Adapter) branch(ctx context.Context, m *chat.Message) {
	id := m.ID
	if m.Kind == chat.KindEdit {
		id = m.ReplyTo
	}
	if m.Key.Thread != "" || m.Direct || !isID(plain(id)) {
		return
	}
	if !a.branched(m.Key, id) {
		if !a.o.Threads || m.Kind != chat.KindText || !m.Addressed || !a.openThread(ctx, m) {
			return
		}
	}
	m.Key.Thread = id
}

// branched reports whether a message of a channel has a thread: both have one id.
func (t *atlas) branched(k chat.Key, id string) bool {
	p, known := t.placed(id)
	return known && p.parent == k.Channel
}

func (a *Adapter) openThread(ctx context.Context, m *chat.Message) bool {
	name := strings.Join(strings.Fields(marks().ReplaceAllString(m.Text, " ")), " ")
	if name == "" {
		name = wordsThread
	}
	ctx, cancel := context.WithTimeout(ctx, lookup)
	defer cancel()
	body := map[string]any{"name": text.Clip(name, maxThreadName), "auto_archive_duration": threadSilence}
	err := a.call(ctx, http.MethodPost, "/channels/"+m.Key.Channel+"/messages/"+m.ID+"/threads", m.Key.Channel, body, nil)
	if err != nil && codeOf(err) != threadExists {
		a.o.Log.Warn("discord: no thread, the conversation stays in the channel", "err", err)
		return false
	}
	a.learn(wireChannel{ID: plain(m.ID), Type: number(discordgo.ChannelTypeGuildPublicThread), ParentID: plain(m.Key.Channel),
		OwnerID: plain(a.myID())}, m.Guild)
	return true
}

// hosts reports whether the bot opened a thread: everything written there is meant for it.
func (a *Adapter) hosts(channel string) bool {
	p, known := a.placed(channel)
	return a.o.Threads && known && p.parent != "" && p.owner != "" && p.owner == a.myID()
}

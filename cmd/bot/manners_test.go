package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
)

// added is what Telegram tells a bot whose membership changed.
func added(chat int64, kind, was, is string) telegramtest.Update {
	return telegramtest.Raw(
		fmt.Sprintf(`{"update_id":0,"my_chat_member":{"chat":{"id":%d,"type":%q,"title":"The *Garden*"},"from":{"id":9,"is_bot":false,"first_name":"Bob"},"date":%d,
		"old_chat_member":{"status":%q,"user":{"id":1,"is_bot":true,"first_name":"p"}},"new_chat_member":{"status":%q,"user":{"id":1,"is_bot":true,"first_name":"p"}}}}`, chat, kind, time.Now().Unix(), was, is))
}

// in returns what was sent to a chat.
func (w *world) in(chat int64) (list []telegramtest.SentMessage) {
	for _, m := range w.tg.Sent() {
		if m.Chat == chat {
			list = append(list, m)
		}
	}
	return list
}

// answered returns the next message in a chat after somebody wrote there.
func (w *world) answered(t *testing.T, chat, user int64, text string) string {
	t.Helper()
	n := len(w.in(chat))
	w.tg.Push(telegramtest.Text(chat, user, text))
	eventually(t, "an answer to "+text, func() bool { return len(w.in(chat)) > n })
	return w.in(chat)[n].Text
}

// TestAddedToAGroup: the group is greeted once and told how to address the bot, people and
// places are called by their names, and the owner's button has the bot leave.
func TestAddedToAGroup(t *testing.T) {
	w := newWorld(t, "BOT_ACCESS_MODE=pairing")
	w.tg.AddChat(1)
	w.tg.AddChat(-100)
	w.run(t)
	w.tg.Push(added(-100, "supergroup", "left", "member"), added(-100, "supergroup", "member", "administrator"))
	eventually(t, "the greeting and the notice", func() bool { return len(w.in(-100)) > 0 && len(w.in(1)) > 0 })
	greeting, notice := w.in(-100)[0].Text, w.in(1)[0]
	if !strings.Contains(greeting, "@parley_bot") || !strings.Contains(greeting, "whom my owner has let in") {
		t.Errorf("the greeting: %q", greeting)
	}
	if !strings.Contains(notice.Text, "Bob (telegram:9) has added me to The Garden (telegram:chat:-100)") {
		t.Errorf("the notice: %q", notice.Text)
	}
	w.tg.Push(telegramtest.Press(1, 1, notice.ID, "q1", notice.Buttons[0][0].Data))
	w.told(t, 1, "The Garden (telegram:chat:-100) may talk with me now.")
	w.answered(t, 1, 1, "what a day")
	if got := w.answered(t, 1, 1, "/config show"); !strings.Contains(got, "User 1 (telegram:1)\n") {
		t.Errorf("whose ids are in the settings: %q", got)
	}
	w.tg.Push(telegramtest.Press(1, 1, notice.ID, "q2", notice.Buttons[0][1].Data))
	eventually(t, "the leave", func() bool { return len(w.tg.Calls("leaveChat")) == 1 })
	if n := len(w.in(-100)); n != 1 {
		t.Errorf("%d messages in the group", n)
	}
}

// TestAddedWhereNobodyIsGreeted: a channel's readers get no greeting, and no other change
// of the bot's membership is news.
func TestAddedWhereNobodyIsGreeted(t *testing.T) {
	w := newWorld(t)
	w.tg.AddChat(1)
	w.tg.AddChat(-200)
	w.tg.AddChat(-300)
	w.tg.AddChat(5)
	w.run(t)
	w.tg.Push(added(-200, "channel", "left", "administrator"), added(-300, "group", "member", "restricted"),
		added(-300, "group", "member", "left"), added(5, "private", "kicked", "member"))
	eventually(t, "the notice", func() bool { return len(w.in(1)) == 1 })
	w.answered(t, 5, 5, "hello")
	if sent := append(w.in(-200), w.in(-300)...); len(sent) > 0 || len(w.in(1)) != 1 {
		t.Errorf("said %+v", sent)
	}
}

// TestAddedToAServer is the same on Discord, which describes a server anew after each
// gap.
func TestAddedToAServer(t *testing.T) {
	w := newWorld(t, "BOT_ACCESS_MODE=pairing", "BOT_ACCESS_OWNERS=discord:77").onDiscord()
	w.serve(t)
	server := map[string]any{"id": "900", "name": "Garden", "owner_id": "9", "joined_at": time.Now().UTC().Format(time.RFC3339),
		"system_channel_id": "902",
		"channels":          []any{map[string]any{"id": "901", "type": 0}, map[string]any{"id": "902", "type": 0}}}
	w.dc.Dispatch("GUILD_CREATE", server)
	w.dc.Dispatch("GUILD_CREATE", server)
	old := map[string]any{"id": "910", "name": "Old", "joined_at": "2020-01-01T00:00:00Z",
		"channels": []any{map[string]any{"id": "911", "type": 0}}}
	w.dc.Dispatch("GUILD_CREATE", old)
	in := func(channel string) (list []discordtest.Message) {
		return slices.DeleteFunc(w.dc.Sent(), func(m discordtest.Message) bool { return m.Channel != channel })
	}
	eventually(t, "the greeting", func() bool { return len(in("902")) > 0 })
	var notice discordtest.Message
	eventually(t, "the notice", func() bool {
		i := slices.IndexFunc(w.dc.Sent(), func(m discordtest.Message) bool { return strings.Contains(m.Content, "discord:guild:900") })
		if i >= 0 {
			notice = w.dc.Sent()[i]
		}
		return i >= 0
	})
	if !strings.Contains(in("902")[0].Content, "@parley") || len(notice.Buttons) != 2 {
		t.Errorf("%+v %+v", in("902"), notice)
	}
	if n := len(in("902")) + len(in("901")) + len(in("911")); n != 1 {
		t.Errorf("%d greetings", n)
	}
	w.dc.Press("", "600", "77", notice.ID, notice.Buttons[1])
	eventually(t, "the leave", func() bool { return slices.Equal(w.dc.Quit(), []string{"900"}) })
}

// TestWhoIsLetInIsTold: whoever is let in is told so once, in the language of their
// Telegram, also where the owner said so in a shell.
func TestWhoIsLetInIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_ACCESS_MODE=pairing")
	for _, id := range []int64{1, 5, 8} {
		w.tg.AddChat(id)
	}
	w.run(t)
	german := telegramtest.Text(5, 5, "hallo?")
	german.Message.From.Language = "de"
	w.tg.Push(german, telegramtest.Text(8, 8, "hello?"))
	eventually(t, "the codes", func() bool { return len(w.in(5)) == 1 && len(w.in(8)) == 1 })
	if out, code := w.call(t, "pair", "approve", regexp.MustCompile(`[A-Z2-9]{5}-[A-Z2-9]{5}`).FindString(w.in(8)[0].Text)); code != 0 {
		t.Fatalf("in a shell: %s", out)
	}
	w.answered(t, 1, 1, "/pair let telegram:5")
	w.told(t, 5, "Du bist zugelassen")
	w.told(t, 8, "You are let in")
	w.answered(t, 1, 1, "/pair let telegram:5") // again
	w.settled(t)
	if len(w.in(5)) != 2 || len(w.in(8)) != 2 {
		t.Errorf("told more: %+v", w.tg.Sent())
	}
}

// TestTitlesOfServers: on Discord a server and its channels are called by their names.
func TestTitlesOfServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_ACCESS_OWNERS=discord:77").onDiscord()
	w.serve(t)
	w.dc.Dispatch("GUILD_CREATE", map[string]any{"id": "900", "name": "Garden", "joined_at": "2020-01-01T00:00:00Z",
		"channels": []any{map[string]any{"id": "902", "type": 0, "name": "seeds"}}})
	w.dc.Dispatch("CHANNEL_UPDATE", map[string]any{"id": "902", "guild_id": "900", "type": 0, "name": "plants"})
	w.dc.Message("900", "902", "77", "<@"+discordtest.App+"> hello")
	w.discordSent(t, 1)
	for command, want := range map[string]string{"/config allow discord:guild:900": "Garden (discord:guild:900) may talk",
		"/config allow discord:chat:902": "plants (discord:chat:902) may talk"} {
		n := len(w.dc.Sent())
		w.dc.Message("", "600", "77", command)
		if got := w.discordSent(t, n+1)[n].Content; !strings.Contains(got, want) {
			t.Errorf("%s: %q", command, got)
		}
	}
}

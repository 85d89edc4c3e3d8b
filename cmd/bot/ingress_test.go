package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text/waittest"
)

// everything is one person doing whatever Telegram allows in one place.
func everything(place, user int64) (all []telegramtest.Update) {
	text := func(change func(*telegramtest.Message)) telegramtest.Update {
		u := telegramtest.Text(place, user, "hey @parley_bot")
		change(u.Message)
		return u
	}
	raw := func(kind, body string) telegramtest.Update {
		return telegramtest.Raw(fmt.Sprintf(`{"update_id":0,%q:%s}`, kind, strings.NewReplacer("USER", fmt.Sprint(user),
			"CHAT", fmt.Sprint(place)).Replace(body)))
	}
	all = []telegramtest.Update{
		text(func(*telegramtest.Message) {}),
		text(func(m *telegramtest.Message) { m.Text = "/ask what is new?" }),
		text(func(m *telegramtest.Message) { m.Text = "/session reset" }),
		text(func(m *telegramtest.Message) {
			m.ForwardOrigin = json.RawMessage(`{"type":"hidden_user","date":1,"sender_user_name":"X"}`)
		}),
		text(func(m *telegramtest.Message) { m.ViaBot = &telegramtest.User{ID: 9, IsBot: true, FirstName: "gif"} }),
		text(func(m *telegramtest.Message) { m.Text, m.Voice = "", json.RawMessage(`{"file_id":"v","duration":1}`) }),
		text(func(m *telegramtest.Message) { m.Text, m.Caption = "", "@parley_bot look" }),
		telegramtest.Edit(place, user, 1, "hey @parley_bot, changed"),
		telegramtest.Press(place, user, 1, fmt.Sprint("q", place), "/ask what?"),
		raw("message", `{"message_id":7000,"date":1,"chat":{"id":CHAT,"type":"private"},"from":{"id":USER,"first_name":"S"},"poll":{"id":"1","question":"@parley_bot?"}}`),
		raw("poll_answer", `{"poll_id":"1","user":{"id":USER,"first_name":"S"},"option_ids":[0]}`),
		raw("message_reaction",
			`{"chat":{"id":CHAT,"type":"private"},"message_id":1,"user":{"id":USER,"first_name":"S"},"date":1,"old_reaction":[],"new_reaction":[{"type":"emoji","emoji":"👍"}]}`),
		raw("inline_query", `{"id":"1","from":{"id":USER,"first_name":"S"},"query":"/ask x","offset":""}`),
		raw("business_message",
			`{"message_id":7001,"date":1,"chat":{"id":USER,"type":"private"},"from":{"id":USER,"first_name":"S"},"text":"hi"}`),
		raw("guest_message", `{"message_id":7002,"date":1,"chat":{"id":CHAT,"type":"private"},"from":{"id":USER,"first_name":"S"},"text":"hi"}`),
	}
	return all
}

// TestIngressOfStrangers, at the wire: whatever kind of
// thing somebody does who was not let in, no model is asked, nothing is stored
// as a conversation, and a sentence in each place is the answer.
func TestIngressOfStrangers(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"allowlist", "pairing"} {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t).onDiscord()
			w.env = append(w.env, "BOT_ACCESS_MODE="+mode, "BOT_ACCESS_OWNERS=telegram:1,discord:1", "BOT_LIMITS_QUEUE_PER_CHANNEL=100")
			w.run(t)
			w.tg.Push(everything(66, 66)...)
			w.tg.Push(everything(-1000000000066, 66)...)
			w.tg.Push(telegramtest.Update{ChannelPost: &telegramtest.Message{
				Chat: telegramtest.Chat{ID: -1000000000099}, SenderChat: &telegramtest.Chat{ID: -1000000000099, Type: "channel"},
				Text: "@parley_bot hi"}})
			if !w.dc.Wait(time.Minute, func() bool { return w.dc.Connected() > 0 }) {
				t.Fatal("not connected")
			}
			w.onDiscordEverything("", "66", "66")
			w.onDiscordEverything("77", "50", "66")
			w.tg.Push(telegramtest.Text(1, 1, "the owner speaks"))
			w.dc.Message("", "10", "1", "the owner speaks")
			w.discordSent(t, 1)
			w.idle(t)
			var told []string
			for _, m := range w.tg.Sent() {
				if m.Chat != 1 {
					told = append(told, m.Text)
				}
			}
			for _, m := range w.dc.Sent() {
				if m.Channel != "10" && m.Channel != "dm1" { // the owner may be told who asks
					told = append(told, m.Content)
				}
			}
			if len(told) == 0 || len(told) > 6 { // one in each place, and in a direct chat that the code stands
				t.Errorf("strangers were told %q", told)
			}
			for _, text := range told {
				if !strings.Contains(text, "private assistant") && !strings.Contains(text, "let in") && !strings.Contains(text, "already have a code") {
					t.Errorf("a stranger was told %q", text)
				}
			}
			if n := len(w.llm.Requests()); n != 2 {
				t.Errorf("%d model calls", n)
			}
			must(t, w.stop())
			list, err := w.open(t).Sessions.Sessions(context.Background(), memory.SessionQuery{Limit: 10})
			if err != nil || len(list) != 2 {
				t.Errorf("%d conversations, %v", len(list), err)
			}
		})
	}
}

// idle waits until nothing is at work but the owner's question whether
// anything is. The owner asks when every stored message is answered, and rarely:
// questions count towards the limit too.
func (w *world) idle(t *testing.T) {
	t.Helper()
	for range 18 {
		w.settled(t)
		if strings.Contains(w.saying(t, 1, 1, "/status"), "now: 1 conversation at work, 1 message waiting") {
			return
		}
	}
	t.Fatal("something is still at work")
}

// onDiscordEverything is one person, a webhook and a bot doing on Discord all
// that can be done.
func (w *world) onDiscordEverything(guild, channel, user string) {
	n := 0
	message := func(change func(map[string]any)) {
		n++
		e := map[string]any{"id": fmt.Sprint(user, channel, n), "channel_id": channel, "content": "<@9000> hi", "type": 0,
			"timestamp": time.Now().UTC().Format(time.RFC3339Nano), "author": map[string]any{"id": user, "username": "u"}}
		if guild != "" {
			e["guild_id"] = guild
		}
		change(e)
		w.dc.Dispatch("MESSAGE_CREATE", e)
		e["edited_timestamp"] = time.Now().UTC().Format(time.RFC3339Nano)
		w.dc.Dispatch("MESSAGE_UPDATE", e)
	}
	message(func(map[string]any) {})
	message(func(e map[string]any) { e["content"] = "/ask what is new?" })
	message(func(e map[string]any) { e["webhook_id"] = "5" })
	message(func(e map[string]any) { e["author"] = map[string]any{"id": "1", "username": "Owner", "bot": true} })
	message(func(e map[string]any) {
		e["attachments"] = []any{map[string]any{"id": "1", "filename": "voice-message.ogg", "url": "https://cdn.discordapp.com/v", "size": 1}}
		e["flags"] = 1 << 13
	})
	message(func(e map[string]any) {
		e["message_reference"] = map[string]any{"type": 1, "message_id": "1", "channel_id": channel}
		e["message_snapshots"] = []any{map[string]any{"message": map[string]any{"content": "/session reset"}}}
	})
	message(func(e map[string]any) { e["poll"] = map[string]any{"question": map[string]any{"text": "<@9000>?"}} })
	w.dc.Interaction(discordtest.Use{Guild: guild, Channel: channel, User: user, Command: "ask", Permissions: 8,
		Options: [][2]string{{"question", "x"}}})
	w.dc.Interaction(discordtest.Use{Guild: guild, Channel: channel, User: user, Command: "session reset", Permissions: 8})
	w.dc.Typing(discordtest.Use{Guild: guild, Channel: channel, User: user, Command: "tools enable", Options: [][2]string{{"name", "w"}}})
	w.dc.Press(guild, channel, user, "1", "/ask what?")
	for _, kind := range []string{"MESSAGE_REACTION_ADD", "MESSAGE_POLL_VOTE_ADD", "TYPING_START", "MESSAGE_DELETE"} {
		w.dc.Dispatch(kind, map[string]any{"user_id": user, "channel_id": channel, "message_id": "1", "emoji": map[string]any{"name": "👍"},
			"answer_id": 1})
	}
}

// TestNobodyIsAPerson: ids that many share have no
// authority, whoever stands behind them, and bots are not answered.
func TestNobodyIsAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_LIMITS_QUEUE_PER_CHANNEL=100")
	w.run(t)
	const group = -1000000000005
	for _, id := range []int64{1087968824, 777000, 136817688, group} {
		w.tg.SetAdmin(group, id)
	}
	w.saying(t, group, 7, "hello @parley_bot")
	as := func(id int64, bot bool, sender *telegramtest.Chat, text string) telegramtest.Update {
		u := telegramtest.Text(group, id, text)
		u.Message.From.IsBot, u.Message.SenderChat = bot, sender
		return u
	}
	itself, channel := &telegramtest.Chat{ID: group, Type: "supergroup", Title: "Team"}, &telegramtest.Chat{ID: -1000000000555,
		Type: "channel", Title: "News"}
	orders := 0
	for _, text := range []string{"/session end", "/config tools none", "/config set session.ttl 2h", "/trace"} {
		for _, who := range []telegramtest.Update{as(1087968824, true, itself, text), as(1087968824, true, nil, text),
			as(777000, false, channel, text), as(136817688, true, channel, text)} {
			w.tg.Push(who)
			orders++
		}
	}
	w.tg.Push(as(9, true, nil, "hello @parley_bot"), as(9, true, nil, "/help"), as(w.tg.BotID(), true, nil, "hello @parley_bot"))
	linked := as(777000, false, channel, "a post for @parley_bot")
	linked.Message.IsAutomaticForward = true
	w.tg.Push(linked)
	w.tg.Push(telegramtest.Text(1, 1, "the owner speaks"))
	eventually(t, "all orders are refused", func() bool { return strings.Count(w.log.String(), "REFUSAL:MISSING_PERMISSION") >= orders })
	eventually(t, "the owner is answered", func() bool {
		for _, m := range w.tg.Sent() {
			if m.Text == "the owner speaks" {
				return true
			}
		}
		return false
	})
	must(t, w.stop())
	s := w.open(t)
	if p, err := s.Access.Policy(context.Background(),
		chat.Key{Platform: "telegram", Channel: fmt.Sprint(group)}); err != nil || p.Tools != nil {
		t.Errorf("the policy was changed: %+v, %v", p, err)
	}
	list, err := s.Sessions.Sessions(context.Background(), memory.SessionQuery{Status: memory.Completed, Limit: 5})
	if err != nil || len(list) != 0 {
		t.Errorf("a conversation was ended: %+v, %v", list, err)
	}
	for _, r := range w.llm.Requests() {
		if strings.Contains(string(r.Raw), "User 9") {
			t.Errorf("another bot reached the model: %s", r.Raw)
		}
	}
}

// TestCommandsThatAreNone: words that are somebody else's, or
// for somebody else, are data.
func TestCommandsThatAreNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	w.saying(t, 1, 1, "remember 42")
	for _, text := range []string{"/session@OtherBot reset", "`/session reset`", "> /session reset", "do /session reset"} {
		u := telegramtest.Text(1, 1, text)
		switch text[0] {
		case '`':
			u.Message.Text = "/session reset"
			u.Message.Entities = []telegramtest.Entity{{Type: "pre", Length: 14}, {Type: "bot_command", Length: 8}}
		case '>':
			u.Message.Text = "/session reset"
			u.Message.Entities = []telegramtest.Entity{{Type: "blockquote", Length: 14}, {Type: "bot_command", Length: 8}}
		}
		n := len(w.tg.Sent())
		w.tg.Push(u)
		if got := w.sent(t, n+1)[n]; strings.Contains(got, "afresh") {
			t.Errorf("%s was obeyed", text)
		}
	}
	forwarded := telegramtest.Text(1, 1, "/session reset")
	forwarded.Message.ForwardOrigin = json.RawMessage(`{"type":"hidden_user","date":1,"sender_user_name":"X"}`)
	quoting := telegramtest.Text(1, 1, "what does this do?")
	quoting.Message.Quote = json.RawMessage(`{"text":"/session reset"}`)
	caption := telegramtest.Text(1, 1, "")
	caption.Message.Caption, caption.Message.Photo = "/session reset", json.RawMessage(`[{"file_id":"p","file_size":9}]`)
	for _, u := range []telegramtest.Update{forwarded, quoting, caption} {
		n := len(w.tg.Sent())
		w.tg.Push(u)
		if got := w.sent(t, n+1)[n]; strings.Contains(got, "afresh") {
			t.Errorf("obeyed: %+v", u.Message)
		}
	}
	reqs := w.llm.Requests()
	if last := string(reqs[len(reqs)-1].Raw); !strings.Contains(last, "remember 42") {
		t.Error("the conversation was reset")
	}
}

// TestReplayedInteraction: what Discord sends twice is done
// once, and only the person who was asked can press.
func TestReplayedInteraction(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	w.serve(t)
	e := map[string]any{"id": "1573620504269422592", "application_id": "9000", "type": 2, "token": "tok", "channel_id": "50",
		"guild_id": "77", "version": 1,
		"member": map[string]any{"user": map[string]any{"id": "42", "username": "u"}, "permissions": "0"},
		"data": map[string]any{"id": "1", "name": "tasks", "type": 1, "options": []any{map[string]any{"name": "add", "type": 1,
			"options": []any{map[string]any{"name": "text", "type": 3, "value": "call mom"}}}}}}
	for range 3 {
		w.dc.Dispatch("INTERACTION_CREATE", e)
	}
	w.discordSent(t, 1)
	w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "tasks list"})
	if sent := w.discordSent(t, 2); len(sent) != 2 || strings.Count(sent[1].Content, "call mom") != 1 {
		t.Errorf("after a replay: %+v", sent)
	}
	w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "tasks delete", Options: [][2]string{{"number", "1"}}})
	question := w.discordSent(t, 3)[2]
	if len(question.Buttons) != 2 {
		t.Fatalf("no question: %+v", question)
	}
	press := func(user string) discordtest.Response {
		id, answer := w.dc.Press("77", "50", user, question.ID, question.Buttons[0]), discordtest.Response{}
		waittest.Until(t, "the press is answered", func() (ok bool) { answer, ok = w.dc.Responded(id); return ok })
		return answer
	}
	if a := press("43"); !a.Private() { // a thief
		t.Errorf("somebody else's press: %+v", a)
	}
	press("42")
	if got := w.discordSent(t, 4)[3].Content; !strings.Contains(got, "Deleted") {
		t.Errorf("the answer is %q", got)
	}
	if a := press("42"); !a.Private() { // a replay
		t.Errorf("the second press: %+v", a)
	}
	w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "tasks list"})
	if sent := w.discordSent(t, 5); len(sent) != 5 || strings.Contains(sent[4].Content, "call mom") {
		t.Errorf("after the presses: %+v", sent[3:])
	}
}

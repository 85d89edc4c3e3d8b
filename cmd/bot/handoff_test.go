package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// patience is how long something may take on a busy machine.
const patience = 20 * time.Second

// told waits until somebody was told something in a chat on Telegram.
func (w *world) told(t *testing.T, chat int64, words string) telegramtest.SentMessage {
	t.Helper()
	var found telegramtest.SentMessage
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if w.tg.Wait(ctx, func() bool {
		for _, m := range w.tg.Sent() {
			if m.Chat == chat && strings.Contains(m.Text, words) {
				found = m
				return true
			}
		}
		return false
	}) != nil {
		t.Fatalf("nobody was told %q: %+v", words, w.tg.Sent())
	}
	return found
}

// posted waits until something was said in a channel on Discord.
func (w *world) posted(t *testing.T, channel, words string) discordtest.Message {
	t.Helper()
	var found discordtest.Message
	if !w.dc.Wait(patience, func() bool {
		for _, m := range w.dc.Sent() {
			if m.Channel == channel && strings.Contains(m.Content, words) {
				found = m
				return true
			}
		}
		return false
	}) {
		t.Fatalf("nobody posted %q: %+v", words, w.dc.Sent())
	}
	return found
}

// manned returns a world with a desk.
func manned(t *testing.T, desk string) *world {
	t.Helper()
	w := newWorld(t).onDiscord()
	w.env = append(w.env, "BOT_HANDOFF_DESK="+desk)
	return w
}

// TestHandoffFromTelegramToDiscord: what the person wrote reaches the desk, what who
// has taken it writes reaches the person, nobody else is heard, and the assistant
// knows afterwards.
func TestHandoffFromTelegramToDiscord(t *testing.T) {
	t.Parallel()
	w := manned(t, "discord:50")
	w.run(t)
	w.connected(t)
	w.say(t, 42, "/facts add my cat is called Moritz")
	w.llm.Queue(llmtest.Turn{Text: "Let me see."})
	w.say(t, 42, "my order 7 is *late*")
	if got := w.say(t, 42, "/handoff I want a human"); !strings.Contains(got, "asked a person") {
		t.Fatalf("said %q", got)
	}
	first := w.posted(t, "50", "I want a human")
	for _, want := range []string{"my order 7 is \\*late\\*", "telegram:42", "in a direct chat"} {
		if !strings.Contains(first.Content, want) {
			t.Errorf("the desk reads %q, lacks %q", first.Content, want)
		}
	}
	if strings.Contains(first.Content, "Moritz") || strings.Contains(first.Content, "Let me see") ||
		!slices.Contains(first.Buttons, "/handoff take 1") {
		t.Errorf("the desk gets %+v", first)
	}
	calls := len(w.llm.Requests())
	w.tg.Push(telegramtest.Text(42, 42, "anybody there?"))
	w.posted(t, "50", "anybody there?")
	w.dc.Message("77", "50", "8", "psst, who takes this?")
	offered := func(channel string) []string {
		return w.responded(t, w.dc.Typing(discordtest.Use{Guild: "77", Channel: channel, User: "9", Command: "handoff take",
			Options: [][2]string{{"number", ""}}})).Names()
	}
	if here, elsewhere := offered("50"), offered("51"); !slices.Equal(here, []string{"1 – User 42"}) || len(elsewhere) > 0 {
		t.Errorf("offered at the desk: %q, elsewhere: %q", here, elsewhere)
	}
	w.dc.Press("77", "50", "9", first.ID, "/handoff take 1")
	w.told(t, 42, "is here now")
	w.dc.Message("77", "50", "8", "not for them")
	w.dc.Message("77", "50", "9", "// a note among us")
	w.dc.Message("77", "50", "9", "It ships today, 2*3 boxes")
	w.told(t, 42, "It ships today, 2*3 boxes")
	if got := w.say(t, 42, "/why"); !strings.Contains(got, "discord:9") || !strings.Contains(got, "from the desk") {
		t.Errorf("/why says %q", got)
	}
	w.tg.Push(telegramtest.Text(42, 42, "thank you"))
	w.posted(t, "50", "thank you")
	for _, m := range w.tg.Sent() {
		if m.Chat == 42 && (strings.Contains(m.Text, "psst") || strings.Contains(m.Text, "not for them") ||
			strings.Contains(m.Text, "among us")) {
			t.Errorf("the person read %q", m.Text)
		}
	}
	if n := len(w.llm.Requests()); n != calls {
		t.Errorf("%d model calls while people talked", n-calls)
	}
	w.dc.Press("77", "50", "9", first.ID, "/handoff back 1")
	w.told(t, 42, "I am with you again")
	w.llm.Queue(llmtest.Turn{Text: "Today."})
	if got := w.say(t, 42, "when does it ship?"); got != "Today." {
		t.Errorf("said %q", got)
	}
	all := w.words()
	prompt := wholePrompt(all[len(all)-1])
	for _, want := range []string{"It ships today", "a person of the team", "anybody there?", "thank you"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the assistant does not know %q", want)
		}
	}
	w.dc.Message("77", "50", "9", "still here")
	if got := w.say(t, 42, "/handoff"); !strings.Contains(got, "asked a person") {
		t.Errorf("a second time: %q", got)
	}
}

// TestHandoffFromDiscordToTelegram: the other way round, with a desk that replies
// without taking first, and a person in a group whose neighbours are not heard.
func TestHandoffFromDiscordToTelegram(t *testing.T) {
	t.Parallel()
	w := manned(t, "telegram:-500")
	w.tg.AddChat(-500)
	w.run(t)
	w.connected(t)
	w.llm.Queue(llmtest.Turn{Text: "Yes?"})
	w.dc.Message("77", "50", "8", "<@9000> the neighbour's secret")
	w.discordSent(t, 1)
	w.llm.Queue(llmtest.Turn{Calls: []llmtest.Call{{Name: "find_tools", Args: `{"query":"hand_over"}`}}},
		llmtest.Turn{Calls: []llmtest.Call{{Name: "hand_over", Args: `{"reason":"wants a refund"}`}}})
	w.dc.Message("77", "50", "7", "<@9000> a human, please")
	ask := w.posted(t, "50", "Pass this conversation on") // others have spoken here
	w.dc.Message("77", "50", "7", "<@9000> yes")
	w.posted(t, "50", "asked a person")
	first := w.told(t, -500, "a human, please")
	if strings.Contains(first.Text, "neighbour") || ask.ID == "" {
		t.Errorf("the desk reads %q", first.Text)
	}
	w.dc.Message("77", "50", "8", "<@9000> I am nobody's business")
	w.llm.Queue(llmtest.Turn{Text: "Hello you."})
	w.posted(t, "50", "Hello you.")
	reply := telegramtest.Text(-500, 3, "How much was it?")
	reply.Message.ReplyTo = &telegramtest.Message{ID: first.ID, Chat: telegramtest.Chat{ID: -500},
		From: &telegramtest.User{ID: w.tg.BotID(), IsBot: true}, Text: first.Text}
	w.tg.Push(reply)
	w.posted(t, "50", "How much was it?")
	w.dc.Message("77", "50", "7", "<@9000> ten francs")
	w.told(t, -500, "ten francs")
	w.tg.Push(telegramtest.Text(-500, 3, "Paid back."))
	w.posted(t, "50", "Paid back.")
	for _, m := range w.tg.Sent() {
		if m.Chat == -500 && strings.Contains(m.Text, "business") {
			t.Errorf("the desk read %q", m.Text)
		}
	}
	list := len(w.tg.Sent())
	w.tg.Push(telegramtest.Text(-500, 3, "/handoff list"))
	w.sent(t, list+1)
	w.tg.Push(telegramtest.Press(-500, 3, first.ID, "back", first.Buttons[0][1].Data))
	w.told(t, -500, "the assistant answers them again")
	w.posted(t, "50", "I am with you again")
	w.tg.Push(telegramtest.Press(-500, 3, first.ID, "take", first.Buttons[0][0].Data))
	w.told(t, -500, "This conversation is over")
}

// TestHandoffSurvivesKills: whatever is written on both sides arrives in order and
// as often as answers do, though the process dies at each named point.
func TestHandoffSurvivesKills(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_inbox_commit:3", "before_finish:2", "before_finish:5", "after_finish:3", "after_finish:6"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := manned(t, "discord:50")
			w.llm.Quiet()
			child := w.start(t)
			w.connected(t)
			w.tg.Push(telegramtest.Text(42, 42, "/handoff"))
			w.told(t, 42, "asked a person")
			w.dc.Press("77", "50", "9", w.posted(t, "50", "telegram:42").ID, "/handoff take 1")
			w.told(t, 42, "is here now")
			w.settled(t)
			kill(child)
			child = w.start(t, "BOT_FAILPOINT="+point)
			w.connected(t)
			for i := range 6 {
				w.tg.Push(telegramtest.Text(42, 42, fmt.Sprintf("in-%d.", i)))
				w.dc.Message("77", "50", "9", fmt.Sprintf("out-%d.", i))
			}
			w.dieOrRest(t, child, w.allTaken)
			w.start(t)
			w.told(t, 42, "out-5.")
			w.posted(t, "50", "in-5.")
			w.settled(t)
			var in, out []string
			for _, m := range w.dc.Sent() {
				in = append(in, m.Content)
			}
			for _, m := range w.tg.Sent() {
				out = append(out, m.Text)
			}
			inOrder(t, strings.Join(in, "\n"), "in", 0)
			inOrder(t, strings.Join(out, "\n"), "out", 1) // Telegram has no nonce: the one send that the kill cut off
		})
	}
}

// inOrder checks that six tokens stand in a text once each, in order, but for so
// many that may be repeated.
func inOrder(t *testing.T, all, token string, repeats int) {
	t.Helper()
	last := -1
	for i := range 6 {
		word := fmt.Sprintf("%s-%d.", token, i)
		n := strings.Count(all, word)
		if repeats -= n - 1; n < 1 || repeats < 0 {
			t.Errorf("%s: %d times", word, n)
		}
		if at := strings.Index(all, word); at < last {
			t.Errorf("%s is out of order", word)
		} else {
			last = at
		}
	}
}

// wholePrompt returns everything that a model was sent.
func wholePrompt(r llmtest.Request) (all string) {
	for _, m := range r.Messages {
		all += m.Whole() + "\n"
	}
	return all
}

// TestHandoffInTwoLanguages: the person and the desk each read their own language, also
// once somebody has taken the conversation.
func TestHandoffInTwoLanguages(t *testing.T) {
	t.Parallel()
	w := manned(t, "discord:50")
	w.env = append(w.env, "BOT_ACCESS_OWNERS=telegram:42")
	w.run(t)
	w.connected(t)
	w.say(t, 43, "/language de")
	w.say(t, 42, "/language fr")
	if got := w.say(t, 43, "/handoff die Rechnung stimmt nicht"); !strings.Contains(got, "einen Menschen gebeten") {
		t.Errorf("the person was told %q", got)
	}
	first := w.posted(t, "50", "die Rechnung")
	if !strings.Contains(first.Content, "demande une personne") || !strings.Contains(first.Content, "Demandé par la personne elle-même") {
		t.Errorf("the desk reads %q", first.Content)
	}
	w.dc.Message("77", "50", "9", "<@9000> /language es")
	w.posted(t, "50", "Español")
	w.dc.Press("77", "50", "9", first.ID, "/handoff take 1")
	w.told(t, 43, "ist jetzt hier")
	w.posted(t, "50", "Ahora hablas con")
	if got := w.say(t, 43, "/handoff back"); !strings.Contains(got, "wieder für dich da") {
		t.Errorf("back again, the person was told %q", got)
	}
	w.posted(t, "50", "ha vuelto al asistente")
}

// TestHandoffOfSomebodyForgotten: a button of a handoff that is gone is never about the one
// of somebody else.
func TestHandoffOfSomebodyForgotten(t *testing.T) {
	t.Parallel()
	w := manned(t, "discord:50")
	w.run(t)
	w.connected(t)
	w.say(t, 42, "/handoff")
	old := w.posted(t, "50", "telegram:42")
	w.say(t, 42, "/handoff back")
	w.say(t, 42, "/forget-me")
	w.tg.Push(telegramtest.Text(42, 42, "yes"))
	w.told(t, 42, "I have deleted everything")
	w.say(t, 43, "/handoff")
	other := w.posted(t, "50", "telegram:43")
	w.dc.Press("77", "50", "9", old.ID, old.Buttons[0])
	w.posted(t, "50", "This conversation is over")
	for _, m := range w.tg.Sent() {
		if m.Chat == 43 && strings.Contains(m.Text, "is here now") {
			t.Error("the desk talks to somebody else")
		}
	}
	w.dc.Press("77", "50", "9", old.ID, old.Buttons[1])
	w.dc.Press("77", "50", "9", other.ID, other.Buttons[0])
	w.told(t, 43, "is here now")
}

// TestHandoffBeforeAQuestion: what needed a yes in the same breath is ended as not run, and
// the desk and the model know.
func TestHandoffBeforeAQuestion(t *testing.T) {
	t.Parallel()
	w := manned(t, "discord:50")
	w.run(t)
	w.connected(t)
	w.llm.Queue(callTool("add_task", `{"description":"old"}`), llmtest.Turn{Text: "It is on it."})
	w.say(t, 42, "put old on my list")
	w.llm.Queue(llmtest.Turn{Calls: []llmtest.Call{{ID: "a", Name: "delete_task", Args: `{"id":1}`},
		{ID: "b", Name: "hand_over", Args: `{"reason":"they want a human"}`}}})
	if got := w.say(t, 42, "delete it and get me a human"); !strings.Contains(got, "asked a person") {
		t.Fatalf("said %q", got)
	}
	if first := w.posted(t, "50", "telegram:42"); !strings.Contains(first.Content, "- delete task: not run") {
		t.Errorf("the desk reads %q", first.Content)
	}
	if got := w.status(t, "delete_task"); len(got) != 1 || got[0] != "failed NOT_RUN" {
		t.Errorf("the record says %q", got)
	}
	w.say(t, 42, "/handoff back")
	w.llm.Queue(llmtest.Turn{Text: "No."})
	w.say(t, 42, "is it deleted?")
	all := w.llm.Requests()
	if whole := wholePrompt(all[len(all)-1]); !strings.Contains(whole, "NOT_RUN: Not done") || strings.Contains(whole,
		"CONFIRMATION_REQUIRED") {
		t.Errorf("the model knows %s", whole)
	}
}

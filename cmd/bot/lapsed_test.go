package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// askedToPay has somebody on Telegram ask for the payment, in a message with this id, and
// returns the question.
func (w *world) askedToPay(t *testing.T, who int64, id int) telegramtest.SentMessage {
	t.Helper()
	u := telegramtest.Text(who, who, "pay")
	u.Message.ID = id
	w.tg.Push(u)
	return w.told(t, who, "mallory")
}

// sentTo returns what is sent to a chat after n messages, once there is more.
func (w *world) sentTo(t *testing.T, chat int64, n int) (said string) {
	t.Helper()
	eventually(t, "it says something", func() bool { return len(w.in(chat)) > n && w.unfinished() == 0 })
	for _, m := range w.in(chat)[n:] {
		said += m.Text + "\n"
	}
	return said
}

// presses presses the first button of a question and returns what comes of it, the note that
// shows for a moment included.
func (w *world) presses(t *testing.T, who int64, q telegramtest.SentMessage) (said string) {
	t.Helper()
	n, notes := len(w.in(who)), len(w.tg.Calls("answerCallbackQuery"))
	w.tg.Push(telegramtest.Press(who, who, q.ID, "press", q.Buttons[0][0].Data))
	eventually(t, "the button is answered", func() bool {
		return len(w.tg.Calls("answerCallbackQuery")) > notes && w.allTaken() && w.unfinished() == 0
	})
	for _, c := range w.tg.Calls("answerCallbackQuery")[notes:] {
		said += c.Fields["text"] + "\n"
	}
	for _, m := range w.in(who)[n:] {
		said += m.Text + "\n"
	}
	return said
}

// TestYesToWhatIsGone: a yes to a question whose message was edited or deleted, or whose
// conversation is over, runs nothing and says why, in the next process too; the model hears
// of it, and a yes to a question that stands runs its call once.
func TestYesToWhatIsGone(t *testing.T) {
	t.Parallel()
	w, paid := banked(t)
	w.pays(func() string { return `{"amount":500,"to":"mallory"}` })
	child := w.start(t)
	w.connected(t)
	w.shows(t, "/tools servers", "bank: up, 1 tool in use")
	asked := map[int64]telegramtest.SentMessage{}
	for who := int64(11); who <= 14; who++ {
		asked[who] = w.askedToPay(t, who, int(5000+who))
	}
	edited := w.dc.Message("", "60", "42", "pay")
	w.posted(t, "60", "mallory")
	deleted := w.dc.Message("", "61", "43", "pay")
	w.posted(t, "61", "mallory")
	w.settled(t)

	w.tg.Push(telegramtest.Edit(11, 11, 5011, "do not pay"))
	w.told(t, 11, "You have changed the message")
	w.tg.Push(telegramtest.Text(12, 12, "/session end"))
	w.told(t, 12, "The conversation that this was part of is over")
	w.tg.Push(telegramtest.Text(13, 13, "/session reset"))
	w.told(t, 13, "The conversation that this was part of is over")
	w.dc.Edit(edited, "do not pay")
	w.posted(t, "60", "You have changed the message")
	w.dc.Delete("", "61", deleted)
	w.posted(t, "61", "is gone, so I did nothing")
	w.settled(t)
	kill(child)
	w.start(t)
	w.connected(t)
	for who := int64(11); who <= 13; who++ {
		n := len(w.in(who))
		w.tg.Push(w.to(telegramtest.Text(who, who, "yes"), asked[who].ID, w.tg.BotID()))
		if said := w.sentTo(t, who, n); !strings.Contains(said, "so I did nothing") {
			t.Errorf("%d: %s", who, said)
		}
		if said := w.presses(t, who, asked[who]); !strings.Contains(said, "so I did nothing") {
			t.Errorf("%d presses: %s", who, said)
		}
	}
	w.dc.Message("", "60", "42", "yes")
	w.dc.Message("", "61", "43", "yes")
	w.settled(t)
	if len(paid) != 0 {
		t.Fatalf("paid %s", <-paid)
	}
	w.tg.Push(telegramtest.Text(11, 11, "and now?"))
	eventually(t, "the model hears that it was not done", func() bool {
		reqs := w.llm.Requests()
		return strings.Contains(string(reqs[len(reqs)-1].Raw), "It lapsed and was not done, because the message that asked for it was edited")
	})
	n := len(w.in(13))
	w.tg.Push(w.to(telegramtest.Text(13, 13, "/why"), asked[13].ID, w.tg.BotID()))
	if why := w.sentTo(t, 13, n); !strings.Contains(why, "what it was for no longer stood") {
		t.Errorf("why: %s", why)
	}
	w.tg.Push(telegramtest.Text(14, 14, "yes"))
	<-paid
	w.settled(t)
	if len(paid) != 0 || w.count(t, "SELECT count(*) FROM tool_calls WHERE status = 'pending'") != 0 {
		t.Errorf("paid again, or something waits still")
	}
}

// TestYesWithoutTheRight: who said a tool is the owner's alone has said so also of what was
// asked before: in the running process, and in the one after it was killed.
func TestYesWithoutTheRight(t *testing.T) {
	for _, killed := range []bool{false, true} {
		w, paid := banked(t)
		w.pays(func() string { return `{"amount":500,"to":"mallory"}` })
		before, err := os.ReadFile(w.file)
		must(t, err)
		after := strings.Replace(string(before), "{ask: always}", "{ask: always, who: owner}", 1)
		if after == string(before) {
			t.Fatalf("no policy in %s", before)
		}
		end := func() {}
		if killed {
			child := w.start(t)
			end = func() { kill(child) }
		} else {
			w.run(t)
		}
		w.connected(t)
		w.shows(t, "/tools servers", "bank: up, 1 tool in use")
		w.askedToPay(t, 11, 5011)
		w.settled(t)
		if end(); killed {
			must(t, os.WriteFile(w.file, []byte(after), 0o600))
			w.start(t)
			w.connected(t)
		} else {
			w.hangUp(t, after, "settings were read again")
		}
		n := len(w.in(11))
		w.tg.Push(telegramtest.Text(11, 11, "yes"))
		if said := w.sentTo(t, 11, n); !strings.Contains(said, "You may not have this done any more") {
			t.Errorf("killed %v: %s", killed, said)
		}
		if len(paid) != 0 {
			t.Errorf("killed %v: paid %s", killed, <-paid)
		}
	}
}

// TestYesBeyondTheAllowance: a yes when nothing is left to spend is answered each time, and
// what it was about is not done later.
func TestYesBeyondTheAllowance(t *testing.T) {
	t.Parallel()
	w, paid := banked(t)
	w.env = append(w.env, "BOT_LIMITS_USER_TOKENS_PER_DAY=5000")
	w.pays(func() string { return `{"amount":500,"to":"mallory"}` })
	child := w.start(t)
	w.connected(t)
	w.shows(t, "/tools servers", "bank: up, 1 tool in use")
	q := w.askedToPay(t, 11, 5011)
	w.settled(t)
	w.spend(6000)
	w.say(t, 11, "something else")
	w.say(t, 11, "once more") // refused, and told so
	kill(child)
	w.start(t)
	w.connected(t)
	if said := w.presses(t, 11, q); !strings.Contains(said, "Today's allowance is used up, so I did nothing") {
		t.Errorf("said %s", said)
	}
	if said := w.presses(t, 11, q); !strings.Contains(said, "Today's allowance is used up, so I did nothing") || len(paid) != 0 {
		t.Errorf("said %s, paid %d times", said, len(paid))
	}
}

// errand is a playbook whose journey pays.
const errand = `journeys:
  - id: errand
    name: Errand
    description: pay for something
    trigger: "literal:errand"
    repeat: true
    initial_step: STEP
    steps:
      - id: STEP
        name: Pay
        tool: bank__pay
        args: {to: mallory}
        transitions: [{to_step: done}]
      - {id: done, name: Done, is_terminal: true}
`

// errands returns a folder with the playbook; step is the id of the step that pays.
func errands(t *testing.T, step string) string {
	t.Helper()
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "rules.yaml"), []byte(strings.ReplaceAll(errand, "STEP", step)), 0o600))
	return folder
}

// TestYesToAStepThatIsLeft: what a journey's step asked for is not done once the journey was
// left or the step is out of the playbook, nor when that comes back; in the next process
// too.
func TestYesToAStepThatIsLeft(t *testing.T) {
	t.Parallel()
	w, paid := banked(t)
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "I see."} })
	w.env = append(w.env, "BOT_PLAYBOOK_DIR="+errands(t, "pay"))
	child := w.start(t)
	w.connected(t)
	w.shows(t, "/tools servers", "bank: up, 1 tool in use")
	yes := map[int64]telegramtest.SentMessage{}
	for _, who := range []int64{11, 12, 13} {
		w.tg.Push(telegramtest.Text(who, who, "an errand, please"))
		yes[who] = w.told(t, who, "mallory")
	}
	w.settled(t)
	w.tg.Push(telegramtest.Text(13, 13, "yes"))
	<-paid
	w.tg.Push(telegramtest.Text(11, 11, "/journey stop"))
	w.told(t, 11, "What this was a step of was left")
	w.settled(t)
	kill(child)
	w.env = append(w.env, "BOT_PLAYBOOK_DIR="+errands(t, "settle"))
	w.start(t)
	w.connected(t)
	for _, who := range []int64{11, 12} {
		if said := w.presses(t, who, yes[who]); !strings.Contains(said, "What this was a step of was left") {
			t.Errorf("%d: %s", who, said)
		}
	}
	if len(paid) != 0 {
		t.Errorf("paid %s", <-paid)
	}
}

// support is a playbook whose journey leaves to the model what is done in its step.
const support = `journeys:
  - id: ID
    name: Support
    description: help with a payment
    trigger: "literal:support"
    repeat: true
    initial_step: talk
    steps:
      - id: talk
        name: Talk
        description: Help them.
        transitions: [{to_step: done, condition: "literal:thanks"}]
      - {id: done, name: Done, is_terminal: true}
`

// TestYesToAModelsCallInAJourney: what the model asked for within a journey is not done once
// that was stopped, came to its end, or is out of the playbook, also where it was begun with
// the very message; the person is told, and a yes in the next process changes nothing.
func TestYesToAModelsCallInAJourney(t *testing.T) {
	t.Parallel()
	w, paid := banked(t)
	w.pays(func() string { return `{"amount":500,"to":"mallory"}` })
	folder := t.TempDir()
	save := func(id string) {
		must(t, os.WriteFile(filepath.Join(folder, "rules.yaml"), []byte(strings.ReplaceAll(support, "ID", id)), 0o600))
	}
	save("support")
	w.env = append(w.env, "BOT_PLAYBOOK_DIR="+folder)
	child := w.start(t)
	w.connected(t)
	w.shows(t, "/tools servers", "bank: up, 1 tool in use")
	yes := map[int64]telegramtest.SentMessage{}
	for _, who := range []int64{11, 12, 13, 14} {
		w.say(t, who, "support, please")
		w.tg.Push(telegramtest.Text(who, who, "pay"))
		yes[who] = w.told(t, who, "mallory")
	}
	w.tg.Push(telegramtest.Text(15, 15, "I need support: pay"))
	yes[15] = w.told(t, 15, "mallory")
	w.dc.Message("", "60", "42", "support, please")
	w.settled(t)
	w.dc.Message("", "60", "42", "pay")
	w.posted(t, "60", "mallory")
	w.settled(t)

	w.tg.Push(telegramtest.Text(14, 14, "yes"))
	<-paid
	for _, who := range []int64{11, 15} {
		w.tg.Push(telegramtest.Text(who, who, "/journey stop"))
		w.told(t, who, "What this was a step of was left")
	}
	w.tg.Push(telegramtest.Text(12, 12, "thanks"))
	w.told(t, 12, "What this was a step of was left")
	w.dc.Message("", "60", "42", "thanks")
	w.posted(t, "60", "What this was a step of was left")
	w.settled(t)
	kill(child)
	save("other")
	w.start(t)
	w.connected(t)
	for _, who := range []int64{11, 12, 13, 15} {
		if said := w.presses(t, who, yes[who]); !strings.Contains(said, "What this was a step of was left") {
			t.Errorf("%d: %s", who, said)
		}
	}
	w.dc.Message("", "60", "42", "yes")
	w.settled(t)
	if len(paid) != 0 || w.count(t, "SELECT count(*) FROM tool_calls WHERE status = 'pending'") != 0 {
		t.Errorf("%d were paid, or something waits still", len(paid))
	}
}

// TestYesInAnotherConversation: a yes to what was asked in a conversation that has expired, or that
// the person left for an earlier one, pays nothing and says why, in the next process too.
func TestYesInAnotherConversation(t *testing.T) {
	t.Parallel()
	w, paid := banked(t)
	w.pays(func() string { return `{"amount":500,"to":"mallory"}` })
	child := w.start(t)
	w.connected(t)
	w.shows(t, "/tools servers", "bank: up, 1 tool in use")
	w.say(t, 22, "let us talk")
	w.settled(t)
	var first string
	db, err := w.look()
	must(t, err)
	must(t, db.QueryRow("SELECT id FROM sessions WHERE channel = '22'").Scan(&first))
	must(t, db.Close())
	w.say(t, 22, "/session end")
	asked := map[int64]telegramtest.SentMessage{}
	for who := int64(21); who <= 23; who++ {
		asked[who] = w.askedToPay(t, who, int(5000+who))
	}
	w.settled(t)
	if got := w.say(t, 22, "/session resume "+first[:8]); !strings.Contains(got, "We go on with") {
		t.Fatalf("resumed: %q", got)
	}
	w.settled(t)
	kill(child)
	w.change(t, "UPDATE sessions SET expires_at = '"+stampAgo(1)+"', last_activity = '"+stampAgo(500)+"' WHERE channel = '21'")
	w.start(t)
	w.connected(t)
	for who := int64(21); who <= 22; who++ {
		n := len(w.in(who))
		w.tg.Push(w.to(telegramtest.Text(who, who, "yes"), asked[who].ID, w.tg.BotID()))
		if said := w.sentTo(t, who, n); !strings.Contains(said, "so I did nothing") {
			t.Errorf("%d: %s", who, said)
		}
		if said := w.presses(t, who, asked[who]); !strings.Contains(said, "so I did nothing") {
			t.Errorf("%d presses: %s", who, said)
		}
	}
	if len(paid) != 0 {
		t.Fatalf("paid %s", <-paid)
	}
	w.shows(t, "/tools servers", "bank: up, 1 tool in use")
	w.tg.Push(telegramtest.Text(23, 23, "yes"))
	<-paid
	w.settled(t)
	if len(paid) != 0 || w.count(t, "SELECT count(*) FROM tool_calls WHERE status = 'pending'") != 0 {
		t.Errorf("paid again, or something waits still")
	}
}

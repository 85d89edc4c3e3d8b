package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
	"parley/internal/llm/llmtest"
	"parley/internal/memory"
	"parley/internal/text/waittest"
)

// texts returns what the bot said in a chat, in one text.
func (w *world) texts(chat int64) string {
	var all []string
	for _, m := range w.in(chat) {
		all = append(all, m.Text)
	}
	return strings.Join(all, "\n")
}

// TestClusterReminders: what was asked for at one process is said once by another, in a
// conversation that a third one has, and not where that was cancelled a moment before.
func TestClusterReminders(t *testing.T) {
	t.Parallel()
	thorough(t)
	f := newPosted(t, newWorld(t), 3)
	due := func() {
		_, err := f.rows.Exec("UPDATE reminders SET due_at = $1 WHERE state = 'waiting'", memory.Stamp(time.Now().Add(-time.Second)))
		must(t, err)
	}
	first := f.has(t, "chores")
	f.says(t, 42, first, "/remind zone UTC")
	f.says(t, 42, first, "/remind tomorrow at 8 water the plants")
	f.says(t, 42, first, "/remind every day at 9 stretch")
	f.says(t, 42, first, "/remind tomorrow at 8 cancelled in time")
	f.gives(t, 42, (first+1)%3)
	kill(f.nodes[first].Cmd)
	f.says(t, 42, (first+2)%3, "/remind cancel 3")
	due()
	f.told(t, 42, "water the plants")
	f.told(t, 42, "stretch")
	eventually(t, "it is next due tomorrow", func() bool { return f.count(t, "SELECT count(*) FROM reminders WHERE state = 'waiting'") == 1 })
	due()
	eventually(t, "it is said again", func() bool { return strings.Count(f.texts(42), "⏰") >= 3 })
	f.settled(t)
	if said := f.texts(42); strings.Count(said, "⏰") != 3 {
		t.Errorf("said:\n%s", said)
	}
}

// TestClusterEdits: an edit that comes to another process than the message that it is of
// changes what is answered, and a deletion stops it.
func TestClusterEdits(t *testing.T) {
	t.Parallel()
	thorough(t)
	f := newPosted(t, newWorld(t), 2)
	f.says(t, 42, 0, "hello")
	held := make(chan struct{})
	f.llm.Queue(llmtest.Turn{Text: "first", Held: held})
	f.tg.Push(telegramtest.Text(42, 42, "wait for it"))
	eventually(t, "the model is asked", func() bool { return f.llm.Most() == 1 && len(f.llm.Requests()) == 2 })
	f.tg.Push(telegramtest.Text(42, 42, "tok-old."))
	eventually(t, "it is stored", func() bool { return f.tg.Waiting() == 0 })
	id := f.count(t, "SELECT max(CAST(message_id AS int)) FROM inbox WHERE channel = '42'")
	f.turn.Store(1)
	f.tg.Push(telegramtest.Edit(42, 42, id, "tok-new."))
	eventually(t, "the edit is there", func() bool {
		return f.tg.Waiting() == 0 && f.count(t, "SELECT count(*) FROM node_mail") == 0
	})
	close(held)
	f.told(t, 42, "tok-new.")
	f.settled(t)
	if said := f.texts(42); strings.Contains(said, "tok-old.") {
		t.Errorf("said:\n%s", said)
	}
}

// TestClusterDiscordDeletes: a message is deleted that a process answers which hears nothing
// of Discord.
func TestClusterDiscordDeletes(t *testing.T) {
	t.Parallel()
	thorough(t)
	f := newDiscord(t, "")
	f.dc.Message("77", "50", "42", "<@"+discordtest.App+"> hello")
	f.posted(t, "50", "hello")
	f.gives(t, 50, 1)
	f.llm.Queue(llmtest.Turn{Text: "never said", Delay: time.Minute})
	id := f.dc.Message("77", "50", "42", "<@"+discordtest.App+"> think long")
	eventually(t, "the model is asked", func() bool { return len(f.llm.Requests()) == 2 })
	f.dc.Delete("77", "50", id)
	eventually(t, "it is over", func() bool { return f.open() == 0 })
	f.dc.Message("77", "50", "42", "<@"+discordtest.App+"> and now")
	f.posted(t, "50", "and now")
	if n := len(f.dc.Sent()); n != 2 {
		t.Errorf("%d answers: %+v", n, f.dc.Sent())
	}
}

// TestClusterDeadLetters: an event that was put aside is read again by the process that does
// so for all, whoever of them hears of Discord.
func TestClusterDeadLetters(t *testing.T) {
	t.Parallel()
	thorough(t)
	f := newDiscord(t, "")
	f.world.url = f.url // where open and command look
	f.env = append(f.env, "BOT_DATABASE_URL="+f.url)
	store := f.world.open(t)
	f.join(t, f.url)
	eventually(t, "all live", func() bool { return f.alive() == 3 })
	kill(f.nodes[0].Cmd) // which had both
	event := `{"t":"MESSAGE_CREATE","d":{"id":"77001","type":0,"channel_id":"10","content":"hear me now","timestamp":"2026-03-02T10:00:00Z","author":{"id":"42","username":"Ann"}}}`
	_, err := store.Accept(t.Context(), chat.Batch{Platform: "discord", Dead: []chat.DeadLetter{{ID: "a", Raw: []byte(event),
		Reason: "not understood then"}}})
	must(t, err)
	_, err = f.command("deadletters", "retry", "1")
	must(t, err)
	f.posted(t, "10", "hear me now")
	t.Logf("read by %d, where %d hears of Discord", f.has(t, "chores"), f.has(t, "receive discord%"))
}

// TestClusterRateLimits: a process is told to wait, and killed while it does. The next one
// waits, too.
func TestClusterRateLimits(t *testing.T) {
	t.Parallel()
	thorough(t)
	f := newPosted(t, newWorld(t), 2)
	f.says(t, 42, 0, "hello")
	f.tg.Fail(telegramtest.Fault{Method: "sendMessage", Chat: 42, Times: 1, Status: 429, RetryAfter: 8})
	f.tg.Push(telegramtest.Text(42, 42, "tok-1."))
	eventually(t, "it was told to wait", func() bool {
		return f.count(t, "SELECT count(*) FROM outbox WHERE state = 'ready' AND not_before <> ''") == 1
	})
	kill(f.nodes[0].Cmd)
	f.told(t, 42, "tok-1.")
	f.settled(t)
	if n := strings.Count(f.texts(42), "tok-1."); n != 1 || f.tg.Wasted() > 0 {
		t.Errorf("said %d times, asked %d times too soon", n, f.tg.Wasted())
	}
}

// TestClusterFiles: a file and a spoken message come to another process than the one that
// has the conversation.
func TestClusterFiles(t *testing.T) {
	t.Parallel()
	thorough(t)
	f := newPosted(t, newWorld(t).seeing(), 2)
	f.llm.Hear(func(llmtest.Recording) string { return "what time is it" })
	f.says(t, 7, 0, "hello")
	f.turn.Store(1)
	n := len(f.in(7))
	f.send("voice", "v1", "", sound)
	eventually(t, "it is answered", func() bool { return len(f.in(7)) > n })
	f.settled(t)
	f.send("document", "notes.txt", "what is in it", []byte("The canary sings."))
	eventually(t, "it is answered", func() bool { return len(f.in(7)) > n+1 })
	f.llm.Queue(llmtest.Turn{Text: "Three pictures."})
	asked := len(f.llm.Requests())
	for i := range 3 { // an album, to one process after the other
		f.turn.Store(int32(i % 2))
		name := fmt.Sprint("p", i)
		f.tg.AddFile(name, telegramtest.File{Data: testImage(t)})
		u := telegramtest.Text(7, 7, "")
		u.Message.Album, u.Message.Photo = "album",
			json.RawMessage(fmt.Sprintf(`[{"file_id":%q,"file_unique_id":%q,"width":4,"height":4,"file_size":10}]`, name, name))
		f.tg.Push(u)
		eventually(t, "it is taken", func() bool { return f.tg.Waiting() == 0 })
	}
	f.told(t, 7, "Three pictures.")
	f.settled(t)
	if n := len(f.llm.Requests()) - asked; n != 1 {
		t.Errorf("%d requests for one album", n)
	}
	var heard, read bool
	for _, r := range f.llm.Requests() {
		heard = heard || strings.Contains(wholePrompt(r), "what time is it")
		read = read || strings.Contains(wholePrompt(r), "The canary sings.")
	}
	if !heard || !read {
		t.Errorf("heard %v, read %v", heard, read)
	}
}

// TestClusterHoldsAtOnce: what is ruled, noted and spent where one process answers holds
// where another does: with the next message, and for what was spent a moment later.
func TestClusterHoldsAtOnce(t *testing.T) {
	t.Parallel()
	waittest.Alone(t)
	w := newWorld(t)
	w.tg.AddChat(-100)
	w.env = append(w.env, "BOT_LIMITS_USER_TOKENS_PER_DAY=100000")
	f := newPosted(t, w, 2)
	f.says(t, 5, 1, "hello") // has the conversation from now on
	for i, verb := range []string{"disable", "enable", "disable", "enable"} {
		f.says(t, 1, 0, "/tools "+verb+" add_task")
		f.says(t, 5, 1, "hello")
		if there := slices.Contains(w.offered(), "add_task"); there != (i%2 == 1) {
			t.Errorf("after /tools %s the tool is offered elsewhere: %v", verb, there)
		}
	}
	f.says(t, 1, 0, "/config set limits.user_tokens_per_day 60000")
	f.loose(t)
	if got := f.says(t, 1, 1, "/config show"); !strings.Contains(got, "user_tokens_per_day: 60000") {
		t.Errorf("the limit elsewhere: %s", got)
	}
	f.says(t, 5, 1, "/facts add my cat is called Moritz")
	f.gives(t, 5, 0)
	if got := f.says(t, 5, 1, "/facts undo"); !strings.Contains(got, "Moritz") {
		t.Errorf("undo: %s", got)
	}
	f.gives(t, 5, 1)
	if got := f.says(t, 5, 0, "/facts list"); strings.Contains(got, "Moritz") {
		t.Errorf("facts after the undo: %s", got)
	}
	w.llm.Queue(llmtest.Turn{Text: "much", Usage: [2]int{200000, 1000}})
	f.says(t, 5, 0, "spend it all")
	f.turn.Store(0)
	eventually(t, "it is noted", func() bool { return f.count(t, "SELECT count(*) FROM usage WHERE prompt_tokens > 200000") > 0 })
	if got := w.answered(t, -100, 5, "@parley_bot once more"); !strings.Contains(got, "allowance is used up") {
		t.Errorf("beyond the limit: %s", got)
	}
}

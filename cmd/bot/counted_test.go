package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// TestNotesStatusCountsWhatIsSeen: /notes status counts for a member what that member may
// read, also in the next process; a note that somebody had written for them alone counts for
// them, and for the owner.
func TestNotesStatusCountsWhatIsSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "tea.md"), []byte("# Tea\n\nSencha.\n"), 0o600))
	w.env = append(w.env, "BOT_VAULT_DIR="+dir, "BOT_VAULT_WRITERS=everyone")
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		if last := r.Messages[len(r.Messages)-1]; last.Role != "tool" && strings.HasSuffix(last.Text(), "note it") {
			return callTool("vault_write", `{"path":"surprise","content":"# Party\n\nMarzipan.\n\n# Guests\n\nAnna."}`)
		}
		return llmtest.Turn{Text: "I see."}
	})
	child := w.start(t)
	counted := func(who int64) string { return strings.Split(w.say(t, who, "/notes status"), "\n")[0] }
	eventually(t, "the note is counted", func() bool { return strings.Contains(counted(8), "1 document") })
	before := counted(8)
	w.say(t, 7, "note it")
	eventually(t, "its person finds the note", func() bool { return strings.Contains(w.say(t, 7, "/notes search marzipan"), "surprise") })
	look := func() {
		t.Helper()
		if got := counted(8); got != before {
			t.Errorf("another is told %q, and was told %q", got, before)
		}
		for _, who := range []int64{7, 1} {
			if got := counted(who); !strings.Contains(got, "2 documents") {
				t.Errorf("%d is told %q", who, got)
			}
		}
	}
	look()
	w.settled(t)
	kill(child)
	w.start(t)
	eventually(t, "the notes are there again", func() bool { return strings.Contains(counted(1), "2 documents") })
	look()
}

// TestDeskUnderAnotherAgent: what is written at the desk reaches its person, and what they
// write the desk, also after the owner had another agent answer at the desk, and then where the
// person writes, and in the process after that.
func TestDeskUnderAnotherAgent(t *testing.T) {
	t.Parallel()
	w := manned(t, "discord:50")
	w.env = append(w.env, "BOT_ACCESS_OWNERS=telegram:1,discord:1")
	w.llm.Quiet()
	dir := t.TempDir()
	w.file = filepath.Join(dir, "bot.yaml")
	must(t, os.WriteFile(w.file, []byte("agents:\n  - {name: home, places: [default]}\n  - {name: clerk}\n"), 0o600))
	child := w.start(t)
	w.connected(t)
	w.tg.Push(telegramtest.Text(42, 42, "/handoff"))
	w.told(t, 42, "asked a person")
	asked := w.posted(t, "50", "telegram:42")
	w.dc.Press("77", "50", "9", asked.ID, "/handoff take 1")
	w.told(t, 42, "is here now")
	both := func(n int) {
		t.Helper()
		w.dc.Message("77", "50", "9", fmt.Sprintf("out-%d.", n))
		w.told(t, 42, fmt.Sprintf("out-%d.", n))
		w.tg.Push(telegramtest.Text(42, 42, fmt.Sprintf("in-%d.", n)))
		w.posted(t, "50", fmt.Sprintf("in-%d.", n))
	}
	both(0)
	w.dc.Message("77", "50", "1", "<@9000> /agent use clerk")
	w.posted(t, "50", "From now on **clerk** answers here")
	both(1)
	w.shows(t, "/agent use clerk telegram:42", "clerk")
	both(2)
	w.settled(t)
	kill(child)
	w.start(t)
	w.connected(t)
	both(3)
	w.dc.Press("77", "50", "9", asked.ID, "/handoff back 1")
	w.told(t, 42, "has left the conversation")
	w.settled(t)
	texts := w.dc.Sent()
	if slices.ContainsFunc(texts, func(m discordtest.Message) bool { return strings.Contains(m.Content, "Only those at the desk") }) {
		t.Errorf("the desk is not known to be the desk: %+v", texts)
	}
	if got := w.say(t, 42, "and now?"); got == "" {
		t.Error("nobody answers after the desk gave the conversation back")
	}
}

// TestStatusTellsOneself: /status tells a member what is left for them and for their channel, which
// what others use elsewhere does not change, and nothing of what is left for everybody; and
// where others read along, a reminder names no time zone that was set in the direct chat.
func TestStatusTellsOneself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_LIMITS_TOKENS_PER_DAY=500000", "BOT_LIMITS_USER_TOKENS_PER_DAY=300000", "BOT_LIMITS_CHANNEL_TOKENS_PER_DAY=400000")
	w.tg.AddChat(-100)
	child := w.start(t)
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "I see.", Usage: [2]int{70_000, 10}} })
	left := func(who int64) string {
		_, after, _ := strings.Cut(w.say(t, who, "/status"), "left for you")
		return after
	}
	before := left(8)
	w.say(t, 7, "spend a lot")
	w.settled(t)
	check := func() {
		t.Helper()
		if got := left(8); got != before || got == "" || strings.Contains(got, "everybody") {
			t.Errorf("a member is told %q, and was told %q", got, before)
		}
		if got := left(1); !strings.Contains(got, "429990 for everybody together") {
			t.Errorf("the owner is told %q", got)
		}
	}
	check()
	w.say(t, 8, "/remind zone Asia/Kathmandu")
	w.llm.Respond(nil)
	for _, call := range []llmtest.Turn{callTool("set_reminder", `{"text":"water the plants","when":"tomorrow at 8"}`),
		callTool("set_reminder", `{"text":"stretch","when":"every day at 9"}`), callTool("list_reminders", "{}")} {
		w.llm.Queue(call, says("Done."))
		w.answered(t, -100, 8, "@parley_bot my reminders")
		if last := w.lastAsked(); strings.Contains(last, "Kathmandu") || !strings.Contains(last, "UTC+05:45") {
			t.Errorf("in company the model reads %s", last)
		}
	}
	w.settled(t)
	kill(child)
	w.start(t)
	if got := left(8); strings.Contains(got, "everybody") {
		t.Errorf("in the next process a member is told %q", got)
	}
}

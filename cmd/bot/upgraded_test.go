package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/postgres"
	"parley/internal/llm/llmtest"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
)

// upgraded is what a group is called once it is a supergroup.
func upgraded(group int64) int64 { return -1_000_000_000_000 + group }

// inGroups returns a bot whose settings name groups: -7 is bound to an agent and let in,
// -8 is let in, and -9 is the desk.
func inGroups(t *testing.T) *world {
	t.Helper()
	w, dir := newWorld(t), t.TempDir()
	for _, name := range []string{"front", "lab", "home"} {
		must(t, os.WriteFile(filepath.Join(dir, name+".md"), []byte("You are the persona of "+name+"."), 0o600))
	}
	w.file = filepath.Join(dir, "bot.yaml")
	must(t, os.WriteFile(w.file, fmt.Appendf(nil, `access: {mode: allowlist, allow: ["telegram:chat:-7", "telegram:chat:-8", "telegram:42"]}
handoff: {desk: "telegram:-9"}
agents:
  - {name: front, persona: %[1]q, places: ["telegram:chat:-7"]}
  - {name: lab, persona: %[2]q}
  - {name: home, persona: %[3]q, places: [default]}
`, filepath.Join(dir, "front.md"), filepath.Join(dir, "lab.md"), filepath.Join(dir, "home.md")), 0o600))
	w.env = slices.DeleteFunc(w.env, func(s string) bool { return strings.HasPrefix(s, "BOT_ACCESS_MODE") })
	for _, chat := range []int64{1, 42, -7, -8, -9} {
		w.tg.AddChat(chat)
	}
	return w
}

// persona returns which agent's prompt a model is given in a chat.
func (w *world) persona(t *testing.T, chat int64) string {
	t.Helper()
	n := len(w.words())
	w.answered(t, chat, 5, "@parley_bot who are you?")
	list := w.words()
	if len(list) == n {
		return "nobody's"
	}
	_, name, _ := strings.Cut(string(list[len(list)-1].Raw), "You are the persona of ")
	name, _, _ = strings.Cut(name, ".")
	return name
}

// TestGroupBecomesASupergroup: whatever names a group goes on to name it when it becomes
// a supergroup, also when the bot is killed as it hears of it, or never hears: which
// agent answers there, by the settings or by a command, whom the settings let in, the
// desk, and buttons that were shown before.
func TestGroupBecomesASupergroup(t *testing.T) {
	t.Parallel()
	for _, killed := range []string{"never", "before the news", "after_inbox_commit:1", "before_finish:1"} {
		t.Run(killed, func(t *testing.T) {
			t.Parallel()
			w := inGroups(t)
			child := w.start(t)
			w.answered(t, -8, 1, "/agent use lab")
			if a, b := w.persona(t, -7), w.persona(t, -8); a != "front" || b != "lab" {
				t.Fatalf("before: %s and %s", a, b)
			}
			w.llm.Queue(callTool("add_task", `{"description":"old"}`), llmtest.Turn{Text: "Added."}, callTool("delete_task", `{"id":1}`))
			w.answered(t, -7, 5, "@parley_bot put old on my list")
			w.answered(t, -7, 5, "@parley_bot delete it")
			asked := w.in(-7)[len(w.in(-7))-1]
			w.settled(t)
			if killed != "never" {
				kill(child)
				if strings.Contains(killed, "_") {
					child = w.start(t, "BOT_FAILPOINT="+killed)
				}
			}
			for _, group := range []int64{-7, -8, -9} {
				w.tg.Migrate(group, upgraded(group))
			}
			w.tg.Push(telegramtest.Text(42, 42, "hello"))
			if strings.Contains(killed, "_") {
				dies(t, child)
			}
			if killed != "never" {
				w.start(t)
			}
			w.told(t, 42, "hello")
			w.llm.Queue(llmtest.Turn{Text: "It is off your list."})
			w.tg.Push(telegramtest.Press(-7, 5, asked.ID, "q1", asked.Buttons[0][0].Data))
			w.told(t, upgraded(-7), "It is off your list.")
			if a, b := w.persona(t, upgraded(-7)), w.persona(t, upgraded(-8)); a != "front" || b != "lab" {
				t.Errorf("afterwards: %s and %s", a, b)
			}
			w.answered(t, 42, 42, "/handoff I want a human")
			w.told(t, upgraded(-9), "I want a human")
		})
	}
}

// TestSupergroupNobodyToldOf: a bot that missed the news finds out when it says
// something in the group; what it had to say is said in the supergroup, and the agent
// that is bound answers there.
func TestSupergroupNobodyToldOf(t *testing.T) {
	t.Parallel()
	w := inGroups(t)
	child := w.start(t)
	w.answered(t, -8, 1, "/agent use lab")
	for _, group := range []int64{-7, -8} {
		w.answered(t, group, 5, "/remind tomorrow at 8 water the plants")
		w.tg.AddChat(5)
	}
	w.settled(t)
	kill(child)
	for _, group := range []int64{-7, -8, -9} {
		w.tg.Upgrade(group, upgraded(group))
	}
	w.due(t)
	w.start(t)
	for _, group := range []int64{-7, -8} {
		w.told(t, upgraded(group), "water the plants")
	}
	if a, b := w.persona(t, upgraded(-7)), w.persona(t, upgraded(-8)); a != "front" || b != "lab" {
		t.Errorf("afterwards: %s and %s", a, b)
	}
	w.answered(t, 42, 42, "/handoff I want a human")
	w.told(t, upgraded(-9), "I want a human")
}

// due makes all reminders that wait due a quarter of an hour ago, in the database of a bot
// that does not run.
func (w *world) due(t *testing.T) {
	t.Helper()
	w.change(t, "UPDATE reminders SET due_at = '"+stampAgo(15)+"' WHERE state = 'waiting'")
}

// stampAgo returns the stamp of a moment in the past, as rows hold it.
func stampAgo(minutes int) string {
	return memory.Stamp(time.Now().Add(-time.Duration(minutes) * time.Minute))
}

// change runs a statement in the database of a bot that does not run.
func (w *world) change(t *testing.T, statement string) {
	t.Helper()
	var db *sql.DB
	var err error
	if db, err = sql.Open("sqlite3", "file:"+filepath.Join(w.dir, datadir.Name)); w.url != "" {
		db, err = postgres.Raw(w.url)
	}
	must(t, err)
	defer func() { must(t, db.Close()) }()
	_, err = db.Exec(statement)
	must(t, err)
}

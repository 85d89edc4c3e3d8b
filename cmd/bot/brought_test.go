package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/importer"
	"parley/internal/text/waittest"
)

// propose brings a memory file along for somebody, as bot sessions import does.
func (w *world) propose(t *testing.T, user string, lines ...string) {
	t.Helper()
	at := filepath.Join(t.TempDir(), "MEMORY.md")
	must(t, os.WriteFile(at, []byte("- "+strings.Join(lines, "\n- ")+"\n"), 0o600))
	x, err := importer.Open(at, "")
	must(t, err)
	defer func() { must(t, x.Close()) }()
	store := w.open(t)
	done, err := store.ImportAll(t.Context(), memory.Older{Export: x, Owner: importer.Owner{User: chat.User{ID: user}}})
	must(t, err)
	if done.Proposed != len(lines) {
		t.Errorf("%d of %d lines wait", done.Proposed, len(lines))
	}
	must(t, store.Close())
}

// TestBroughtFactsAreConfirmedInTheChat: what another assistant noted is asked about in one
// list, and only what its person names becomes a fact; the list survives a restart.
func TestBroughtFactsAreConfirmedInTheChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.propose(t, "telegram:7", "Vegetarian since 2019", "Lives in Rome", "Has a cat called Miso")
	w.run(t)
	asks := func(text, want string) {
		t.Helper()
		n := len(w.tg.Sent())
		w.tg.Push(telegramtest.Text(7, 7, text))
		if !waittest.Within(time.Minute, func() bool { s := w.tg.Sent(); return len(s) > n && strings.Contains(s[len(s)-1].Text, want) }) {
			t.Fatalf("%q is not answered with %q: %v", text, want, w.tg.Sent())
		}
	}
	asks("/facts list", "3 lines that another assistant had noted wait")
	asks("/facts brought", "3. Has a cat called Miso")
	must(t, w.stop())
	w.run(t)
	asks("1 3", "Remembered: 2. Left out: 1.")
	asks("/facts brought", "Nothing of what was brought along waits")
	asks("/facts list", "Miso")
	if last := w.tg.Sent()[len(w.tg.Sent())-1].Text; strings.Contains(last, "Rome") || !strings.Contains(last, "Vegetarian") {
		t.Error(last)
	}
}

// TestBroughtFactsOnDiscord: the same in a direct chat of Discord, by its button; a channel is
// no place for it.
func TestBroughtFactsOnDiscord(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	w.propose(t, "discord:42", "Vegetarian since 2019", "Lives in Rome")
	w.run(t)
	w.connected(t)
	asks := func(guild, channel, text, want string) {
		t.Helper()
		n := len(w.dc.Sent())
		w.dc.Message(guild, channel, "42", text)
		eventually(t, text+" is answered", func() bool { return len(w.dc.Sent()) > n })
		if got := w.dc.Sent()[n].Content; !strings.Contains(got, want) {
			t.Fatalf("%q is answered with %q, not %q", text, got, want)
		}
	}
	asks("", "50", "/facts brought", "2. Lives in Rome")
	asks("", "50", "no", "Remembered: 0. Left out: 2.")
	asks("", "50", "/facts brought", "Nothing of what was brought along waits")
}

// TestBroughtOnTheCommandLine: an export becomes somebody's own in the terminal, too; a wrong
// file is refused with what is expected, and a dry run stores nothing.
func TestBroughtOnTheCommandLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, file, memory := filepath.Join(dir, "data"), filepath.Join(dir, "conversations.json"), filepath.Join(dir, "MEMORY.md")
	settings := filepath.Join(dir, "bot.yaml")
	must(t, os.WriteFile(settings, []byte("model: {name: builtin}\n"), 0o600))
	must(t, os.WriteFile(file, []byte(`[{"uuid":"c1","name":"Bread","chat_messages":[{"uuid":"m1","text":"How long does sourdough rise?","sender":"human",`+
		`"created_at":"2025-03-01T10:00:00Z"},{"uuid":"m2","text":"Overnight, in the fridge.","sender":"assistant","created_at":"2025-03-01T10:00:01Z"}]}]`), 0o600))
	must(t, os.WriteFile(memory, []byte("- Bakes on Sundays\n"), 0o600))
	bot := func(lines, want string, args ...string) {
		t.Helper()
		if out, _ := typed(lines, append(args, "--config", settings, "--data", data)...); !strings.Contains(out, want) {
			t.Errorf("%q says %s, not %q", args, out, want)
		}
	}
	bot("", "say with --user", "sessions", "import", file)
	bot("", "no export that I know", "sessions", "import", settings, "--user", "ann")
	bot("", "Claude: 2 messages in 1 conversation; nothing was imported", "sessions", "import", file, "--user", "ann", "--dry-run")
	bot("", "imported 2 messages in 1 conversation; known already: 0", "sessions", "import", file, "--user", "ann")
	bot("", "known already: 2", "sessions", "import", file, "--user", "ann")
	bot("", "wait for a yes of terminal:ann", "sessions", "import", memory, "--user", "ann")
	bot("", "Overnight", "recall", "--user", "ann", "how long does sourdough rise?")
	bot("/facts brought\nyes\n/facts list\n", "Remembered: 1.", "chat", "--user", "ann")
	bot("/facts list\n", "Bakes on Sundays", "chat", "--user", "ann")
	list, _ := typed("/session list\n", "chat", "--user", "ann", "--config", settings, "--data", data)
	_, id, _ := strings.Cut(list, "`")
	id, title, _ := strings.Cut(id, "`")
	if !strings.Contains(title, "Bread") {
		t.Fatalf("the conversations: %s", list)
	}
	bot("/session resume "+id+"\n", "brought along from elsewhere", "chat", "--user", "ann")
	bot("/session delete "+id+"\n", "no such conversation", "chat", "--user", "bob")
	bot("/session delete "+id+"\nyes\n/session show "+id+"\n", "no such conversation", "chat", "--user", "ann")
	out, _ := typed("", "recall", "--user", "ann", "--config", settings, "--data", data, "how long does sourdough rise?")
	if strings.Contains(out, "Overnight") {
		t.Errorf("deleted, and found: %s", out)
	}
}

// TestMoreBroughtFacts: what waits behind one list is asked about by the button under its
// answer.
func TestMoreBroughtFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var lines []string
	for i := range 14 {
		lines = append(lines, fmt.Sprintf("Owns the book number %d", i+1))
	}
	w.propose(t, "telegram:7", lines...)
	w.run(t)
	w.saying(t, 7, 7, "/facts brought")
	w.tg.Push(telegramtest.Text(7, 7, "1"))
	answered := w.told(t, 7, "Remembered: 1.")
	w.tg.Push(telegramtest.Press(7, 7, answered.ID, "press", "/facts brought"))
	w.told(t, 7, "number 13")
}

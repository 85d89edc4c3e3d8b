package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/memory/importer"
	"parley/internal/text/waittest"

	"parley/internal/chat"
	"parley/internal/memory"
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
		w.tg.Private(7, text)
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

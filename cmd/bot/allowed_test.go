package main

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// TestAlwaysAllowHere: the owner's button stops the question about a server's
// tool in that place, and /tools ask brings it back; /tools allow is the same in
// words.
func TestAlwaysAllowHere(t *testing.T) {
	t.Parallel()
	pages := newToolServer(t)
	pages.add("write", "Writes a page", nil)
	w := newWorld(t)
	w.uses(t, "pages", pages.url, "")
	w.run(t)
	w.shows(t, "/tools servers", "pages: up")
	calls := func(what string, asks bool) {
		t.Helper()
		w.llm.Queue(callTool("pages__write", `{}`), llmtest.Turn{Text: "Written " + what + "."})
		if got := w.say(t, 1, "write it, "+what); strings.Contains(got, "Written") == asks {
			t.Fatalf("%s: asked %t, want %t: %q", what, !asks, asks, got)
		}
	}
	calls("first", true)
	sent := w.tg.Sent()
	last, rows := sent[len(sent)-1], len(sent[len(sent)-1].Buttons)
	always := last.Buttons[rows-1][0]
	if !strings.Contains(always.Text, "Always") {
		t.Fatalf("the last button is %q", always.Text)
	}
	w.tg.Push(telegramtest.Press(1, 1, last.ID, "press", always.Data))
	eventually(t, "the plan goes on", func() bool { return strings.Contains(fmt.Sprint(w.tg.Sent()), "Written first.") })
	w.settled(t)
	calls("second", false)
	w.say(t, 1, "/tools ask pages__write")
	calls("third", true)
	w.say(t, 1, "yes")
	w.say(t, 1, "/tools allow pages__write")
	calls("fourth", false)
}

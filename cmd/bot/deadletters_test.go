package main

import (
	"strings"
	"testing"

	"parley/internal/chat"
)

// An event that was put aside is listed, shown, handed to its platform again by
// the bot that runs, and answered; one that still cannot be read says why; one
// that is dropped is gone.
func TestDeadLettersAreReadAgain(t *testing.T) {
	w := newWorld(t).onDiscord()
	w.llm.Quiet()
	w.serve(t)
	store := w.open(t)
	event := `{"t":"MESSAGE_CREATE","d":{"id":"77001","type":0,"channel_id":"10","content":"hear me now","timestamp":"2026-03-02T10:00:00Z","author":{"id":"42","username":"Ann"}}}`
	_, err := store.Accept(t.Context(), chat.Batch{Platform: "discord", Dead: []chat.DeadLetter{
		{ID: "a", Raw: []byte(event), Reason: "not understood then"}, {ID: "b", Raw: []byte("{"), Reason: "broken"}}})
	must(t, err)
	if _, err := store.Accept(t.Context(), chat.Batch{Platform: "elsewhere", Dead: []chat.DeadLetter{{ID: "c",
		Reason: "of a platform that does not run"}}}); err != nil {
		t.Fatal(err)
	}
	said := func(code int, args ...string) string {
		t.Helper()
		out, got := w.call(t, append([]string{"deadletters"}, args...)...)
		if got != code {
			t.Fatalf("%v: exit %d: %s", args, got, out)
		}
		return out
	}
	if out := said(0, "list"); strings.Count(out, "\n") != 3 || !strings.Contains(out, "not understood then") ||
		strings.Contains(out, "hear me") {
		t.Errorf("list: %s", out)
	}
	if out := said(0, "show", "1"); !strings.Contains(out, event) {
		t.Errorf("show: %s", out)
	}
	if out, _ := w.examined(t); !strings.Contains(out, "bot deadletters list") {
		t.Errorf("doctor: %s", out)
	}
	said(0, "retry", "1", "2", "3")
	if got := w.discordSent(t, 1)[0]; !strings.Contains(got.Content, "hear me now") {
		t.Errorf("answered %q", got.Content)
	}
	eventually(t, "one is answered, one failed, one waits", func() bool {
		out := said(0, "list")
		return !strings.Contains(out, "not understood then") && strings.Contains(out, "read again 1 time") &&
			strings.Contains(out, "to be read again")
	})
	said(0, "drop", "2", "3")
	if out := said(0, "list"); out != "" {
		t.Errorf("left: %s", out)
	}
	if out := said(exitFailure, "drop", "9"); !strings.Contains(out, "there is no such dead letter") {
		t.Errorf("drop: %s", out)
	}
}

// Telegram's are read again as well: one that is a message after all is
// answered, and what is no whole update says so.
func TestDeadLettersOfTelegramAreReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.llm.Quiet()
	w.tg.AddChat(7)
	w.run(t)
	eventually(t, "the bot polls", w.tg.Polling) // its database is made by then
	store := w.open(t)
	update := `{"update_id":700,"message":{"message_id":9,"date":1772445600,"chat":{"id":7,"type":"private"},"from":{"id":7,"is_bot":false,"first_name":"Ann"},"text":"hear me now"}}`
	_, err := store.Accept(t.Context(), chat.Batch{Platform: "telegram", Dead: []chat.DeadLetter{
		{ID: "update:700", Raw: []byte(update), Reason: "not understood then"}, {ID: "update:701", Raw: []byte(update[:90]), Reason: "broken"}}})
	must(t, err)
	if out, code := w.call(t, "deadletters", "retry", "1", "2"); code != 0 {
		t.Fatal(out)
	}
	if got := w.sent(t, 1)[0]; !strings.Contains(got, "hear me now") {
		t.Errorf("answered %q", got)
	}
	eventually(t, "one is gone, one failed", func() bool {
		out, _ := w.call(t, "deadletters", "list")
		return !strings.Contains(out, "not understood then") && strings.Contains(out, "not a Telegram update")
	})
}

package hooked

import (
	"context"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/memory/provenance"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestApart: what people write passes by; what a webhook brings is said, kept or asked, and
// only kept where people answer. Each line that is kept is from outside, of nobody.
func TestApart(t *testing.T) {
	t.Parallel()
	store := memorytest.Open(t, memory.Options{})
	answers := func(text string) chat.Handler {
		return chat.HandlerFunc(func(context.Context, chat.Message, chat.Reply) (chat.Answer, error) {
			return chat.Answer{Text: text, Record: chat.End{Outcome: chat.Answered}}, nil
		})
	}
	taken := chat.Key{Platform: "x", Channel: "taken"}
	h := Apart(Options{
		Session: func(ctx context.Context, m chat.Message) (memory.Session, error) {
			return store.Sessions.NewSession(ctx, memory.Place{Key: m.Key}, true)
		},
		TTL: func() time.Duration { return time.Hour }, Agent: answers("the agent"),
		Taken: func(_ context.Context, k chat.Key) (bool, error) { return k == taken, nil },
	}, answers("the gate"))
	for _, tt := range []struct {
		do         chat.HookDo
		in         string
		said, kept string
	}{
		{"", "a", "the gate", ""}, {chat.HookSay, "b", "it failed", "it failed"}, {chat.HookKeep, "c", "", "it failed"},
		{chat.HookAsk, "d", "the agent", ""}, {chat.HookAsk, "taken", "", "it failed"},
	} {
		m := chat.Message{ID: "1", Key: chat.Key{Platform: "x", Channel: tt.in}, From: chat.HookUser("ci"), Text: "it failed", Hook: tt.do,
			Unasked: true, Forwarded: true, At: time.Now()}
		stored, err := store.Accept(t.Context(), chat.Batch{Platform: "x", Messages: []chat.Message{m}})
		must(t, err)
		a, err := h.Handle(t.Context(), stored[0], nil)
		must(t, err)
		must(t, store.Finish(t.Context(), stored[0], nil, a.Record))
		se, ok, err := store.Sessions.LiveSession(t.Context(), memory.Place{Key: m.Key})
		must(t, err)
		kept := ""
		if ok {
			entries, err := store.Transcript(t.Context(), se.ID, 0, 0)
			must(t, err)
			kept = entries[0].Content
			if e := entries[0]; len(entries) != 1 || e.User != "hook:ci" || e.Origin.Via != provenance.ViaServer|provenance.ViaForwarded {
				t.Errorf("%s in %s keeps %+v", tt.do, tt.in, entries)
			}
		}
		if a.Text != tt.said || kept != tt.kept {
			t.Errorf("%s in %s says %q and keeps %q", tt.do, tt.in, a.Text, kept)
		}
	}
}

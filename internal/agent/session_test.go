package agent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/internal/agent/playbook"
	"parley/internal/chat"
	"parley/internal/memory"
)

// TestClockStepsBackBetweenLookAndEnd: a session whose time had passed a
// moment ago and that the store still keeps is gone on with; a second live one
// could never be stored.
func TestClockStepsBackBetweenLookAndEnd(t *testing.T) {
	b := newBench(t, Options{TTL: time.Hour})
	b.model.Say("hello").Say("still here")
	b.say("hi")
	first := b.live()
	// The agent reads the clock an hour later than the store does.
	b.o.Now = func() time.Time { return b.clock.Add(2 * time.Hour) }
	if got := b.say("and now?"); got != "still here" {
		t.Fatalf("got %q", got)
	}
	if again := b.live(); again.ID != first.ID || !again.Expires.After(first.Expires) {
		t.Errorf("session %s became %s", first.ID, again.ID)
	}
}

func (b *bench) live() memory.Session {
	b.t.Helper()
	se, ok, err := b.store.LiveSession(context.Background(), memory.Place{Key: chat.Key{Platform: "telegram", Channel: "7"}})
	must(b.t, err)
	if !ok {
		b.t.Fatal("no live session")
	}
	return se
}

// TestMessageBeforeExpiryKeepsTheJourney: a sweep that chose a session while a
// message was on its way leaves it, and the journey in it, as they are.
func TestMessageBeforeExpiryKeepsTheJourney(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "trip.yaml"), []byte(`journeys:
  - {id: trip, name: Trip, description: d, trigger: "literal:trip", initial_step: where, steps: [{id: where, name: Where}]}
`), 0o600))
	book, err := playbook.Load(dir, playbook.Options{})
	must(t, err)
	b := newBench(t, Options{Book: func() *playbook.Book { return book }, NoBookModel: true})
	b.model.Say("Where to?")
	b.say("a trip, please")
	before := b.live()
	must(t, b.Expire(context.Background(), before.ID))
	after := b.live()
	at, ok, err := book.Status(playbook.State{Session: json.RawMessage(after.Playbook)})
	must(t, err)
	if !ok || at.Status != playbook.Active {
		t.Errorf("the journey is %v", at.Status)
	}
}

package lanes_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

// TestSentIsAFact: what a process sent before it lost a conversation is sent, whoever has
// the conversation by the time that it can say so: the other one does not send it again,
// what it was sent as is known, and the one that lost it goes on with nothing. What the
// other has sent itself meanwhile stays what that said.
func TestSentIsAFact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		first func(t *testing.T, b desk, p chat.Part) // what the next owner did before it hears
		again bool                                    // it may begin to send
		id    string                                  // it was sent as
	}{
		{"adopted", func(*testing.T, desk, chat.Part) {}, false, "8"},
		{"begun again", func(t *testing.T, b desk, p chat.Part) {
			must(t, b.Mark(t.Context(), p, chat.PartStarted, "", time.Time{}))
		}, false, "8"},
		{"sent again", func(t *testing.T, b desk, p chat.Part) {
			must(t, b.Mark(t.Context(), p, chat.PartStarted, "", time.Time{}))
			must(t, b.Mark(t.Context(), p, chat.PartSent, "9", time.Time{}))
		}, false, "9"},
		{"given up", func(t *testing.T, b desk, p chat.Part) {
			must(t, b.Mark(t.Context(), p, chat.PartUnknown, "", time.Time{}))
		}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url := memorytest.URL(t)
			a, b := open(t, url, "a"), open(t, url, "b")
			one := a.says(t, "1")
			parts := []chat.Part{{Key: k, Text: "answer"}}
			must(t, a.Finish(t.Context(), one[0], parts, nil))
			must(t, a.Mark(t.Context(), parts[0], chat.PartStarted, "", time.Time{}))
			a.Node.Close() // its lease; its store works still
			keys, err := b.Lanes.Adopt(t.Context(), []string{"p"})
			must(t, err)
			_, err = b.Store.Adopt(t.Context(), keys)
			must(t, err)
			pending, err := b.Pending(t.Context(), k)
			must(t, err)
			if len(pending) != 1 || pending[0].Started || pending[0].Unknown != 1 {
				t.Fatalf("taken over: %+v", pending)
			}
			c.first(t, b, pending[0])
			for range 2 { // nothing of it depends on being said once
				if err := a.Mark(t.Context(), parts[0], chat.PartSent, "8", time.Time{}); !errors.Is(err, chat.ErrFenced) {
					t.Errorf("it may go on: %v", err)
				}
			}
			if err := b.Mark(t.Context(), pending[0], chat.PartStarted, "", time.Time{}); !errors.Is(err, chat.ErrOver) {
				t.Errorf("the next owner may send it again: %v", err)
			}
			var id string
			must(t, postgrestest.Raw(t, url).QueryRow("SELECT platform_id FROM outbox WHERE id = $1", parts[0].Row).Scan(&id))
			if id != c.id {
				t.Errorf("it was sent as %q, not %q", id, c.id)
			}
		})
	}
}

// TestSentAtThatMoment: whoever takes a send up waits for what another one is just saying
// about it.
func TestSentAtThatMoment(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	a := open(t, url, "a")
	parts := []chat.Part{{Key: k, Text: "answer"}}
	must(t, a.Finish(t.Context(), a.says(t, "1")[0], parts, nil))
	raw := postgrestest.Raw(t, url)
	late, err := raw.Begin()
	must(t, err)
	_, err = late.Exec("UPDATE outbox SET state = 'sent', platform_id = '8' WHERE id = $1", parts[0].Row)
	must(t, err)
	began := make(chan error)
	go func() { began <- a.Mark(context.Background(), parts[0], chat.PartStarted, "", time.Time{}) }()
	waittest.Until(t, "it waits", func() bool {
		n := 0
		must(t, raw.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n))
		return n == 1
	})
	must(t, late.Commit())
	if err := <-began; !errors.Is(err, chat.ErrOver) {
		t.Errorf("it may send it again: %v", err)
	}
}

// TestDoneIsAFact: a step that was made is made, too, whoever has the conversation by the
// time that it can be said. Nothing is begun there any more.
func TestDoneIsAFact(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	a, b := open(t, url, "a"), open(t, url, "b")
	one := a.says(t, "1")
	must(t, a.SaveSteps(t.Context(), one[0].Row, []memory.Step{{N: 1, Kind: "tool", Key: "pay"}})())
	a.Node.Close()
	keys, err := b.Lanes.Adopt(t.Context(), []string{"p"})
	must(t, err)
	_, err = b.Store.Adopt(t.Context(), keys)
	must(t, err)
	steps := []memory.Step{{N: 1, Kind: "tool", Key: "pay", Result: "paid", Done: true}, {N: 2, Kind: "model", Key: "m",
		Result: "thanks", Done: true}}
	if err := a.SaveSteps(t.Context(), one[0].Row, steps)(); !errors.Is(err, chat.ErrFenced) {
		t.Errorf("it may go on: %v", err)
	}
	if err := a.SaveSteps(t.Context(), one[0].Row, []memory.Step{{N: 3, Kind: "tool", Key: "more"}})(); !errors.Is(err, chat.ErrFenced) {
		t.Errorf("it may begin something: %v", err)
	}
	got, err := b.Steps(t.Context(), one[0].Row)
	must(t, err)
	if len(got) != 1 || got[0].Key != "pay" || got[0].Result != "paid" || !got[0].Done {
		t.Errorf("the next owner knows of %+v", got)
	}
	must(t, b.SaveSteps(t.Context(), one[0].Row, []memory.Step{{N: 2, Kind: "tool", Key: "theirs", Result: "r", Done: true}})())
	if err := a.SaveSteps(t.Context(), one[0].Row, steps)(); !errors.Is(err, chat.ErrFenced) {
		t.Errorf("it may go on: %v", err)
	}
	if got, err = b.Steps(t.Context(), one[0].Row); err != nil || len(got) != 2 || got[1].Key != "theirs" {
		t.Errorf("what the next owner did is changed: %+v, %v", got, err)
	}
}

package agent

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
)

// interrupted is a model during whose call something else happens.
type interrupted struct {
	llm.Model
	during func(llm.Request) // nil is nothing
}

func (i *interrupted) Complete(ctx context.Context, r llm.Request, w func(string)) (llm.Response, error) {
	if i.during != nil {
		i.during(r)
	}
	return i.Model.Complete(ctx, r, w)
}

var room = chat.Key{Platform: "telegram", Channel: "-100"}

func inRoom(who, text string) chat.Message {
	return chat.Message{Key: room, From: chat.User{ID: "telegram:" + who, Name: who}, Text: text}
}

// everything returns what rows of the conversation hold, in one text.
func (b *bench) everything() string {
	b.t.Helper()
	var all strings.Builder
	list, err := b.store.Sessions.Sessions(context.Background(), memory.SessionQuery{})
	must(b.t, err)
	for _, se := range list {
		all.WriteString(se.Summary + se.Closing + se.Title + strings.Join(sessions.Told(se.Decisions), " ") + strings.Join(se.Mentions.People,
			" ") + se.Playbook)
		entries, err := b.store.Transcript(context.Background(), se.ID, 0, 0)
		must(b.t, err)
		for _, e := range entries {
			all.WriteString("|" + e.Content)
		}
	}
	facts, err := b.store.Facts.Facts(context.Background(), provenance.Viewer{User: "telegram:bob", Direct: true}, 100, 0)
	must(b.t, err)
	for _, f := range facts {
		all.WriteString("|" + f.Content)
	}
	return all.String()
}

// Somebody is forgotten while another one's turn runs in the same room: the
// answer is given, nothing of the forgotten words is written back, and later
// turns still see what was said after that.
func TestForgettingDuringATurnIsNotUndone(t *testing.T) {
	m := &interrupted{}
	b := newBench(t, Options{Model: m})
	m.Model = b.model
	b.model.Say("noted").Say("he said zebra").Say("fine")
	b.from(inRoom("bob", "zebra is my word"))
	m.during = func(llm.Request) { must(t, b.store.ForgetPerson(t.Context(), "telegram:bob", 0)) }
	if got := b.from(inRoom("ann", "what was it?")); got != "he said zebra" {
		t.Errorf("answered %q", got)
	}
	m.during = nil
	if all := b.everything(); strings.Contains(all, "zebra") || !strings.Contains(all, "what was it?") {
		t.Errorf("stored: %s", all)
	}
	b.from(inRoom("ann", "and now?"))
	requests := b.model.Requests()
	if last := requests[len(requests)-1]; count(last.Messages, llm.RoleUser) != 2 {
		t.Errorf("the model sees %+v", last.Messages)
	}
}

// The same while a conversation is folded, ended or summed up for good.
func TestForgettingDuringAFoldIsNotUndone(t *testing.T) {
	for _, what := range []string{"fold", "summarize", "archive"} {
		t.Run(what, func(t *testing.T) {
			m := &interrupted{Model: &once{
				first: `{"summary":"bob said zebra","title":"zebra","decisions":["zebra"],"facts":[{"person":"bob","content":"likes zebra","quote":"I like zebra","type":"fact"}]}`,
				then:  &llmScript{`{"summary":"Ann saw it","title":"Ann","decisions":[],"facts":[]}`},
			}}
			b := newBench(t, Options{Model: m, Limits: Limits{History: 1000, MaxMessages: 1000}, Sessions: Sessions{Learn: true}})
			for range 7 {
				b.from(inRoom("bob", "I like zebra"))
				b.from(inRoom("ann", "I see"))
			}
			se, _, err := b.store.Sessions.LiveSession(t.Context(), memory.Place{Key: room})
			must(t, err)
			forgotten := false
			m.during = func(r llm.Request) {
				if r.Schema != nil && !forgotten {
					forgotten = true
					must(t, b.store.ForgetPerson(t.Context(), "telegram:bob", 0))
				}
			}
			switch what {
			case "fold":
				b.foldAfter(t.Context(), se.ID, 100, 0)
			case "summarize":
				_, err = b.Summarize(t.Context(), memory.Place{Key: room})
			case "archive":
				_, err = b.End(t.Context(), se.ID, true)
				must(t, err)
				must(t, b.Archive(t.Context(), se.ID))
				must(t, b.Archive(t.Context(), se.ID)) // the next tick
			}
			must(t, err)
			if all := b.everything(); !forgotten || strings.Contains(all, "zebra") || !strings.Contains(all, "I see") {
				t.Errorf("forgotten %v, stored: %s", forgotten, all)
			}
			if se, err := b.store.Sessions.SessionByID(t.Context(), se.ID); err != nil || what == "archive" &&
				(se.Status != memory.Archived || se.Closing != "Ann saw it") {
				t.Errorf("%+v %v", se, err)
			}
		})
	}
}

// once says its first text where something structured is asked for, and is
// another model otherwise.
type once struct {
	first string
	then  llm.Model
}

func (o *once) Complete(ctx context.Context, r llm.Request, w func(string)) (llm.Response, error) {
	if o.first == "" || r.Schema == nil {
		return o.then.Complete(ctx, r, w)
	}
	text := o.first
	o.first = ""
	return (&llmScript{text}).Complete(ctx, r, w)
}

// A session that was read before a forgetting ends without what it knew, and a
// new one that would carry it on begins with nothing of it.
func TestForgettingBetweenTwoSessionsIsNotUndone(t *testing.T) {
	b := newBench(t, Options{Sessions: Sessions{TTL: func() time.Duration { return time.Hour }}})
	ctx, place := t.Context(), memory.Place{Key: room}
	b.model.Say("ok").Say("ok")
	b.from(inRoom("bob", "zebra"))
	se, _, err := b.store.Sessions.LiveSession(ctx, place)
	must(t, err)
	se.Decisions = []sessions.Decision{{Text: "zebra it is"}}
	must(t, b.store.Sessions.SaveSession(ctx, se))
	must(t, second(b.store.Sessions.EndSession(ctx, se, memory.Completed, memory.Closing{Text: "about zebra"}, true)))
	next, err := b.store.Sessions.NewSession(ctx, place, true)
	must(t, err)
	if next.Carried != "about zebra" || len(next.Decisions) != 1 {
		t.Fatalf("carries %+v", next)
	}
	must(t, b.store.ForgetPerson(ctx, "telegram:bob", 0))
	next.Summary = "zebra"
	if err := b.store.Sessions.SaveSession(ctx, next); err == nil {
		t.Error("written back")
	}
	must(t, second(b.store.Sessions.EndSession(ctx, se, memory.Completed, memory.Closing{Text: "about zebra"}, true)))
	if all := b.everything(); strings.Contains(all, "zebra") {
		t.Errorf("stored: %s", all)
	}
	if live, ok, err := b.store.Sessions.LiveSession(ctx, place); err != nil || !ok || live.ID != next.ID || live.Summary != "" {
		t.Errorf("%+v %v %v", live, ok, err)
	}
}

func second[T any](_ T, err error) error { return err }

// liveIn returns the session that is alive in a place.
func (b *bench) liveIn(k chat.Key) memory.Session {
	b.t.Helper()
	se, ok, err := b.store.Sessions.LiveSession(b.t.Context(), memory.Place{Key: k})
	must(b.t, err)
	if !ok {
		b.t.Fatal("no live session")
	}
	return se
}

package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
)

// TestNoDigestForPeopleWhoLeft: people who were denied, left or never wrote in a direct
// chat get no digest; facts learned in groups, or about others, are in none.
func TestNoDigestForPeopleWhoLeft(t *testing.T) {
	t.Parallel()
	ann := chat.User{ID: "telegram:7", Name: "Ann"}
	alone, room := chat.Key{Platform: "telegram", Channel: "7"}, chat.Key{Platform: "telegram", Channel: "-100"}
	for name, tt := range map[string]struct {
		where chat.Key
		gone  func(st *stage)
		told  bool
	}{
		"nothing happened": {alone, func(*stage) {}, true},
		"kept out": {alone, func(st *stage) {
			must(t, st.app.storage.store.Access.Grant(t.Context(), ann.ID, "denied", "telegram:1"))
		}, false},
		"blocked the bot": {alone, func(st *stage) {
			must(t, st.app.platforms.closed(t.Context(), chat.Part{Key: alone, To: ann, Await: true}))
		}, false},
		"wrote in a group": {room, func(*stage) {}, false},
		"forgotten":        {alone, func(st *stage) { must(t, st.app.storage.store.ForgetPerson(t.Context(), ann.ID, 0)) }, false},
		"corrected": {alone, func(st *stage) {
			_, err := st.app.storage.store.Facts.UpdateFact(t.Context(), provenance.Viewer{User: ann.ID, Key: alone, Direct: true},
				1, facts.NewFact{Content: "Plays the harp", Worth: facts.Worth{Explicit: true}})
			must(t, err)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			st := staged(t, "-- talk --\n", nil)
			store := st.app.storage.store
			must(t, store.Access.Grant(t.Context(), ann.ID, "member", "telegram:1"))
			must(t, store.Facts.SetDigest(t.Context(), ann.ID, facts.DigestDaily))
			must(t, st.Say(t.Context(), chat.Message{ID: "1", Key: tt.where, From: ann, Direct: tt.where == alone, Addressed: true, Text: "hello"}))
			_, err := store.Facts.SaveFact(t.Context(), provenance.Viewer{User: ann.ID, Key: tt.where, Direct: tt.where == alone},
				facts.NewFact{Content: "Plays the cello", Author: "assistant", Worth: facts.Worth{Rank: facts.PickedUp, Later: true}})
			must(t, err)
			tt.gone(st)
			st.Advance(25 * time.Hour)
			must(t, st.app.chores.sweep(t.Context()))
			must(t, st.Settle(t.Context(), alone, room))
			if told := strings.Contains(st.Reply(), "cello"); told != tt.told {
				t.Errorf("told %v: %q", told, st.Reply())
			}
		})
	}
}

// TestDigestOfMany: a long digest shows a few facts and links to the rest. It is sent once.
func TestDigestOfMany(t *testing.T) {
	t.Parallel()
	st := staged(t, "-- talk --\n", nil)
	owner, k := chat.User{ID: "terminal:local"}, chat.Key{Platform: "terminal", Channel: "local"}
	v := provenance.Viewer{User: owner.ID, Key: k, Direct: true}
	must(t, st.Say(t.Context(), chat.Message{ID: "1", Key: k, From: owner, Direct: true, Addressed: true, Text: "hello"}))
	for i := range 7 {
		_, err := st.app.storage.store.Facts.SaveFact(t.Context(), v, facts.NewFact{Content: fmt.Sprintf("Owns book %d", i+1),
			Author: "assistant", Worth: facts.Worth{Rank: facts.PickedUp, Later: true}})
		must(t, err)
	}
	st.Advance(25 * time.Hour)
	for range 2 {
		must(t, st.app.chores.sweep(t.Context()))
		must(t, st.Settle(t.Context(), k))
	}
	if got := st.Reply(); strings.Count(got, "Learned since yesterday") != 1 || strings.Count(got, "Owns book") != 4 ||
		!strings.Contains(got, "Owns book 7") {
		t.Error(got)
	}
}

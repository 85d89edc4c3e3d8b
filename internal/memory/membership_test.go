package memory

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/access"
)

// TestRecallEndsWithMembership: what others said in a group is recalled from a
// direct chat up to the asker's last word, until now where they were seen to be
// there, from their return on, and not at all once they are out; their own words
// always.
func TestRecallEndsWithMembership(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s := open(t, Options{Now: func() time.Time { return now }})
	room := chat.Key{Platform: "x", Channel: "room"}
	ann, bob := chat.User{ID: "x:a", Name: "Ann"}, chat.User{ID: "x:b", Name: "Bob"}
	n := 0
	say := func(who chat.User, text string) {
		n++
		now = now.Add(time.Minute)
		m := chat.Message{ID: fmt.Sprint(n), Key: room, From: who, Text: text, At: now}
		fresh, err := s.Accept(t.Context(), chat.Batch{Platform: "x", Messages: []chat.Message{m}})
		must(t, err)
		must(t, s.db.Write(t.Context(), func(tx *engine.Tx) error {
			if _, err := tx.Exec(
				"INSERT INTO sessions (id, platform, channel, created_at, last_activity, expires_at) VALUES ('s', 'x', 'room', " +
					"'', '', '') ON CONFLICT DO NOTHING"); err != nil {
				return err
			}
			_, err := tx.Exec("INSERT INTO messages (session_id, platform, channel, role, user_id, name, content, message_id, "+
				"at) VALUES ('s', 'x', 'room', 'user', ?, ?, ?, ?, ?)",
				who.ID, who.Name, text, m.ID, Stamp(now))
			return err
		}))
		must(t, s.Finish(t.Context(), fresh[0], nil, nil))
	}
	told := func(state chat.PresenceState, joined time.Time) {
		now = now.Add(time.Minute)
		p := chat.Presence{Key: room, User: bob, State: state, Joined: joined}
		_, err := s.Accept(t.Context(), chat.Batch{Platform: "x", Present: []chat.Presence{p}})
		must(t, err)
	}
	check := func(when string, want ...string) {
		t.Helper()
		found, err := s.Recall(t.Context(), Query{User: bob.ID, Text: "the canary"})
		must(t, err)
		all := fmt.Sprint(found)
		for _, word := range []string{"one", "two", "three", "four", "five", "own"} {
			wanted := strings.Contains(strings.Join(want, " "), word)
			if strings.Contains(all, "canary "+word) != wanted {
				t.Errorf("%s: Bob recalls %q: %v", when, word, !wanted)
			}
		}
	}
	say(ann, "the canary one")
	say(bob, "the canary own")
	say(ann, "the canary two")
	check("nothing was told", "one", "own")
	told(chat.Present, time.Time{})
	check("seen to be there", "one", "own", "two")
	now = now.Add(access.Attested + time.Minute)
	check("not seen lately", "one", "own")
	told(chat.Absent, time.Time{})
	say(ann, "the canary three")
	check("out", "own")
	told(chat.Present, now)
	say(ann, "the canary four")
	check("came back", "own", "four")
	told(chat.Absent, time.Time{})
	say(bob, "hello again")
	say(ann, "the canary five")
	check("spoke after they were out, just now", "own", "five")
	told(chat.Present, time.Time{})
	if keys, err := s.Access.Unattested(t.Context(), bob.ID, 9); err != nil || len(keys) != 0 {
		t.Errorf("to be asked about: %v, %v", keys, err)
	}
	now = now.Add(access.Attested + time.Minute)
	if keys, err := s.Access.Unattested(t.Context(), bob.ID, 9); err != nil || len(keys) != 1 || keys[0] != room {
		t.Errorf("to be asked about: %v, %v", keys, err)
	}
}

// TestAttestedAnew: whom Telegram was said to have in a group before its answers were
// read rightly, is asked about again; what Discord said stays.
func TestAttestedAnew(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s := open(t, Options{Now: func() time.Time { return now }})
	var step string
	for _, m := range Migrations() {
		if m.Name == "0054_attested.sql" {
			step = m.SQL
		}
	}
	for _, platform := range []string{"telegram", "discord"} {
		m := chat.Message{ID: platform, Key: chat.Key{Platform: platform, Channel: "-100"}, From: chat.User{ID: "x:b"}, At: now}
		must(t, s.db.Exec(t.Context(), "INSERT INTO participants (user_id, platform, channel) VALUES (?, ?, ?)", m.From.ID, platform, m.Key.Channel))
		must(t, s.Access.Attend(t.Context(), chat.Presence{Key: m.Key, User: m.From, State: chat.Present}))
	}
	must(t, s.db.Write(t.Context(), func(tx *engine.Tx) error { _, err := tx.Exec(step); return err }))
	keys, err := s.Access.Unattested(t.Context(), "x:b", 9)
	if err != nil || len(keys) != 1 || keys[0].Platform != "telegram" {
		t.Errorf("to be asked about: %v, %v", keys, err)
	}
}

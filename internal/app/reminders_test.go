package app

import (
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/agenda"
	"parley/internal/memory/provenance"
)

// TestRemindersOfPeopleWhoLeft: a reminder of somebody who was denied, left the place or
// blocked the bot is not sent. The first kind ends, even a recurring one; the others wait.
func TestRemindersOfPeopleWhoLeft(t *testing.T) {
	t.Parallel()
	direct := chat.Key{Platform: "telegram", Channel: "7"}
	room := chat.Key{Platform: "telegram", Channel: "-100"}
	ann := chat.User{ID: "telegram:7", Name: "Ann"}
	for name, tt := range map[string]struct {
		key  chat.Key
		gone func(st *stage)
		told bool
		kept bool
	}{
		"nothing happened": {direct, func(*stage) {}, true, true},
		"kept out": {direct, func(st *stage) {
			must(t, st.app.storage.store.Access.Grant(t.Context(), ann.ID, "denied", "telegram:1"))
		},
			false, false},
		"revoked": {direct, func(st *stage) {
			_, err := st.app.storage.store.Access.Revoke(t.Context(), ann.ID)
			must(t, err)
		}, false, false},
		"left the group": {room, func(st *stage) {
			must(t, st.app.storage.store.Access.Attend(t.Context(), chat.Presence{Key: room, User: ann, State: chat.Absent}))
		}, false, true},
		"left another group": {direct, func(st *stage) {
			must(t, st.app.storage.store.Access.Attend(t.Context(), chat.Presence{Key: room, User: ann, State: chat.Absent}))
		}, true, true},
		"blocked the bot": {direct, func(st *stage) {
			must(t, st.app.platforms.closed(t.Context(), chat.Part{Key: direct, To: ann, Await: true}))
		}, false, true},
		"the bot is out": {room, func(st *stage) { must(t, st.app.platforms.closed(t.Context(), chat.Part{Key: room, To: ann})) }, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			st := staged(t, "-- talk --\n", nil)
			must(t, st.app.storage.store.Access.Grant(t.Context(), ann.ID, "member", "telegram:1"))
			_, err := st.app.storage.store.Agenda.AddReminder(t.Context(), agenda.Reminder{User: ann, Key: tt.key, Text: "the plants",
				Due: st.Now().Add(time.Hour), Schedule: "0 10 * * *", Zone: "UTC"}, "")
			must(t, err)
			tt.gone(st)
			st.Advance(2 * time.Hour)
			must(t, st.app.chores.remind(t.Context()))
			must(t, st.Settle(t.Context(), tt.key))
			if told := strings.Contains(st.Reply(), "the plants"); told != tt.told {
				t.Errorf("told %v: %q", told, st.Reply())
			}
			left, err := st.app.storage.store.Agenda.Reminders(t.Context(), provenance.Viewer{User: ann.ID, Key: tt.key, Direct: true})
			must(t, err)
			if (len(left) > 0) != tt.kept {
				t.Errorf("%d reminders are left", len(left))
			}
		})
	}
}

// TestGroupReminderPingsItsAuthor: in a group, a reminder pings its author.
func TestGroupReminderPingsItsAuthor(t *testing.T) {
	t.Parallel()
	st := staged(t, "-- talk --\n", nil)
	ann := chat.User{ID: "telegram:7", Name: "Ann"}
	parts := st.app.chores.reminderParts(t.Context(), agenda.Reminder{User: ann, Key: chat.Key{Platform: "telegram", Channel: "-100"},
		Text: "water", Due: st.Now()})
	if len(parts) != 1 || !parts[0].Ping || parts[0].To != ann || !strings.Contains(parts[0].Text, "Ann") {
		t.Errorf("got %+v", parts)
	}
}

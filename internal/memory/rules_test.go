package memory

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/provenance"
)

// A journey that a session had before journeys belonged to people goes to whose it
// was: the session's owner, who gave its newest value, or who spoke when it began.
func TestOldJourneysFindTheirPeople(t *testing.T) {
	postgrestest.AboutFiles(t)
	s := open(t, Options{})
	migration, err := schema.ReadFile("schema/0027_rules.sql")
	must(t, err)
	began := time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)
	journey := `"journey":{"id":"refund","status":"active","step":"order","started":"` + began.Format(time.RFC3339) +
		`","entered":"` + began.Format(time.RFC3339) + `"}`
	for i, test := range []struct{ user, old, want string }{
		{"x:own", `{"v":1,` + journey + `}`, "x:own"},
		{"", `{"v":1,` + journey + `}`, "x:ann"},
		{"", `{"v":1,` + journey + `,"vars":{"n":{"name":"n","value":1,"source_message_id":"m2"}},"past":[]}`, "x:bob"},
		{"", `{"v":2,"people":{"x:cem":{}}}`, ""},
		{"", `{"v":1`, ""},
	} {
		id := fmt.Sprint("s", i)
		must(t, s.db.Write(bg, func(tx *engine.Tx) error {
			se := Session{ID: id, Key: chat.Key{Platform: "x", Channel: id}, User: test.user, Status: Active, Created: began, Playbook: test.old}
			if _, err := saveSession(tx, se); err != nil {
				return err
			}
			for k, user := range []string{"x:dan", "x:ann", "x:bob"} {
				e := Entry{Role: "user", User: user, Content: "hello", MessageID: fmt.Sprint("m", k),
					At: began.Add(time.Duration(k-1) * time.Hour), Origin: Origin{Via: provenance.ViaTyped}}
				if err := insertEntries(tx, se, []Entry{e}); err != nil {
					return err
				}
			}
			_, err := tx.Exec(string(migration))
			return err
		}))
		se, err := s.Sessions.SessionByID(bg, id)
		must(t, err)
		if test.want == "" {
			if se.Playbook != test.old {
				t.Errorf("%s was changed to %s", test.old, se.Playbook)
			}
			continue
		}
		var now struct {
			V      int
			People map[string]struct {
				Journeys []*struct{ ID, Step string }
				Vars     map[string]any
			}
		}
		must(t, json.Unmarshal([]byte(se.Playbook), &now))
		got := now.People[test.want]
		if now.V != 2 || len(got.Journeys) == 0 || got.Journeys[0].Step != "order" {
			t.Errorf("%s became %s, which is not %s's", test.old, se.Playbook, test.want)
		}
	}
}

package memory

import (
	"fmt"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
)

// Where each person has sessions of their own, many of one member's push out
// nobody else's only one.
func TestArchivedSessionsAreKeptPerPerson(t *testing.T) {
	s := open(t, Options{})
	k := chat.Key{Platform: "x", Channel: "room"}
	must(t, s.db.Write(bg, func(tx *engine.Tx) error {
		for i, user := range []string{"x:quiet", "x:busy", "x:busy", "x:busy"} {
			se := Session{ID: fmt.Sprint("s", i), Key: k, User: user, Status: Active, Created: time.Now()}
			if _, err := saveSession(tx, se); err != nil {
				return err
			}
			if err := insertEntries(tx, se, []Entry{{Role: "user", User: user, Content: "hello",
				Origin: Origin{Via: provenance.ViaTyped}}}); err != nil {
				return err
			}
			if _, err := tx.Exec("UPDATE sessions SET status = 'archived', ended_at = ? WHERE id = ?",
				Stamp(time.Now().Add(time.Duration(i)*time.Hour)), se.ID); err != nil {
				return err
			}
		}
		return nil
	}))
	p, err := s.Prune(bg, Retention{Archived: 1})
	must(t, err)
	left, err := s.Transcript(bg, "s0", 0, 0)
	must(t, err)
	if p.Messages != 2 || len(left) != 1 {
		t.Errorf("%d messages went, %d of the quiet one's are left", p.Messages, len(left))
	}
}

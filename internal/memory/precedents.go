package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley/internal/db/chunked"
	"parley/internal/db/engine"
)

// Precedent is an earlier call that guards may consider: made for one person in one session,
// and successful.
type Precedent struct {
	Tool      string    `json:"tool"`
	Args      string    `json:"args"`   // a JSON object
	Result    string    `json:"result"` // as the tool gave it
	At        time.Time `json:"at"`
	Confirmed bool      `json:"confirmed,omitempty"` // the person had said yes to it
	People    []string  `json:"people,omitempty"`    // whose words Result is made of, other than the person's
}

// maxPrecedents is how many of a session's calls guards consider.
const maxPrecedents = 200

// Precedents returns those of a person in a session, oldest first.
func (s *Store) Precedents(_ context.Context, session, user string) ([]Precedent, error) {
	list, err := engine.Select(s.db, func(r engine.Scanner) (p Precedent, err error) {
		err = r.Scan(&p.Tool, &p.Args, &p.Result, engine.Stamped(&p.At), &p.Confirmed)
		return p, err
	}, "SELECT name, arguments, result, at, confirmed FROM guard_calls WHERE session_id = ? AND user_id = ? ORDER BY id DESC LIMIT ?",
		session, user, maxPrecedents)
	slices.Reverse(list)
	return list, during("read earlier calls", err)
}

// Worked returns the names of tools that succeeded for a person in a session.
func (s *Store) Worked(_ context.Context, session, user string) ([]string, error) {
	list, err := engine.Select(s.db, engine.Value[string],
		"SELECT DISTINCT c.name FROM decisions d JOIN tool_calls c ON c.decision_id = d.id WHERE d.session_id = ? AND "+
			"d.user_id = ? AND c.status = 'success'", session, user)
	return list, during("read what tools did", err)
}

// addPrecedents stores what a turn called.
func addPrecedents(tx *engine.Tx, session, user string, list []Precedent) error {
	for _, p := range list {
		_, err := tx.Exec("INSERT INTO guard_calls (session_id, user_id, name, arguments, result, confirmed, people, at) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			session, user, p.Tool, p.Args, p.Result, p.Confirmed, Origin{People: p.People}.Names(), Stamp(p.At))
		if err != nil {
			return fmt.Errorf("store call for guards: %w", err)
		}
	}
	return nil
}

// pastPrecedents deletes those of ended sessions, which no guard considers.
var pastPrecedents = chunked.Sweep{Table: "guard_calls",
	Where: "NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = guard_calls.session_id AND s.status IN ('active', 'idle', 'suspended'))",
	Do:    []string{"DELETE FROM guard_calls WHERE id = :key"}}

package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"parley/internal/chat"
	"parley/internal/sqlite"
)

// countUses remembers that facts were of use.
func countUses(tx *sqlite.Tx, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	b, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	_, err = tx.Exec("UPDATE key_facts SET uses = uses + 1 WHERE id IN (SELECT value FROM json_each(?))", string(b))
	return err
}

// Earlier is what a fact said once.
type Earlier struct {
	Content      string
	Author       string
	Since, Until time.Time
}

// FactHistory returns a fact that v can see and what it said before, newest
// first.
func (s *Store) FactHistory(_ context.Context, v Viewer, id int64) (Fact, []Earlier, error) {
	list, err := facts(s.db.Query, v, byID, sqlite.Named{"id": id})
	if err != nil {
		return Fact{}, nil, during("fact history", err)
	}
	if len(list) == 0 {
		return Fact{}, nil, ErrNoFact
	}
	rows, err := s.db.Query("SELECT content, author, since, until FROM fact_history WHERE fact_id = ? ORDER BY id DESC", id)
	if err != nil {
		return Fact{}, nil, during("fact history", err)
	}
	all, err := sqlite.Collect(rows, func(r *sql.Rows) (e Earlier, err error) {
		var since, until string
		err = r.Scan(&e.Content, &e.Author, &since, &until)
		e.Since, e.Until = ParseStamp(since), ParseStamp(until)
		return e, err
	})
	return list[0], all, during("fact history", err)
}

// moveMemory carries what was remembered in a channel, or about it, to its new
// address. A thread that moves alone leaves it where it is.
func moveMemory(tx *sqlite.Tx, mv chat.Move) error {
	if mv.From.Thread != "" {
		return nil
	}
	for _, table := range movedWhole {
		_, err := tx.Exec("UPDATE "+table+" SET channel = ? WHERE platform = ? AND channel = ?", mv.To.Channel, mv.From.Platform, mv.From.Channel)
		if err != nil {
			return during("move "+table, err)
		}
	}
	from, to := Viewer{Key: mv.From}.Place(), Viewer{Key: mv.To}.Place()
	_, err := tx.Exec("UPDATE key_facts SET subject = ?, owner = ? WHERE subject = ? AND scope = 'channel'", to, ownerWord(to), from)
	return during("move facts", err)
}

package facts

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Answered notes what an answer made use of, and the changes that it tells of.
func Answered(tx *engine.Tx, used, told []int64, now time.Time) error {
	return errors.Join(countUses(tx, used), Told(tx, told, now))
}

// countUses remembers that facts were of use.
func countUses(tx *engine.Tx, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	b, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	_, err = tx.Exec("UPDATE key_facts SET uses = uses + 1 WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", string(b))
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
	list, err := facts(s.db.Query, v, byID, engine.Named{"id": id})
	if err != nil {
		return Fact{}, nil, engine.During("fact history", err)
	}
	if len(list) == 0 {
		return Fact{}, nil, ErrNone
	}
	rows, err := s.db.Query("SELECT content, author, since, until FROM fact_history WHERE fact_id = ? ORDER BY id DESC", id)
	if err != nil {
		return Fact{}, nil, engine.During("fact history", err)
	}
	all, err := engine.Collect(rows, func(r *sql.Rows) (e Earlier, err error) {
		var since, until string
		err = r.Scan(&e.Content, &e.Author, &since, &until)
		e.Since, e.Until = engine.ParseStamp(since), engine.ParseStamp(until)
		return e, err
	})
	said := list[0].Content
	all = slices.DeleteFunc(all, func(e Earlier) bool {
		same := e.Content == said // only marked meanwhile
		said = e.Content
		return same
	})
	return list[0], all, engine.During("fact history", err)
}

// Move carries the facts of a channel, and those about it, to its new address.
func Move(tx *engine.Tx, mv chat.Move) error {
	_, err := tx.Exec("UPDATE key_facts SET channel = ? WHERE platform = ? AND channel = ?", mv.To.Channel, mv.From.Platform, mv.From.Channel)
	if err != nil {
		return engine.During("move facts", err)
	}
	from, to := Viewer{Key: mv.From}.Place(), Viewer{Key: mv.To}.Place()
	for _, q := range []string{ // each has an index of its own
		"UPDATE key_facts SET subject = ?, owner = ? WHERE subject = ? AND scope = 'channel' AND valid_to = ''",
		"UPDATE key_facts SET subject = ?, owner = ? WHERE subject = ? AND scope = 'channel' AND valid_to <> ''",
	} {
		if _, err := tx.Exec(q, to, ownerWord(to), from); err != nil {
			return engine.During("move facts", err)
		}
	}
	return nil
}

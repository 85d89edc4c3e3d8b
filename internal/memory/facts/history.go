package facts

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Answered notes the facts that an answer used, and the changes that it told.
func Answered(tx *engine.Tx, used, told []int64, now time.Time) error {
	return errors.Join(countUses(tx, used), Told(tx, told, now))
}

// countUses counts one use of each fact.
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

// Earlier is an earlier content of a fact.
type Earlier struct {
	Content      string
	Author       string
	Since, Until time.Time
}

// FactHistory returns a fact that v can see, and its earlier contents, newest first.
func (s *Store) FactHistory(_ context.Context, v Viewer, id int64) (Fact, []Earlier, error) {
	f, err := factOf(s.db, v, id)
	if err != nil {
		return Fact{}, nil, engine.During("fact history", err)
	}
	if f.ID == 0 {
		return Fact{}, nil, ErrNone
	}
	all, err := engine.Select(s.db, func(r engine.Scanner) (e Earlier, err error) {
		var since, until string
		err = r.Scan(&e.Content, &e.Author, &since, &until)
		e.Since, e.Until = engine.ParseStamp(since), engine.ParseStamp(until)
		return e, err
	}, "SELECT content, author, since, until FROM fact_history WHERE fact_id = ? ORDER BY id DESC", id)
	said := f.Content
	all = slices.DeleteFunc(all, func(e Earlier) bool {
		same := e.Content == said // only rank or tags changed
		said = e.Content
		return same
	})
	return f, all, engine.During("fact history", err)
}

// Move gives the facts of a channel, and those about it, its new address.
func Move(tx *engine.Tx, mv chat.Move) error {
	_, err := tx.Exec("UPDATE key_facts SET channel = ? WHERE platform = ? AND channel = ?", mv.To.Channel, mv.From.Platform, mv.From.Channel)
	if err != nil {
		return engine.During("move facts", err)
	}
	from, to := Viewer{Key: mv.From}.Place(), Viewer{Key: mv.To}.Place()
	grow, err := moveBook(tx, from, to)
	if err != nil {
		return engine.During("move facts", err)
	}
	for _, q := range []string{ // each has an index of its own
		"UPDATE key_facts SET subject = ?, owner = ?, number = number + ? WHERE subject = ? AND scope = 'channel' AND valid_to = ''",
		"UPDATE key_facts SET subject = ?, owner = ?, number = number + ? WHERE subject = ? AND scope = 'channel' AND valid_to <> ''",
	} {
		if _, err := tx.Exec(q, to, ownerWord(to), grow, from); err != nil {
			return engine.During("move facts", err)
		}
	}
	return nil
}

package facts

import (
	"context"
	"encoding/json"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/text"
)

// Settings about the facts file. None contains anybody's words.
const (
	refusedSetting  = "facts_file.refused"  // the MassError in force
	acceptedSetting = "facts_file.accepted" // the sum of a file that counts nevertheless
)

// Errors about the facts file; the text is fit for people.
var (
	ErrNothingRefused = text.Tell("nothing of the facts file was refused")
	ErrNothingUndone  = text.Tell("the facts file changed nothing that could be undone")
)

// FactsRefused returns why the facts file is refused, nil if it is not.
func (s *Store) FactsRefused(ctx context.Context) (*MassError, error) {
	v, err := s.o.Settings.Setting(ctx, refusedSetting)
	if err != nil || v == "" {
		return nil, err
	}
	mass := &MassError{}
	return mass, engine.During("read facts file", json.Unmarshal([]byte(v), mass))
}

// AcceptFacts makes the next sync take over the refused file, provided that it stays the
// same. It returns what that will change.
func (s *Store) AcceptFacts(ctx context.Context) (*MassError, error) {
	mass, err := s.FactsRefused(ctx)
	if err == nil && mass == nil {
		err = ErrNothingRefused
	}
	if err != nil {
		return nil, err
	}
	return mass, s.o.Settings.SetSetting(ctx, acceptedSetting, mass.Sum)
}

// Undone counts what UndoFacts did.
type Undone struct {
	Restored, Reverted, Removed int64
	At                          time.Time // of the sync that was undone
	// Withdrawn reports that it only took back an AcceptFacts before the next sync.
	Withdrawn bool
}

// withdraw takes back an AcceptFacts that no sync has followed yet.
func (s *Store) withdraw(ctx context.Context) (yes bool, err error) {
	mass, err := s.FactsRefused(ctx)
	if err != nil || mass == nil {
		return false, err
	}
	accepted, err := s.o.Settings.Setting(ctx, acceptedSetting)
	if err != nil || accepted != mass.Sum {
		return false, err
	}
	return true, s.clearSetting(ctx, acceptedSetting)
}

// UndoFacts takes back an acceptance that waits for the next sync, or else what the latest sync did that changed rows, but for
// facts that were changed again since.
func (s *Store) UndoFacts(ctx context.Context) (done Undone, err error) {
	if done.Withdrawn, err = s.withdraw(ctx); err != nil || done.Withdrawn {
		return done, err
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		done = Undone{}
		var name int64
		var user, at string
		err := tx.QueryRow("SELECT CASE batch WHEN 0 THEN id ELSE batch END, user_id, at FROM fact_changes WHERE source = 'file' ORDER BY at DESC, id DESC LIMIT 1").
			Scan(&name, &user, &at)
		if err != nil {
			return engine.NoRow(err, ErrNothingUndone)
		}
		done.At = engine.ParseStamp(at)
		v := Viewer{User: user, Key: chat.DirectKey(user), Direct: true}
		list, err := batch(tx, v, name)
		if err != nil {
			return err
		}
		for _, c := range list {
			if c.altered() {
				continue
			}
			if _, err := s.takeBack(tx, v, c); err != nil {
				return err
			}
			switch c.kind {
			case Added:
				done.Removed++
			case Replaced:
				done.Reverted++
			case Forgotten:
				done.Restored++
			}
		}
		_, err = tx.Exec("DELETE FROM fact_changes WHERE id = :name OR batch = :name", engine.Named{"name": name})
		return err
	})
	return done, engine.During("undo facts file", err)
}

// PruneUndo deletes for good the facts that were deleted in the facts file long ago.
func (s *Store) PruneUndo(ctx context.Context) error {
	return s.dropRetired(ctx, engine.Stamp(s.o.Now().Add(-keepChanges)))
}

// dropRetired deletes for good the facts that were deleted in the facts file until then.
func (s *Store) dropRetired(ctx context.Context, until string) error {
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		_, err := tx.Exec(`DELETE FROM key_facts WHERE valid_to <> '' AND superseded_by = 0 AND valid_to <= ?
			AND NOT EXISTS (SELECT 1 FROM fact_changes c WHERE c.fact_id = key_facts.id AND c.kind = 'forgotten' AND c.source <> 'file')`, until)
		return err
	})
}

// keepHistory stores what a fact says before it is changed, and returns the row's ID.
func keepHistory(tx *engine.Tx, id int64, now string) (int64, error) {
	return tx.Insert(`INSERT INTO fact_history (fact_id, content, tags, author, session_id, message_id, since, until, quote, previous, people, via, confidence, rank, ends, updated)
		SELECT id, content, tags, author, session_id, message_id, valid_from, ?, quote, previous, people, via, confidence, rank, ends, updated_at FROM key_facts WHERE id = ?`, now, id)
}

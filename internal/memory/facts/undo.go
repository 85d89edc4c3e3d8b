package facts

import (
	"context"
	"encoding/json"
	"time"

	"parley/internal/db/engine"
	"parley/internal/text"
)

// Settings about the facts file. None contains anybody's words.
const (
	refusedSetting  = "facts_file.refused"  // the MassError in force
	acceptedSetting = "facts_file.accepted" // the sum of a file that counts nevertheless
	undoSetting     = "facts_file.undo"     // undoSteps, the oldest first
)

// How long changes from the facts file can be undone. Until then, facts that were deleted
// there are kept for Undo alone.
const (
	maxUndo = 20
	undoFor = 30 * 24 * time.Hour
)

// undoStep lists the facts that one sync changed in the database.
type undoStep struct {
	At, Done             string
	Gone, Changed, Added []int64
}

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
	steps, err := s.undoSteps(ctx)
	if err != nil {
		return done, err
	}
	if len(steps) == 0 {
		return done, ErrNothingUndone
	}
	last := steps[len(steps)-1]
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		done = Undone{At: engine.ParseStamp(last.At)}
		for _, id := range last.Gone {
			if err := tx.Count(&done.Restored, "UPDATE key_facts SET valid_to = '' WHERE id = ? AND valid_to <> '' AND superseded_by = 0",
				id); err != nil {
				return err
			}
		}
		now := engine.Stamp(s.o.Now())
		for _, id := range last.Changed {
			if err := tx.Count(&done.Reverted, `UPDATE key_facts SET (content, tags, important) =
					(SELECT h.content, h.tags, instr(h.tags || ' ', '#important ') > 0 FROM fact_history h WHERE h.fact_id = key_facts.id ORDER BY h.id DESC LIMIT 1),
					previous = content, valid_from = :now, updated_at = :now
				WHERE id = :id AND valid_to = '' AND EXISTS (SELECT 1 FROM fact_history h WHERE h.fact_id = :id)
					AND NOT EXISTS (SELECT 1 FROM fact_history h WHERE h.fact_id = :id AND h.until > :done)`,
				engine.Named{"id": id, "now": now, "done": last.Done}); err != nil {
				return err
			}
			if _, err := tx.Exec("DELETE FROM fact_history WHERE id = (SELECT max(id) FROM fact_history WHERE fact_id = ?) AND until <= ?",
				id, last.Done); err != nil {
				return err
			}
		}
		for _, id := range last.Added {
			if err := tx.Count(&done.Removed,
				"DELETE FROM key_facts WHERE id = :id AND NOT EXISTS (SELECT 1 FROM fact_history h WHERE h.fact_id = :id)",
				engine.Named{"id": id}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return done, engine.During("undo facts file", err)
	}
	return done, s.saveUndo(ctx, steps[:len(steps)-1])
}

func (s *Store) undoSteps(ctx context.Context) (steps []undoStep, err error) {
	v, err := s.o.Settings.Setting(ctx, undoSetting)
	if err != nil || v == "" {
		return nil, err
	}
	return steps, engine.During("read undo", json.Unmarshal([]byte(v), &steps))
}

func (s *Store) saveUndo(ctx context.Context, steps []undoStep) error {
	if len(steps) == 0 {
		return s.o.Settings.SetSetting(ctx, undoSetting, "")
	}
	b, err := json.Marshal(steps)
	if err != nil {
		return err
	}
	return s.o.Settings.SetSetting(ctx, undoSetting, string(b))
}

// addUndo stores a step and deletes old ones.
func (s *Store) addUndo(ctx context.Context, step undoStep) error {
	if len(step.Gone)+len(step.Changed)+len(step.Added) == 0 {
		return nil
	}
	steps, err := s.undoSteps(ctx)
	if err != nil {
		return err
	}
	step.Done = engine.Stamp(s.o.Now())
	steps = append(steps, step)
	for len(steps) > maxUndo {
		if err := s.dropRetired(ctx, steps[0].At); err != nil {
			return err
		}
		steps = steps[1:]
	}
	return s.saveUndo(ctx, steps)
}

// dropRetired deletes for good the facts that were deleted in the facts file until then.
func (s *Store) dropRetired(ctx context.Context, until string) error {
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		_, err := tx.Exec(`DELETE FROM key_facts WHERE valid_to <> '' AND superseded_by = 0 AND valid_to <= ?
			AND NOT EXISTS (SELECT 1 FROM fact_changes c WHERE c.fact_id = key_facts.id AND c.kind = 'forgotten')`, until)
		return err
	})
}

// PruneUndo deletes for good the facts that were deleted in the facts file long ago.
func (s *Store) PruneUndo(ctx context.Context) error {
	before := engine.Stamp(s.o.Now().Add(-undoFor))
	steps, err := s.undoSteps(ctx)
	if err != nil {
		return err
	}
	kept := steps
	for len(kept) > 0 && kept[0].At <= before {
		kept = kept[1:]
	}
	if len(kept) < len(steps) {
		if err := s.saveUndo(ctx, kept); err != nil {
			return err
		}
	}
	return s.dropRetired(ctx, before)
}

// keepHistory stores what a fact says before it is changed, and returns the row's ID.
func keepHistory(tx *engine.Tx, id int64, now string) (int64, error) {
	return tx.Insert(`INSERT INTO fact_history (fact_id, content, tags, author, session_id, message_id, since, until, quote, previous, people, via, confidence, rank, ends, updated)
		SELECT id, content, tags, author, session_id, message_id, valid_from, ?, quote, previous, people, via, confidence, rank, ends, updated_at FROM key_facts WHERE id = ?`, now, id)
}

// lastFact returns the highest ID that a fact ever had.
func (s *Store) lastFact() (id int64, err error) {
	err = s.db.QueryRow(s.db.Either("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'key_facts'",
		"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM key_facts_id_seq")).Scan(&id)
	return id, err
}

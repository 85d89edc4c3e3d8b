package memory

import (
	"bytes"
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// ForgottenName is the file in the data folder that says who was forgotten, as marks, for
// the day on which an older copy of the database is put back.
const ForgottenName = "forgotten.json"

// forgottenBook is what that file holds of a database.
type forgottenBook struct {
	Key   []byte            `json:"key"` // that its marks are made with
	Marks map[string]string `json:"marks"`
}

// markRounds makes it slow to try one id after the other.
const markRounds = 4096

// markOf returns the mark of a person.
func markOf(key []byte, user string) (string, error) {
	sum, err := pbkdf2.Key(sha256.New, user, key, markRounds, 16)
	return hex.EncodeToString(sum), err
}

// markKey returns the key of this database's marks. One that has none yet, as it is new or
// was put back from a copy without one, takes that of the file.
func (s *Store) markKey(ctx context.Context) ([]byte, error) {
	var key []byte
	err := s.db.QueryRow("SELECT value FROM secrets WHERE name = 'forgotten'").Scan(&key)
	if !errors.Is(err, ErrNotFound) {
		return key, during("read the key of marks", err)
	}
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails
	if books, err := s.forgottenBooks(); err == nil && len(books) > 0 {
		fresh = books[len(books)-1].Key
	}
	return s.Access.Secret(ctx, "forgotten", fresh)
}

// forgottenBooks reads the file; none is no error.
func (s *Store) forgottenBooks() (books []forgottenBook, err error) {
	b, err := os.ReadFile(filepath.Join(s.dir, ForgottenName))
	if s.dir == "" || errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &books)
	}
	return books, during("read who was forgotten", err)
}

// KeepForgotten brings into the file what the database says of who was forgotten, by this
// process or another one: a copy of the database that is put back does not know it.
func (s *Store) KeepForgotten(ctx context.Context) error {
	if s.dir == "" {
		return nil
	}
	rows, err := s.db.Query("SELECT mark, at FROM forgotten")
	if err != nil {
		return during("keep who was forgotten", err)
	}
	type row struct{ mark, at string }
	list, err := engine.Collect(rows, func(r *sql.Rows) (f row, err error) { return f, r.Scan(&f.mark, &f.at) })
	if err != nil {
		return during("keep who was forgotten", err)
	}
	key, err := s.markKey(ctx)
	if err != nil {
		return err
	}
	s.keeps.Lock()
	defer s.keeps.Unlock()
	books, err := s.forgottenBooks()
	if err != nil {
		return err
	}
	changed := false
	var own *forgottenBook
	for i := range books {
		if bytes.Equal(books[i].Key, key) {
			own = &books[i]
		}
	}
	if own == nil {
		books = append(books, forgottenBook{Key: key, Marks: map[string]string{}})
		own, changed = &books[len(books)-1], true
	}
	for _, f := range list {
		if own.Marks[f.mark] < f.at {
			own.Marks[f.mark], changed = f.at, true
		}
	}
	if !changed {
		return nil
	}
	return during("keep who was forgotten", writeWhole(filepath.Join(s.dir, ForgottenName), books))
}

// writeWhole writes a file that is there whole or not at all, for its owner only.
func writeWhole(path string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// Restored is what came back with a copy of the database that was put back.
type Restored struct {
	// Known is that the folder says who was forgotten: else nobody knows who that was since
	// the copy was made.
	Known     bool
	Forgotten int // people to be forgotten again, by FinishForgetting
	Questions int // that lapse
}

// people lists the ids of all people of whom the database has rows.
const peopleHere = `SELECT user_id FROM messages UNION SELECT user_id FROM participants UNION SELECT user_id FROM people UNION SELECT user_id FROM agent_people
	UNION SELECT subject FROM key_facts WHERE scope = 'person' UNION SELECT user_id FROM tasks UNION SELECT user_id FROM reminders UNION SELECT user_id FROM log_entries
	UNION SELECT user_id FROM decisions UNION SELECT user_id FROM guard_calls UNION SELECT user_id FROM handoffs UNION SELECT taker_id FROM handoffs UNION SELECT user_id FROM codes
	UNION SELECT user_id FROM attempts UNION SELECT user_id FROM membership UNION SELECT user_id FROM note_authors UNION SELECT by_id FROM allowances UNION SELECT user_id FROM fact_changes
	UNION SELECT user_id FROM usage UNION SELECT user_id FROM questions UNION SELECT user_id FROM sessions
	UNION SELECT json_extract(body, '$.from.ID') FROM inbox WHERE body <> '' UNION SELECT json_extract(body, '$.to.ID') FROM outbox WHERE body <> ''`

// AfterRestore settles what came back with a copy of the database, once: questions that were
// open when it was made may have been answered since, and are not answered again; and
// who was forgotten since is to be forgotten again. ok is false where no copy was put back.
// dir is the folder that says who was forgotten, "" for that of the database.
func (s *Store) AfterRestore(ctx context.Context, dir string) (r Restored, ok bool, err error) {
	var mark int
	if err := s.db.QueryRow("SELECT count(*) FROM secrets WHERE name = 'restored'").Scan(&mark); err != nil || mark == 0 {
		return r, false, during("look after a restore", err)
	}
	if dir != "" {
		s.dir = dir
	}
	again, known, err := s.forgottenSince(ctx)
	if err != nil {
		return r, false, during("look after a restore", err)
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		r = Restored{Known: known, Forgotten: len(again)}
		rows, err := tx.Query("SELECT " + questionColumns + " FROM questions WHERE state IN ('open', 'taken')")
		if err != nil {
			return err
		}
		open, err := engine.Collect(rows, func(r *sql.Rows) (chat.Question, error) { return scanQuestion(r) })
		for _, q := range open {
			_, e := tx.Exec("UPDATE questions SET state = 'expired', restored = 1, body = '' WHERE id = ?", q.ID)
			err = errors.Join(err, e, endWaiting(tx, q, "expired"))
		}
		r.Questions = len(open)
		for user, f := range again {
			_, e1 := tx.Exec("INSERT INTO bulk_work (kind, user_id, but, at) VALUES ('forget', ?, 0, ?)", user, Stamp(s.now()))
			_, e2 := tx.Exec(forgets, f.mark, f.at)
			err = errors.Join(err, e1, e2)
		}
		_, e := tx.Exec("DELETE FROM secrets WHERE name = 'restored'")
		return errors.Join(err, e)
	})
	return r, err == nil, during("settle what came back with a restore", err)
}

// forgets notes that somebody is forgotten.
const forgets = "INSERT INTO forgotten (mark, at) VALUES (?, ?) ON CONFLICT (mark) DO UPDATE SET at = " +
	"iif(forgotten.at > excluded.at, forgotten.at, excluded.at)"

// marked is a mark with when it was made.
type marked struct{ mark, at string }

// forgottenSince returns the people of whom the database has rows though they were forgotten
// later than it knows; known is that there is a file to tell.
func (s *Store) forgottenSince(ctx context.Context) (again map[string]marked, known bool, err error) {
	books, err := s.forgottenBooks()
	if err != nil || len(books) == 0 {
		return nil, false, err
	}
	rows, err := s.db.QueryContext(ctx, peopleHere)
	if err != nil {
		return nil, true, err
	}
	all, err := engine.Collect(rows, func(r *sql.Rows) (user sql.NullString, err error) { return user, r.Scan(&user) })
	again = map[string]marked{}
	for _, user := range all {
		for _, b := range books {
			if err != nil || user.String == "" {
				continue
			}
			var mark string
			if mark, err = markOf(b.Key, user.String); err != nil {
				continue
			}
			at, ok := b.Marks[mark]
			if !ok {
				continue
			}
			had, e := s.db.Word("look who was forgotten", "SELECT at FROM forgotten WHERE mark = ?", mark)
			if err = e; had < at {
				again[user.String] = marked{mark, at}
			}
		}
	}
	return again, true, err
}

// noteForgotten notes, within the transaction that begins it, that somebody is forgotten.
func (s *Store) noteForgotten(tx *engine.Tx, mark string) error {
	_, err := tx.Exec(forgets, mark, Stamp(s.now()))
	if err != nil {
		return fmt.Errorf("note who is forgotten: %w", err)
	}
	return nil
}

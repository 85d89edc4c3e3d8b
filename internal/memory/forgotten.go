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
	"slices"

	"parley/internal/db/engine"
	"parley/internal/text"
)

// ForgottenName is the file in the data folder that lists who was forgotten, as marks, in
// case an older copy of the database is restored.
const ForgottenName = "forgotten.json"

// forgottenBook is that file's list for one database.
type forgottenBook struct {
	Key   []byte            `json:"key"` // for making marks
	Marks map[string]string `json:"marks"`
}

// markRounds makes guessing ids slow.
const markRounds = 4096

// markOf returns the mark of a person.
func markOf(key []byte, user string) (string, error) {
	sum, err := pbkdf2.Key(sha256.New, user, key, markRounds, 16)
	return hex.EncodeToString(sum), err
}

// markKey returns the key of this database's marks. A database without one, because it is
// new or restored from a copy without one, takes the file's.
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

// KeepForgotten copies the list of who was forgotten, by this process or another, from the
// database to the file: a restored copy of the database does not know it.
func (s *Store) KeepForgotten(ctx context.Context) error {
	if s.dir == "" {
		return nil
	}
	marks, err := engine.Pairs[string, string](s.db, "SELECT mark, at FROM forgotten")
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
	own := slices.IndexFunc(books, func(b forgottenBook) bool { return bytes.Equal(b.Key, key) })
	changed := own < 0
	if changed {
		own, books = len(books), append(books, forgottenBook{Key: key, Marks: map[string]string{}})
	}
	for mark, at := range marks {
		if books[own].Marks[mark] < at {
			books[own].Marks[mark], changed = at, true
		}
	}
	if !changed {
		return nil
	}
	b, err := json.Marshal(books)
	if err == nil {
		err = text.WriteFile(filepath.Join(s.dir, ForgottenName), b, 0o600, nil)
	}
	return during("keep who was forgotten", err)
}

// Restored describes what a restored copy of the database brought back.
type Restored struct {
	// Known is true if the folder lists who was forgotten; otherwise nobody knows who that
	// was since the copy was made.
	Known     bool
	Forgotten int // people whom FinishForgetting must forget again
	Questions int // that lapse
}

// peopleHere lists the ids of all people with rows in the database.
const peopleHere = `SELECT user_id FROM messages UNION SELECT user_id FROM participants UNION SELECT user_id FROM people UNION SELECT user_id FROM agent_people
	UNION SELECT subject FROM key_facts WHERE scope = 'person' UNION SELECT user_id FROM tasks UNION SELECT user_id FROM reminders UNION SELECT user_id FROM log_entries
	UNION SELECT user_id FROM decisions UNION SELECT user_id FROM decided UNION SELECT user_id FROM guard_calls UNION SELECT user_id FROM handoffs UNION SELECT taker_id FROM handoffs UNION SELECT user_id FROM codes
	UNION SELECT user_id FROM attempts UNION SELECT user_id FROM membership UNION SELECT user_id FROM note_authors UNION SELECT by_id FROM allowances UNION SELECT user_id FROM fact_changes
	UNION SELECT user_id FROM usage UNION SELECT user_id FROM questions UNION SELECT user_id FROM sessions UNION SELECT book FROM numbers WHERE kind NOT IN ('channel', 'guild')
	UNION SELECT json_extract(body, '$.from.ID') FROM inbox WHERE body <> '' UNION SELECT json_extract(body, '$.to.ID') FROM outbox WHERE body <> ''`

// AfterRestore settles, once, what a restored copy brought back. Questions open in it may
// have been answered since, so they expire; browsers are logged out; whoever was forgotten since must be forgotten
// again. ok is false if no copy was restored. dir is the folder that lists who was
// forgotten, "" for the database's own.
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
		open, err := engine.Select(tx, scanQuestion, "SELECT "+questionColumns+" FROM questions WHERE state IN ('open', 'taken')")
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
		_, e1 := tx.Exec("DELETE FROM secrets WHERE name = 'restored'")
		_, e2 := tx.Exec(dropMenus)
		_, e3 := tx.Exec("INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", restoredAt,
			[]byte(Stamp(s.now())))
		_, e4 := tx.Exec("DELETE FROM web_logins") // some may have been ended since
		_, e5 := tx.Exec("DELETE FROM api_tokens") // as of these
		return errors.Join(err, e1, e2, e3, e4, e5)
	})
	s.revived.again()
	return r, err == nil, during("settle what came back with a restore", err)
}

// forgets notes who is being forgotten.
const forgets = "INSERT INTO forgotten (mark, at) VALUES (?, ?) ON CONFLICT (mark) DO UPDATE SET at = " +
	"iif(forgotten.at > excluded.at, forgotten.at, excluded.at)"

// marked is a mark with its time.
type marked struct{ mark, at string }

// forgottenSince returns the people with rows in the database who were forgotten later than
// it knows; known is false without the file.
func (s *Store) forgottenSince(ctx context.Context) (again map[string]marked, known bool, err error) {
	books, err := s.forgottenBooks()
	if err != nil || len(books) == 0 {
		return nil, false, err
	}
	rows, err := s.db.QueryContext(ctx, peopleHere)
	if err != nil {
		return nil, true, err
	}
	all, err := engine.Collect(rows, func(r engine.Scanner) (user sql.NullString, err error) { return user, r.Scan(&user) })
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

// noteForgotten notes within a transaction that somebody is being forgotten.
func (s *Store) noteForgotten(tx *engine.Tx, mark string) error {
	_, err := tx.Exec(forgets, mark, Stamp(s.now()))
	if err != nil {
		return fmt.Errorf("note who is forgotten: %w", err)
	}
	return nil
}

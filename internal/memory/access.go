package memory

import (
	"cmp"
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/sqlite"
)

// Granted returns the role an id (a person's or a place's) was given by hand:
// "owner", "member", "denied", or "" for none.
func (s *Store) Granted(_ context.Context, id string) (string, error) {
	return s.word("read grant", "SELECT role FROM grants WHERE id = ?", id)
}

// Grant gives an id a role, replacing the one it had. by is whoever decided.
func (s *Store) Grant(ctx context.Context, id, role, by string) error {
	return during("grant", s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO grants VALUES (?, ?, ?, ?)", id, role, by, Stamp(s.now()))
		return err
	}))
}

// Revoke takes back what Grant gave; false when there was nothing.
func (s *Store) Revoke(ctx context.Context, id string) (bool, error) {
	var n int64
	err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
		res, err := tx.Exec("DELETE FROM grants WHERE id = ?", id)
		if err == nil {
			n, err = res.RowsAffected()
		}
		return err
	})
	return n > 0, during("revoke", err)
}

// Grants returns every id that was given a role.
func (s *Store) Grants(_ context.Context) (map[string]string, error) {
	rows, err := s.db.Query("SELECT id, role FROM grants")
	if err != nil {
		return nil, fmt.Errorf("list grants: %w", err)
	}
	defer func() { _ = rows.Close() }()
	all := map[string]string{}
	for rows.Next() {
		var id, role string
		if err := rows.Scan(&id, &role); err != nil {
			return nil, fmt.Errorf("list grants: %w", err)
		}
		all[id] = role
	}
	return all, during("list grants", rows.Err())
}

// AddCode remembers the hash of a one-time code for purpose "pair", "claim" or
// "page", replacing the person's earlier one. who is empty when the code is for
// whoever brings it.
func (s *Store) AddCode(ctx context.Context, purpose string, hash []byte, who chat.User, until time.Time) error {
	return during("add code", s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO codes VALUES (?, ?, ?, ?, ?)", purpose, who.ID, who.Name, hash, Stamp(until))
		return err
	}))
}

// TakeCode uses a code up and returns whom it was for. ok is false when there
// is none or it has expired; of many that bring the same code one gets true.
// Hashes are compared in constant time.
func (s *Store) TakeCode(ctx context.Context, purpose string, hash []byte) (who chat.User, ok bool, err error) {
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		who, ok = chat.User{}, false
		rows, err := tx.Query("SELECT user_id, name, hash FROM codes WHERE purpose = ? AND expires_at > ?", purpose, Stamp(s.now()))
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var u chat.User
			var h []byte
			if err := rows.Scan(&u.ID, &u.Name, &h); err != nil {
				return err
			}
			if subtle.ConstantTimeCompare(h, hash) == 1 {
				who, ok = u, true
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil || !ok {
			return err
		}
		_, err = tx.Exec("DELETE FROM codes WHERE purpose = ? AND user_id = ?", purpose, who.ID)
		return err
	})
	return who, ok && err == nil, during("take code", err)
}

// Waiting returns who holds a live code for a purpose.
func (s *Store) Waiting(_ context.Context, purpose string) ([]chat.User, error) {
	rows, err := s.db.Query("SELECT user_id, name FROM codes WHERE purpose = ? AND expires_at > ? ORDER BY expires_at, user_id", purpose, Stamp(s.now()))
	if err != nil {
		return nil, fmt.Errorf("list codes: %w", err)
	}
	all, err := sqlite.Collect(rows, func(r *sql.Rows) (u chat.User, err error) {
		err = r.Scan(&u.ID, &u.Name)
		return u, err
	})
	return all, during("list codes", err)
}

// DropCode makes a person's code stop working; false when there is none.
func (s *Store) DropCode(ctx context.Context, purpose, user string) (bool, error) {
	var n int64
	err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
		n = 0
		return tx.Count(&n, "DELETE FROM codes WHERE purpose = ? AND user_id = ?", purpose, user)
	})
	return n > 0, during("drop code", err)
}

// Try counts one guess by a person and tells whether it is among the first
// limit within the window that the first of them opened.
func (s *Store) Try(ctx context.Context, user string, limit int, window time.Duration) (bool, error) {
	var tries int
	err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
		now := s.now()
		if _, err := tx.Exec("DELETE FROM attempts WHERE user_id = ? AND until <= ?", user, Stamp(now)); err != nil {
			return err
		}
		return tx.QueryRow(`INSERT INTO attempts VALUES (?, 1, ?)
			ON CONFLICT (user_id) DO UPDATE SET tries = tries + 1 RETURNING tries`,
			user, Stamp(now.Add(window))).Scan(&tries)
	})
	return tries <= limit && err == nil, during("count guess", err)
}

// Forgive forgets a person's guesses.
func (s *Store) Forgive(ctx context.Context, user string) error {
	return during("forget guesses", s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec("DELETE FROM attempts WHERE user_id = ?", user)
		return err
	}))
}

// Policy returns what was decided about a channel, zero when nothing was.
func (s *Store) Policy(_ context.Context, k chat.Key) (p chat.Policy, err error) {
	var names sql.NullString
	err = s.db.QueryRow("SELECT listen, who, tools FROM policies WHERE platform = ? AND channel = ?", k.Platform, k.Channel).
		Scan(&p.Listen, &p.Who, &names)
	if errors.Is(err, ErrNotFound) {
		return p, nil
	}
	if names.Valid {
		p.Tools = strings.FieldsFunc(names.String, func(r rune) bool { return r == ',' }) // none is not nil
	}
	return p, during("read policy", err)
}

// SetPolicy decides about a channel.
func (s *Store) SetPolicy(ctx context.Context, k chat.Key, p chat.Policy) error {
	names := sql.NullString{String: strings.Join(p.Tools, ","), Valid: p.Tools != nil}
	return during("set policy", s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO policies (platform, channel, listen, who, tools) VALUES (?, ?, ?, ?, ?)",
			k.Platform, k.Channel, cmp.Or(p.Listen, "mention"), p.Who, names)
		return err
	}))
}

// Secret returns the secret of this name, storing fresh when there is none.
func (s *Store) Secret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	var value []byte
	err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if _, err := tx.Exec("INSERT OR IGNORE INTO secrets VALUES (?, ?)", name, fresh); err != nil {
			return err
		}
		return tx.QueryRow("SELECT value FROM secrets WHERE name = ?", name).Scan(&value)
	})
	return value, during("read secret", err)
}

// PruneAccess forgets codes and guesses that expired, and questions that
// expired a day ago: until then a late yes is told that it is late, and who
// presses a button again what was done.
func (s *Store) PruneAccess(ctx context.Context) error {
	return during("prune access", s.db.Write(ctx, func(tx *sqlite.Tx) error {
		now := s.now()
		_, e1 := tx.Exec("DELETE FROM codes WHERE expires_at <= ?", Stamp(now))
		_, e2 := tx.Exec("DELETE FROM attempts WHERE until <= ?", Stamp(now))
		_, e3 := tx.Exec("DELETE FROM questions WHERE state <> 'taken' AND expires_at <= ?", Stamp(now.Add(-24*time.Hour)))
		_, e4 := tx.Exec(dropWaiting, Stamp(now.Add(-keepWaiting)))
		return errors.Join(e1, e2, e3, e4)
	}))
}

// moveAccess carries what was decided about a channel to its new address,
// within the transaction that moves the rest. Buttons of open questions stay
// signed for the old address; yes and no in plain text work.
func moveAccess(tx *sqlite.Tx, mv chat.Move) error {
	from, to := mv.From, mv.To
	_, e1 := tx.Exec("UPDATE OR REPLACE policies SET channel = ? WHERE platform = ? AND channel = ?",
		to.Channel, from.Platform, from.Channel)
	_, e2 := tx.Exec("UPDATE OR REPLACE questions SET channel = ? WHERE platform = ? AND channel = ? AND (? = '' OR thread = ?)",
		to.Channel, from.Platform, from.Channel, from.Thread, from.Thread)
	_, e3 := tx.Exec("UPDATE OR REPLACE grants SET id = ? WHERE id = ?",
		to.Platform+":chat:"+to.Channel, from.Platform+":chat:"+from.Channel)
	_, e4 := tx.Exec("UPDATE OR REPLACE membership SET channel = ? WHERE platform = ? AND channel = ?",
		to.Channel, from.Platform, from.Channel)
	_, e5 := tx.Exec("UPDATE OR REPLACE allowances SET channel = ? WHERE platform = ? AND channel = ?",
		to.Channel, from.Platform, from.Channel)
	return during("move access", errors.Join(e1, e2, e3, e4, e5))
}

// word reads one text, "" when there is no row.
func (s *Store) word(op, query string, args ...any) (string, error) {
	var w string
	err := s.db.QueryRow(query, args...).Scan(&w)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return w, during(op, err)
}

// during names what was being done in an error; nil stays nil.
func during(op string, err error) error { return sqlite.During(op, err) }

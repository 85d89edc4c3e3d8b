package memory

import (
	"context"
	"errors"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// maxRaw is how much is kept of an event that was put aside, in bytes.
const maxRaw = 64 << 10

// Letters are the events that were put aside. They are safe for many goroutines, as are all
// parts of a Store.
type Letters struct {
	db  *engine.DB
	now func() time.Time
}

// DeadLetter is an event that was put aside because it could not be understood
// or stored.
type DeadLetter struct {
	ID       int64
	Platform string
	Event    string // the platform's own name for it, "" when it has none
	Raw      []byte
	Reason   string
	Retry    bool // it is to be read again
	Tries    int  // since it was put aside
	At       time.Time
}

// ErrNoLetter: no event with this number was put aside.
var ErrNoLetter = errors.New("there is no such dead letter")

// putAside stores a dead letter, once for each event.
func putAside(tx *engine.Tx, platform string, l chat.DeadLetter, now string) error {
	raw := l.Raw
	if !l.Whole {
		raw = raw[:min(len(raw), maxRaw)]
	}
	if raw == nil {
		raw = []byte{}
	}
	_, err := tx.Exec("INSERT INTO dead_letters (platform, event_id, raw, reason, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		platform, l.ID, raw, l.Reason, now)
	return err
}

// unread is an inbox row whose message cannot be read.
type unread struct {
	row      int64
	platform string
	letter   chat.DeadLetter
}

func (s *Letters) setAside(ctx context.Context, list []unread) error {
	return during("put aside", s.db.Write(ctx, func(tx *engine.Tx) error {
		for _, u := range list {
			if err := putAside(tx, u.platform, u.letter, Stamp(s.now())); err != nil {
				return err
			}
			if _, err := tx.Exec("UPDATE inbox SET state = 'dead', body = '' WHERE id = ?", u.row); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Count counts the events that were put aside.
func (s *Letters) Count(context.Context) (n int, err error) {
	err = s.db.QueryRow("SELECT count(*) FROM dead_letters").Scan(&n)
	return n, during("count dead letters", err)
}

// CountOf counts those of a platform.
func (s *Letters) CountOf(_ context.Context, platform string) (n int, err error) {
	err = s.db.QueryRow("SELECT count(*) FROM dead_letters WHERE platform = ?", platform).Scan(&n)
	return n, during("count dead letters", err)
}

const letterColumns = "id, platform, event_id, raw, reason, state = 'retry', tries, at"

func scanLetter(r engine.Scanner) (l DeadLetter, err error) {
	err = r.Scan(&l.ID, &l.Platform, &l.Event, &l.Raw, &l.Reason, &l.Retry, &l.Tries, engine.Stamped(&l.At))
	return l, err
}

// List lists what was put aside after a number, oldest first, at most limit.
func (s *Letters) List(_ context.Context, after int64, limit int) ([]DeadLetter, error) {
	list, err := engine.Select(s.db, scanLetter, "SELECT "+letterColumns+" FROM dead_letters WHERE id > ? ORDER BY id LIMIT ?", after, limit)
	return list, during("list dead letters", err)
}

// Get returns one; ErrNoLetter when there is none.
func (s *Letters) Get(_ context.Context, id int64) (DeadLetter, error) {
	l, err := scanLetter(s.db.QueryRow("SELECT "+letterColumns+" FROM dead_letters WHERE id = ?", id))
	return l, during("read dead letter", engine.NoRow(err, ErrNoLetter))
}

// ToRetry lists those that are to be read again, oldest first.
func (s *Letters) ToRetry(_ context.Context, limit int) ([]DeadLetter, error) {
	list, err := engine.Select(s.db, scanLetter, "SELECT "+letterColumns+" FROM dead_letters WHERE state = 'retry' ORDER BY id LIMIT ?", limit)
	return list, during("list dead letters", err)
}

// Retry asks the running bot, or the next one, to read an event
// again.
func (s *Letters) Retry(ctx context.Context, id int64) error {
	return s.changeLetter(ctx, "UPDATE dead_letters SET state = 'retry' WHERE id = ?", id)
}

// Drop forgets an event.
func (s *Letters) Drop(ctx context.Context, id int64) error {
	return s.changeLetter(ctx, "DELETE FROM dead_letters WHERE id = ?", id)
}

// Fail notes that another attempt to read an event failed.
func (s *Letters) Fail(ctx context.Context, id int64, reason string) error {
	return s.changeLetter(ctx, "UPDATE dead_letters SET state = 'new', tries = tries + 1, reason = ? WHERE id = ?", reason, id)
}

func (s *Letters) changeLetter(ctx context.Context, query string, args ...any) error {
	n, err := s.db.Count(ctx, query, args...)
	if err == nil && n == 0 {
		err = ErrNoLetter
	}
	return during("change dead letter", err)
}

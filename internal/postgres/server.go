package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley/internal/engine"
)

// server implements engine.Server.
type server struct {
	pool *sql.DB // of the writer's connection
	o    Options
}

// AloneKey is the lock of a process that has the database to itself; nodes share it: "Prly".
const AloneKey = 0x50726c79

// ErrInUse says that another bot has the database.
var ErrInUse = errors.New("the database is in use by another Parley: stop it, or give this one its own database")

// Connect implements engine.Server.
func (s *server) Connect(ctx context.Context) (*sql.Conn, error) {
	conn, err := s.pool.Conn(ctx)
	if err != nil || !s.o.Alone {
		return conn, explain(err)
	}
	// A connection that was lost may have its lock for a moment more.
	for try := 0; ; try++ {
		var got bool
		err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", AloneKey).Scan(&got)
		if err == nil && got {
			return conn, nil
		}
		if err == nil && try < 20 {
			select {
			case <-time.After(100 * time.Millisecond):
				continue
			case <-ctx.Done():
			}
		}
		if err == nil {
			err = ErrInUse
		}
		return nil, errors.Join(explain(err), conn.Close())
	}
}

// seal asks at once for all that the end of a transaction needs.
const seal = `SELECT coalesce(pg_current_xact_id_if_assigned()::text, ''), coalesce(current_setting('parley.due', true), ''), coalesce(pg_sequence_last_value('parley_told'), 0),
	set_config('synchronous_commit', CASE WHEN ? THEN 'off' ELSE current_setting('synchronous_commit') END, true)`

// Seal implements engine.Server.
func (s *server) Seal(tx *engine.Tx, soon bool) (done engine.Sealed, err error) {
	var due, unused string
	if err := tx.QueryRow(seal, soon).Scan(&done.Name, &due, &done.Version, &unused); err != nil || due == "" || s.o.Words == nil {
		return done, err
	}
	return done, s.o.Words(tx, due)
}

// told makes what Tell counts with. A sequence is no part of transactions: nobody waits
// for another, or has to repeat, because both have told of a change. It is counted up
// after the commit, so that whoever sees the new number reads what was changed.
const told = `DO $$BEGIN
	IF to_regclass('parley_told') IS NULL THEN
		PERFORM pg_advisory_xact_lock(1349676153); -- two that start at once
		CREATE SEQUENCE IF NOT EXISTS parley_told;
	END IF;
END$$`

// Tell implements engine.Server.
func (s *server) Tell(tx *engine.Tx) error {
	_, err := tx.Exec("SELECT nextval('parley_told')")
	return err
}

// Committed implements engine.Server. While the other connection's transaction is
// still under way nobody can tell.
func (s *server) Committed(ctx context.Context, conn *sql.Conn, name string) (bool, error) {
	var status sql.NullString
	if err := conn.QueryRowContext(ctx, "SELECT txid_status($1::text::bigint)", name).Scan(&status); err != nil {
		return false, explain(err)
	}
	if status.String == "in progress" {
		return false, fmt.Errorf("%w: a transaction is still under way", engine.ErrLost)
	}
	return status.String == "committed", nil
}

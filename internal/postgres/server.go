package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"parley/internal/engine"
)

// server implements engine.Server.
type server struct {
	pool *sql.DB // of the writer's connection
	o    Options
	id   string // of this process among those that write
	n    int64  // of its last transaction; the writer's
	// ready is that the schema is: from then on no transaction takes long between two
	// statements.
	ready bool
}

// stopped is for how long at most a transaction keeps others from its rows while its
// process says nothing: it was stopped or cut off, and whoever lives waits for it. It is
// shorter than a node's lease, so what was that node's can be taken over when this ends.
const stopped = 1500 * time.Millisecond

// hurry has the server end transactions whose process is silent.
func (s *server) hurry(ctx context.Context, conn *sql.Conn) error {
	s.ready = true
	_, err := conn.ExecContext(ctx, fmt.Sprintf("SET idle_in_transaction_session_timeout = %d", stopped.Milliseconds()))
	return explain(err)
}

// AloneKey is the lock of a process that has the database to itself; nodes share it: "Prly".
const AloneKey = 0x50726c79

// ErrInUse says that another bot has the database.
var ErrInUse = errors.New("the database is in use by another Parley: stop it, or give this one its own database")

// Connect implements engine.Server.
func (s *server) Connect(ctx context.Context) (*sql.Conn, error) {
	conn, err := s.pool.Conn(ctx)
	if err == nil && s.ready {
		if err = s.hurry(ctx, conn); err != nil {
			_ = conn.Close()
		}
	}
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

// mark leaves the number of a transaction in this process' row, with what it changed: a
// server that was restarted, or a standby that took over, may have given the transaction's
// own number to another one. What has changed nothing leaves none.
const mark = `INSERT INTO parley_writers (id, n) SELECT $1, $2 WHERE pg_current_xact_id_if_assigned() IS NOT NULL ON CONFLICT (id) DO UPDATE SET n = excluded.n, at = now()`

// seal asks at once for all that the end of a transaction needs.
const seal = `SELECT coalesce(current_setting('parley.due', true), ''), coalesce(pg_sequence_last_value('parley_told'), 0),
	set_config('synchronous_commit', CASE WHEN $1 THEN 'off' ELSE current_setting('synchronous_commit') END, true), pg_current_xact_id_if_assigned() IS NOT NULL`

// Commit implements engine.Server. The end goes with what waits, in one trip, unless
// something has to be known before it.
func (s *server) Commit(tx *engine.Tx, soon bool) (done engine.Sealed, err error) {
	s.n++
	name := strconv.FormatInt(s.n, 10)
	worded := tx.Touched(s.o.Words.Tables...)
	var due []Due
	var e ending
	if err := tx.Raw(func(driver any) error {
		c := driver.(*piped)
		if err := c.seal(&e, s.id, name, soon); err != nil {
			return err
		}
		if worded {
			return c.collect(s.o.Words.Due, &due)
		}
		if tx.Promised() {
			return c.flush(context.Background())
		}
		return nil
	}); err != nil {
		return engine.Sealed{}, err
	}
	if err := tx.Keep(); err != nil {
		return engine.Sealed{}, err
	}
	err = tx.Raw(func(driver any) error {
		c := driver.(*piped)
		if err := c.put(s.o.Words, due); err != nil {
			return err
		}
		e.Name = name
		if err := c.end(context.Background(), commit); err != nil || e.noted == "" || worded || s.o.Words.Put == nil {
			return err
		}
		return c.afterwards(s.o.Words, e.noted)
	})
	return e.Sealed, err
}

// basics makes what the engine itself has on a server: what Tell counts with, and what Seal
// leaves. A sequence is no part of transactions: nobody waits for another, or has to
// repeat, because both have told of a change. It is counted up after the commit, so that
// whoever sees the new number reads what was changed.
const basics = `DO $$BEGIN
	IF to_regclass('parley_writers') IS NULL THEN
		PERFORM pg_advisory_xact_lock(1349676148); -- two that start at once; nobody holds this one for long
		CREATE SEQUENCE IF NOT EXISTS parley_told;
		CREATE TABLE IF NOT EXISTS parley_writers (id text PRIMARY KEY, n bigint NOT NULL, at timestamptz NOT NULL DEFAULT now());
	END IF;
	IF EXISTS (SELECT 1 FROM parley_writers WHERE at < now() - interval '30 days') THEN
		DELETE FROM parley_writers WHERE at < now() - interval '30 days';
	END IF;
END$$`

// Tell implements engine.Server.
func (s *server) Tell(tx *engine.Tx) error {
	_, err := tx.Exec("SELECT nextval('parley_told')")
	return err
}

// Committed implements engine.Server. It waits for the other connection's transaction
// where that is still under way.
func (s *server) Committed(ctx context.Context, conn *sql.Conn, name string) (bool, error) {
	var n string
	err := conn.QueryRowContext(ctx, "SELECT n::text FROM parley_writers WHERE id = $1 FOR UPDATE", s.id).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return n == name, explain(err)
}

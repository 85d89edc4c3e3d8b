package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"parley/internal/db/engine"
)

// server implements engine.Server.
type server struct {
	pool *sql.DB // of the writer's connection
	o    Options
	id   string // of this process among those that write
	key  int64  // of the lock that its writer's connection has; see alone
	n    int64  // of its last transaction; the writer's
	// ready is that the schema is: from then on no transaction takes long between two
	// statements.
	ready bool
	look  time.Time // when words that are owed are looked for next; the writer's
	owes  bool      // words of this process are; the writer's
	near  *near     // nil where the number of readers is given
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

// Connect implements engine.Server. Whatever was asked for on an earlier connection is decided
// when it returns: what of it comes to the server later is not done.
func (s *server) Connect(ctx context.Context) (*sql.Conn, error) {
	conn, err := s.pool.Conn(ctx)
	if err != nil {
		return nil, explain(err)
	}
	if err = s.only(ctx, conn); err == nil && s.ready {
		err = s.hurry(ctx, conn)
	}
	if err != nil {
		return nil, errors.Join(explain(err), conn.Close())
	}
	if !s.o.Alone {
		return conn, nil
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

// same finds the process of the server that has a lock: that of a connection, also through a
// pooler, which takes locks back before it gives the process to somebody else.
const same = `SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid() AND objsubid = 1
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND classid::bigint = $1::bigint >> 32 AND objid::bigint = $1::bigint & 4294967295`

// only makes a connection the only one of this writer, and returns once it is. The one
// before was lost for us; for the server it may be there, hold rows, and bring a commit that
// was long on its way. So the server's process for it is ended: either it has committed by
// then, or it never will.
func (s *server) only(ctx context.Context, conn *sql.Conn) error {
	for {
		var got bool
		if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", s.key).Scan(&got); err != nil || got {
			return err
		}
		if _, err := conn.ExecContext(ctx, same, s.key); err != nil {
			return err
		}
		select {
		case <-time.After(endsIn):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// endsIn is how long a process of the server takes to end, more or less.
const endsIn = 5 * time.Millisecond

// mark leaves the number of a transaction in this process' row, with what it changed: a
// server that was restarted, or a standby that took over, may have given the transaction's
// own number to another one. What has changed nothing leaves none. The row also keeps which
// words are owed to the indexes, unless the same transaction puts them there; without them
// it is not written where a transaction needs no name ($4).
const mark = `INSERT INTO parley_writers (id, n, due) SELECT $1, $2, CASE WHEN $3 THEN '' ELSE coalesce(current_setting('parley.due', true), '') END
	WHERE pg_current_xact_id_if_assigned() IS NOT NULL AND (NOT $4 OR coalesce(current_setting('parley.due', true), '') <> '') ON CONFLICT (id) DO UPDATE SET n = excluded.n, at = now(), due = parley_writers.due || excluded.due`

// seal asks in one query for everything that the end of a transaction needs.
const seal = `SELECT coalesce(current_setting('parley.due', true), ''), coalesce(pg_sequence_last_value('parley_told'), 0),
	set_config('synchronous_commit', CASE WHEN $1 THEN 'off' ELSE current_setting('synchronous_commit') END, true), pg_current_xact_id_if_assigned() IS NOT NULL`

// Commit implements engine.Server. The end goes with what waits, in one trip, unless the
// words of rows have to be known before it.
func (s *server) Commit(tx *engine.Tx, end engine.Ending) (done engine.Sealed, err error) {
	s.n++
	name := strconv.FormatInt(s.n, 10)
	worded := tx.Touched(s.o.Words.Tables...)
	var e ending
	err = tx.Raw(func(driver any) error {
		c := driver.(*piped)
		if err := c.seal(&e, end.Soon, s.id, name, argument(worded || s.o.Words.Put == nil), argument(end.Again)); err != nil {
			return err
		}
		if worded {
			var due []Due
			if err := c.collect(s.o.Words.Due, &due); err != nil {
				return err
			}
			if err := c.put(s.o.Words, due); err != nil {
				return err
			}
		}
		if !end.Again {
			e.Name = name
		}
		var told *int64
		if end.Tell {
			told = &e.Told
		}
		asked := time.Now()
		if err := c.end(context.Background(), commit, told); err != nil {
			return err
		}
		s.near.took(time.Since(asked))
		if e.Changed {
			c.written()
		}
		if s.o.Words.Put == nil {
			return nil
		}
		s.owes = s.owes || e.noted != "" && !worded
		err := s.settle(c, end.Rest && s.owes)
		if e.Owes = s.owes; end.Again && errors.Is(explain(err), engine.ErrLost) {
			return err // whoever waits for these words waits for another connection
		}
		return nil
	})
	return e.Sealed, err
}

// How soon words that are owed are looked for: those of processes that are gone, and those
// that something was in the way of.
const (
	lookAgain = time.Minute
	tryAgain  = time.Second
)

// owing lists who owes words: this process, and those that say nothing any more.
const owing = `SELECT id FROM parley_writers WHERE due <> '' AND (id = $1 OR at < now() - interval '1 minute')`

// settle puts words into the indexes that were put off, of all messages since the last time
// at once: nobody waits for them. Which rows they are was committed with them, so whatever is
// in the way here only puts it off again; it is returned. mine says that it is time for those of
// this process.
func (s *server) settle(c *piped, mine bool) (in error) {
	ids := []string{s.id}
	if now := time.Now(); now.After(s.look) {
		var err error
		if ids, err = c.names(owing, s.id); err != nil {
			s.look = now.Add(tryAgain)
			return err
		}
		s.look = now.Add(lookAgain)
	} else if !mine {
		return nil
	}
	s.owes = false
	for _, id := range ids {
		if err := c.afterwards(s.o.Words, id); err != nil {
			s.owes, in = s.owes || id == s.id, err
			s.look = time.Now().Add(tryAgain)
		}
	}
	return in
}

// basics makes what the engine itself has on a server: what tell counts with, and what seal
// leaves. A sequence is no part of transactions: nobody waits for another, or has to
// repeat, because both have told of a change. It is counted up after the commit, so that
// whoever sees the new number reads what was changed.
const basics = `DO $$BEGIN
	IF to_regclass('parley_writers') IS NULL THEN
		PERFORM pg_advisory_xact_lock(1349676148); -- two that start at once; nobody holds this one for long
		CREATE SEQUENCE IF NOT EXISTS parley_told;
		CREATE TABLE IF NOT EXISTS parley_writers (id text PRIMARY KEY, n bigint NOT NULL, at timestamptz NOT NULL DEFAULT now());
	END IF;
	IF NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'parley_writers'::regclass AND attname = 'due') THEN
		ALTER TABLE parley_writers ADD COLUMN IF NOT EXISTS due text NOT NULL DEFAULT '';
	END IF;
	IF EXISTS (SELECT 1 FROM parley_writers WHERE at < now() - interval '30 days' AND due = '') THEN
		DELETE FROM parley_writers WHERE at < now() - interval '30 days' AND due = '';
	END IF;
END$$`

// tell lets other processes know that something has changed.
const tell = "SELECT nextval('parley_told')"

// Version is a query for what seal reads of it, on any connection: nothing before there is any.
const Version = "coalesce(pg_sequence_last_value(to_regclass('parley_told')), 0)"

// Committed implements engine.Server. The other connection is gone (Connect), so it is decided.
func (s *server) Committed(ctx context.Context, conn *sql.Conn, name string) (bool, error) {
	var n string
	err := conn.QueryRowContext(ctx, "SELECT n::text FROM parley_writers WHERE id = $1", s.id).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return n == name, explain(err)
}

package transfer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"parley/internal/db/engine"
	"parley/internal/db/postgres"
	"parley/internal/db/sqlite"
	"parley/internal/memory/datadir"
	"parley/internal/memory/pgschema"
)

// Copied counts what was copied and compared.
type Copied struct{ Tables, Rows int64 }

// ErrNotEmpty says that rows would be mixed with others.
var ErrNotEmpty = errors.New("the database that is copied to is not empty")

// Copy says what is copied. Seen is called with how many rows were read, here or there, of
// how many; nil is not called.
type Copy struct {
	File, URL string
	Seen      func(done, of int64)
}

// job is a copy under way, with a connection to each side.
type job struct {
	Copied
	local, served *sql.Conn
	list          []table
	seen          func(done, of int64)
	done, of      int64
}

// tell counts rows that were read.
func (j *job) tell(n int64) {
	j.done += n
	if j.seen != nil {
		j.seen(j.done, j.of)
	}
}

// measure counts the rows of the original, each of which is read here and there.
func (j *job) measure(ctx context.Context, original *sql.Conn) error {
	for _, t := range j.list {
		var n int64
		if err := original.QueryRowContext(ctx, `SELECT count(*) FROM "`+t.name+`"`).Scan(&n); err != nil {
			return err
		}
		j.of += 2 * n
	}
	return nil
}

// ToServer copies the rows of a file to an empty database on a server. In one
// transaction there: what is cut short leaves nothing. Indexes of words are not made, so
// the database is marked as one that is not whole yet (datadir.Half).
func ToServer(ctx context.Context, o Copy) (Copied, error) {
	return between(ctx, o, func(ctx context.Context, j *job) error {
		if err := empty(ctx, j.served, j.list); err != nil {
			return err
		}
		return j.copy(ctx, side{j.local, "BEGIN"}, side{j.served, "BEGIN"}, j.fillServer)
	})
}

// side is a connection with how its transaction begins.
type side struct {
	*sql.Conn
	begin string
}

// copy reads one moment of a side, and fills the other in one transaction.
func (j *job) copy(ctx context.Context, from, to side, fill func(context.Context) error) error {
	for _, s := range []side{from, to} {
		if _, err := s.ExecContext(ctx, s.begin); err != nil {
			return err
		}
	}
	err := j.measure(ctx, from.Conn)
	if err == nil {
		err = fill(ctx)
	}
	if err != nil {
		_, _ = to.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return err
	}
	_, err = to.ExecContext(ctx, "COMMIT")
	return err
}

// exec runs statements one after the other.
func exec(ctx context.Context, conn *sql.Conn, queries ...string) error {
	for _, q := range queries {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) fillServer(ctx context.Context) error {
	if _, err := j.served.ExecContext(ctx, "UPDATE parley SET moved = $1", datadir.Half); err != nil {
		return err
	}
	for _, t := range j.list {
		if _, err := j.served.ExecContext(ctx, `ALTER TABLE "`+t.name+`" DISABLE TRIGGER USER; DELETE FROM "`+t.name+`"`); err != nil {
			return err
		}
	}
	for _, t := range j.list {
		var before sum
		err := postgres.CopyIn(ctx, j.served, t.name, t.plain(), func(write func([]any) error) (err error) {
			before, err = j.each(ctx, j.local, t, write)
			return err
		})
		if err != nil {
			return err
		}
		if err := j.arrived(ctx, j.served, t, before); err != nil {
			return err
		}
		if err := t.count(ctx, j.local, j.served); err != nil {
			return err
		}
	}
	for _, t := range j.list {
		if _, err := j.served.ExecContext(ctx, `ALTER TABLE "`+t.name+`" ENABLE TRIGGER USER`); err != nil {
			return err
		}
	}
	return nil
}

// arrived compares a table with what was read of the original, and counts it.
func (j *job) arrived(ctx context.Context, to *sql.Conn, t table, want sum) error {
	got, err := j.each(ctx, to, t, nil)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%s did not arrive as it was: %d of %d rows", t.name, got.rows, want.rows)
	}
	j.Tables, j.Rows = j.Tables+1, j.Rows+got.rows
	return nil
}

func (t table) plain() (names []string) {
	for _, c := range t.columns {
		names = append(names, c.name)
	}
	return names
}

// count makes the server number on where the file would have.
func (t table) count(ctx context.Context, local, served *sql.Conn) error {
	if t.counted == "" {
		return nil
	}
	last, err := lastNumber(ctx, local, t)
	if err != nil || last == 0 {
		return err
	}
	_, err = served.ExecContext(ctx, "SELECT setval(pg_get_serial_sequence($1, $2), $3)", `"`+t.name+`"`, t.counted, last)
	return err
}

// lastNumber is the highest number that a table of a file ever gave away.
func lastNumber(ctx context.Context, local *sql.Conn, t table) (last int64, err error) {
	err = local.QueryRowContext(ctx, `SELECT max(coalesce((SELECT max("`+t.counted+`") FROM "`+t.name+
		`"), 0), coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0))`, t.name).Scan(&last)
	return last, err
}

// empty refuses a database that has more than a new one.
func empty(ctx context.Context, served *sql.Conn, list []table) error {
	for _, t := range list {
		if t.name == "secrets" || t.name == "heartbeat" { // a new one has these
			continue
		}
		var some bool
		if err := served.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM "`+t.name+`")`).Scan(&some); err != nil {
			return err
		}
		if some {
			return fmt.Errorf("%w: %s has rows; name a new one", ErrNotEmpty, t.name)
		}
	}
	return nil
}

// between opens both sides, a connection each.
func between(ctx context.Context, o Copy, do func(context.Context, *job) error) (c Copied, err error) {
	local, done, err := sqlite.Connect(ctx, o.File, "_busy_timeout=30000&_foreign_keys=off")
	if err != nil {
		return c, err
	}
	defer done()
	db, err := postgres.Raw(o.URL)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	served, err := db.Conn(ctx)
	if err != nil {
		return c, postgres.Explain(err)
	}
	defer func() { _ = served.Close() }()
	list, err := tables(ctx, served)
	if err != nil {
		return c, postgres.Explain(err)
	}
	j := &job{local: local, served: served, list: list, seen: o.Seen}
	if err := do(ctx, j); err != nil {
		return c, postgres.Explain(err)
	}
	return j.Copied, nil
}

// ToFile copies the rows of a database on a server, as they are at one moment, to a file
// whose schema was just made; then it makes the indexes of words.
func ToFile(ctx context.Context, o Copy) (Copied, error) {
	return between(ctx, o, func(ctx context.Context, j *job) error {
		return j.copy(ctx, side{j.served, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}, side{j.local, "BEGIN IMMEDIATE"}, j.fillFile)
	})
}

func (j *job) fillFile(ctx context.Context) error {
	restore, err := dropTriggers(ctx, j.local)
	if err != nil {
		return err
	}
	for _, t := range j.list {
		if err := j.toFile(ctx, t); err != nil {
			return err
		}
	}
	return exec(ctx, j.local, append(restore, pgschema.Reindex...)...)
}

func (j *job) toFile(ctx context.Context, t table) error {
	if _, err := j.local.ExecContext(ctx, `DELETE FROM "`+t.name+`"`); err != nil {
		return err
	}
	insert, err := j.local.PrepareContext(ctx, `INSERT INTO "`+t.name+`" (`+t.names()+") VALUES (?"+strings.Repeat(", ?",
		len(t.columns)-1)+")")
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }()
	before, err := j.each(ctx, j.served, t, func(row []any) error {
		_, err := insert.ExecContext(ctx, row...)
		return err
	})
	if err != nil {
		return err
	}
	if err := j.arrived(ctx, j.local, t, before); err != nil {
		return err
	}
	if t.counted == "" {
		return nil
	}
	var last int64
	if err := j.served.QueryRowContext(ctx, "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), 0)",
		`"`+t.name+`"`, t.counted).Scan(&last); err != nil {
		return err
	}
	// Only a table whose numbers are never used twice has a row here.
	_, err = j.local.ExecContext(ctx, "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", last, t.name)
	return err
}

// dropTriggers takes away what would act on copied rows, and returns how it is made again.
func dropTriggers(ctx context.Context, local *sql.Conn) (restore []string, err error) {
	rows, err := local.QueryContext(ctx, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
	if err != nil {
		return nil, err
	}
	drops, err := engine.Collect(rows, func(rows engine.Scanner) (drop string, err error) {
		var name, made string
		err = rows.Scan(&name, &made)
		restore = append(restore, made)
		return "DROP TRIGGER " + sqlite.Quoted(name), err
	})
	if err != nil {
		return nil, err
	}
	return restore, exec(ctx, local, drops...)
}

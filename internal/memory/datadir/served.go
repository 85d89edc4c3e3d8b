package datadir

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/internal/db/engine"
	"parley/internal/db/postgres"
	"parley/internal/db/sqlite"
	"parley/internal/text"
)

// Served is how the schema is made on a PostgreSQL server, where what it holds cannot be
// written as one text with SQLite's.
type Served struct {
	Own   string            // triggers, after the tables
	Steps map[string]string // steps by their names, in PostgreSQL's words; others are translated
	// Effects says of each step by its name what it is to processes of the version before.
	Effects map[string]Effect
	Words   postgres.Words // see postgres.Options
}

// schemaLock keeps two processes from making a schema at the same time: "Prls".
const schemaLock = 0x50726c73

// openServed is Open for a database on a server.
func openServed(ctx context.Context, o Options) (*File, *engine.DB, error) {
	f := &File{now: o.Now, served: true}
	if f.now == nil {
		f.now = time.Now
	}
	db, err := postgres.Open(ctx, o.URL, postgres.Options{Words: o.Served.Words, Alone: o.Alone, See: f.cond.served,
		Prepare: func(ctx context.Context, conn *sql.Conn) error {
			return prepareServed(ctx, conn, o)
		}})
	if err != nil {
		return nil, nil, fmt.Errorf("open the database of database.url: %w", err)
	}
	f.db = db
	return f, db, nil
}

// prepareServed makes the schema in an empty database, and brings one of ours forward,
// in one transaction: two processes that start together wait for each other.
func prepareServed(ctx context.Context, conn *sql.Conn, o Options) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", schemaLock); err != nil {
		return err
	}
	version, err := servedVersion(ctx, tx)
	if err != nil {
		return err
	}
	switch known := len(o.Migrations); {
	case version == known:
		return tx.Commit()
	case version > known:
		return fmt.Errorf("%w (schema %d, this one knows %d): install the newer version again", ErrNewerSchema, version, known)
	}
	script, err := o.servedScript(version)
	if err != nil {
		return err
	}
	if version > 0 {
		if err := o.mayApply(ctx, tx, o.Migrations[version:]); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, script); err != nil {
		return fmt.Errorf("make the schema: %w", err)
	}
	if _, err := tx.ExecContext(ctx, "UPDATE parley SET schema = $1", len(o.Migrations)); err != nil {
		return err
	}
	return tx.Commit()
}

// servedVersion reads the number of the newest step; 0 of an empty database. One that
// holds tables and not ours is another program's; those that processes find each other by
// are ours, and may be there first.
func servedVersion(ctx context.Context, tx *sql.Tx) (version int, err error) {
	var ours bool
	var others, moved string
	err = tx.QueryRowContext(ctx,
		`SELECT to_regclass('parley') IS NOT NULL, coalesce((SELECT string_agg(tablename, ', ') FROM pg_tables WHERE schemaname = current_schema() AND tablename !~ '^(node|parley)_'), '')`).Scan(&ours, &others)
	switch {
	case err != nil:
		return 0, err
	case !ours && others != "":
		return 0, fmt.Errorf("%w (its tables are %.200s); nothing was changed: make a database for Parley alone", ErrForeign, others)
	case !ours:
		return 0, nil
	}
	if err := tx.QueryRowContext(ctx, "SELECT schema, moved FROM parley").Scan(&version, &moved); err != nil {
		return 0, err
	}
	if moved == Half {
		return 0, ErrHalf
	}
	if moved != "" {
		return 0, fmt.Errorf("%w: %s", ErrMoved, moved)
	}
	return version, nil
}

var versionOfToday = text.Pattern(`PRAGMA user_version = (\d+)`)

// ownName stands for Served.Own among the steps.
const ownName = "own.sql"

// servedScript returns the script that takes a database from a version to the newest.
func (o Options) servedScript(version int) (string, error) {
	var b strings.Builder
	steps := o.Migrations[version:]
	if version == 0 {
		b.WriteString(postgres.Prelude +
			"CREATE TABLE parley (schema BIGINT NOT NULL, moved TEXT NOT NULL DEFAULT '');\nINSERT INTO parley VALUES (0, '');\n")
		m := versionOfToday().FindStringSubmatch(o.Today)
		if m == nil {
			return "", errors.New("the script of today's schema does not say which it is")
		}
		behind, _ := strconv.Atoi(m[1]) // digits
		steps = append(sqlite.Migrations{{Name: "today.sql", SQL: o.Today}}, o.Migrations[min(behind, len(o.Migrations)):]...)
		steps = append(steps, sqlite.Migration{Name: ownName})
	}
	for _, m := range steps {
		own, ok := o.Served.Steps[m.Name]
		if m.Name == ownName {
			own, ok = o.Served.Own, true
		}
		if !ok {
			var err error
			if own, err = postgres.Translate(m.SQL); err != nil {
				return "", fmt.Errorf("%s: %w", m.Name, err)
			}
		}
		b.WriteString(own + "\n")
	}
	return b.String(), nil
}

// checkServed reads one row of every table: damage is the server's to find, which it
// does when its cluster was made with checksums.
func (f *File) checkServed(ctx context.Context) error {
	tables, err := f.servedTables(ctx)
	if err != nil {
		return err
	}
	for _, table := range tables {
		var one int
		err := f.db.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT * FROM "+sqlite.Quoted(table)+" LIMIT 1) one").Scan(&one)
		if err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	return nil
}

func (f *File) servedTables(ctx context.Context) ([]string, error) {
	rows, err := f.db.QueryContext(ctx, "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename")
	if err != nil {
		return nil, err
	}
	return engine.Collect(rows, engine.Value[string])
}

// sizesServed measures every table with what its long texts take.
func (f *File) sizesServed(ctx context.Context) (list []Size, err error) {
	tables, err := f.servedTables(ctx)
	for _, table := range tables {
		sz := Size{Table: table}
		if err == nil {
			name := sqlite.Quoted(table)
			err = f.db.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM "+name+"), pg_table_size(CAST(? AS text)::regclass)",
				name).Scan(&sz.Rows, &sz.Bytes)
		}
		list = append(list, sz)
	}
	return list, err
}

// RetireServed marks a database on a server; where says in words where its rows are.
func RetireServed(ctx context.Context, url, where string) error {
	return onServer(url, func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, "UPDATE parley SET moved = $1", "on "+time.Now().UTC().Format(time.DateOnly)+" to "+where)
		return err
	})
}

// onServer does something to a database on a server, without our writer.
func onServer(url string, do func(*sql.DB) error) error {
	db, err := postgres.Raw(url)
	if err != nil {
		return err
	}
	return errors.Join(postgres.Explain(do(db)), db.Close())
}

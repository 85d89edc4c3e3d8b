package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"parley/internal/engine"
)

// Options of Open. The zero value is ready for use.
type Options struct {
	// Readers run beside the writer. 0 is 4.
	Readers int
	// Prepare makes or checks the schema on the writer's connection, before anything
	// else uses it. nil does nothing.
	Prepare func(context.Context, *sql.Conn) error
	// Words are put into the full-text indexes within the transaction that changes rows.
	// The zero value does nothing.
	Words Words
	// Alone refuses a database that another process uses which is alone, too.
	Alone bool
	// See is called with the error of each connection that could not be made, and with
	// nil when one was; nil is never called.
	See func(error)
}

// Words is how words get into the full-text indexes. Triggers note which rows say
// something new, in the setting parley.due of a transaction.
type Words struct {
	Tables []string // whose changes may have triggers note something
	Due    string   // the query that reads what those rows say, as Due has it
	// Put makes the statements that put it into the indexes.
	Put func([]Due) []Statement
}

// Due is a row whose words are due: in which index, with which numbers, and its text.
type Due struct {
	Kind  string
	ID, N int64
	Text  string
}

// Statement is one with its arguments, in PostgreSQL's words.
type Statement struct {
	Text string
	Args []any
}

// How connections are made.
const (
	connectWait = 5 * time.Second
	// nextWait is how long one of several servers may take: while a machine is gone
	// without a word, the next is tried within the time that anybody waits (reachable).
	nextWait = time.Second
	oldest   = 130000 // the first version whose transactions can be asked for
)

// Open connects to the server that a URL names. The caller closes the DB.
func Open(ctx context.Context, url string, o Options) (*engine.DB, error) {
	cfg, err := parse(url)
	if err != nil {
		return nil, err
	}
	all := &wires{open: map[*wire]bool{}}
	cfg.DialFunc = all.through(cfg.DialFunc)
	s := &server{pool: pool(cfg, 2, o.See, true), o: o, id: rand.Text()}
	conn, err := s.Connect(ctx)
	if err != nil {
		return nil, errors.Join(err, s.pool.Close())
	}
	if err = fit(ctx, conn); err == nil && o.Prepare != nil {
		err = o.Prepare(ctx, conn)
	}
	if err == nil {
		_, err = conn.ExecContext(ctx, basics)
	}
	if err == nil {
		err = s.hurry(ctx, conn)
	}
	if err != nil {
		return nil, errors.Join(explain(err), conn.Close(), s.pool.Close())
	}
	readers := cmp.Or(o.Readers, 4)
	return engine.New(engine.Parts{Dialect: dialect, Readers: pool(cfg, readers, o.See, false), Writer: conn, Server: s, Cut: all.cut, Close: s.pool.Close}), nil
}

// Raw connects without our writer: to look into a database, or to copy one.
func Raw(url string) (*sql.DB, error) {
	cfg, err := parse(url)
	if err != nil {
		return nil, err
	}
	return pool(cfg, 2, nil, false), nil
}

// parse reads a URL. An error never shows it: it may hold a password.
func parse(url string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("database.url is not a URL of PostgreSQL, such as postgres://user:password@host:5432/name")
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectWait
	}
	if several(cfg) {
		cfg.ConnectTimeout = min(cfg.ConnectTimeout, nextWait)
	}
	// A server that went away without a word is given up after 5 seconds.
	dialer := &net.Dialer{Timeout: cfg.ConnectTimeout, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 2 * time.Second, Interval: time.Second, Count: 3}, Control: bounded}
	cfg.DialFunc = dialer.DialContext
	cfg.RuntimeParams["application_name"] = cmp.Or(cfg.RuntimeParams["application_name"], "parley")
	cfg.RuntimeParams["timezone"] = "UTC"
	cfg.RuntimeParams["standard_conforming_strings"] = "on"
	cfg.StatementCacheCapacity = 512
	return cfg, nil
}

// several reports whether an address names more than one server.
func several(cfg *pgx.ConnConfig) bool {
	return slices.ContainsFunc(cfg.Fallbacks, func(other *pgconn.FallbackConfig) bool { return other.Host != cfg.Host || other.Port != cfg.Port })
}

func pool(cfg *pgx.ConnConfig, most int, see func(error), writes bool) *sql.DB {
	db := sql.OpenDB(connector{stdlib.GetConnector(*cfg, stdlib.OptionAfterConnect(interpreted)), see, writes})
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	return db
}

// interpreted has statements run as they are: what PostgreSQL compiles takes it longer
// than any of ours runs, and it guesses wrong about long ones. A row anywhere is worth little
// more than the next one: what is asked about is in memory, or on a disk without arms, and
// without this an index is passed over that finds a hundred rows among all. (A pooler may
// refuse these as parameters of the connection.)
func interpreted(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "SET jit = off; SET random_page_cost = 1.1")
	return err
}

// fit refuses a server that cannot hold what we store.
func fit(ctx context.Context, conn *sql.Conn) error {
	var version int
	var encoding, name string
	err := conn.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), current_setting('server_version')").Scan(&version, &encoding, &name)
	switch {
	case err != nil:
		return err
	case version < oldest:
		return fmt.Errorf("the database server is PostgreSQL %s; Parley needs 13 or newer", name)
	case encoding != "UTF8":
		return fmt.Errorf("the database has the encoding %s; make one with UTF8: createdb --encoding=UTF8 --template=template0", encoding)
	}
	return nil
}

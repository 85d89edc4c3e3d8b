package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"parley/internal/db/engine"
)

// Options of Open. The zero value is ready for use.
type Options struct {
	// Readers run beside the writer. 0 is 4, and up to 16 where the server is far.
	Readers int
	// Prepare makes or checks the schema on the writer's connection, before anything
	// else uses it. nil does nothing.
	Prepare func(context.Context, *sql.Conn) error
	// Words are put into the full-text indexes. The zero value does nothing.
	Words Words
	// Alone refuses a database that another process uses which is alone, too.
	Alone bool
	// See is called with the error of each connection that could not be made and of each write
	// that the server did not take or did not live to take (ErrFull, engine.ErrLost), at once,
	// and with nil when one was stored; nil is never called.
	See func(error)
}

// Words is how words get into the full-text indexes. Triggers note which rows say
// something new, in the setting parley.due of a transaction.
type Words struct {
	// Tables are those whose words are in the indexes with what changed them. Those of others
	// follow a moment later, many at once: whoever is about to search calls DB.Settle.
	Tables []string
	Due    string // the query that reads what those rows say, as Due has it
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
)

// Open connects to the server that a URL names. The caller closes the DB.
func Open(ctx context.Context, url string, o Options) (*engine.DB, error) {
	cfg, err := parse(url)
	if err != nil {
		return nil, err
	}
	all := &wires{open: map[*wire]bool{}}
	cfg.DialFunc = all.through(cfg.DialFunc)
	s := &server{pool: pool(cfg, 2, o.See, true), o: o, id: rand.Text(), key: mathrand.Int64()}
	if err := s.fit(ctx, cfg); err != nil {
		return nil, errors.Join(explain(err), s.pool.Close())
	}
	conn, err := s.Connect(ctx)
	if err != nil {
		return nil, errors.Join(err, s.pool.Close())
	}
	if o.Prepare != nil {
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
	readers := pool(cfg, cmp.Or(o.Readers, fewReaders), o.See, false)
	if o.Readers == 0 {
		s.near = &near{readers: readers}
	}
	return engine.New(engine.Parts{Dialect: dialect, Readers: readers, Writer: conn, Server: s,
		Cut: all.cut, Close: s.pool.Close}), nil
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
		return nil, unread(err)
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectWait
	}
	if several(cfg) {
		cfg.ConnectTimeout = min(cfg.ConnectTimeout, nextWait)
	}
	// A server that went away without a word is given up after 5 seconds.
	dialer := &net.Dialer{Timeout: cfg.ConnectTimeout, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 2 * time.Second,
		Interval: time.Second, Count: 3}, Control: bounded}
	cfg.DialFunc = dialer.DialContext
	cfg.RuntimeParams["application_name"] = cmp.Or(cfg.RuntimeParams["application_name"], "parley")
	cfg.RuntimeParams["timezone"] = "UTC"
	cfg.RuntimeParams["standard_conforming_strings"] = "on"
	cfg.RuntimeParams["client_encoding"] = "UTF8"
	cfg.StatementCacheCapacity = 512
	cfg.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error { return configure(ctx, conn, "") }
	return cfg, nil
}

// Config is how to connect beside a DB, with the same settings and some more, as statements.
func Config(url, more string) (*pgx.ConnConfig, error) {
	cfg, err := parse(url)
	if err == nil {
		cfg.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error { return configure(ctx, conn, more) }
	}
	return cfg, err
}

// several reports whether an address names more than one server.
func several(cfg *pgx.ConnConfig) bool {
	return slices.ContainsFunc(cfg.Fallbacks, func(other *pgconn.FallbackConfig) bool {
		return other.Host != cfg.Host ||
			other.Port != cfg.Port
	})
}

func pool(cfg *pgx.ConnConfig, most int, see func(error), writes bool) *sql.DB {
	db := sql.OpenDB(connector{stdlib.GetConnector(*cfg, stdlib.OptionShouldPing(stale)), see, writes})
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	return db
}

// ownSettings are those of each connection, whatever the server, the database or the role
// has for others, and the version since which there are any. Statements run as they are:
// what PostgreSQL compiles takes it longer than any of ours runs, and it guesses wrong
// about long ones. A row anywhere is worth little more than the next one: what is asked
// about is in memory, or on a disk without arms, and without this an index is passed over
// that finds a hundred rows among all. No statement is cut short because it takes long, as
// pruning and a new schema do, and no connection because nobody writes at night.
var ownSettings = []struct {
	name, value string
	since       int
}{
	{"jit", "off", 0}, {"random_page_cost", "1.1", 0},
	{"statement_timeout", "0", 0}, {"lock_timeout", "0", 0}, {"idle_in_transaction_session_timeout", "0", 0},
	{"idle_session_timeout", "0", 14}, {"transaction_timeout", "0", 17},
	{"default_transaction_isolation", "'read committed'", 0}, {"default_transaction_deferrable", "off", 0},
	{"datestyle", "ISO", 0}, {"intervalstyle", "postgres", 0}, {"bytea_output", "hex", 0}, {"extra_float_digits", "1", 0},
	{"transform_null_equals", "off", 0}, {"array_nulls", "on", 0},
}

// lasting undoes a setting of the server, the database or the role with which what was
// committed may be lost with the server's memory. Others than off are the operator's choice.
const lasting = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';"

// configure makes these settings, and more. (A pooler may refuse them as parameters of the
// connection.)
func configure(ctx context.Context, conn *pgconn.PgConn, more string) error {
	number, _, _ := strings.Cut(conn.ParameterStatus("server_version"), ".")
	version, _ := strconv.Atoi(number) // one that is not finished yet says more: 0 leaves out what is new
	var b strings.Builder
	for _, s := range ownSettings {
		if s.since <= version {
			fmt.Fprintf(&b, "SET %s = %s;", s.name, s.value)
		}
	}
	_, err := conn.Exec(ctx, b.String()+lasting+more).ReadAll()
	return err
}

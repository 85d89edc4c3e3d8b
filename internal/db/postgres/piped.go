package postgres

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"parley/internal/db/engine"
)

// How a transaction of the writer begins and ends. What it says after hasten waits for
// the first answer that is needed and goes to the server with that, in one trip; after
// step each statement is a trip of its own, and fails where it stands.
const (
	hasten     = "BEGIN ISOLATION LEVEL SERIALIZABLE"
	hastenHeld = "BEGIN ISOLATION LEVEL READ COMMITTED" // as hasten; see engine.Held
	step       = "START TRANSACTION ISOLATION LEVEL SERIALIZABLE"
	commit     = "COMMIT"
	rollback   = "ROLLBACK"
)

// mostDue is how many statements wait at most.
const mostDue = 256

// piped is the writer's connection. Outside a transaction it is the library's. It is used
// by one goroutine at a time.
type piped struct {
	*stdlib.Conn
	open   bool        // a transaction was begun with hasten
	sent   bool        // the server knows of it
	failed error       // of a statement in it; the server takes no more
	due    *pgx.Batch  // nil for nothing
	see    func(error) // see Options.See; nil for none
}

// errRolledBack says that a transaction was undone by the server, which says so in the
// place of an error.
var errRolledBack = errors.New("the transaction was rolled back")

// PrepareContext implements driver.ConnPrepareContext. The library prepares what it is
// asked for the first time, and keeps it with the connection.
func (c *piped) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	return pipedStatement{c, query}, nil
}

// say has a statement wait for its turn.
func (c *piped) say(ctx context.Context, query string, args []driver.NamedValue) (*pgx.QueuedQuery, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	if c.due != nil && c.due.Len() >= mostDue {
		if err := c.flush(ctx); err != nil {
			return nil, err
		}
	}
	if c.due == nil {
		c.due = &pgx.Batch{}
	}
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a.Value
	}
	return c.due.Queue(query, values...), nil
}

// flush sends what waits, and reads the answers.
func (c *piped) flush(ctx context.Context) error {
	if c.due == nil || c.failed != nil {
		return c.failed
	}
	due := c.due
	c.due, c.sent = nil, true
	c.failed = c.Conn.Conn().SendBatch(ctx, due).Close()
	c.noticed(c.failed)
	return c.failed
}

// noticed tells of a statement that failed since the server takes no writes, or is gone.
func (c *piped) noticed(err error) {
	if err == nil || c.see == nil {
		return
	}
	if err = explain(err); errors.Is(err, ErrFull) || errors.Is(err, engine.ErrLost) {
		c.see(err)
	}
}

// plain runs a statement outside of what is hastened.
func (c *piped) plain(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	r, err := c.Conn.ExecContext(ctx, query, args)
	c.noticed(err)
	return r, err
}

// written tells that the server stored something.
func (c *piped) written() {
	if c.see != nil {
		c.see(nil)
	}
}

// ending is a transaction at its end, and the rows that triggers have noted in it.
type ending struct {
	engine.Sealed
	noted string
}

// seal says what the end of a transaction needs; the answers come with a later flush.
func (c *piped) seal(e *ending, soon bool, marked ...any) error {
	ctx := context.Background()
	if _, err := c.say(ctx, mark, named(marked...)); err != nil {
		return err
	}
	q, err := c.say(ctx, seal, named(argument(soon)))
	if err == nil {
		q.QueryRow(func(row pgx.Row) error { return row.Scan(&e.noted, &e.Version, nil, &e.Changed) })
	}
	return err
}

// collect reads the rows whose words are due.
func (c *piped) collect(query string, due *[]Due) error {
	q, err := c.say(context.Background(), query, nil)
	if err != nil {
		return err
	}
	q.Query(func(rows pgx.Rows) (err error) {
		*due, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Due])
		return err
	})
	return c.flush(context.Background())
}

// put has the words of what is due put into the indexes.
func (c *piped) put(w Words, due []Due) error {
	if len(due) == 0 {
		return nil
	}
	for _, st := range w.Put(due) {
		if _, err := c.say(context.Background(), st.Text, named(st.Args...)); err != nil {
			return err
		}
	}
	return nil
}

// atOnce is how many rows get their words in one transaction.
const atOnce = 200

// cutting is how long that may be silent: while this program cuts texts into words the server hears
// nothing of it. Nobody waits for it meanwhile, since it holds no rows until then (stopped).
const cutting = "60s"

// The rows that a process owes words of: those of one transaction, and then the others.
const (
	owed = `SELECT set_config('parley.due', array_to_string((string_to_array(rtrim(due), ' '))[:$2], ' ') || ' ', true),
		set_config('idle_in_transaction_session_timeout', $3, true) FROM parley_writers WHERE id = $1`
	paid = `UPDATE parley_writers SET due = ltrim(array_to_string((string_to_array(rtrim(due), ' '))[$2 + 1:], ' ') || ' ') WHERE id = $1
		RETURNING due <> ''`
)

// afterwards puts the words into the indexes that a process owes, in transactions of their
// own. With an error some are owed still.
func (c *piped) afterwards(w Words, id string) error {
	for more := true; more; {
		var err error
		if more, err = c.portion(w, id); err != nil {
			_ = c.end(context.Background(), rollback, nil)
			return err
		}
	}
	return nil
}

// portion is afterwards for as many rows as go into one transaction, and reports whether
// there are more.
func (c *piped) portion(w Words, id string) (more bool, err error) {
	ctx := context.Background()
	if _, err := c.say(ctx, hasten, nil); err != nil {
		return false, err
	}
	if _, err := c.say(ctx, owed, named(id, atOnce, cutting)); err != nil {
		return false, err
	}
	var due []Due
	if err := c.collect(w.Due, &due); err != nil {
		return false, err
	}
	if err := c.put(w, due); err != nil {
		return false, err
	}
	q, err := c.say(ctx, paid, named(id, atOnce))
	if err != nil {
		return false, err
	}
	q.Query(func(rows pgx.Rows) error {
		left, err := pgx.CollectRows(rows, pgx.RowTo[bool])
		more = slices.Contains(left, true)
		return err
	})
	err = c.end(ctx, commit, nil)
	return more, err
}

// names reads the one column of a query, outside a transaction.
func (c *piped) names(query string, args ...any) ([]string, error) {
	rows, err := c.Conn.Conn().Query(context.Background(), query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// named are arguments as a driver has them.
func named(args ...any) []driver.NamedValue {
	list := make([]driver.NamedValue, len(args))
	for i, a := range args {
		list[i].Value = a
	}
	return list
}

// end ends a transaction; one that cannot be committed has to be rolled back. Where told is
// not nil the server tells others of it at once, whatever becomes of this process, and told is
// set.
func (c *piped) end(ctx context.Context, how string, told *int64) error {
	over := func() { c.open, c.sent, c.failed, c.due = false, false, nil, nil }
	if how == rollback {
		defer over()
		if !c.sent {
			return nil
		}
		_, err := c.Conn.ExecContext(ctx, rollback, nil)
		return err
	}
	last, err := c.say(ctx, how, nil)
	if err != nil {
		return err
	}
	last.Exec(func(tag pgconn.CommandTag) error {
		if tag.String() != commit {
			return errRolledBack
		}
		return nil
	})
	if told != nil {
		c.due.Queue(tell).QueryRow(func(row pgx.Row) error { return row.Scan(told) })
	}
	if err := c.flush(ctx); err != nil {
		return err
	}
	over()
	return nil
}

// pipedStatement implements driver.Stmt.
type pipedStatement struct {
	c    *piped
	text string
}

func (s pipedStatement) Close() error                               { return nil }
func (s pipedStatement) NumInput() int                              { return -1 }
func (s pipedStatement) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }
func (s pipedStatement) Query([]driver.Value) (driver.Rows, error)  { return nil, driver.ErrSkip }

// ExecContext implements driver.StmtExecContext.
func (s pipedStatement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	c := s.c
	switch {
	case s.text == hasten, s.text == hastenHeld:
		c.open = true
	case s.text == step:
		c.sent = true
		return c.plain(ctx, s.text, args)
	case s.text == rollback:
		return driver.RowsAffected(0), c.end(ctx, s.text, nil)
	case !c.open:
		return c.plain(ctx, s.text, args)
	}
	q, err := c.say(ctx, s.text, args)
	if err != nil {
		return nil, err
	}
	r := &promised{c: c}
	if strings.HasSuffix(s.text, " RETURNING id") {
		q.Query(r.one)
	} else {
		q.Exec(func(tag pgconn.CommandTag) error { r.known, r.n = true, tag.RowsAffected(); return nil })
	}
	return r, nil
}

// QueryContext implements driver.StmtQueryContext.
func (s pipedStatement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if !s.c.open {
		rows, err := s.c.Conn.QueryContext(ctx, s.text, args)
		s.c.noticed(err)
		if err != nil || ctx.Value(engine.Unhurried{}) == nil {
			return rows, err
		}
		return whole(rows)
	}
	q, err := s.c.say(ctx, s.text, args)
	if err != nil {
		return nil, err
	}
	r := &answer{c: s.c}
	q.Query(r.read)
	if ctx.Value(engine.Unhurried{}) != nil {
		return r, nil
	}
	return r, s.c.flush(ctx)
}

// promised is the result of a statement, once it is known. It implements driver.Result.
type promised struct {
	c     *piped
	known bool
	n, id int64
}

// one reads the number of the row that a statement inserted, if it did.
func (p *promised) one(rows pgx.Rows) error {
	defer rows.Close()
	if err := rows.Err(); err != nil {
		return err
	}
	for rows.Next() {
		if err := rows.Scan(&p.id); err != nil {
			return err
		}
	}
	p.known, p.n = true, rows.CommandTag().RowsAffected()
	return rows.Err()
}

func (p *promised) know() error {
	if p.known {
		return nil
	}
	if err := p.c.flush(context.Background()); err != nil {
		return err
	}
	if !p.known {
		return errRolledBack
	}
	return nil
}

// RowsAffected implements driver.Result.
func (p *promised) RowsAffected() (int64, error) { err := p.know(); return p.n, err }

// LastInsertId implements driver.Result, for what ends in RETURNING id; 0 is no row.
func (p *promised) LastInsertId() (int64, error) { err := p.know(); return p.id, err }

// answer is the rows of a query, read to their end once they are needed. It implements
// driver.Rows.
type answer struct {
	c       *piped
	known   bool
	failed  error
	columns []string
	rows    [][]driver.Value
}

func (a *answer) read(rows pgx.Rows) error {
	defer rows.Close()
	if err := rows.Err(); err != nil {
		return err
	}
	a.known = true
	fields, types := rows.FieldDescriptions(), rows.Conn().TypeMap()
	for _, f := range fields {
		a.columns = append(a.columns, f.Name)
	}
	for rows.Next() {
		row := make([]driver.Value, len(fields))
		for i, raw := range rows.RawValues() {
			v, err := value(types, fields[i], raw)
			if err != nil {
				return err
			}
			row[i] = v
		}
		a.rows = append(a.rows, row)
	}
	return rows.Err()
}

// whole reads rows to their end, so that the connection is free.
func whole(rows driver.Rows) (*answer, error) {
	a := &answer{known: true, columns: rows.Columns()}
	defer func() { _ = rows.Close() }()
	for {
		row := make([]driver.Value, len(a.columns))
		if err := rows.Next(row); err == io.EOF {
			return a, nil
		} else if err != nil {
			return nil, err
		}
		for i, v := range row {
			if b, ok := v.([]byte); ok {
				row[i] = bytes.Clone(b)
			}
		}
		a.rows = append(a.rows, row)
	}
}

func (a *answer) know() error {
	if !a.known && a.failed == nil {
		if a.failed = a.c.flush(context.Background()); a.failed == nil && !a.known {
			a.failed = errRolledBack
		}
	}
	return a.failed
}

// Columns implements driver.Rows. Where there is no answer, Next says why.
func (a *answer) Columns() []string {
	_ = a.know()
	return a.columns
}

// Close implements driver.Rows.
func (a *answer) Close() error { return nil }

// Next implements driver.Rows.
func (a *answer) Next(dest []driver.Value) error {
	if err := a.know(); err != nil {
		return err
	}
	if len(a.rows) == 0 {
		return io.EOF
	}
	copy(dest, a.rows[0])
	a.rows = a.rows[1:]
	return nil
}

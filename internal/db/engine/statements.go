package engine

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"sync"
)

// statement is a prepared statement with the names of its parameters.
type statement struct {
	*sql.Stmt
	names   []string
	changes []*counter // of the tables that it changes
}

// statements caches prepared statements. Queries are constants of their packages,
// so the code bounds how many there are.
type statements struct {
	prepare func(context.Context, string) (*sql.Stmt, error)
	dialect Dialect
	changes *changes     // nil for those that change nothing
	mu      sync.RWMutex // guards all
	all     map[string]statement
}

// get prepares a query, or returns what was kept of it, with the arguments in
// its order.
func (c *statements) get(query string, args []any) (statement, []any, error) {
	c.mu.RLock()
	st, known := c.all[query]
	c.mu.RUnlock()
	if !known {
		var err error
		if st, err = c.add(query); err != nil {
			return st, nil, err
		}
	}
	list, err := c.dialect.values(st.names, args)
	return st, list, err
}

func (c *statements) add(query string) (statement, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if st, known := c.all[query]; known {
		return st, nil
	}
	text, names, err := c.dialect.numbered(query)
	if err != nil {
		return statement{}, err
	}
	st, err := c.prepare(context.Background(), text)
	if err != nil {
		return statement{}, err
	}
	if c.all == nil {
		c.all = map[string]statement{}
	}
	kept := statement{Stmt: st, names: names}
	if c.changes != nil {
		kept.changes = c.changes.in(query)
	}
	c.all[query] = kept
	return kept, nil
}

func (c *statements) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, st := range c.all {
		_ = st.Close()
	}
	c.all = nil
}

// Kept returns the texts of all statements that readers have cached. Tests look at
// their plans.
func (d *DB) Kept() []string {
	d.reads.mu.RLock()
	defer d.reads.mu.RUnlock()
	return slices.Collect(maps.Keys(d.reads.all))
}

// Row is the first row of a result.
type Row struct {
	row     *sql.Row
	explain func(error) error
	err     error       // from before it was asked for
	again   func() *Row // asks once more; nil where that is of no use
}

// Scan reads the row's columns; ErrNotFound when there is none.
func (r *Row) Scan(dest ...any) error {
	if r.again != nil {
		ask := r.again
		first := &Row{row: r.row, explain: r.explain, err: r.err}
		return patiently(func() error {
			now := first
			if now == nil {
				now = ask()
			}
			first = nil
			return now.Scan(dest...)
		})
	}
	if r.err != nil {
		return r.err
	}
	err := r.row.Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return r.explain(err)
}

// patient is a row that is asked for again when the connection to a server was lost.
func (d *DB) patient(ask func() *Row) *Row {
	r := ask()
	if d.p.Server == nil {
		return r
	}
	return &Row{again: ask, row: r.row, explain: r.explain, err: r.err}
}

// Query reads rows on a reader; the caller closes them. Only constant queries:
// the statement is kept. The driver starts a goroutine per call for any context
// that can end, so none is taken; see QueryContext.
func (d *DB) Query(query string, args ...any) (rows *sql.Rows, err error) {
	ask := func() error {
		if d.p.Dialect.anew(args) {
			rows, err = d.QueryContext(context.Background(), query, args...)
			return err
		}
		st, list, err := d.reads.get(query, args)
		if err == nil {
			rows, err = st.Query(list...)
		}
		return d.p.Dialect.Explain(err)
	}
	if d.p.Server == nil {
		err = ask()
	} else {
		err = patiently(ask)
	}
	return rows, err
}

// QueryRow reads one row on a reader, as Query does.
func (d *DB) QueryRow(query string, args ...any) *Row {
	return d.patient(func() *Row {
		if d.p.Dialect.anew(args) {
			return d.QueryRowContext(context.Background(), query, args...)
		}
		st, list, err := d.reads.get(query, args)
		if err != nil {
			return &Row{err: d.p.Dialect.Explain(err)}
		}
		return &Row{row: st.QueryRow(list...), explain: d.p.Dialect.Explain}
	})
}

// QueryContext reads rows on a reader until ctx ends; the caller closes them.
// The statement is not kept.
func (d *DB) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	text, list, err := d.bind(query, args)
	if err != nil {
		return nil, err
	}
	rows, err := d.p.Readers.QueryContext(ctx, text, list...)
	return rows, d.p.Dialect.Explain(err)
}

// QueryRowContext reads one row, as QueryContext does.
func (d *DB) QueryRowContext(ctx context.Context, query string, args ...any) *Row {
	text, list, err := d.bind(query, args)
	if err != nil {
		return &Row{err: err}
	}
	return &Row{row: d.p.Readers.QueryRowContext(ctx, text, list...), explain: d.p.Dialect.Explain}
}

func (d *DB) bind(query string, args []any) (text string, list []any, err error) {
	text, names, err := d.p.Dialect.numbered(query)
	if err != nil {
		return "", nil, err
	}
	list, err = d.p.Dialect.values(names, args)
	if d.p.Dialect.anew(args) {
		list = append([]any{d.p.Dialect.Anew}, list...)
	}
	return text, list, err
}

package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// maxBatch bounds how many writes share one commit, so that the first of them
// does not wait for a thousand others.
const maxBatch = 128

// ErrClosed is returned by writes after Close.
var ErrClosed = errors.New("the store is closed")

// Tx is the writer's transaction. Statements are prepared once and kept.
type Tx struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

// write is one caller's share of a commit. fn may run twice: once with others
// and, when one of them fails, once more alone.
type write struct {
	fn   func(*Tx) error
	err  chan error
	bare bool // alone and outside a transaction, once
}

// write runs fn inside a transaction on the writer and returns once it is
// durable, or with the error and nothing stored. fn must only touch tx and
// must be repeatable. It blocks while the disk is slow; it is not cut short by
// ctx once it is queued, because half a wait would not tell what was stored.
func (s *Store) write(ctx context.Context, fn func(*Tx) error) error {
	return s.queued(ctx, fn)()
}

// queued is write that returns when fn has its place in the queue; wait
// returns what write would.
func (s *Store) queued(ctx context.Context, fn func(*Tx) error) (wait func() error) {
	return s.submit(ctx, &write{fn: fn, err: make(chan error, 1)})
}

// bare runs fn on the writer outside a transaction, for what SQLite does not
// do within one. All other writes wait.
func (s *Store) bare(ctx context.Context, fn func(*Tx) error) error {
	return s.submit(ctx, &write{fn: fn, err: make(chan error, 1), bare: true})()
}

func (s *Store) submit(ctx context.Context, w *write) (wait func() error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return func() error { return ErrClosed }
	}
	select {
	case s.queue <- w:
		return func() error { return <-w.err }
	case <-ctx.Done():
		err := context.Cause(ctx)
		return func() error { return err }
	}
}

// run is the writer: the only goroutine that changes the database.
func (s *Store) run(conn *sql.Conn) {
	defer close(s.done)
	tx := &Tx{conn: conn, stmts: map[string]*sql.Stmt{}}
	defer tx.close()
	batch := make([]*write, 0, maxBatch)
	for w := range s.queue {
		batch = append(batch[:0], w)
	gather:
		for len(batch) < maxBatch && !batch[len(batch)-1].bare {
			select {
			case more, ok := <-s.queue:
				if !ok {
					break gather
				}
				batch = append(batch, more)
			default:
				break gather
			}
		}
		commitBatch(tx, batch)
	}
}

// commitBatch commits all writes together. When one of them fails, each is
// tried alone, so that nobody pays for a neighbour. A bare write comes last.
func commitBatch(tx *Tx, batch []*write) {
	if last := batch[len(batch)-1]; last.bare {
		if len(batch) > 1 {
			commitBatch(tx, batch[:len(batch)-1])
		}
		last.err <- explain(last.fn(tx))
		return
	}
	if len(batch) > 1 {
		err := tx.together(func() error {
			for _, w := range batch {
				if err := w.fn(tx); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			for _, w := range batch {
				w.err <- nil
			}
			return
		}
	}
	for _, w := range batch {
		w.err <- explain(tx.together(func() error { return w.fn(tx) }))
	}
}

// together runs fn between BEGIN IMMEDIATE and COMMIT.
func (tx *Tx) together(fn func() error) (err error) {
	if _, err := tx.Exec("BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("begin: %w", explain(err))
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v", p)
		}
		if err != nil {
			_, _ = tx.Exec("ROLLBACK")
		}
	}()
	if err := fn(); err != nil {
		return err
	}
	if _, err := tx.Exec("COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", explain(err))
	}
	return nil
}

// prepare returns the kept statement for a query. Queries are constants of
// this package, so the cache is bounded by the code.
func (tx *Tx) prepare(query string) (*sql.Stmt, error) {
	if st := tx.stmts[query]; st != nil {
		return st, nil
	}
	st, err := tx.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	tx.stmts[query] = st
	return st, nil
}

// Exec runs a statement. The driver starts a goroutine per call for any
// context that can end, so none is passed.
func (tx *Tx) Exec(query string, args ...any) (sql.Result, error) {
	st, err := tx.prepare(query)
	if err != nil {
		return nil, err
	}
	return st.Exec(args...)
}

// QueryRow reads one row inside the transaction.
func (tx *Tx) QueryRow(query string, args ...any) *sql.Row {
	st, err := tx.prepare(query)
	if err != nil {
		return tx.conn.QueryRowContext(context.Background(), query, args...) // carries the error
	}
	return st.QueryRow(args...)
}

// Query reads rows inside the transaction; the caller closes them.
func (tx *Tx) Query(query string, args ...any) (*sql.Rows, error) {
	st, err := tx.prepare(query)
	if err != nil {
		return nil, err
	}
	return st.Query(args...)
}

func (tx *Tx) close() {
	for _, st := range tx.stmts {
		_ = st.Close()
	}
	_ = tx.conn.Close()
}

// stmtCache keeps the readers' statements. Queries are constants of this
// package.
type stmtCache struct {
	db    *sql.DB
	mu    sync.RWMutex // guards stmts
	stmts map[string]*sql.Stmt
}

func (c *stmtCache) get(query string) (*sql.Stmt, error) {
	c.mu.RLock()
	st := c.stmts[query]
	c.mu.RUnlock()
	if st != nil {
		return st, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if st := c.stmts[query]; st != nil {
		return st, nil
	}
	st, err := c.db.Prepare(query)
	if err != nil {
		return nil, err
	}
	if c.stmts == nil {
		c.stmts = map[string]*sql.Stmt{}
	}
	c.stmts[query] = st
	return st, nil
}

func (c *stmtCache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, st := range c.stmts {
		_ = st.Close()
	}
	c.stmts = nil
}

// query reads rows on a reader; the caller closes them. Only constant queries:
// the statement is kept.
func (s *Store) query(query string, args ...any) (*sql.Rows, error) {
	st, err := s.reads.get(query)
	if err != nil {
		return nil, err
	}
	return st.Query(args...)
}

// queryRow reads one row on a reader.
func (s *Store) queryRow(query string, args ...any) *sql.Row {
	st, err := s.reads.get(query)
	if err != nil {
		return s.ro.QueryRow(query, args...) // carries the error
	}
	return st.QueryRow(args...)
}

package postgres

import (
	"context"
	"database/sql/driver"
	"net"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"parley/internal/text/machine"
)

// connector tells how connecting goes.
type connector struct {
	driver.Connector
	see    func(error)
	writes bool // for the writer
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err = explain(err); err != nil && c.see != nil {
		c.see(err)
	}
	if own, ok := conn.(*stdlib.Conn); ok {
		conn = &reading{own, map[string]string{}}
		if c.writes {
			conn = &piped{Conn: own, see: c.see}
		}
	}
	return conn, err
}

// unacknowledged is how long sent bytes may stay so, in milliseconds.
const unacknowledged = 5_000

// bounded ends a connection over which nothing arrives any more: a write that waits
// for an answer would wait for many minutes.
func bounded(network, _ string, c syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return nil
	}
	return c.Control(func(fd uintptr) {
		machine.Impatient(fd, unacknowledged)
	})
}

// wires are the connections there are, so that they can be cut: over one to a server that
// hangs nothing comes, and nothing ends it.
type wires struct {
	mu   sync.Mutex // guards open
	open map[*wire]bool
}

// wire is one of them.
type wire struct {
	net.Conn
	of *wires
}

// through notes what a function dials.
func (w *wires) through(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		one := &wire{conn, w}
		w.open[one] = true
		return one, nil
	}
}

// Close implements net.Conn.
func (o *wire) Close() error {
	o.of.mu.Lock()
	delete(o.of.open, o)
	o.of.mu.Unlock()
	return o.Conn.Close()
}

// cut ends all connections.
func (w *wires) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.open {
		_ = one.Conn.Close()
	}
}

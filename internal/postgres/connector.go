package postgres

import (
	"context"
	"database/sql/driver"
	"syscall"

	"github.com/jackc/pgx/v5/stdlib"
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
	if err = explain(err); c.see != nil {
		c.see(err)
	}
	if own, ok := conn.(*stdlib.Conn); ok && c.writes {
		conn = &piped{Conn: own}
	}
	return conn, err
}

// tcpUserTimeout is Linux' number for how long sent bytes may stay unacknowledged.
const (
	tcpUserTimeout = 18
	unacknowledged = 5_000 // milliseconds
)

// bounded ends a connection over which nothing arrives any more: a write that waits
// for an answer would wait for many minutes.
func bounded(network, _ string, c syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return nil
	}
	return c.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, unacknowledged)
	})
}

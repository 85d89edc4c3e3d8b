package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"parley/internal/engine"
)

// explain adds the engine's own error to one of PostgreSQL's, and to those about its
// connection a sentence.
func explain(err error) error {
	if err == nil || errors.Is(err, engine.ErrLost) || errors.Is(err, engine.ErrConflict) || errors.Is(err, engine.ErrConstraint) || errors.Is(err, engine.ErrCorrupt) {
		return err
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return coded(pg, err)
	}
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &connect):
		return fmt.Errorf("%w: %w", engine.ErrLost, unreachable(connect))
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.As(err, &network), errors.Is(err, net.ErrClosed), closed(err):
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	}
	return err
}

// closed reports whether the library says that its connection is closed.
func closed(err error) bool {
	var safe interface{ SafeToRetry() bool }
	return errors.As(err, &safe) && safe.SafeToRetry()
}

// coded sorts PostgreSQL's errors by their codes.
func coded(pg *pgconn.PgError, err error) error {
	switch class := pg.Code[:min(2, len(pg.Code))]; {
	case pg.Code == "40001" || pg.Code == "40P01" || pg.Code == "0A000" && pg.Routine == "RevalidateCachedQuery":
		return fmt.Errorf("%w: %w", engine.ErrConflict, err)
	case pg.Code == "28P01" || pg.Code == "28000":
		return fmt.Errorf("%w: the database server does not let this user in (%s): check the user and the password of database.url", engine.ErrLost, pg.Message)
	case pg.Code == "3D000":
		return fmt.Errorf("%w: %s: make it with createdb, or correct database.url", engine.ErrLost, pg.Message)
	case class == "08" || class == "57" && pg.Code != "57014" || pg.Code == "53300" || pg.Code == "25006" || pg.Code == "25P03":
		return fmt.Errorf("%w: %w", engine.ErrLost, err) // it stops, starts, is a standby, has no room for us, or ended our transaction as idle
	case class == "23":
		return fmt.Errorf("%w: %w", engine.ErrConstraint, err)
	case pg.Code == "XX001" || pg.Code == "XX002":
		return fmt.Errorf("%w: %w", engine.ErrCorrupt, err)
	}
	return err
}

// said reports whether the server ended a statement with an error.
func said(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg)
}

// IsFull reports whether the server's disk is full.
func IsFull(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "53100" || pg.Code == "53200")
}

// unreachable says in a sentence why there is no connection.
func unreachable(c *pgconn.ConnectError) error {
	where := net.JoinHostPort(c.Config.Host, fmt.Sprint(c.Config.Port))
	var pg *pgconn.PgError
	var dns *net.DNSError
	switch {
	case errors.As(c, &pg):
		return coded(pg, pg)
	case errors.As(c, &dns):
		return fmt.Errorf("there is no host %s: check database.url", c.Config.Host)
	case errors.Is(c, context.DeadlineExceeded):
		return fmt.Errorf("nothing answers at %s in time: check database.url and whether the server runs", where)
	}
	reason := errors.Unwrap(c)
	for next := errors.Unwrap(reason); next != nil; next = errors.Unwrap(reason) {
		reason = next
	}
	return fmt.Errorf("no connection to %s (%v): check database.url and whether the server runs", where, reason)
}

package postgres

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"parley/internal/db/engine"
)

// Explain is for errors of connections that are made beside a DB; see explain.
func Explain(err error) error { return explain(err) }

// explain adds the engine's own error to one of PostgreSQL's, and to those about its
// connection a sentence.
func explain(err error) error {
	if err == nil || errors.Is(err, ErrFull) || errors.Is(err, engine.ErrLost) || errors.Is(err, engine.ErrConflict) ||
		errors.Is(err, engine.ErrConstraint) || errors.Is(err, engine.ErrUnfit) || errors.Is(err, engine.ErrCorrupt) {
		return err
	}
	var pg *pgconn.PgError
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &connect):
		if err = unreachable(connect); errors.Is(err, engine.ErrLost) {
			return err
		}
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	case errors.As(err, &pg):
		return coded(pg, err)
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, io.EOF), errors.As(err, &network), errors.Is(err, net.ErrClosed), closed(err):
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	}
	return err
}

// closed reports whether the library says that its connection is closed.
func closed(err error) bool {
	var safe interface{ SafeToRetry() bool }
	return errors.As(err, &safe) && safe.SafeToRetry()
}

// coded sorts PostgreSQL's errors by their codes, and says of those that an operator can do
// something about what that is.
func coded(pg *pgconn.PgError, err error) error {
	switch class := pg.Code[:min(2, len(pg.Code))]; {
	case pg.Code == "40001" || pg.Code == "40P01" || pg.Code == "0A000" && pg.Routine == "RevalidateCachedQuery":
		return fmt.Errorf("%w: %w", engine.ErrConflict, err)
	case pg.Code == "28P01":
		return fmt.Errorf("%w: it does not let this user in (%s): check the user and the password of database.url", engine.ErrLost, pg.Message)
	case class == "28":
		return fmt.Errorf("%w: it does not let this user in (%s): check the user of database.url, and pg_hba.conf on the server",
			engine.ErrLost, pg.Message)
	case pg.Code == "3D000":
		return fmt.Errorf("%w: %s: make it with createdb, or correct database.url", engine.ErrLost, pg.Message)
	case pg.Code == "25006":
		return fmt.Errorf("%w (%s): it is a standby, or was set read-only", ErrRefuses, pg.Message)
	case pg.Code == "53100" || pg.Code == "53200":
		return fmt.Errorf("%w (%s)", ErrFull, pg.Message)
	case pg.Code == "53400":
		return fmt.Errorf("%w: raise that limit for the user of database.url", err)
	case pg.Code == "53300":
		return fmt.Errorf("%w: it has no room for another connection (%s): raise max_connections, or the limit of the user or the database",
			engine.ErrLost, pg.Message)
	case class == "08" || class == "57" && pg.Code != "57014" || pg.Code == "25P03":
		return fmt.Errorf("%w: %w", engine.ErrLost, err) // it stops, starts, or ended our transaction as idle
	case class == "23":
		return fmt.Errorf("%w: %w", engine.ErrConstraint, err)
	case class == "22" && !strings.Contains(pg.Message, first) || class == "54":
		return fmt.Errorf("%w: %w", engine.ErrUnfit, err)
	case pg.Code == "42501":
		return fmt.Errorf("%w: the user of database.url has to own the tables, or be granted what it lacks", err)
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

// What keeps a server that answers from taking writes.
var (
	ErrFull    = errors.New("the database server has no room left, on its disk or in its memory: make room there")
	ErrRefuses = fmt.Errorf("%w: it takes no writes", engine.ErrLost) // the other one of a pair may
)

// unread says what is wrong with a URL. It never shows it: it may hold a password, and so may
// what the library says of a part of it, unless that is about a file.
func unread(err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return fmt.Errorf("database.url names a file that cannot be read: %w", file)
	}
	return errors.New("database.url is not a URL of PostgreSQL, such as postgres://user:password@host:5432/name?sslmode=verify-full")
}

// unreachable says in a sentence why there is no connection.
func unreachable(c *pgconn.ConnectError) error {
	where := net.JoinHostPort(c.Config.Host, fmt.Sprint(c.Config.Port))
	var pg *pgconn.PgError
	var dns *net.DNSError
	var stranger x509.UnknownAuthorityError
	var wrong *tls.CertificateVerificationError
	switch {
	case errors.As(c, &pg):
		return coded(pg, pg)
	case errors.As(c, &dns):
		return fmt.Errorf("there is no host %s: check database.url", c.Config.Host)
	case errors.As(c, &stranger):
		return fmt.Errorf("nobody known here has signed the certificate of %s: name who has with sslrootcert=FILE in database.url", where)
	case errors.As(c, &wrong):
		return fmt.Errorf("the certificate of %s does not fit (%w): correct the host in database.url, or the certificate", where, wrong.Err)
	case errors.Is(c, context.DeadlineExceeded):
		return fmt.Errorf("nothing answers at %s in time: check database.url and whether the server runs", where)
	}
	return fmt.Errorf("no connection to %s (%w): check database.url and whether the server runs", where, innermost(c))
}

// innermost is the cause of an error, and of several that of the last one.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if all, ok := err.(interface{ Unwrap() []error }); ok && len(all.Unwrap()) > 0 {
			next = all.Unwrap()[len(all.Unwrap())-1]
		}
		if next == nil {
			return err
		}
		err = next
	}
}

package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"

	"github.com/mattn/go-sqlite3"

	"parley/internal/text"
	"parley/internal/text/ranking"
)

// library is SQLite with the functions that our schemas name.
var library = &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
	return errors.Join(c.RegisterFunc("unspaced", text.Pieces, true), c.RegisterFunc("indexed", ranking.Indexed, true),
		c.RegisterFunc("goes_on", goesOn, true))
}}

// open opens a database and passes every error to see, if that is not nil: any statement
// may be the first to meet damage, which must not pass unnoticed.
func open(path, settings string, see func(error)) *sql.DB {
	return sql.OpenDB(connector{path, dsn(path, settings), see})
}

type connector struct {
	path, dsn string
	see       func(error)
}

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) {
	made, err := connect(c.path, c.dsn)
	switch {
	case err != nil:
		if c.see != nil {
			c.see(err)
		}
		return nil, crowded(err)
	case c.see != nil:
		return seenConn{made, c.see}, nil
	}
	return made, nil
}

// Driver implements driver.Connector.
func (connector) Driver() driver.Driver { return library }

// seenConn is a connection of the library with its errors seen.
type seenConn struct {
	conn
	see func(error)
}

// PrepareContext implements driver.ConnPrepareContext.
func (c seenConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	st, err := c.SQLiteConn.PrepareContext(ctx, query)
	if err != nil {
		c.see(err)
		return nil, err
	}
	return seenStmt{st.(*sqlite3.SQLiteStmt), c.see}, nil
}

// ExecContext implements driver.ExecerContext.
func (c seenConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	res, err := c.SQLiteConn.ExecContext(ctx, query, args)
	c.see(err)
	return res, err
}

// QueryContext implements driver.QueryerContext.
func (c seenConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.SQLiteConn.QueryContext(ctx, query, args)
	return seenRowsOf(rows, err, c.see)
}

type seenStmt struct {
	*sqlite3.SQLiteStmt
	see func(error)
}

// ExecContext implements driver.StmtExecContext.
func (s seenStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	res, err := s.SQLiteStmt.ExecContext(ctx, args)
	s.see(err)
	return res, err
}

// QueryContext implements driver.StmtQueryContext.
func (s seenStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := s.SQLiteStmt.QueryContext(ctx, args)
	return seenRowsOf(rows, err, s.see)
}

type seenRows struct {
	*sqlite3.SQLiteRows
	see func(error)
}

func seenRowsOf(rows driver.Rows, err error, see func(error)) (driver.Rows, error) {
	if err != nil {
		see(err)
		return nil, err
	}
	return seenRows{rows.(*sqlite3.SQLiteRows), see}, nil
}

// Next implements driver.Rows.
func (r seenRows) Next(dest []driver.Value) error {
	err := r.SQLiteRows.Next(dest)
	if err != io.EOF { // which ends every result
		r.see(err)
	}
	return err
}

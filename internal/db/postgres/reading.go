package postgres

import (
	"context"
	"database/sql/driver"
	"io"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"

	"parley/internal/db/engine"
)

type stdConn = stdlib.Conn // embedded by this name, it hides no method

// reading is a reader's connection. A statement that it has not seen is prepared and run in
// one trip: all arguments are texts or bytes (argument), so nothing of it need be known
// before. It is used by one goroutine at a time.
type reading struct {
	*stdConn
	names map[string]string // of what is prepared, by text
}

// PrepareContext implements driver.ConnPrepareContext, without a trip.
func (c *reading) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	return readStatement{c, query}, nil
}

// readStatement implements driver.Stmt.
type readStatement struct {
	c    *reading
	text string
}

func (s readStatement) Close() error                               { return nil }
func (s readStatement) NumInput() int                              { return -1 }
func (s readStatement) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }
func (s readStatement) Query([]driver.Value) (driver.Rows, error)  { return nil, driver.ErrSkip }

// ExecContext implements driver.StmtExecContext.
func (s readStatement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.c.ExecContext(ctx, s.text, args)
}

// QueryContext implements driver.StmtQueryContext.
func (s readStatement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	values, formats, ok := written(args)
	if !ok {
		return s.c.stdConn.QueryContext(ctx, s.text, args)
	}
	conn := s.c.Conn()
	rows := &arriving{types: conn.TypeMap()}
	if name, known := s.c.names[s.text]; known {
		rows.reader = conn.PgConn().ExecPrepared(ctx, name, values, formats, nil)
		rows.fields = rows.reader.FieldDescriptions()
	} else if err := s.first(ctx, rows, values, formats); err != nil {
		return nil, err
	}
	if rows.fields == nil { // it failed
		if _, err := rows.reader.Close(); err != nil {
			delete(s.c.names, s.text) // what it was prepared for may have changed
			return nil, rows.close(err)
		}
	}
	if ctx.Value(engine.Unhurried{}) != nil {
		return whole(rows)
	}
	return rows, nil
}

// first prepares a statement and runs it.
func (s readStatement) first(ctx context.Context, rows *arriving, values [][]byte, formats []int16) error {
	name := "r" + strconv.Itoa(len(s.c.names))
	rows.pipe = s.c.Conn().PgConn().StartPipeline(ctx)
	rows.pipe.SendPrepare(name, s.text, nil)
	rows.pipe.SendQueryPrepared(name, values, formats, nil)
	if err := rows.pipe.Sync(); err != nil {
		return rows.close(err)
	}
	if _, err := rows.pipe.GetResults(); err != nil {
		return rows.close(err)
	}
	s.c.names[s.text] = name
	got, err := rows.pipe.GetResults()
	if err != nil {
		return rows.close(err)
	}
	rows.reader = got.(*pgconn.ResultReader)
	rows.fields = rows.reader.FieldDescriptions()
	return nil
}

// written are arguments as they go over the wire, and whether each is a text (0) or bytes
// (1); ok is false for something else, which the library knows.
func written(args []driver.NamedValue) (values [][]byte, formats []int16, ok bool) {
	values, formats = make([][]byte, len(args)), make([]int16, len(args))
	for i, a := range args {
		switch v := a.Value.(type) {
		case nil:
		case string:
			values[i] = []byte(v)
		case []byte:
			values[i], formats[i] = v, 1
		default:
			return nil, nil, false
		}
		if a.Value != nil && values[i] == nil {
			values[i] = []byte{} // else it would be none
		}
	}
	return values, formats, true
}

// arriving are rows as they arrive. It implements driver.Rows.
type arriving struct {
	reader *pgconn.ResultReader
	pipe   *pgconn.Pipeline // nil for none
	fields []pgconn.FieldDescription
	types  *pgtype.Map
}

// Columns implements driver.Rows.
func (a *arriving) Columns() []string {
	names := make([]string, len(a.fields))
	for i, f := range a.fields {
		names[i] = f.Name
	}
	return names
}

// close ends what is under way, for a reason.
func (a *arriving) close(err error) error {
	if a.pipe != nil {
		if e := a.pipe.Close(); err == nil {
			err = e
		}
	}
	return err
}

// Close implements driver.Rows.
func (a *arriving) Close() error {
	_, err := a.reader.Close()
	return a.close(err)
}

// Next implements driver.Rows.
func (a *arriving) Next(dest []driver.Value) error {
	if !a.reader.NextRow() {
		if err := a.Close(); err != nil {
			return err
		}
		return io.EOF
	}
	for i, raw := range a.reader.Values() {
		v, err := value(a.types, a.fields[i], raw)
		if err != nil {
			return err
		}
		dest[i] = v
	}
	return nil
}

// value reads what the server sent.
func value(types *pgtype.Map, f pgconn.FieldDescription, raw []byte) (driver.Value, error) {
	if raw == nil {
		return nil, nil
	}
	switch f.DataTypeOID {
	case pgtype.TextOID, pgtype.VarcharOID:
		return string(raw), nil
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.Int2OID:
		if f.Format == pgtype.TextFormatCode {
			return strconv.ParseInt(string(raw), 10, 64)
		}
	}
	t, ok := types.TypeForOID(f.DataTypeOID)
	if !ok {
		return string(raw), nil
	}
	return t.Codec.DecodeDatabaseSQLValue(types, f.DataTypeOID, f.Format, raw)
}

// stale reports whether a connection that nobody used for a while is to be asked whether it
// is good. One that the server has ended shows it without a trip.
func stale(_ context.Context, p stdlib.ShouldPingParams) bool {
	//lint:ignore SA1019 a ping is a trip; what fails on a connection that is gone is tried again as after any other
	return p.IdleDuration > time.Second && p.Conn.PgConn().CheckConn() != nil
}

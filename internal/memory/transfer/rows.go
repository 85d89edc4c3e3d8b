package transfer

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"

	"parley/internal/db/postgres"
)

// sum identifies the rows of a table, in whatever order they are.
type sum struct {
	rows   int64
	digest uint64 // the digests of all rows added up
}

func (s *sum) add(row []any) {
	h := sha256.New()
	for _, v := range row {
		text := fmt.Sprint(v)
		if b, ok := v.([]byte); ok {
			text = hex.EncodeToString(b)
		}
		_, _ = fmt.Fprintf(h, "%T %d %s;", v, len(text), text)
	}
	s.rows++
	s.digest += binary.BigEndian.Uint64(h.Sum(nil))
}

// each calls see with the rows of a table, each value as its column holds it.
func (j *job) each(ctx context.Context, conn *sql.Conn, t table, see func([]any) error) (s sum, err error) {
	rows, err := conn.QueryContext(ctx, "SELECT "+t.names()+` FROM "`+t.name+`"`)
	if err != nil {
		return s, fmt.Errorf("read %s: %w", t.name, err)
	}
	defer func() { _ = rows.Close() }()
	row, to := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range row {
		to[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return s, fmt.Errorf("read %s: %w", t.name, err)
		}
		for i, c := range t.columns {
			if row[i], err = c.value(row[i]); err != nil {
				return s, fmt.Errorf("%s.%s: %w", t.name, c.name, err)
			}
		}
		s.add(row)
		j.tell(1)
		if see != nil {
			if err := see(row); err != nil {
				return s, fmt.Errorf("write %s: %w", t.name, err)
			}
		}
	}
	return s, rows.Err()
}

// value is a value as a column of this kind holds it. SQLite lets a column hold values
// of any kind.
func (c column) value(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	if b, ok := v.([]byte); ok && c.kind != "bytea" {
		v = string(b)
	}
	switch c.kind {
	case "bytea":
		if s, ok := v.(string); ok {
			return []byte(s), nil
		}
		return append([]byte{}, v.([]byte)...), nil
	case "boolean":
		if n, ok := v.(int64); ok {
			return n != 0, nil
		}
		return v, nil
	case "bigint":
		if s, ok := v.(string); ok {
			return strconv.ParseInt(s, 10, 64)
		}
		return v, nil
	case "double precision":
		switch n := v.(type) {
		case int64:
			return float64(n), nil
		case string:
			return strconv.ParseFloat(n, 64)
		}
		return v, nil
	}
	return postgres.Storable(fmt.Sprint(v)), nil
}

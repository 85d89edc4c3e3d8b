package sqlite

import (
	"database/sql/driver"
	"testing"

	"parley/internal/text/waittest"

	"github.com/mattn/go-sqlite3"
)

// TestLimitIsPreparedOnce: what a message reads with a limit is written so that SQLite
// does not prepare it anew each time, as it does where the limit is a bare parameter.
func TestLimitIsPreparedOnce(t *testing.T) {
	c, err := library.Open(":memory:")
	must(t, err)
	conn := c.(*sqlite3.SQLiteConn)
	defer func() { _ = conn.Close() }()
	must(t, waittest.Second(conn.ExecContext(t.Context(), "CREATE TABLE t (x)", nil)))
	selects := 0
	conn.RegisterAuthorizer(func(op int, _, _, _ string) int { // is asked whenever something is prepared
		if op == sqlite3.SQLITE_SELECT {
			selects++
		}
		return sqlite3.SQLITE_OK
	})
	for query, anew := range map[string]bool{"SELECT x FROM t LIMIT ?": true, "SELECT x FROM t LIMIT ? + 0": false} {
		selects = 0
		st, err := conn.Prepare(query)
		must(t, err)
		for range 3 {
			rows, err := st.(driver.StmtQueryContext).QueryContext(t.Context(), []driver.NamedValue{{Ordinal: 1, Value: int64(5)}})
			must(t, err)
			_ = rows.Next(make([]driver.Value, 1))
			_ = rows.Close()
		}
		if got := selects > 1; got != anew {
			t.Errorf("%s: prepared %d times", query, selects)
		}
		_ = st.Close()
	}
}

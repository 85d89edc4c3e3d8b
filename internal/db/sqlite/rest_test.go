package sqlite

import (
	"database/sql"
	"path/filepath"
	"testing"
)

// TestRest: after a busy time one reader stays, and as many as before may come again.
func TestRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	see := func(error) {}
	f := &file{path: path, w: open(path, writerPragmas(Options{}), see)}
	conn, err := f.w.Conn(t.Context())
	must(t, err)
	readers := open(path, readerPragmas, see)
	const most = 3
	readers.SetMaxOpenConns(most)
	readers.SetMaxIdleConns(most)
	d := f.db(conn, readers)
	defer func() { _ = d.Close() }()
	must(t, d.Write(t.Context(), exec("CREATE TABLE t (x)")))
	for range 2 {
		var all []*sql.Rows
		for range most {
			rows, err := d.QueryContext(t.Context(), "SELECT 1 UNION ALL SELECT 2")
			must(t, err)
			rows.Next()
			all = append(all, rows)
		}
		must(t, d.Rest(t.Context()))
		if n := readers.Stats().OpenConnections; n != most {
			t.Errorf("%d readers while %d are at work", n, most)
		}
		for _, rows := range all {
			must(t, rows.Close())
		}
		if n := readers.Stats().Idle; n != most {
			t.Errorf("%d of %d idle readers are kept", n, most)
		}
		must(t, d.Rest(t.Context()))
		if n := readers.Stats().OpenConnections; n != 1 {
			t.Errorf("%d readers at rest", n)
		}
	}
}

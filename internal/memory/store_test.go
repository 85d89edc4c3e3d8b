package memory

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/text/waittest"
)

// allRows is every row on the server as text.
func allRows(t *testing.T, s *Store) (whole []byte) {
	t.Helper()
	rows, err := s.db.Query("SELECT CAST(tablename AS text) FROM pg_tables WHERE schemaname = 'public'")
	must(t, err)
	tables, err := engine.Collect(rows, engine.Value[string])
	must(t, err)
	for _, table := range tables {
		var text string
		must(t, s.db.QueryRow(`SELECT coalesce(string_agg(CAST(x AS text), ' '), '') FROM "`+table+`" x`).Scan(&text))
		whole = append(append(whole, text...), ' ')
	}
	return whole
}

// openIn is Open; on a server each folder stands for a database of its own.
func openIn(t testing.TB, dir string, o Options) (*Store, error) {
	t.Helper()
	o.URL = postgrestest.InFolder(t, dir, func(url string) error {
		s, err := Open(context.Background(), "", Options{URL: url})
		if err != nil {
			return err
		}
		return s.Close()
	})
	return Open(context.Background(), dir, o)
}

// open returns a real store of its own.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := openIn(t, filepath.Join(t.TempDir(), "data"), o)
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestWriteGroupsKeepNeighboursApart(t *testing.T) {
	s := open(t, Options{})
	boom := errors.New("boom")
	errs := make(chan error, 100)
	for i := range 100 {
		go func() {
			errs <- s.db.Write(context.Background(), func(tx *engine.Tx) error {
				if i == 50 {
					return boom
				}
				_, err := tx.Exec("INSERT INTO cursors VALUES ('p', ?, 'v')", i)
				return err
			})
		}()
	}
	failed := 0
	for range 100 {
		if err := <-errs; err != nil {
			failed++
		}
	}
	var n int
	must(t, s.db.QueryRow("SELECT count(*) FROM cursors").Scan(&n))
	if failed != 1 || n != 99 {
		t.Fatalf("failed %d, stored %d", failed, n)
	}
}

var must = waittest.Must

// asWriter are settings like the writer's.
const asWriter = "_journal_mode=WAL&_txlock=immediate&_foreign_keys=on&_secure_delete=on"

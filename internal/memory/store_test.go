package memory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
)

// onServer says that the tests run with PostgreSQL, and not on files. (It is asked while
// tests run: only then does go test know that their results depend on it.)
func onServer() bool { return os.Getenv("PARLEY_TEST_ENGINE") == "postgres" }

// aboutFiles skips a test of what SQLite does with its file.
func aboutFiles(t *testing.T) {
	t.Helper()
	if onServer() {
		t.Skip("about SQLite's file")
	}
}

// allRows is every row on the server as text.
func allRows(t *testing.T, s *Store) (whole []byte) {
	t.Helper()
	rows, err := s.db.Query("SELECT CAST(tablename AS text) FROM pg_tables WHERE schemaname = 'public'")
	must(t, err)
	tables, err := engine.Collect(rows, engine.Name)
	must(t, err)
	for _, table := range tables {
		var text string
		must(t, s.db.QueryRow(`SELECT coalesce(string_agg(CAST(x AS text), ' '), '') FROM "`+table+`" x`).Scan(&text))
		whole = append(append(whole, text...), ' ')
	}
	return whole
}

// urlInChild names the variable with the URL of a test that runs in a child process.
const urlInChild = "PARLEY_TEST_DATABASE"

// databases are those that stand for folders on a server.
var databases sync.Map // folder -> URL

// openIn is Open; with PARLEY_TEST_ENGINE=postgres each folder stands for a database of
// its own on a server.
func openIn(t testing.TB, dir string, o Options) (*Store, error) {
	t.Helper()
	if onServer() {
		url, ok := databases.Load(dir)
		if given := os.Getenv(urlInChild); given != "" {
			url, ok = given, true
		}
		if !ok {
			url, _ = databases.LoadOrStore(dir, postgrestest.Copy(t, "parley_schema", func(url string) error {
				s, err := Open(context.Background(), "", Options{URL: url})
				if err != nil {
					return err
				}
				return s.Close()
			}))
		}
		o.URL = url.(string)
	}
	return Open(context.Background(), dir, o)
}

// open returns a real store of its own.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := openIn(t, filepath.Join(t.TempDir(), "data"), o)
	if err != nil {
		t.Fatal(err)
	}
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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// asWriter are settings like the writer's.
const asWriter = "_journal_mode=WAL&_txlock=immediate&_foreign_keys=on&_secure_delete=on"

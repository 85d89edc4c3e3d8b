package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"parley/internal/text/waittest"
)

var must = waittest.Must

// TestCloseWaitsForNoReader: a program that always reads, as one does that copies the
// log, keeps nobody from closing the file; whoever waits for it keeps others from
// writing meanwhile.
func TestCloseWaitsForNoReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	d, err := Open(t.Context(), path, Options{Durable: true})
	must(t, err)
	if err := d.Exec(t.Context(), "CREATE TABLE things (words TEXT)"); err != nil {
		t.Fatal(err)
	}
	conn, done, err := Connect(t.Context(), path, "mode=rw")
	must(t, err)
	defer done()
	for _, step := range []string{"BEGIN", "SELECT count(*) FROM things"} {
		must(t, waittest.Second(conn.ExecContext(t.Context(), step)))
	}
	if err := d.Exec(t.Context(), "INSERT INTO things VALUES ('later')"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second { // a writer waits for 30
		t.Errorf("it took %v", took)
	}
}

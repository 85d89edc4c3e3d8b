package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"parley/internal/db/engine"
)

// TestCloseWaitsForNoReader: a program that always reads, as one does that copies the
// log, keeps nobody from closing the file; whoever waits for it keeps others from
// writing meanwhile.
func TestCloseWaitsForNoReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	d, err := Open(t.Context(), path, Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(t.Context(), func(tx *engine.Tx) error {
		_,
			err := tx.Exec("CREATE TABLE things (words TEXT)")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	conn, done, err := Connect(t.Context(), path, "mode=rw")
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for _, step := range []string{"BEGIN", "SELECT count(*) FROM things"} {
		if _, err := conn.ExecContext(t.Context(), step); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Write(t.Context(), func(tx *engine.Tx) error {
		_,
			err := tx.Exec("INSERT INTO things VALUES ('later')")
		return err
	}); err != nil {
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

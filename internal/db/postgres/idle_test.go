package postgres_test

import (
	"testing"
	"time"

	"parley/internal/db/engine"
	"parley/internal/db/postgres"
	"parley/internal/db/postgres/postgrestest"
)

// TestStoppedWriter: a process that is stopped, or cut off, within a transaction keeps
// others from its rows for moments only; it begins anew once it goes on.
func TestStoppedWriter(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	db, others := open(t, url, postgres.Options{}), postgrestest.Raw(t, url)
	must(t, db.Write(t.Context(), exec("CREATE TABLE counts (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)")))
	must(t, db.Write(t.Context(), exec("INSERT INTO counts VALUES (1, 0)")))
	runs := 0
	must(t, db.Write(t.Context(), func(tx *engine.Tx) error {
		if _, err := tx.Exec("UPDATE counts SET n = n + 1 WHERE id = 1"); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow("SELECT n FROM counts WHERE id = 1").Scan(&n); err != nil {
			return err
		}
		if runs++; runs > 1 {
			return nil
		}
		began := time.Now()
		if _, err := others.ExecContext(t.Context(), "SET lock_timeout = '20s'; UPDATE counts SET n = n + 10 WHERE id = 1"); err != nil {
			t.Errorf("another process is kept out: %v", err)
		}
		t.Logf("another process waited for %v", time.Since(began))
		return nil
	}))
	var n int
	must(t, others.QueryRow("SELECT n FROM counts WHERE id = 1").Scan(&n))
	if n != 11 || runs != 2 {
		t.Errorf("%d after %d attempts", n, runs)
	}
}

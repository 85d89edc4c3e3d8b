package postgres_test

import (
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/postgres"
	"parley/internal/db/postgres/postgrestest"
)

// People's words that another process has forgotten are not read once more, also by one that
// has written nothing since.
func TestNoWordsAreKept(t *testing.T) {
	url := postgrestest.Database(t)
	db, other := open(t, url, postgres.Options{}), open(t, url, postgres.Options{})
	must(t, db.Write(t.Context(), exec("CREATE TABLE decided (line TEXT, content TEXT)")))
	must(t, db.Write(t.Context(), exec("INSERT INTO decided VALUES ('l', 'we meet on Monday')")))
	kept := engine.KeepInFile[string, int](db, "decided")
	held := func() (n int) {
		t.Helper()
		n, err := kept.Get("l", func() (n int, err error) {
			err = db.QueryRow("SELECT count(*) FROM decided WHERE line = 'l'").Scan(&n)
			return n, err
		})
		must(t, err)
		return n
	}
	if n := held(); n != 1 {
		t.Fatalf("%d rows", n)
	}
	must(t, other.Write(t.Context(), exec("DELETE FROM decided")))
	if n := held(); n != 0 {
		t.Errorf("what was forgotten elsewhere is read")
	}
}

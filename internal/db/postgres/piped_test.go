package postgres_test

import (
	"errors"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/postgres"
	"parley/internal/db/postgres/postgrestest"
)

// What a transaction says goes to the server together: a write that needs no answer is
// one trip, and each answer that is needed is one more.
func TestTrips(t *testing.T) {
	p, url := postgrestest.NewProxy(t, postgrestest.Database(t))
	db := open(t, url, postgres.Options{})
	must(t, db.Write(t.Context(), exec("CREATE TABLE counts (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)")))
	must(t, db.Write(t.Context(), exec("INSERT INTO counts VALUES (1, 0)")))
	for _, tt := range []struct {
		name  string
		trips int64
		fn    func(*engine.Tx) error
	}{
		{"statements", 1, func(tx *engine.Tx) error {
			for range 5 {
				if _, err := tx.Exec("UPDATE counts SET n = n + 1 WHERE id = 1"); err != nil {
					return err
				}
			}
			return tx.Require(errors.New("gone"), "SELECT 1 FROM counts WHERE id = ? FOR SHARE", 1)
		}},
		{"an answer", 2, func(tx *engine.Tx) error {
			var n int
			if _, err := tx.Exec("UPDATE counts SET n = n + 1 WHERE id = 1"); err != nil {
				return err
			}
			return tx.QueryRow("SELECT n FROM counts WHERE id = 1").Scan(&n)
		}},
		{"nothing", 0, func(*engine.Tx) error { return errors.New("not now") }},
	} {
		_ = db.Write(t.Context(), tt.fn) // what is new is prepared first
		before := p.Trips.Load()
		_ = db.Write(t.Context(), tt.fn)
		if got := p.Trips.Load() - before; got != tt.trips {
			t.Errorf("%s: %d trips", tt.name, got)
		}
	}
	var n int
	if must(t, db.QueryRow("SELECT n FROM counts").Scan(&n)); n != 12 {
		t.Errorf("%d of 12", n)
	}
}

// Many statements in one transaction do not gather without end, and none is lost.
func TestManyStatements(t *testing.T) {
	db := open(t, postgrestest.Database(t), postgres.Options{})
	must(t, db.Write(t.Context(), exec("CREATE TABLE things (id BIGINT PRIMARY KEY)")))
	must(t, db.Write(t.Context(), func(tx *engine.Tx) error {
		for i := range 1500 {
			if _, err := tx.Exec("INSERT INTO things VALUES (?)", i); err != nil {
				return err
			}
		}
		return nil
	}))
	var n int
	if must(t, db.QueryRow("SELECT count(*) FROM things").Scan(&n)); n != 1500 {
		t.Errorf("%d of 1500", n)
	}
}

// What one process keeps of a table, and another changes, is read anew with the next
// write of the first.
func TestKeptIsToldToOthers(t *testing.T) {
	url := postgrestest.Database(t)
	a, b := open(t, url, postgres.Options{}), open(t, url, postgres.Options{})
	must(t, a.Write(t.Context(), exec("CREATE TABLE rules (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)")))
	must(t, a.Write(t.Context(), exec("CREATE TABLE talk (id BIGINT PRIMARY KEY)")))
	must(t, a.Write(t.Context(), exec("INSERT INTO rules VALUES (1, 0)")))
	kept := map[*engine.DB]*engine.Kept[int, int]{a: engine.Keep[int, int](a, "rules"), b: engine.Keep[int, int](b, "rules")}
	reads := 0
	get := func(db *engine.DB) int {
		n, err := kept[db].Get(1, func() (n int, err error) {
			reads++
			return n, db.QueryRow("SELECT n FROM rules WHERE id = 1").Scan(&n)
		})
		must(t, err)
		return n
	}
	for i := range 30 {
		must(t, b.Write(t.Context(), exec("UPDATE rules SET n = ? WHERE id = 1", i)))
		must(t, a.Write(t.Context(), exec("INSERT INTO talk VALUES (?)", i)))
		if got := get(a); got != i {
			t.Fatalf("%d instead of %d", got, i)
		}
	}
	reads = 0
	for i := range 30 {
		must(t, a.Write(t.Context(), exec("INSERT INTO talk VALUES (?)", 100+i)))
		get(a)
	}
	if reads > 1 {
		t.Errorf("%d reads of what nobody changed", reads)
	}
}

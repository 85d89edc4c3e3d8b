package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/engine"
	"parley/internal/postgres"
	"parley/internal/postgres/postgrestest"
)

func open(t *testing.T, url string, o postgres.Options) *engine.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, o)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func exec(query string, args ...any) func(*engine.Tx) error {
	return func(tx *engine.Tx) error { _, err := tx.Exec(query, args...); return err }
}

// A commit whose answer is lost, or that is lost on its way, is done once: a count that
// is raised by each write is neither short nor too high.
func TestLostCommitIsDoneOnce(t *testing.T) {
	database := postgrestest.Database(t)
	p, url := postgrestest.NewProxy(t, database)
	db := open(t, url, postgres.Options{})
	must(t, db.Write(t.Context(), exec("CREATE TABLE counts (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)")))
	must(t, db.Write(t.Context(), exec("INSERT INTO counts VALUES (1, 0)")))
	writes := 0
	for i := range 12 {
		var runs atomic.Int32
		err := db.Write(t.Context(), func(tx *engine.Tx) error {
			if runs.Add(1) == 1 {
				switch i % 3 {
				case 0:
					p.Swallow.Store(1)
				case 1:
					p.Refuse.Store(int32(1 + i/3)) // each step from here to the commit
				case 2:
					p.Cut()
				}
			}
			_, err := tx.Exec("UPDATE counts SET n = n + 1 WHERE id = 1")
			return err
		})
		must(t, err)
		writes++
		p.Swallow.Store(0)
		p.Refuse.Store(0)
		var n int
		must(t, postgrestest.Raw(t, database).QueryRow("SELECT n FROM counts").Scan(&n))
		if n != writes {
			t.Fatalf("after cut %d: %d instead of %d", i, n, writes)
		}
		if i%3 == 0 && runs.Load() != 1 {
			t.Errorf("what was committed was done %d times", runs.Load())
		}
	}
}

// While the server is away writes fail with ErrLost, in time; once it is back they
// succeed, and so does reading.
func TestServerAwayAndBack(t *testing.T) {
	p, url := postgrestest.NewProxy(t, postgrestest.Database(t))
	db := open(t, url, postgres.Options{})
	must(t, db.Write(t.Context(), exec("CREATE TABLE things (id BIGINT PRIMARY KEY)")))
	p.Down(true)
	err := db.Write(t.Context(), exec("INSERT INTO things VALUES (1)"))
	if !errors.Is(err, engine.ErrLost) || !strings.Contains(err.Error(), "database.url") {
		t.Errorf("away: %v", err)
	}
	p.Down(false)
	must(t, db.Write(t.Context(), exec("INSERT INTO things VALUES (2)")))
	for range 20 { // whatever connections there are are dead each time
		p.Cut()
		var n int
		if err := db.QueryRow("SELECT count(*) FROM things").Scan(&n); err != nil || n != 1 {
			t.Fatalf("%d things are read, %v", n, err)
		}
		rows, err := db.Query("SELECT CAST(id AS text) FROM things")
		must(t, err)
		if list, err := engine.Collect(rows, engine.Name); err != nil || len(list) != 1 {
			t.Fatalf("%q are read, %v", list, err)
		}
	}
}

// Two writers that meet are repeated, and neither loses what it did.
func TestConflictsAreRepeated(t *testing.T) {
	url := postgrestest.Database(t)
	a, b := open(t, url, postgres.Options{}), open(t, url, postgres.Options{})
	must(t, a.Write(t.Context(), exec("CREATE TABLE counts (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)")))
	must(t, a.Write(t.Context(), exec("INSERT INTO counts VALUES (1, 0)")))
	const each = 50
	errs := make(chan error, 2*each)
	for _, db := range []*engine.DB{a, b} {
		go func() {
			for range each {
				errs <- db.Write(context.Background(), func(tx *engine.Tx) error {
					var n int
					if err := tx.QueryRow("SELECT n FROM counts WHERE id = 1").Scan(&n); err != nil {
						return err
					}
					_, err := tx.Exec("UPDATE counts SET n = ? WHERE id = 1", n+1)
					return err
				})
			}
		}()
	}
	for range 2 * each {
		must(t, <-errs)
	}
	var n int
	if must(t, a.QueryRow("SELECT n FROM counts").Scan(&n)); n != 2*each {
		t.Errorf("%d of %d", n, 2*each)
	}
}

// What stands in the way at a start is said in a sentence, and the password never is.
func TestStartsThatFail(t *testing.T) {
	database := postgrestest.Database(t)
	p, through := postgrestest.NewProxy(t, database)
	host := strings.Split(strings.Split(through, "@")[1], "/")[0]
	secret := "s3cret-word"
	for _, tt := range []struct{ name, url, want string }{
		{"no server", "postgres://parley:" + secret + "@127.0.0.1:1/x", "no connection to 127.0.0.1:1"},
		{"no host", "postgres://parley:" + secret + "@no-such-host.invalid/x", "no-such-host.invalid"},
		{"no database", "postgres://parley:" + secret + "@" + host + "/not_there?sslmode=disable", "not_there"},
		{"no user", "postgres://nobody_here:" + secret + "@" + host + "/postgres?sslmode=disable", "nobody_here"},
		{"no URL", "postgres://parley:" + secret + "@[::1/x", "is not a URL of PostgreSQL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := postgres.Open(t.Context(), tt.url, postgres.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(fmt.Sprintf("%+v", err), secret) {
				t.Errorf("%v", err)
			}
		})
	}
	p.Down(true)
	if _, err := postgres.Open(t.Context(), through, postgres.Options{}); !errors.Is(err, engine.ErrLost) {
		t.Errorf("a server that hangs up: %v", err)
	}
}

// Of two bots that want a database for themselves the second is refused.
func TestAlone(t *testing.T) {
	url := postgrestest.Database(t)
	first, err := postgres.Open(t.Context(), url, postgres.Options{Alone: true})
	must(t, err)
	if _, err := postgres.Open(t.Context(), url, postgres.Options{Alone: true}); !errors.Is(err, postgres.ErrInUse) {
		t.Errorf("the second got %v", err)
	}
	open(t, url, postgres.Options{}) // a command beside it
	must(t, first.Close())
	second, err := postgres.Open(t.Context(), url, postgres.Options{Alone: true})
	must(t, err)
	must(t, second.Close())
}

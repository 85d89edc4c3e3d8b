package chunked

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
	"parley/internal/text/waittest"
)

func open(t *testing.T) *engine.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Options{Durable: true,
		Prepare: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, "CREATE TABLE things (id INTEGER PRIMARY KEY, owner TEXT NOT NULL); CREATE TABLE said (n INTEGER)")
			return err
		}})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

var must = waittest.Must

func fill(t *testing.T, db *engine.DB, n int) {
	t.Helper()
	must(t, db.Exec(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO things SELECT i, iif(i % 2, 'ada', 'bob') FROM n`, n))
}

func count(t *testing.T, db *engine.DB, query string, args ...any) (n int) {
	t.Helper()
	must(t, db.QueryRow(query, args...).Scan(&n))
	return n
}

// spin works for a while as a statement would.
func spin(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

// While a long work goes on, whoever writes waits for one step of it, not for
// the work: with steps of 5 ms, 200 of them take a second.
func TestWritesPassLongWork(t *testing.T) {
	db := open(t)
	ctx, stop := context.WithCancel(t.Context())
	var steps int
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := Each(ctx, db, make([]int, 100_000), func(*engine.Tx, int) error {
			steps++
			spin(5 * time.Millisecond)
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the work ended with %v", err)
		}
	})
	fastest := time.Hour
	for i := range 20 {
		began := time.Now()
		must(t, db.Exec(t.Context(), "INSERT INTO said VALUES (?)", i))
		fastest = min(fastest, time.Since(began))
	}
	stop()
	wg.Wait()
	if steps == 0 {
		t.Error("the work got no turn")
	}
	if fastest > 100*time.Millisecond { // the others may have met a busy machine
		t.Errorf("the fastest of 20 writes took %s", fastest)
	}
}

// Work gets its turns though somebody writes all the time.
func TestWorkIsNotStarved(t *testing.T) {
	db := open(t)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				_ = db.Write(ctx, func(tx *engine.Tx) error { spin(time.Millisecond); return nil })
			}
		})
	}
	done, err := Each(t.Context(), db, make([]int, 3), func(*engine.Tx, int) error { return nil })
	stop()
	wg.Wait()
	if must(t, err); done != 3 {
		t.Errorf("%d of 3 are done", done)
	}
}

// What was committed before work is cut short stays, what fails is undone, and
// the same again does the rest.
func TestWorkGoesOnWhereItEnded(t *testing.T) {
	db := open(t)
	fill(t, db, 3*window)
	sweep := Sweep{Table: "things", Where: "owner = :owner", Do: []string{"DELETE FROM things WHERE id = :key"}}
	ctx, stop := context.WithCancelCause(t.Context())
	cut := errors.New("cut short")
	seen := 0
	keys := make([]int, 2*window)
	_, err := Each(ctx, db, keys, func(tx *engine.Tx, _ int) error {
		if seen++; seen == 10 {
			stop(cut)
		}
		spin(time.Millisecond)
		_, err := tx.Exec("DELETE FROM things WHERE id = ?", 2*seen)
		return err
	})
	if left := count(t, db, "SELECT count(*) FROM things"); !errors.Is(err, cut) || left > 3*window-10 || left == 3*window-len(keys) {
		t.Errorf("%d rows are left, %v", left, err)
	}
	before := count(t, db, "SELECT count(*) FROM things WHERE owner = 'ada'")
	n, err := sweep.Run(t.Context(), db, engine.Named{"owner": "ada"})
	if left := count(t, db, "SELECT count(*) FROM things WHERE owner = 'ada'"); err != nil || int(n) != before || left != 0 {
		t.Errorf("%d of %d changed, %d left, %v", n, before, left, err)
	}
	some := count(t, db, "SELECT count(*) FROM things")
	_, err = Each(t.Context(), db, []int{1, 2}, func(tx *engine.Tx, i int) error {
		if _, err := tx.Exec("DELETE FROM things"); err != nil || i == 2 {
			return errors.Join(err, cut)
		}
		return nil
	})
	if left := count(t, db, "SELECT count(*) FROM things"); !errors.Is(err, cut) || left != some {
		t.Errorf("a chunk that failed left %d of %d, %v", left, some, err)
	}
}

// Keys of any kind are met, and Until stops when it is told so.
func TestKeysAndRepeating(t *testing.T) {
	db := open(t)
	fill(t, db, 10)
	n, err := Sweep{Keys: "SELECT DISTINCT owner FROM things WHERE owner <> :but",
		Do: []string{"DELETE FROM things WHERE owner = :key"}}.Run(t.Context(), db, engine.Named{"but": "bob"})
	if must(t, err); n != 5 {
		t.Errorf("%d rows went", n)
	}
	var times []string
	for _, repeat := range []func(context.Context, *engine.DB, func(*engine.Tx) (bool, error)) error{Until, UntilBare} {
		k := 0
		must(t, repeat(t.Context(), db, func(tx *engine.Tx) (bool, error) { k++; return k < 7, nil }))
		times = append(times, fmt.Sprint(k))
	}
	if times[0] != "7" || times[1] != "7" {
		t.Errorf("repeated %s times", times)
	}
	if _, err := Each(t.Context(), db, []int{1}, func(*engine.Tx, int) error { panic("odd") }); err == nil {
		t.Error("a panic is no error")
	}
}

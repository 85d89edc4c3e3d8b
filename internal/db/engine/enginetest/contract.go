// Package enginetest is what every kind of database has to do as an engine: one suite
// that all of them run. It fakes nothing.
package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/db/engine"
	"parley/internal/text/waittest"
)

// Contract runs the suite. open returns an empty database, which is closed here; the
// words BLOB and INTEGER in types are those of the kind.
func Contract(t *testing.T, open func(t *testing.T) *engine.DB, types Types) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *engine.DB)
	}{
		{"values come back", valuesComeBack},
		{"texts of strangers are stored", strangeTexts},
		{"parameters have names", names},
		{"errors are told apart", errorsApart},
		{"a write that fails harms no other", failAlone},
		{"errors are where they belong", errorsInPlace},
		{"a row that is required", required},
		{"a number for later", numberLater},
		{"a panic is an error", panics},
		{"reading and writing back loses nothing", nothingLost},
		{"what is committed is seen", seenAtOnce},
		{"nobody overtakes themselves", inOrder},
		{"long work lets others pass", othersPass},
		{"what is put off goes with the next", putOff},
		{"closed is closed", closed},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := open(t)
			t.Cleanup(func() { must(t, db.Close()) })
			for _, table := range []string{
				"CREATE TABLE things (id " + types.ID + ", name TEXT NOT NULL UNIQUE, n " + types.Int + " NOT NULL DEFAULT 0, data " + types.Blob + ")",
				"INSERT INTO things (id, name, n) VALUES (1, 'first', 7)",
			} {
				must(t, db.Write(t.Context(), exec(table)))
			}
			c.test(t, db)
		})
	}
}

// Types are the names of types in a kind's words.
type Types struct{ ID, Int, Blob string }

var must = waittest.Must

func exec(query string, args ...any) func(*engine.Tx) error {
	return func(tx *engine.Tx) error { _, err := tx.Exec(query, args...); return err }
}

func count(t *testing.T, db *engine.DB) (n int) {
	t.Helper()
	must(t, db.QueryRow("SELECT count(*) FROM things").Scan(&n))
	return n
}

func valuesComeBack(t *testing.T, db *engine.DB) {
	data := bytes.Repeat([]byte{0, 1, 255}, 100_000)
	must(t, db.Write(t.Context(), func(tx *engine.Tx) error {
		for i, yes := range []bool{true, false} {
			if _, err := tx.Exec("INSERT INTO things (id, name, n, data) VALUES (?, ?, ?, ?)", 2+i, fmt.Sprint("yes is ", yes),
				yes, data); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, want := range []bool{true, false} {
		var yes bool
		var n int64
		var back []byte
		must(t, db.QueryRow("SELECT n, n, data FROM things WHERE name = ? AND n = ?", fmt.Sprint("yes is ", want), want).Scan(&yes, &n, &back))
		if yes != want || n == 1 != want || !bytes.Equal(back, data) {
			t.Errorf("%t came back as %t and %d, with %d bytes", want, yes, n, len(back))
		}
	}
	first, nobody := "first", (*string)(nil)
	for name, want := range map[*string]int{&first: 1, nobody: 3} {
		var found int
		must(t, db.QueryRow("SELECT count(*) FROM things WHERE name = coalesce(?, name)", name).Scan(&found))
		if found != want {
			t.Errorf("of 3 things, %d have a name that is %v", found, name)
		}
	}
	var empty []byte
	if err := db.QueryRow("SELECT data FROM things WHERE id = ?", 1).Scan(&empty); err != nil || empty != nil {
		t.Errorf("no data came back as %v, %v", empty, err)
	}
	at := time.Date(2031, 5, 3, 12, 0, 0, 1e6, time.UTC)
	must(t, db.Write(t.Context(), exec("UPDATE things SET name = ? WHERE id = 1", engine.Stamp(at))))
	var later int
	must(t, db.QueryRow("SELECT count(*) FROM things WHERE name > ? AND name <= ?", engine.Stamp(at.Add(-time.Millisecond)),
		engine.Stamp(at)).Scan(&later))
	if later != 1 {
		t.Error("times do not sort as texts")
	}
}

// strangeTexts: whatever people or models write can be stored, and read again as often
// as one likes; a character that a kind cannot hold may become another.
func strangeTexts(t *testing.T, db *engine.DB) {
	for i, s := range []string{"", "\x00", "a\x00b", "\xff\xfe", "\xed\xa0\x80", strings.Repeat("ä", 100_000), "😀\u202e",
		"'; DROP TABLE things; --", `\u0000`, "?:name$1::text"} {
		id, s := 10+i, fmt.Sprint(i, s)
		must(t, db.Write(t.Context(), exec("INSERT INTO things (id, name) VALUES (?, ?)", id, s)))
		var back, again string
		must(t, db.QueryRow("SELECT name FROM things WHERE id = ?", id).Scan(&back))
		must(t, db.QueryRow("SELECT name FROM things WHERE name = ?", s).Scan(&again))
		if back != again || plain(back) != plain(s) {
			t.Errorf("%.40q came back as %.40q and %.40q", s, back, again)
		}
	}
}

// plain is a text without what a kind may not hold, and what may stand for it.
func plain(s string) string {
	return strings.NewReplacer("\x00", "", "\ufffd", "").Replace(strings.ToValidUTF8(s, ""))
}

func names(t *testing.T, db *engine.DB) {
	p := engine.Named{"id": 1, "name": "first", "unused": true}
	var n int
	must(t, db.QueryRow("SELECT n FROM things WHERE id = :id AND name = :name AND (name = :name OR id > :id)", p).Scan(&n))
	if n != 7 {
		t.Errorf("got %d", n)
	}
	if err := db.QueryRow("SELECT n FROM things WHERE id = :other", p).Scan(&n); err == nil {
		t.Error("a parameter is missing, and nobody says so")
	}
}

func errorsApart(t *testing.T, db *engine.DB) {
	var n int
	if err := db.QueryRow("SELECT n FROM things WHERE id = 99").Scan(&n); err != engine.ErrNotFound {
		t.Errorf("no row: %v", err)
	}
	var within error
	err := db.Write(t.Context(), func(tx *engine.Tx) error {
		_, within = tx.Exec("INSERT INTO things (id, name) VALUES (2, 'first')")
		return within
	})
	if !errors.Is(within, engine.ErrConstraint) || !errors.Is(err, engine.ErrConstraint) || !engine.Hopeless(err) {
		t.Errorf("a second of a name: %v, then %v", within, err)
	}
	if err := db.Write(t.Context(), exec("INSERT INTO nowhere VALUES (1)")); err == nil || engine.Hopeless(err) {
		t.Errorf("no table: %v", err)
	}
	if _, err := db.Query("SELECT nothing FROM nowhere"); err == nil {
		t.Error("a query of no table is no error")
	}
}

// failAlone: writes of many callers share commits; whose own fails undoes nobody's.
func failAlone(t *testing.T, db *engine.DB) {
	odd := errors.New("odd")
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			err := db.Write(t.Context(), func(tx *engine.Tx) error {
				if _, err := tx.Exec("INSERT INTO things (id, name) VALUES (?, ?)", 100+i, fmt.Sprint("one of many ", i)); err != nil {
					return err
				}
				if i%3 == 0 {
					return odd
				}
				return nil
			})
			if errors.Is(err, odd) != (i%3 == 0) || err != nil && i%3 != 0 {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if n := count(t, db); n != 1+40 {
		t.Errorf("%d rows", n)
	}
}

func panics(t *testing.T, db *engine.DB) {
	err := db.Write(t.Context(), func(tx *engine.Tx) error {
		if _, err := tx.Exec("DELETE FROM things"); err != nil {
			return err
		}
		panic("odd")
	})
	if err == nil || count(t, db) != 1 {
		t.Errorf("%v, %d rows", err, count(t, db))
	}
	must(t, db.Write(t.Context(), exec("UPDATE things SET n = 8")))
}

// nothingLost: every write was thought of as the only one at its time.
func nothingLost(t *testing.T, db *engine.DB) {
	var wg sync.WaitGroup
	for range 25 {
		wg.Go(func() {
			for range 8 {
				if err := db.Write(t.Context(), func(tx *engine.Tx) error {
					var n int
					if err := tx.QueryRow("SELECT n FROM things WHERE id = 1").Scan(&n); err != nil {
						return err
					}
					_, err := tx.Exec("UPDATE things SET n = ? WHERE id = 1", n+1)
					return err
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var n int
	if must(t, db.QueryRow("SELECT n FROM things WHERE id = 1").Scan(&n)); n != 7+200 {
		t.Errorf("%d of 200 are left", n-7)
	}
}

func seenAtOnce(t *testing.T, db *engine.DB) {
	must(t, db.Soon(t.Context(), exec("INSERT INTO things (id, name) VALUES (2, 'soon')")))
	if count(t, db) != 2 {
		t.Error("what is committed soon is not seen")
	}
	durable, err := db.Stage(t.Context(), exec("INSERT INTO things (id, name) VALUES (3, 'staged')"))
	must(t, err)
	if count(t, db) != 3 {
		t.Error("what is staged is not seen")
	}
	must(t, durable())
	first := db.Queue(t.Context(), exec("INSERT INTO things (id, name) VALUES (4, 'a')"))
	second := db.Queue(t.Context(), exec("UPDATE things SET name = 'b' WHERE name = 'a'"))
	must(t, errors.Join(first(), second()))
	var name string
	if must(t, db.QueryRow("SELECT name FROM things WHERE id = 4").Scan(&name)); name != "b" {
		t.Errorf("what one goroutine queued did not stay in order: %s", name)
	}
	must(t, db.Bare(t.Context(), exec("DELETE FROM things WHERE id > 1")))
	if count(t, db) != 1 {
		t.Error("what ran outside a transaction is not seen")
	}
}

func othersPass(t *testing.T, db *engine.DB) {
	asked := make(chan bool)
	work := make(chan error, 1)
	go func() {
		work <- db.Beside(t.Context(), func(tx *engine.Tx, more func() bool) error {
			asked <- true
			for more() { // works
			}
			_, err := tx.Exec("INSERT INTO things (id, name) VALUES (2, 'a share')")
			return err
		})
	}()
	<-asked
	must(t, db.Write(t.Context(), exec("INSERT INTO things (id, name) VALUES (3, 'another''s')")))
	must(t, <-work)
	if count(t, db) != 3 {
		t.Errorf("%d rows", count(t, db))
	}
}

// inOrder: what somebody had queued is done before what they write next, however many
// others write meanwhile.
func inOrder(t *testing.T, db *engine.DB) {
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 20 {
				name := fmt.Sprint("of ", g, " ", i)
				wait := db.Queue(t.Context(), exec("INSERT INTO things (name) VALUES (?)", name))
				write := db.Write
				if i%2 == 0 {
					write = db.Soon
				}
				var n int64
				err := write(t.Context(), func(tx *engine.Tx) error {
					n = 0 // it may run again
					return tx.Count(&n, "UPDATE things SET n = 1 WHERE name = ?", name)
				})
				if err != nil || n != 1 || wait() != nil {
					t.Errorf("%s: %d rows, %v", name, n, err)
				}
			}
		})
	}
	all.Wait()
}

// putOff: what nobody waits for is stored ahead of the next write, or by itself a little
// later; it harms none and suffers from none, and a reader may have it stored.
func putOff(t *testing.T, db *engine.DB) {
	put := func(query string, args ...any) <-chan error {
		failed := make(chan error, 1)
		db.Later(exec(query, args...), func(err error) { failed <- err })
		return failed
	}
	put("UPDATE things SET n = n * 2 WHERE id = 1")
	broken := put("INSERT INTO things (id, name) VALUES (2, 'first')")
	put("UPDATE things SET n = n + 1 WHERE id = 1")
	must(t, db.Write(t.Context(), exec("UPDATE things SET n = n * 10 WHERE id = 1")))
	var n int
	must(t, db.QueryRow("SELECT n FROM things WHERE id = 1").Scan(&n))
	if err := <-broken; n != (7*2+1)*10 || err == nil {
		t.Errorf("it is %d; the broken one: %v", n, err)
	}
	put("INSERT INTO things (id, name) VALUES (3, 'third')")
	must(t, db.Settle(t.Context()))
	if count(t, db) != 2 {
		t.Error("a reader cannot have it stored")
	}
	ran := make(chan struct{}, 1)
	db.Later(func(tx *engine.Tx) error {
		ran <- struct{}{}
		return exec("INSERT INTO things (id, name) VALUES (4, 'fourth')")(tx)
	}, nil)
	<-ran // by itself
	must(t, db.Write(t.Context(), func(*engine.Tx) error { return nil }))
	if count(t, db) != 3 {
		t.Error("what ran by itself is not there")
	}
}

// closed: what was begun is stored, also what was put off.
func closed(t *testing.T, db *engine.DB) {
	put := make(chan error, 1)
	db.Later(func(*engine.Tx) error { put <- nil; return nil }, nil)

	wait := db.Queue(t.Context(), exec("INSERT INTO things (id, name) VALUES (2, 'the last')"))
	must(t, db.Close())
	must(t, wait())
	if err := db.Write(t.Context(), exec("DELETE FROM things")); err != engine.ErrClosed {
		t.Errorf("a write to a closed database: %v", err)
	}
	must(t, <-put)
	db.Later(exec("DELETE FROM things"), func(err error) { put <- err })
	if err := <-put; err != engine.ErrClosed {
		t.Errorf("something put off on a closed database: %v", err)
	}
	must(t, db.Close())
}

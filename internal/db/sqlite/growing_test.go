package sqlite_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"parley/internal/db/engine"
)

// TestGrowing: of a list that grows only what is new is read, everything once a row of
// it changed, here or in another process; nobody sees what others appended.
func TestGrowing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db, elsewhere := opened(t, path), opened(t, path)
	do := func(db *engine.DB, query string) func() {
		return func() {
			t.Helper()
			must(t, db.Write(t.Context(), func(tx *engine.Tx) error { _, err := tx.Exec(query); return err }))
		}
	}
	do(db, "CREATE TABLE lines (id INTEGER PRIMARY KEY, list TEXT, line TEXT)")()
	type line struct {
		id   int64
		text string
	}
	read := 0
	kept := engine.KeepGrowing(db, engine.List[line]{Table: "lines",
		ID: func(l line) int64 { return l.id }, Weight: func(l line) int { return 40 + len(l.text) },
		Read: func(list string, after int64, limit int) ([]line, error) {
			rows, err := db.Query("SELECT id, line FROM lines WHERE list = ? AND id > ? ORDER BY id DESC LIMIT ?", list, after, limit)
			if err != nil {
				return nil, err
			}
			all, err := engine.Collect(rows, func(r engine.Scanner) (l line, err error) { return l, r.Scan(&l.id, &l.text) })
			slices.Reverse(all)
			read += len(all)
			return all, err
		}})
	add := func(ids ...int) func() {
		return func() {
			for _, id := range ids {
				do(db, fmt.Sprintf("INSERT INTO lines VALUES (%d, 'a', 'line')", id))()
			}
		}
	}
	for i, step := range []struct {
		do    func()
		after int64
		limit int
		rows  []int64
		read  int // all together
	}{
		{add(1, 2, 3), 0, 10, []int64{1, 2, 3}, 3},
		{func() {}, 0, 10, []int64{1, 2, 3}, 3},
		{add(4), 0, 10, []int64{1, 2, 3, 4}, 4},
		{add(5, 6), 1, 3, []int64{4, 5, 6}, 6},
		{func() {}, 1, 10, []int64{2, 3, 4, 5, 6}, 6},
		{func() {}, 0, 4, []int64{3, 4, 5, 6}, 6},
		{func() {}, 0, 6, []int64{1, 2, 3, 4, 5, 6}, 12},
		{do(db, "UPDATE lines SET line = 'another' WHERE id = 6"), 4, 6, []int64{5, 6}, 14},
		{do(db, "DELETE FROM lines WHERE id = 5"), 4, 6, []int64{6}, 15},
		{func() { do(elsewhere, "DELETE FROM lines WHERE id = 6")(); do(db, "INSERT INTO other VALUES ('a')")() }, 4, 6, nil, 15},
		{add(7, 8, 9, 10), 4, 2, []int64{9, 10}, 17},
		{func() {}, 4, 2, []int64{9, 10}, 17},
		{func() {}, 4, 6, []int64{7, 8, 9, 10}, 21},
	} {
		step.do()
		got, err := kept.Newest("a", step.after, step.limit)
		var rows []int64
		for _, l := range got {
			rows = append(rows, l.id)
		}
		if err != nil || !slices.Equal(rows, step.rows) || read != step.read {
			t.Errorf("%d: %v after reading %d rows, want %v after %d; %v", i, rows, read, step.rows, step.read, err)
		}
		_ = append(got, line{99, "somebody's own"})
	}
}

// TestGrowingForMany: many read the same list while it grows; each has all that was there
// when they asked, in order. It needs -race to see two of them write to the same rows.
func TestGrowingForMany(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "x.db"))
	do := func(query string, args ...any) error {
		return db.Write(t.Context(), func(tx *engine.Tx) error { _, err := tx.Exec(query, args...); return err })
	}
	must(t, do("CREATE TABLE lines (id INTEGER PRIMARY KEY)"))
	kept := engine.KeepGrowing(db, engine.List[int64]{Table: "lines", ID: func(id int64) int64 { return id },
		Weight: func(int64) int { return 8 },
		Read: func(_ string, after int64, limit int) ([]int64, error) {
			rows, err := db.Query("SELECT id FROM lines WHERE id > ? ORDER BY id LIMIT ?", after, limit)
			if err != nil {
				return nil, err
			}
			return engine.Collect(rows, func(r engine.Scanner) (id int64, err error) { return id, r.Scan(&id) })
		}})
	const last = 200
	var added atomic.Int64
	var all sync.WaitGroup
	all.Go(func() {
		for id := int64(1); id <= last; id++ {
			if err := do("INSERT INTO lines VALUES (?)", id); err != nil {
				t.Error(err)
			}
			added.Store(id)
		}
	})
	for range 8 {
		all.Go(func() {
			for seen := int64(0); seen < last; {
				least := added.Load()
				rows, err := kept.Newest("a", 0, 2*last)
				if seen = int64(len(rows)); err != nil || seen < least {
					t.Errorf("%d of at least %d rows, %v", seen, least, err)
					return
				}
				for i, id := range rows {
					if id != int64(i)+1 {
						t.Errorf("row %d is %d", i, id)
						return
					}
				}
			}
		})
	}
	all.Wait()
}

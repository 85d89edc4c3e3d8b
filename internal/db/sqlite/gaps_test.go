package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/internal/db/engine"
)

const canary = "zxcanary"

func gapped(t *testing.T, settings string) *engine.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	raw := Raw(path, settings)
	_, err := raw.Exec("CREATE TABLE kept (n INTEGER); CREATE TABLE things (id TEXT PRIMARY KEY, words TEXT NOT NULL); " +
		"CREATE INDEX by_words ON things (words)")
	must(t, errors.Join(err, raw.Close()))
	d, err := Open(t.Context(), path, Options{Durable: true})
	must(t, err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// live writes, rewrites and deletes rows of any length, so that trees are
// balanced; then all rows with the canary go, one after the other.
func live(t *testing.T, d *engine.DB) {
	t.Helper()
	r := rand.New(rand.NewSource(7))
	row := func(i int) string {
		word := "others"
		if i%3 == 0 {
			word = canary
		}
		return strings.Repeat(word+" ", 1+r.Intn(60))
	}
	exec := func(query string, args ...any) {
		t.Helper()
		must(t, d.Write(t.Context(), func(tx *engine.Tx) error { _, err := tx.Exec(query, args...); return err }))
	}
	for i := range 600 {
		exec("INSERT INTO things VALUES (?, ?)", fmt.Sprint(r.Int63()), row(i))
		if i%5 == 0 {
			exec("UPDATE things SET words = words || words WHERE rowid = (SELECT max(rowid) FROM things WHERE rowid <= ?)", r.Intn(i+1))
		}
	}
	for i := range 600 {
		if i%3 == 0 {
			exec("DELETE FROM things WHERE rowid = ?", i+1)
		}
	}
}

func inFile(t *testing.T, d *engine.DB) (n int) {
	t.Helper()
	for _, ending := range []string{"", "-wal"} {
		b, err := os.ReadFile(d.Path() + ending)
		must(t, err)
		n += bytes.Count(b, []byte(canary))
	}
	return n
}

func clearAll(ctx context.Context, d *engine.DB) error {
	step := d.ClearGaps()
	for left := true; left; {
		err := d.Bare(ctx, func(tx *engine.Tx) (err error) { left, err = step(tx); return err })
		if err != nil {
			return err
		}
	}
	return nil
}

// SQLite leaves copies of deleted rows in its pages, and clearing the gaps takes
// them away and nothing else, while others read and write.
func TestGapsAreCleared(t *testing.T) {
	for _, settings := range []string{"", "_auto_vacuum=incremental", "_page_size=1024"} {
		t.Run(settings, func(t *testing.T) {
			d := gapped(t, settings)
			live(t, d)
			must(t, d.EmptyLog(t.Context()))
			if inFile(t, d) == 0 {
				t.Fatal("deleting leaves nothing, and there is nothing to clear")
			}
			var before, after string
			sum := "SELECT count(*) || ' ' || group_concat(id || words) FROM (SELECT * FROM things ORDER BY id)"
			must(t, d.QueryRow(sum).Scan(&before))
			ctx, stop := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					for i := 0; ctx.Err() == nil; i++ {
						var now string
						err := errors.Join(d.Exec(t.Context(), "INSERT INTO kept VALUES (?)",
							i), d.QueryRow(sum).Scan(&now))
						if err != nil || now != before {
							t.Errorf("beside it: %v", err)
							return
						}
					}
				})
			}
			err := clearAll(t.Context(), d)
			for errors.Is(err, engine.ErrLogInUse) {
				err = clearAll(t.Context(), d)
			}
			stop()
			wg.Wait()
			if err := errors.Join(err, d.QueryRow(sum).Scan(&after)); err != nil || after != before {
				t.Errorf("other rows changed, or %v", err)
			}
			if n := inFile(t, d); n != 0 {
				t.Errorf("%d traces are left", n)
			}
			raw := Raw(d.Path(), "mode=ro")
			defer func() { _ = raw.Close() }()
			var verdict string
			if err := raw.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
				t.Errorf("the file is %q, %v", verdict, err)
			}
		})
	}
}

// While somebody reads from the log, nothing is cleared and nobody waits.
func TestGapsWaitForReaders(t *testing.T) {
	d := gapped(t, "")
	live(t, d)
	rows, err := d.Query("SELECT words FROM things")
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	must(t, d.Write(t.Context(), func(tx *engine.Tx) error { _, err := tx.Exec("INSERT INTO kept VALUES (1)"); return err }))
	if err := clearAll(t.Context(), d); !errors.Is(err, engine.ErrLogInUse) {
		t.Errorf("beside a reader: %v", err)
	}
	must(t, rows.Close())
	if err := clearAll(t.Context(), d); err != nil || inFile(t, d) != 0 {
		t.Errorf("after it: %v", err)
	}
}

// What is no page of a tree, or says something impossible, has no gap.
func TestGapOfWhatIsNoTree(t *testing.T) {
	leaf := func(kind byte, cells, content int, list ...byte) []byte {
		p := make([]byte, 512)
		copy(p, []byte{kind, 0, 0, byte(cells >> 8), byte(cells), byte(content >> 8), byte(content), 0})
		copy(p[8:], list)
		return p
	}
	for name, tt := range map[string]struct {
		page     []byte
		from, to int
	}{
		"a leaf":               {leaf(13, 1, 500, 1, 0xF4), 10, 500},
		"an empty leaf":        {leaf(10, 0, 512), 8, 512},
		"an inner page":        {leaf(5, 0, 400), 12, 400},
		"overflow":             {leaf(0, 1, 500), 0, 0},
		"free":                 {make([]byte, 512), 0, 0},
		"a cell before all":    {leaf(13, 1, 500, 0, 20), 0, 0},
		"cells beyond":         {leaf(13, 400, 500), 0, 0},
		"content beyond":       {leaf(13, 0, 513), 0, 0},
		"content at the start": {leaf(13, 3, 10), 0, 0},
	} {
		if from, to := gap(tt.page); from != tt.from || to != tt.to {
			t.Errorf("%s: %d to %d, want %d to %d", name, from, to, tt.from, tt.to)
		}
	}
	for page, want := range map[int64]bool{2: true, 3: false, 2 + 820: true, 2 + 819: false} {
		if isMap(page, 4096) != want {
			t.Errorf("page %d is a map: %v", page, !want)
		}
	}
}

package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
)

// Postings finds what MATCH finds, whatever was put in, taken out and merged meanwhile.
func TestPostingsAreWhatMatchFinds(t *testing.T) {
	ctx := context.Background()
	d, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	do := func(query string, args ...any) {
		t.Helper()
		if err := d.Exec(ctx, query, args...); err != nil {
			t.Fatal(err)
		}
	}
	do("CREATE VIRTUAL TABLE w USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii')")
	do("INSERT INTO w (w, rank) VALUES ('secure-delete', 1)")
	do("INSERT INTO w (w, rank) VALUES ('pgsz', 64)") // frequent terms have many pages
	r := rand.New(rand.NewPCG(3, 4))
	spread := rand.NewZipf(r, 1.2, 2, 3000)
	var terms []string
	for i := range 100 {
		terms = append(terms, fmt.Sprint("w", i), fmt.Sprint("ü", i*9), strings.Repeat("long", i%16))
	}
	terms = append(terms, "", "0", "zzz", "wherever")
	held, next := map[int64]string{}, int64(0)
	for step := range 80 {
		must(t, d.Write(ctx, func(tx *engine.Tx) error {
			for range 1 + r.IntN(60) {
				next += int64(1 + r.IntN(3))
				row := next<<20 | int64(r.IntN(1000))
				var said []string
				for range 1 + r.IntN(30) {
					said = append(said, fmt.Sprint("w", spread.Uint64()), fmt.Sprint("ü", spread.Uint64()), strings.Repeat("long", r.IntN(16)))
				}
				held[row] = strings.Join(said, " ")
				if _, err := tx.Exec("INSERT INTO w (rowid, words) VALUES (?, ?)", row, held[row]); err != nil {
					return err
				}
			}
			return nil
		}))
		for row, said := range held { // in no order
			if r.IntN(40) == 0 || step == 60 && row < next<<19 {
				do("INSERT INTO w (w, rowid, words) VALUES ('delete', ?, ?)", row, said)
				delete(held, row)
			}
			if r.IntN(20) == 0 && step < 60 {
				break
			}
		}
		if step%10 == 4 {
			do("INSERT INTO w (w, rank) VALUES ('merge', ?)", []int{-5, 3, 200}[r.IntN(3)])
		}
		if step == 70 {
			do("INSERT INTO w (w) VALUES ('optimize')")
		}
		if step%20 == 0 || step >= 69 && step < 72 {
			asMatched(t, d, terms)
		}
	}
}

func asMatched(t *testing.T, d *engine.DB, terms []string) {
	t.Helper()
	found, err := sqlite.Postings(d, "w", terms)
	must(t, err)
	n := 0
	for i, term := range terms {
		want, err := engine.Select(d, engine.Value[int64], "SELECT rowid FROM w WHERE w MATCH ? ORDER BY rowid", `"`+term+`"`)
		must(t, err)
		if !slices.Equal(found[i], want) {
			t.Fatalf("%q: %d rows, by MATCH %d", term, len(found[i]), len(want))
		}
		n += len(want)
	}
	t.Log(n, "rows")
}

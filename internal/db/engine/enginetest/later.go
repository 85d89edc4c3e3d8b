package enginetest

import (
	"errors"
	"fmt"
	"testing"

	"parley/internal/db/engine"
)

// errorsInPlace: who looks at the error of a statement sees it there, whatever the
// database has not been told yet.
func errorsInPlace(t *testing.T, db *engine.DB) {
	word := errors.New("taken")
	err := db.Write(t.Context(), func(tx *engine.Tx) error {
		_, err := tx.Exec("INSERT INTO things (id, name) VALUES (2, 'first')")
		if errors.Is(err, engine.ErrConstraint) {
			return word
		}
		return err
	})
	if !errors.Is(err, word) {
		t.Errorf("%v", err)
	}
}

// required: without the row a write does nothing and says so, and others that are
// committed with it do not suffer.
func required(t *testing.T, db *engine.DB) {
	fenced := errors.New("fenced")
	wait := []func() error{}
	for i := range 20 {
		wait = append(wait, db.Queue(t.Context(), func(tx *engine.Tx) error {
			name := []string{"first", "nobody"}[i%2]
			if err := tx.Require(fenced, "SELECT 1 FROM things WHERE name = ?", name); err != nil {
				return err
			}
			_, err := tx.Exec("INSERT INTO things (id, name) VALUES (?, ?)", 10+i, fmt.Sprint(i))
			return err
		}))
	}
	for i, w := range wait {
		if err := w(); errors.Is(err, fenced) != (i%2 == 1) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if n := count(t, db); n != 11 {
		t.Errorf("%d rows", n)
	}
}

// numberLater: a new row's number is there once the write is, 0 where there was none to
// insert; also in a transaction within long work.
func numberLater(t *testing.T, db *engine.DB) {
	ids := []int64{0, 0, 7}
	insert := func(tx *engine.Tx) error {
		for i, name := range []string{"second", "third", "first"} {
			if err := tx.InsertTo(&ids[i], "INSERT INTO things (name) VALUES (?) ON CONFLICT DO NOTHING", name+fmt.Sprint(count0(tx))); err != nil {
				return err
			}
		}
		return tx.InsertTo(&ids[2], "INSERT INTO things (name) VALUES (?) ON CONFLICT DO NOTHING", "first")
	}
	// A kind may begin at numbers that were given by hand.
	must(t, db.Write(t.Context(), exec("INSERT INTO things (name) VALUES ('none') ON CONFLICT DO NOTHING")))
	must(t, db.Write(t.Context(), insert))
	if ids[0] == 0 || ids[1] <= ids[0] || ids[2] != 0 {
		t.Errorf("%v", ids)
	}
	must(t, db.Beside(t.Context(), func(tx *engine.Tx, _ func() bool) error { return insert(tx) }))
	var there int
	must(t, db.QueryRow("SELECT count(*) FROM things WHERE id IN (?, ?)", ids[0], ids[1]).Scan(&there))
	if there != 2 || ids[2] != 0 {
		t.Errorf("%v are %d rows", ids, there)
	}
}

func count0(tx *engine.Tx) (n int) {
	_ = tx.QueryRow("SELECT count(*) FROM things").Scan(&n)
	return n
}

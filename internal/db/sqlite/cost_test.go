package sqlite_test

import (
	"path/filepath"
	"testing"

	"parley/internal/db/engine"
)

// TestWriteCost: a write that need not wait for the disk asks for nothing but what it
// was made of. Every message makes two.
func TestWriteCost(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "x.db"))
	write := func() {
		if err := db.Soon(t.Context(), func(tx *engine.Tx) error {
			_, err := tx.Exec("INSERT INTO roles (id, role) VALUES ('a', 'b') ON CONFLICT (id) DO UPDATE SET role = excluded.role")
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if n := testing.AllocsPerRun(200, write); n > 24 { // 17, and what syncs beside it
		t.Errorf("it allocates %g times", n)
	}
}

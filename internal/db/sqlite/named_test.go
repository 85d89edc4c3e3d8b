package sqlite

import (
	"testing"

	"parley/internal/db/engine"
)

func TestNamedParameters(t *testing.T) {
	d, err := Open(t.Context(), t.TempDir()+"/x.db", Options{Durable: true})
	must(t, err)
	defer func() { _ = d.Close() }()
	who := engine.Named{"user": "ann", "place": "unused"}
	var user string
	var n int
	if err := d.QueryRow("SELECT :user, :n WHERE :user = 'ann'", who.With(engine.Named{"n": 7})).Scan(&user, &n); err != nil ||
		user != "ann" || n != 7 {
		t.Errorf("got %q %d, %v", user, n, err)
	}
	if err := d.QueryRow("SELECT :user, :n", who).Scan(&user, &n); err == nil {
		t.Error("a parameter is missing, and nobody says so")
	}
	if err := d.QueryRow("SELECT :user", "ann").Scan(&user); err == nil {
		t.Error("a name was given no name, and nobody says so")
	}
	if err := d.QueryRow("SELECT 1 WHERE :user = ''", who).Scan(&n); err != engine.ErrNotFound {
		t.Errorf("no row: %v", err)
	}
}

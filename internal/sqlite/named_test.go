package sqlite

import (
	"slices"
	"testing"
)

func TestNumbered(t *testing.T) {
	for _, tt := range []struct {
		query, mark, want string
		names             []string
	}{
		{"SELECT a FROM t WHERE b = ? AND c = ?", "?", "SELECT a FROM t WHERE b = ?1 AND c = ?2", nil},
		{"SELECT a FROM t WHERE b = ? AND c = ?", "$", "SELECT a FROM t WHERE b = $1 AND c = $2", nil},
		{"b = :user AND c = :at OR d = :user", "$", "b = $1 AND c = $2 OR d = $1", []string{"user", "at"}},
		{"b = ':no' || \":nor\" || 'it''s :this' -- :nor this?\n AND c = :c_1::text", "$", "b = ':no' || \":nor\" || 'it''s :this' -- :nor this?\n AND c = $1::text", []string{"c_1"}},
		{"SELECT '12:30', ':", "?", "SELECT '12:30', ':", nil},
	} {
		got, names, err := numbered(tt.query, tt.mark)
		if err != nil || got != tt.want || !slices.Equal(names, tt.names) {
			t.Errorf("%s:\n got %s %v, %v\nwant %s %v", tt.query, got, names, err, tt.want, tt.names)
		}
	}
	for _, query := range []string{"a = ? AND b = :b", "a = ?1"} {
		if _, _, err := numbered(query, "?"); err == nil {
			t.Errorf("%s was taken", query)
		}
	}
}

func TestNamedParameters(t *testing.T) {
	d, err := Open(t.Context(), t.TempDir()+"/x.db", Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	who := Named{"user": "ann", "place": "unused"}
	var user string
	var n int
	if err := d.QueryRow("SELECT :user, :n WHERE :user = 'ann'", who.With(Named{"n": 7})).Scan(&user, &n); err != nil || user != "ann" || n != 7 {
		t.Errorf("got %q %d, %v", user, n, err)
	}
	if err := d.QueryRow("SELECT :user, :n", who).Scan(&user, &n); err == nil {
		t.Error("a parameter is missing, and nobody says so")
	}
	if err := d.QueryRow("SELECT :user", "ann").Scan(&user); err == nil {
		t.Error("a name was given no name, and nobody says so")
	}
	if err := d.QueryRow("SELECT 1 WHERE :user = ''", who).Scan(&n); err != ErrNotFound {
		t.Errorf("no row: %v", err)
	}
}

package engine

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
		{"b = ':no' || \":nor\" || 'it''s :this' -- :nor this?\n AND c = :c_1::text", "$",
			"b = ':no' || \":nor\" || 'it''s :this' -- :nor this?\n AND c = $1::text", []string{"c_1"}},
		{"SELECT '12:30', ':", "?", "SELECT '12:30', ':", nil},
	} {
		got, names, err := Numbered(tt.query, tt.mark)
		if err != nil || got != tt.want || !slices.Equal(names, tt.names) {
			t.Errorf("%s:\n got %s %v, %v\nwant %s %v", tt.query, got, names, err, tt.want, tt.names)
		}
	}
	for _, query := range []string{"a = ? AND b = :b", "a = ?1"} {
		if _, _, err := Numbered(query, "?"); err == nil {
			t.Errorf("%s was taken", query)
		}
	}
}

package engine

import (
	"slices"
	"testing"
)

func TestChanging(t *testing.T) {
	var c changes
	for query, want := range map[string][]string{
		"SELECT updated FROM grants":                                         nil,
		"INSERT OR REPLACE INTO grants VALUES (?)":                           {"grants"},
		"INSERT INTO people (id) VALUES (?) ON CONFLICT DO UPDATE SET a = 1": {"people", "SET"},
		"UPDATE OR REPLACE grants SET id = ?":                                {"grants"},
		"update policies set who = 1":                                        {"policies"},
		"DELETE FROM \"questions\" WHERE id IN (SELECT id FROM inbox)":       {"questions"},
		"WITH n AS (SELECT 1)\n\tINSERT INTO handoffs SELECT * FROM n":       {"handoffs"},
	} {
		var list []*counter
		for _, table := range want {
			list = append(list, c.of(table))
		}
		if got := c.in(query); !slices.Equal(got, list) {
			t.Errorf("%s: %d tables, want %v", query, len(got), want)
		}
	}
}

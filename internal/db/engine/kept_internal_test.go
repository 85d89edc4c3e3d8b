package engine

import (
	"slices"
	"testing"
)

func TestChanging(t *testing.T) {
	var c changes
	for query, want := range map[string][]string{
		"SELECT updated FROM grants":                                         nil,
		"\n\tinsert into inbox (id) VALUES (?)":                              {"inbox"},
		"INSERT OR REPLACE INTO grants VALUES (?)":                           {"grants", "grants rewritten"},
		"INSERT INTO people (id) VALUES (?) ON CONFLICT DO UPDATE SET a = 1": {"people", "people rewritten", "SET", "SET rewritten"},
		"UPDATE OR REPLACE grants SET id = ?":                                {"grants", "grants rewritten"},
		"update policies set who = 1":                                        {"policies", "policies rewritten"},
		"DELETE FROM \"questions\" WHERE id IN (SELECT id FROM inbox)":       {"questions", "questions rewritten", "questions deleted"},
		"WITH n AS (SELECT 1)\n\tINSERT INTO handoffs SELECT * FROM n":       {"handoffs", "handoffs rewritten"},
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

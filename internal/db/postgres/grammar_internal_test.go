package postgres

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/text"
)

// Words that are no names of functions from some version on, unless they stand in quotes.
var grammar = []string{
	"json_array", "json_arrayagg", "json_object", "json_objectagg", // 16
	"json_exists", "json_query", "json_scalar", "json_serialize", "json_table", "json_value", "merge_action", // 17
}

// What is made here on one version can be made on those after it.
func TestNamesAreNoWordsOfTheGrammar(t *testing.T) {
	made := text.Pattern(`CREATE FUNCTION (\S+?)\(`)().FindAllStringSubmatch(Prelude, -1)
	if len(made) < 10 {
		t.Fatalf("found %d functions", len(made))
	}
	for _, m := range made {
		if slices.Contains(grammar, m[1]) {
			t.Errorf("%s is a word of the grammar from PostgreSQL 16 on: put it in quotes", m[1])
		}
	}
	query := inWords("SELECT json_array(a, b)")
	for _, word := range grammar {
		if strings.Contains(query, " "+word+"(") {
			t.Errorf("%s is a word of the grammar from PostgreSQL 16 on", query)
		}
	}
}

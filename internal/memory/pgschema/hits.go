package pgschema

import "strings"

const (
	entriesBegin  = `SELECT coalesce(string_agg(CAST(row AS TEXT), ','), '') FROM (`
	entriesEnd    = ` LIMIT :limit) held`
	entriesOfOne  = entriesBegin + `SELECT rowid AS row FROM messages_fts WHERE messages_fts MATCH :match ORDER BY rowid DESC` + entriesEnd
	entriesOfEach = entriesBegin + `SELECT DISTINCT fit.row FROM unnest(string_to_array(:match, ' | ')) word
		CROSS JOIN LATERAL (SELECT rowid AS row FROM messages_fts WHERE words @@ CAST(word AS tsquery) OFFSET 0) fit ORDER BY fit.row DESC` + entriesEnd
)

// Entries is the query of memory for the latest entries that fit an expression. Words of which
// one will do are looked up one by one: taken together their number is misjudged, and all
// rows are read.
func Entries(match string) string {
	if strings.Contains(match, " OR ") && !strings.Contains(match, " AND ") {
		return entriesOfEach
	}
	return entriesOfOne
}

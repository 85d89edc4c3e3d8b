package pgschema

import "strings"

const (
	entriesBegin  = `SELECT coalesce(string_agg(CAST(row AS TEXT), ','), '') FROM (`
	entriesEnd    = ` LIMIT :limit) held`
	entriesOfOne  = entriesBegin + `SELECT rowid AS row FROM messages_fts WHERE messages_fts MATCH :match`
	oneInside     = ` AND (rowid & 1048575) IN (` + inside + `) ORDER BY rowid DESC` + entriesEnd
	oneAnywhere   = ` ORDER BY rowid DESC` + entriesEnd
	entriesOfEach = entriesBegin + `SELECT DISTINCT fit.row FROM unnest(string_to_array(:match, ' | ')) word
		CROSS JOIN LATERAL (SELECT rowid AS row FROM messages_fts WHERE words @@ CAST(word AS tsquery) OFFSET 0) fit`
	eachInside   = ` WHERE (fit.row & 1048575) IN (` + inside + `) ORDER BY fit.row DESC` + entriesEnd
	eachAnywhere = ` ORDER BY fit.row DESC` + entriesEnd
	inside       = `SELECT CAST(value AS BIGINT) FROM json_each(:inside)`
)

// Entries is the query of memory for the latest entries that fit an expression. Words of which
// one will do are looked up one by one: taken together their number is misjudged, and all
// rows are read. With inside only entries count that have one of the places of that parameter.
func Entries(match string, inside bool) string {
	switch each := strings.Contains(match, " OR ") && !strings.Contains(match, " AND "); {
	case each && inside:
		return entriesOfEach + eachInside
	case each:
		return entriesOfEach + eachAnywhere
	case inside:
		return entriesOfOne + oneInside
	}
	return entriesOfOne + oneAnywhere
}

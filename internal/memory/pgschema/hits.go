package pgschema

const (
	hitsBegin = `SELECT coalesce(string_agg(CAST(row >> 20 AS TEXT), ','), '') FROM (SELECT row FROM (`
	hitsEnd   = ` LIMIT :walked) walked
		WHERE (row & 1048575 IN (SELECT CAST(value AS BIGINT) & 1048575 FROM json_each(:places))) IS TRUE ORDER BY row DESC LIMIT :limit) held`
	hitsOfOne  = hitsBegin + `SELECT rowid AS row FROM messages_fts WHERE messages_fts MATCH :match ORDER BY rowid DESC` + hitsEnd
	hitsOfEach = hitsBegin + `SELECT DISTINCT fit.row FROM unnest(string_to_array(:match, ' | ')) word
		CROSS JOIN LATERAL (SELECT rowid AS row FROM messages_fts WHERE words @@ CAST(word AS tsquery) OFFSET 0) fit ORDER BY fit.row DESC` + hitsEnd
)

// Hits is the query of memory for the latest messages that hold one of some words. Several
// are looked up one by one: taken together their number is misjudged, and all rows are
// read. (IS TRUE makes a table of the places, once.)
func Hits(several bool) string {
	if several {
		return hitsOfEach
	}
	return hitsOfOne
}

package pgschema

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"

	"parley/internal/db/engine"
	"parley/internal/db/postgres"
)

// Each term is looked up by itself: an index of words takes longest for an expression of many.
// The rows come as bytes, eight each; a sort or a group would take as long as all the rest.
const (
	postingsQuery = `SELECT t.n - 1, coalesce((SELECT string_agg(int8send(rowid), CAST('' AS BYTEA)) FROM messages_fts
		WHERE words @@ CAST(t.word AS tsquery)`
	postingsInside = ` AND (rowid & 1048575) IN (SELECT CAST(value AS BIGINT) FROM json_each(:inside))`
	postingsEnd    = `), CAST('' AS BYTEA)) FROM jsonb_array_elements_text(CAST(:terms AS jsonb)) WITH ORDINALITY AS t (word, n)`
)

// Postings returns the rows of the index of what was said that have each of some terms, rising.
// inside is "", or a list in JSON of what the rows must have for their place.
func Postings(db *engine.DB, terms []string, inside string) ([][]int64, error) {
	words, found := make([]string, len(terms)), make([][]int64, len(terms))
	for i, t := range terms {
		words[i] = postgres.Lexeme(t)
	}
	list, err := json.Marshal(words)
	if err != nil {
		return nil, err
	}
	query, args := postingsQuery+postingsEnd, engine.Named{"terms": string(list)}
	if inside != "" {
		query, args["inside"] = postingsQuery+postingsInside+postingsEnd, inside
	}
	rows, err := db.Query(query, args)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // a failed read says so itself
	for rows.Next() {
		var n int
		var held []byte
		if err := rows.Scan(&n, &held); err != nil {
			return nil, err
		}
		found[n] = make([]int64, len(held)/8)
		for i := range found[n] {
			found[n][i] = int64(binary.BigEndian.Uint64(held[8*i:]))
		}
		slices.Sort(found[n]) // mostly so already
	}
	return found, errors.Join(rows.Err(), rows.Close())
}

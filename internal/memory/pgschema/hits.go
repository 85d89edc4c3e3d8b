package pgschema

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"parley/internal/db/engine"
	"parley/internal/db/postgres"
	"parley/internal/memory/postings"
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
		found[n] = unpacked(held)
		slices.Sort(found[n]) // mostly so already
	}
	return found, errors.Join(rows.Err(), rows.Close())
}

// unpacked are numbers of eight bytes each.
func unpacked(held []byte) []int64 {
	all := make([]int64, len(held)/8)
	for i := range all {
		all[i] = int64(binary.BigEndian.Uint64(held[8*i:]))
	}
	return all
}

// Lists is the index of what was said, as postings.Cache asks it.
type Lists struct{ DB *engine.DB }

const (
	// late is how many messages before the last one may still get their words, as a server commits
	// in any order. Words that come even later are noted by a trigger, which knows half of it.
	late = 1_000
	// came is how many entries are told of at once.
	came = late + 3_000
)

const (
	// The limit has the server take the last entries from their order.
	sinceQuery = `SELECT generation, last, after, CAST(CAST(pg_snapshot_xmin(at) AS TEXT) AS BIGINT),
		CAST(CAST(pg_snapshot_xmax(at) AS TEXT) AS BIGINT), coalesce((SELECT string_agg(int8send(rowid), CAST('' AS BYTEA) ORDER BY rowid)
		FROM (SELECT rowid FROM messages_fts WHERE rowid >= (after + 1 - :late) << 20 ORDER BY rowid DESC LIMIT :came) new), CAST('' AS BYTEA))
	FROM (SELECT generation, last, pg_current_snapshot() AS at, CASE generation WHEN :generation THEN CAST(:after AS BIGINT) ELSE last END AS after
		FROM (SELECT CAST(count(*) AS TEXT) || ' ' || coalesce(sum(mark), 0) AS generation,
			(SELECT coalesce(max(rowid), 0) >> 20 FROM messages_fts) AS last FROM parley_index_changes) state OFFSET 0) asked`
	wordsQuery = `SELECT rowid, array_to_string(tsvector_to_array(words), chr(1)) FROM messages_fts
		WHERE rowid IN (SELECT CAST(value AS BIGINT) FROM json_each(:rows))`
)

// Tidied takes away what older questions compared themselves with.
const Tidied = `DELETE FROM parley_index_changes WHERE id < (SELECT max(id) FROM parley_index_changes)`

// Since implements postings.Index.
func (l Lists) Since(generation string, id int64) (news postings.News, err error) {
	var held []byte
	err = l.DB.QueryRow(sinceQuery, engine.Named{"generation": generation, "after": id, "late": late, "came": came}).
		Scan(&news.Generation, &news.Last, &news.After, &news.Open, &news.Next, &held)
	if news.Rows = unpacked(held); len(news.Rows) == came {
		news.After = news.Last
	}
	return news, err
}

// Words implements postings.Index.
func (l Lists) Words(rows []int64) (map[int64][]string, error) {
	list, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	words := map[int64][]string{}
	_, err = engine.Select(l.DB, func(r engine.Scanner) (row int64, err error) {
		var all string
		err = r.Scan(&row, &all)
		words[row] = strings.Split(all, "\x01")
		return row, err
	}, wordsQuery, engine.Named{"rows": string(list)})
	return words, err
}

// Read implements postings.Index.
func (l Lists) Read(words []string) ([][]int64, error) { return Postings(l.DB, words, "") }

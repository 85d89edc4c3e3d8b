package served

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"parley/internal/engine"
	"parley/internal/postgres"
	"parley/internal/recall"
)

// Triggers cannot ask this program for the words of a text. They note the rows, and the
// words are put into the indexes before the commit.

// indexed are the indexes of words: by the letter that triggers note, how rows are read,
// and what is indexed of a row's text. The reading takes ids as an array.
var indexed = map[byte]struct {
	index, rows string
	words       func(n int64, text string) []string
}{
	'm': {"messages_fts", `SELECT (m.id << 20) | (p.n & 1048575), p.n, m.content FROM messages m JOIN places p ON p.platform = m.platform AND p.channel = m.channel AND p.thread = m.thread
		WHERE m.role <> 'tool' AND m.id = ANY (CAST(? AS BIGINT[]))`,
		func(n int64, text string) []string { return strings.Fields(recall.Indexed(n, text)) }},
	'f': {"key_facts_fts", `SELECT id, 0, owner || ' ' || content || ' ' || tags FROM key_facts WHERE id = ANY (CAST(? AS BIGINT[]))`, stemmed},
	's': {"session_texts_fts", `SELECT id, 0, content FROM session_texts WHERE id = ANY (CAST(? AS BIGINT[]))`, stemmed},
}

func stemmed(_ int64, text string) []string {
	return slices.Sorted(maps.Keys(recall.Stems(text)))
}

// Reindex are the statements that make the indexes of words of a file anew.
var Reindex = []string{
	"INSERT INTO key_facts_fts (key_facts_fts) VALUES ('rebuild')",
	"INSERT INTO session_texts_fts (session_texts_fts) VALUES ('rebuild')",
	"INSERT INTO messages_fts (rowid, words) SELECT row, words FROM messages_said",
}

// atOnce is how many rows Index puts into an index in one transaction.
const atOnce = 300

// Index puts all rows of a database on a server into its indexes of words.
func Index(ctx context.Context, db *engine.DB) error {
	for kind, query := range map[byte]string{'m': "SELECT id FROM messages WHERE role <> 'tool' ORDER BY id", 'f': "SELECT id FROM key_facts ORDER BY id", 's': "SELECT id FROM session_texts ORDER BY id"} {
		rows, err := db.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		ids, err := engine.Collect(rows, engine.Name)
		if err != nil {
			return err
		}
		for part := range slices.Chunk(ids, atOnce) {
			due := string(kind) + strings.Join(part, " "+string(kind))
			if err := db.Write(ctx, func(tx *engine.Tx) error { return indexWords(tx, due) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// indexWords puts what rows say into the indexes. due names them: a letter and an id
// each, with spaces between.
func indexWords(tx *engine.Tx, due string) error {
	ids := map[byte][]string{}
	for one := range strings.FieldsSeq(due) {
		ids[one[0]] = append(ids[one[0]], one[1:])
	}
	for _, kind := range slices.Sorted(maps.Keys(ids)) {
		ix := indexed[kind]
		rows, err := tx.Query(ix.rows, "{"+strings.Join(ids[kind], ",")+"}")
		if err != nil {
			return err
		}
		type row struct {
			id, n int64
			text  string
		}
		list, err := engine.Collect(rows, func(r *sql.Rows) (w row, err error) { return w, r.Scan(&w.id, &w.n, &w.text) })
		if err != nil {
			return err
		}
		entries := make([][]any, len(list))
		for i, w := range list {
			entries[i] = []any{w.id, postgres.Words(ix.words(w.n, w.text))}
		}
		b, err := json.Marshal(entries)
		if err == nil {
			_, err = tx.Exec("INSERT INTO "+ix.index+" (rowid, words) SELECT CAST(e ->> 0 AS BIGINT), CAST(e ->> 1 AS tsvector) FROM jsonb_array_elements(CAST(? AS jsonb)) AS e ON CONFLICT (rowid) DO UPDATE SET words = excluded.words", string(b))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

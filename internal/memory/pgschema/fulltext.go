package pgschema

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"parley/internal/db/engine"
	"parley/internal/db/postgres"
	"parley/internal/text/ranking"
)

// Triggers cannot ask this program for the words of a text. They note the rows, and the
// words are put into the indexes: of facts before the commit, of what people say a moment later.

// indexed are the indexes of words, by the letter that triggers note, and what is indexed
// of a row's text.
var indexed = map[string]struct {
	index string
	words func(n int64, text string) []string
}{
	"m": {"messages_fts", func(n int64, text string) []string {
		return within(text, func(part string) []string { return strings.Fields(ranking.Indexed(n, part)) })
	}},
	"f": {"key_facts_fts", stemmed},
	"s": {"session_texts_fts", stemmed},
}

// words is how they get there: rows are noted by a letter and an id each, with spaces
// between.
var words = postgres.Words{Tables: []string{"key_facts"}, Put: put,
	Due: `SELECT 'm', (m.id << 20) | (p.n & 1048575), p.n, m.content FROM ` + noted("m",
		"SELECT * FROM messages WHERE id = w.id AND role <> 'tool'") + ` m ON true
		JOIN LATERAL (SELECT n FROM places WHERE platform = m.platform AND channel = m.channel AND thread = m.thread OFFSET 0) p ON true
	UNION ALL SELECT 'f', f.id, 0, f.owner || ' ' || f.content || ' ' || f.tags FROM ` + noted("f", "SELECT * FROM key_facts WHERE id = w.id") + ` f ON true
	UNION ALL SELECT 's', s.id, 0, s.content FROM ` + noted("s", "SELECT * FROM session_texts WHERE id = w.id") + ` s ON true`,
}

// noted looks up, one by one, the rows of a kind that were noted, each once. OFFSET 0 keeps it so: a
// plan is made once for a connection, and one for tables that are nearly empty would read
// them whole for as long as it lasts.
func noted(kind, row string) string {
	return `(SELECT DISTINCT CAST(substring(note FROM 2) AS BIGINT) AS id FROM unnest(string_to_array(current_setting('parley.due', true), ' ')) note WHERE left(note, 1) = '` + kind + `') w
		JOIN LATERAL (` + row + ` OFFSET 0)`
}

func stemmed(_ int64, text string) []string {
	return within(text, func(part string) []string { return slices.Sorted(maps.Keys(ranking.Stems(part))) })
}

// within are the words of a text or, where a row of an index cannot hold them all, those of
// its beginning.
func within(text string, words func(string) []string) []string {
	for {
		list, size := words(text), 0
		for _, w := range list {
			size += len(w)
		}
		if size <= postgres.MaxVector {
			return list
		}
		text = strings.ToValidUTF8(text[:len(text)/2], "")
	}
}

// Reindex are the statements that make the indexes of words of a file anew.
var Reindex = []string{
	"INSERT INTO key_facts_fts (key_facts_fts) VALUES ('rebuild')",
	"INSERT INTO session_texts_fts (session_texts_fts) VALUES ('rebuild')",
	"INSERT INTO messages_fts (rowid, words) SELECT row, words FROM messages_said",
}

// atOnce is how many rows Index puts into an index in one transaction.
const atOnce = 300

// Index puts all rows of a database on a server into its indexes of words, and has the
// server see what came. seen is called with how many are there, of how many; nil is not
// called.
func Index(ctx context.Context, db *engine.DB, seen func(done, of int64)) error {
	var due []string
	for kind, query := range map[string]string{"m": "SELECT id FROM messages WHERE role <> 'tool' ORDER BY id",
		"f": "SELECT id FROM key_facts ORDER BY id", "s": "SELECT id FROM session_texts ORDER BY id"} {
		rows, err := db.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		ids, err := engine.Collect(rows, engine.Value[string])
		if err != nil {
			return err
		}
		for _, id := range ids {
			due = append(due, kind+id)
		}
	}
	done := 0
	for part := range slices.Chunk(due, atOnce) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := db.Write(ctx, func(tx *engine.Tx) error {
			tx.Changed(words.Tables[0])
			_, err := tx.Exec("SELECT set_config('parley.due', ?, true)", strings.Join(part, " "))
			return err
		}); err != nil {
			return err
		}
		if done += len(part); seen != nil {
			seen(int64(done), int64(len(due)))
		}
	}
	return db.Survey(ctx)
}

// put makes the statements that put what rows say into the indexes.
func put(due []postgres.Due) (list []postgres.Statement) {
	entries := map[string][][]any{}
	for _, d := range due {
		entries[d.Kind] = append(entries[d.Kind], []any{d.ID, postgres.Vector(indexed[d.Kind].words(d.N, d.Text))})
	}
	for _, kind := range slices.Sorted(maps.Keys(entries)) {
		b, err := json.Marshal(entries[kind])
		if err != nil {
			panic(err) // numbers and texts
		}
		list = append(list, postgres.Statement{Text: "INSERT INTO " + indexed[kind].index +
			` (rowid, words) SELECT CAST(e ->> 0 AS BIGINT), CAST(e ->> 1 AS tsvector) FROM jsonb_array_elements(CAST($1 AS jsonb)) AS e
			ON CONFLICT (rowid) DO UPDATE SET words = excluded.words`, Args: []any{string(b)}})
	}
	return list
}

package index

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/text"
)

// asked is a question of eval/notes/questions.tsv, with the note that answers it.
type asked struct{ lang, path, text string }

// TestPublishedNotes prints how many questions about published notes lead to the note that
// answers them, beside plain full text over the same sections; make notes.
func TestPublishedNotes(t *testing.T) {
	sets := os.Getenv("PARLEY_NOTES_SETS")
	if sets == "" {
		t.Skip("make notes")
	}
	raw, err := os.ReadFile("../../../eval/notes/questions.tsv")
	must(t, err)
	byLang := map[string][]asked{}
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		byLang[cells[0]] = append(byLang[cells[0]], asked{cells[0], cells[1], cells[2]})
	}
	for _, lang := range []string{"en", "de", "ja", "zh"} {
		f := published(t, filepath.Join(sets, lang))
		plain := plainSections(t, f)
		var ours, theirs, kept tally
		for i, q := range byLang[lang] {
			hits, err := f.Search(t.Context(), Query{Text: q.text, Limit: 20})
			must(t, err)
			var found []string
			for _, h := range hits {
				found = append(found, h.Path)
			}
			at := ours.add(found, q.path)
			if theirs.add(plain(q.text), q.path); i%3 == 2 {
				kept.add(found, q.path)
			}
			if at != 0 && testing.Verbose() && os.Getenv("PARLEY_NOTES_MISSED") != "" {
				t.Logf("%2d %s | %s | %.120q", at, q.text, q.path, found)
			}
		}
		t.Logf("%s: of %d, first %d, in the first five %d; of every third %d and %d; plain full text %d and %d", lang, ours.all, ours.first,
			ours.five, kept.first, kept.five, theirs.first, theirs.five)
	}
}

// published is a vault on a folder of notes.
func published(t *testing.T, dir string) *folder {
	t.Helper()
	f := newFolder(t)
	must(t, f.Close())
	f.dir, f.opts.Sources = dir, []Source{{"notes", dir, KindNotes}}
	f.open()
	f.refresh()
	return f
}

// tally counts questions by where in a list of passages the note is that answers them.
type tally struct{ all, first, five int }

// add returns the place of a note among distinct notes, from 0; -1 for none.
func (y *tally) add(found []string, want string) int {
	var notes []string
	for _, p := range found {
		if !slices.Contains(notes, p) {
			notes = append(notes, p)
		}
	}
	at := slices.Index(notes, want)
	y.all++
	if at == 0 {
		y.first++
	}
	if at >= 0 && at < 5 {
		y.five++
	}
	return at
}

// plainSections searches the same sections as SQLite's full text does by itself: with any of
// the words, stemmed, ranked by bm25; with pairs of letters where a script has no spaces.
func plainSections(t *testing.T, f *folder) func(question string) []string {
	t.Helper()
	db, err := sql.Open("sqlite3", ":memory:")
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	exec := func(query string, args ...any) {
		_, err := db.ExecContext(t.Context(), query, args...)
		must(t, err)
	}
	exec("CREATE VIRTUAL TABLE plain USING fts5 (path UNINDEXED, title, heading, text, tokenize = 'porter unicode61 remove_diacritics 2')")
	must(t, f.asking(func(ix *index) error {
		hits, err := ix.hits(t.Context(), `SELECT s.id, s.doc, d.source, d.path, d.title, s.heading, s.line, s.page, d.day, d.mtime, s.text
			FROM sections s JOIN docs d ON d.id = s.doc`)
		for _, h := range hits {
			exec("INSERT INTO plain VALUES (?, ?, ?, ?)", h.Path, spaced(h.Title), spaced(h.Heading), spaced(h.Text))
		}
		return err
	}))
	return func(question string) (paths []string) {
		var parts []string
		for w := range text.Words(question) {
			runes := []rune(w)
			if !text.Unspaced(runes[0]) {
				parts = append(parts, `"`+w+`"`)
				continue
			}
			for i := range max(len(runes)-1, 1) {
				parts = append(parts, `"`+strings.TrimSpace(spaced(string(runes[i:min(i+2, len(runes))])))+`"`)
			}
		}
		rows, err := db.QueryContext(t.Context(), "SELECT path FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 20", strings.Join(parts, " OR "))
		must(t, err)
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var p string
			must(t, rows.Scan(&p))
			paths = append(paths, p)
		}
		must(t, rows.Err())
		return paths
	}
}

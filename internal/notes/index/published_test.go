package index

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/text"
)

// question is one of eval/notes/questions.tsv, with the file that answers it.
type question struct{ path, text string }

// publishedSets are the folders that eval/notes/sets.py lays out.
var publishedSets = []struct{ name, kind string }{
	{"en", KindNotes}, {"de", KindNotes}, {"ja", KindNotes}, {"zh", KindNotes}, {"logseq", KindNotes}, {"garden", KindNotes},
	{"click", KindCode}, {"cobra", KindCode}, {"hono", KindCode},
}

// TestPublishedNotes prints how many questions about published notes and code lead to the file
// that answers them, first and among the first five files, beside plain full text over the same sections; make notes.
func TestPublishedNotes(t *testing.T) {
	sets := os.Getenv("PARLEY_NOTES_SETS")
	if sets == "" {
		t.Skip("make notes")
	}
	raw, err := os.ReadFile("../../../eval/notes/questions.tsv")
	must(t, err)
	asked := map[string][]question{}
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		asked[cells[0]] = append(asked[cells[0]], question{cells[1], cells[2]})
	}
	for _, s := range publishedSets {
		dir := filepath.Join(sets, s.name)
		if _, err := os.Stat(dir); err != nil {
			t.Logf("%s is not there", s.name)
			continue
		}
		f := published(t, dir, s.kind)
		plain := plainSections(t, f)
		var ours, theirs [2]tally // of the part for work, and of every third
		for i, q := range asked[s.name] {
			hits, err := f.Search(t.Context(), Query{Text: q.text, Limit: 20, Kind: s.kind})
			must(t, err)
			var found []string
			for _, h := range hits {
				found = append(found, h.Path)
			}
			kept := i % 3 / 2
			at := ours[kept].add(found, q.path)
			theirs[kept].add(plain(q.text), q.path)
			if kept == 0 && at != 0 && os.Getenv("PARLEY_NOTES_MISSED") != "" {
				t.Logf("%2d %s | %s | %.120q", at, q.text, q.path, found)
			}
		}
		t.Logf("%-7s for work %v (plain full text %v), every third %v (%v)", s.name, ours[0], theirs[0], ours[1], theirs[1])
	}
}

// published is a vault on a folder of notes or of code.
func published(t *testing.T, dir, kind string) *folder {
	t.Helper()
	f := newFolder(t)
	must(t, f.Close())
	f.dir, f.opts.Sources = dir, []Source{{"notes", dir, kind}}
	f.open()
	f.refresh()
	return f
}

// tally counts questions by where in a list of passages the note is that answers them.
type tally struct{ all, first, five int }

func (y tally) String() string { return fmt.Sprintf("%d/%d of %d", y.first, y.five, y.all) }

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

// plainTable is SQLite's full text with stems of English.
const plainTable = `CREATE VIRTUAL TABLE plain USING fts5 (path UNINDEXED, title, heading, text,
	tokenize = 'porter unicode61 remove_diacritics 2')`

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
	exec(plainTable)
	for _, h := range f.sections(t) {
		exec("INSERT INTO plain VALUES (?, ?, ?, ?)", h.Path, spaced(h.Title), spaced(h.Heading), spaced(h.Text))
	}
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

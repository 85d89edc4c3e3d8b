package index

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/internal/text/waittest"
)

// costNotes are about 5 MB.
const costNotes = 1000

// BenchmarkCost indexes notes, and beside it the same sections with SQLite's full text alone,
// stemmed, with a copy of the text: processor time and bytes for each MB of notes, and how many times as
// much the index takes. PARLEY_NOTES_SETS takes published notes; make notes lays them out.
func BenchmarkCost(b *testing.B) {
	sets := os.Getenv("PARLEY_NOTES_SETS")
	for _, name := range []string{"made up", "de", "zh"} {
		if sets == "" && name != "made up" {
			continue
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f := newFolder(b)
				must(b, f.Close())
				if name != "made up" {
					f.dir = filepath.Join(sets, name)
				} else {
					l := newLexicon()
					for i := range costNotes {
						f.put(fmt.Sprintf("area%d/note%d.md", i%100, i), l.note(i))
					}
				}
				f.opts.Sources = []Source{{"notes", f.dir, KindNotes}}
				f.open()
				began := waittest.CPU()
				f.refresh()
				ours := waittest.CPU() - began
				hits := f.sections(b)
				mb := 0.0
				for _, h := range hits {
					mb += float64(len(h.Text)) / (1 << 20)
				}
				theirs, plain := plainIndex(b, hits)
				must(b, f.Close())
				size := sizeOf(b, f.opts.Index)
				b.ReportMetric(milliseconds(ours)/mb, "cpu-ms/MB")
				b.ReportMetric(size/mb/(1<<20), "bytes/byte")
				b.ReportMetric(ours.Seconds()/theirs.Seconds(), "times-plain")
				b.ReportMetric(size/plain, "size-of-plain")
			}
		})
	}
}

func (f *folder) sections(t testing.TB) (hits []Hit) {
	t.Helper()
	must(t, f.asking(func(ix *index) (err error) {
		hits, err = ix.hits(t.Context(), `SELECT s.id, s.doc, d.source, d.path, d.title, s.heading, s.line, s.page, d.day, d.mtime, s.text
			FROM sections s JOIN docs d ON d.id = s.doc`)
		return err
	}))
	return hits
}

// plainIndex puts sections into a file of SQLite's, in one transaction.
func plainIndex(t testing.TB, hits []Hit) (took time.Duration, size float64) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "plain.db")
	db, err := sql.Open("sqlite3", name)
	must(t, err)
	defer func() { must(t, db.Close()) }()
	db.SetMaxOpenConns(1)
	began := waittest.CPU()
	_, err = db.ExecContext(t.Context(), plainTable)
	must(t, err)
	tx, err := db.BeginTx(t.Context(), nil)
	must(t, err)
	for _, h := range hits {
		_, err := tx.ExecContext(t.Context(), "INSERT INTO plain VALUES (?, ?, ?, ?)", h.Path, spaced(h.Title), spaced(h.Heading), spaced(h.Text))
		must(t, err)
	}
	must(t, tx.Commit())
	return waittest.CPU() - began, sizeOf(t, name)
}

func sizeOf(t testing.TB, file string) (size float64) {
	t.Helper()
	for _, ending := range []string{"", "-wal"} {
		if st, err := os.Stat(file + ending); err == nil {
			size += float64(st.Size())
		}
	}
	return size
}

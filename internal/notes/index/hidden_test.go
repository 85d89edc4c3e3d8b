package index

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// What is shown of notes, in which order and with which scores, is the same whether or not there
// are notes that a reader may not know of, however many and whatever they say.
func TestHiddenNotesChangeNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("garden kettle violin ladder lantern pear compass harbour library bakery chapel orchard window")
	for i := range 400 {
		words = append(words, fmt.Sprintf("%c%c%c%d", 'a'+i%26, 'e'+i%7, 'k'+i%9, i*i%311))
	}
	line := func(n int) (said string) {
		for range n {
			said += " " + words[int(float64(len(words))*r.Float64()*r.Float64())]
		}
		return strings.TrimSpace(said)
	}
	note := func(name string, parts int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "---\ntags: [%s]\naliases: [%s]\n---\n# %s\n\n%s [[%s]] and [[note%d]].\n", line(1), line(2), line(2), line(6),
			name, r.IntN(60))
		for range parts {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", line(1), line(9))
		}
		return b.String()
	}
	visible, hidden := map[string]string{}, map[string]string{}
	for i := range 60 {
		visible[fmt.Sprintf("note%d.md", i)] = note(fmt.Sprintf("diary%d", i), 55)
	}
	for i := range 1100 {
		hidden[fmt.Sprintf("agent-notes/diary%d.md", i)] = note(fmt.Sprintf("note%d", i%60), 3) + " secretive kettles lanterm"
	}
	without, with := newFolder(t), newFolder(t)
	for _, f := range []*folder{without, with} {
		must(t, f.Close())
		f.opts.Embed, f.opts.EmbedModel = letters, "m"
		f.open()
	}
	h := Hidden{}
	lay := func(f *folder, files map[string]string, changed time.Time) {
		for i, name := range slices.Sorted(maps.Keys(files)) {
			f.put(name, files[name])
			must(t, os.Chtimes(filepath.Join(f.dir, name), changed, changed.Add(time.Duration(i)*time.Second)))
		}
	}
	began := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	lay(with, hidden, began.Add(24*time.Hour))
	for name := range hidden {
		h.Paths = append(h.Paths, name)
	}
	for _, f := range []*folder{without, with} {
		lay(f, visible, began)
		f.refresh()
		for more, err := true, error(nil); more; {
			more, err = f.Embed(t.Context())
			must(t, err)
		}
	}
	for range 60 {
		asked := line(1 + r.IntN(4))
		switch r.IntN(5) {
		case 0: // a slip, or a part of a word
			asked = asked[:len(asked)-1]
		case 1:
			asked += " secretive lanterm"
		}
		q := Query{Text: asked, Limit: 20}
		if r.IntN(4) == 0 {
			q.Tags = []string{line(1)}
		}
		if r.IntN(4) == 0 {
			q.During = &Period{From: began.Add(20 * time.Second), To: began.Add(48 * time.Hour)}
		}
		if diff := cmp.Diff(shownOf(t, without, q), shownOf(t, with, q.hiding(h)), cmpopts.IgnoreUnexported(Hit{})); diff != "" {
			t.Fatalf("%+v: %s", q, diff)
		}
	}
}

// hiding is the query of a reader who may not know of some notes.
func (q Query) hiding(h Hidden) Query {
	q.Hidden = h
	return q
}

// shownOf is all that somebody who asks is shown.
func shownOf(t *testing.T, f *folder, q Query) []any {
	hits, err := f.Search(t.Context(), q)
	must(t, err)
	all := []any{hits}
	related, err := f.Related(t.Context(), Entry{Source: "notes", Path: "note7.md"}, q.Hidden)
	must(t, err)
	named, err := f.Find(t.Context(), strings.Fields(q.Text)[0], q.Hidden)
	must(t, err)
	list, err := f.List(t.Context(), "", q.Hidden, 20)
	must(t, err)
	titles, err := f.Titles(t.Context(), q.Text[:2], q.Hidden, 20)
	must(t, err)
	documents, sections, err := f.Visible(t.Context(), q.Hidden)
	must(t, err)
	return append(all, related, named, list, titles, documents, sections)
}

// letters makes vectors of which letters a text has.
func letters(_ context.Context, texts []string) (list [][]float32, err error) {
	for _, text := range texts {
		v := make([]float32, 64)
		for i, c := range []byte(text) {
			v[(int(c)+i%2*31)%64]++
		}
		list = append(list, v)
	}
	return list, nil
}

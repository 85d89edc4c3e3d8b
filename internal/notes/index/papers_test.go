package index

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/notes/document"
)

// docx returns a Word document with a body.
func docx(t testing.TB, body string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("word/document.xml")
	if err == nil {
		_, err = fmt.Fprint(w, `<w:document xmlns:w="w"><w:body>`+body+`</w:body></w:document>`)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pages replaces the process that reads PDFs: a PDF here is its pages, separated by "|".
func (f *folder) pages(_ context.Context, data []byte) (pages []string, total int, err error) {
	f.read.Add(1)
	text, ok := strings.CutPrefix(string(data), "%PDF\x00")
	switch {
	case !ok:
		return nil, 0, fmt.Errorf("read PDF: %w", document.ErrBroken)
	case text == "locked":
		return nil, 0, document.ErrLocked
	case text == "busy":
		return nil, 0, errors.New("fork: try again")
	}
	pages = strings.Split(text, "|")
	return pages[:min(len(pages), 3)], len(pages), nil
}

func withPapers(t testing.TB) *folder {
	t.Helper()
	f := newFolder(t)
	f.opts.PDF = f.pages
	f.reopen()
	return f
}

func TestDocumentsAreFoundByPage(t *testing.T) {
	f := withPapers(t)
	f.put("note.md", "# Note\n\nSee [[lease.pdf]].\n")
	f.put("papers/lease.pdf", "%PDF\x00The lease.|The rent is 900 euros, due monthly.|Signed in Berlin.")
	f.put("report.docx", docx(t,
		`<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Costs</w:t></w:r></w:p><w:p><w:r><w:t>Travel took most.</w:t></w:r></w:p><w:p><w:r><w:br w:type="page"/><w:t>Hotels came second.</w:t></w:r></w:p>`))
	f.put("Board.canvas", `{"nodes":[{"id":"g","type":"group","label":"Trip","x":0,"y":0,"width":9,"height":9},{"id":"a","type":"text","text":"Book a ryokan #travel","x":1,"y":1,"width":1,"height":1},{"id":"b","type":"file","file":"note.md","x":1,"y":2,"width":1,"height":1}]}`)
	f.refresh()
	for ask, want := range map[string]string{
		"monthly rent":  "papers/lease.pdf||2",
		"hotels second": "report.docx|Costs|2",
		"travel most":   "report.docx|Costs|1",
		"ryokan":        "Board.canvas|Trip|0",
	} {
		hits, err := f.Search(t.Context(), Query{Text: ask})
		if err != nil || len(hits) == 0 {
			t.Fatalf("%s: %v, %v", ask, hits, err)
		}
		if got := fmt.Sprintf("%s|%s|%d", hits[0].Path, hits[0].Heading, hits[0].Page); got != want {
			t.Errorf("%s: %s, want %s", ask, got, want)
		}
	}
	if got := f.ask(Query{Text: "book", Tags: []string{"travel"}}); got != "Board.canvas" {
		t.Errorf("by the tag of a card: %q", got)
	}
	for part, want := range map[Part]string{
		{Path: "papers/lease.pdf"}: "— page 1 —\nThe lease.\n\n— page 2 —\nThe rent is 900 " +
			"euros, due monthly.\n\n— page 3 —\nSigned in Berlin.",
		{Path: "papers/lease.pdf", Heading: "page 3"}:            "— page 3 —\nSigned in Berlin.",
		{Path: "papers/lease.pdf", Heading: "page=3"}:            "— page 3 —\nSigned in Berlin.",
		{Path: "papers/lease.pdf", Heading: "Seite 3"}:           "— page 3 —\nSigned in Berlin.",
		{Path: "report.docx", Heading: "costs"}:                  "— page 1 —\nTravel took most.\n\n— page 2 —\nHotels came second.",
		{Path: "report.docx", Heading: "Costs, page 2"}:          "— page 2 —\nHotels came second.",
		{Source: "notes", Path: "Board.canvas", Heading: "Trip"}: "Book a ryokan #travel\n\n[[note.md]]",
	} {
		if d, err := f.Read(t.Context(), part); err != nil || d.Text != want {
			t.Errorf("%+v: %q, %v", part, d.Text, err)
		}
	}
	for _, missing := range []string{"page 7", "Nowhere", "Costs, page 1"} {
		if _, err := f.Read(t.Context(), Part{Path: "papers/lease.pdf", Heading: missing}); !errors.Is(err, ErrNotFound) ||
			!strings.Contains(err.Error(), "3 pages") {
			t.Errorf("%s: %v", missing, err)
		}
	}
}

// A document is read again only when it has changed, and is not found when it is gone.
func TestDocumentsAreFollowed(t *testing.T) {
	f := withPapers(t)
	f.put("a.md", "tea")
	f.running()
	f.put("new/x.pdf", "%PDF\x00sourdough")
	f.finds("sourdough", "new/x.pdf")
	read := f.read.Load()
	f.put("a.md", "coffee")
	f.finds("coffee", "a.md")
	f.refresh()
	if n := f.read.Load(); n != read {
		t.Errorf("read %d times more", n-read)
	}
	f.put("new/x.pdf", "%PDF\x00rye bread")
	f.finds("rye", "new/x.pdf")
	f.finds("sourdough", "")
	must(t, os.Remove(filepath.Join(f.dir, "new/x.pdf")))
	f.finds("rye", "")
}

// Searches find notes while documents are read.
func TestNotesDoNotWaitForDocuments(t *testing.T) {
	f := withPapers(t)
	going, goOn := make(chan bool, 1), make(chan bool)
	f.opts.PDF = func(ctx context.Context, data []byte) ([]string, int, error) {
		going <- true
		<-goOn
		return f.pages(ctx, data)
	}
	f.reopen()
	f.put("slow.pdf", "%PDF\x00thesis")
	f.put("zebra.md", "stripes")
	f.running()
	<-going
	if got, st := f.paths("stripes"), f.Status(); got != "zebra.md" || st.State != StateReady || st.Unread != 1 {
		t.Errorf("%q, %+v", got, st)
	}
	f.put("later.md", "spots")
	f.finds("spots", "later.md")
	close(goOn)
	f.finds("thesis", "slow.pdf")
	f.eventually("all read", func() bool { return f.Status().Unread == 0 })
}

func TestBadDocumentsAreSkippedWithAReason(t *testing.T) {
	f := withPapers(t)
	f.put("fine.pdf", "%PDF\x00sourdough")
	f.put("book.pdf", "%PDF\x00one|two|three|four|five")
	f.put("scan.pdf", "%PDF\x00||")
	f.put("secret.pdf", "%PDF\x00locked")
	f.put("busy.pdf", "%PDF\x00busy")
	f.put("broken.PDF", "no")
	f.put("broken.docx", "PK\x03\x04no")
	f.put("old.doc", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	f.put("broken.canvas", "{")
	f.put("empty.canvas", "")
	f.put("bomb.docx", docx(t, strings.Repeat(" ", 25<<20)))
	must(t, os.Truncate(filepath.Join(f.dir, "secret.pdf"), int64(len("%PDF\x00locked"))))
	putFile(t, filepath.Join(f.dir, "huge.pdf"), "")
	must(t, os.Truncate(filepath.Join(f.dir, "huge.pdf"), maxPaper+1))
	f.refresh()
	list, err := f.Skipped(t.Context(), 50)
	must(t, err)
	got := map[string]string{}
	for _, e := range list {
		got[e.Path] = e.Skipped + e.Partly
	}
	want := map[string]string{"book.pdf": "pages 4 to 5", "scan.pdf": "without text: pictures of pages, perhaps",
		"secret.pdf": "protected by a password, or in Word's old format: save it as .docx",
		"broken.PDF": "damaged, or not what its name says", "broken.docx": "damaged, or not what its name says",
		"old.doc":       "protected by a password, or in Word's old format: save it as .docx",
		"broken.canvas": "damaged, or not what its name says", "bomb.docx": "too large, once unpacked", "huge.pdf": "too large"}
	for name, why := range want {
		if got[name] != why {
			t.Errorf("%s: %q, want %q", name, got[name], why)
		}
	}
	if len(got) != len(want) || f.paths("sourdough") != "fine.pdf" || f.paths("three") != "book.pdf" {
		t.Errorf("%q", got)
	}
	if st := f.Status().Sources[0]; !strings.Contains(st.Err, "busy.pdf") || st.Skipped != 8 {
		t.Errorf("the busy one: %+v", st)
	}
	if r, err := Inspect(t.Context(), f.opts.Index); err != nil || len(r.Skipped) != len(want) || r.Documents["notes"] != 3 {
		t.Errorf("from outside: %+v, %v", r, err)
	}
	if r, err := Inspect(t.Context(), f.opts.Index+"x"); err != nil || r.Documents != nil {
		t.Errorf("without an index: %+v, %v", r, err)
	}
	// Only the busy one is read again without a change.
	before := f.read.Load()
	f.refresh()
	if n := f.read.Load() - before; n != 1 {
		t.Errorf("read %d again", n)
	}
}

// A folder of code has no documents.
func TestNoDocumentsInCode(t *testing.T) {
	f := withPapers(t)
	putFile(t, filepath.Join(f.code, "x.pdf"), "%PDF\x00sourdough")
	f.refresh()
	if n := f.read.Load(); n != 0 || f.Status().Documents != 0 {
		t.Errorf("%d read, %+v", n, f.Status())
	}
}

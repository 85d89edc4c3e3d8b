package document

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"parley/internal/notes/document/pdf"
)

func TestReadPDF(t *testing.T) {
	reader := func(pages []string, total int, err error) PDF {
		return func(context.Context, []byte) ([]string, int, error) { return pages, total, err }
	}
	p, err := Read(t.Context(), "a.PDF", nil, reader([]string{"The oﬃcial ﬁle is infor-\nmative, well-\nKnown.", " \n", "last"}, 5, nil))
	if want := "1|||The official file is informative, well-¶Known.\n3|||last\n"; err != nil || shown(p) != want || p.Partly != "pages 4 to 5" {
		t.Errorf("%q, %q, %v", shown(p), p.Partly, err)
	}
	for _, c := range []struct {
		read PDF
		why  string
	}{
		{nil, "a PDF, and nothing here reads one"}, {reader(nil, 0, fmt.Errorf("read: %w", pdf.ErrLocked)), wordsLocked},
		{reader(nil, 0, pdf.ErrBroken), wordsBroken}, {reader(nil, 0, pdf.ErrSlow), "too slow to read, or takes too much memory"},
		{reader([]string{""}, 1, nil), "without text: pictures of pages, perhaps"}, {reader(nil, 0, errors.New("fork")), ""},
	} {
		if _, err := Read(t.Context(), "a.pdf", nil, c.read); err == nil || Why(err) != c.why {
			t.Errorf("%v: %q, want %q", err, Why(err), c.why)
		}
	}
}

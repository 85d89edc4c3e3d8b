package index

import (
	"context"
	"database/sql"
	"fmt"
	"path"
	"slices"
	"strings"

	"parley/internal/notes/document"
	"parley/internal/notes/frontmatter"
	"parley/internal/notes/links"
	whole "parley/internal/text"
)

// maxPaper limits the bytes of a document.
const maxPaper = 64 << 20

// parsePaper reads a document. An error is not about the document: the next try may
// succeed.
func (v *Vault) parsePaper(ctx context.Context, name string, data []byte) (indexed, error) {
	d := indexed{title: strings.TrimSuffix(path.Base(name), path.Ext(name)), day: frontmatter.Day(name, nil)}
	p, err := document.Read(ctx, name, data, v.o.PDF)
	if d.skipped = document.Why(err); d.skipped != "" {
		return d, nil
	}
	if err != nil {
		return d, err
	}
	if p.Title != "" {
		d.title = whole.Clip(p.Title, maxName)
	}
	d.partly = p.Partly
	for _, piece := range p.Pieces {
		lines := strings.Split(piece.Text, "\n")
		for _, s := range cut(lines, 0, len(lines)) {
			s.heading, s.trail, s.page = whole.Clip(piece.Heading, maxName), piece.Trail, piece.Page
			d.sections = append(d.sections, s)
		}
		if links.Canvas(name) { // its cards are Markdown
			d.marks(lines, make([]bool, len(lines)))
		}
	}
	if links.Canvas(name) {
		d.links = different(links.Parse(name, string(data)))
	}
	if len(d.sections) == 0 {
		d.sections = []section{{line: 1}}
	}
	return d, nil
}

// readPaper returns a document or a part of it, from the index.
func (v *Vault) readPaper(ctx context.Context, e Entry, p Part) (d Document, err error) {
	all, err := v.paperSections(ctx, e)
	if err != nil {
		return d, err
	}
	d.Line = 1
	heading, page := document.PageOf(p.Heading)
	for _, s := range all {
		if s.heading != "" && !slices.Contains(d.Headings, s.heading) {
			d.Headings = append(d.Headings, s.heading)
		}
		d.Pages = max(d.Pages, s.page)
	}
	var b strings.Builder
	at := 0
	for _, s := range all {
		if page != 0 && s.page != page || heading != "" && !sameHeading(s.heading, heading) {
			continue
		}
		if s.page != at {
			fmt.Fprintf(&b, "— page %d —\n", s.page)
			at = s.page
		}
		b.WriteString(s.text + "\n\n")
	}
	if b.Len() == 0 && p.Heading != "" {
		return d, whole.Tell("%w: no heading or page %.200q; it has %d pages and the headings %.2000s", ErrNotFound, p.Heading,
			d.Pages, strings.Join(d.Headings, " | "))
	}
	d.Text, d.Page = strings.TrimSpace(b.String()), page
	d.Lines = strings.Count(d.Text, "\n") + 1
	return d, nil
}

// paperSections lists the sections of an indexed document, in its order.
func (v *Vault) paperSections(ctx context.Context, e Entry) (all []section, err error) {
	return all, v.asking(func(ix *index) error {
		return each(ctx, ix.db, func(rows *sql.Rows) error {
			var s section
			err := rows.Scan(&s.heading, &s.page, &s.text)
			all = append(all, s)
			return err
		}, `SELECT s.heading, s.page, s.text FROM docs d JOIN sections s ON s.doc = d.id
			WHERE d.source = ? AND d.path = ? ORDER BY s.id`, e.Source, e.Path)
	})
}

package index

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/notes/frontmatter"
	"parley/internal/notes/links"
	"parley/internal/text"
)

// Related lists files that belong to a note, each file in the first list that fits.
type Related struct {
	Linking []Entry // notes that link to it
	Linked  []Entry // files that it links to
	Near    []Entry // notes with the same tags or words, the nearest first
}

// Bounds of a search for related files.
const (
	maxLinking = 1000 // links that are examined
	maxFitting = 30   // passages that are compared
	asksBy     = 600  // characters of a note with which others are compared
)

// Related returns the files that belong to an indexed file.
func (v *Vault) Related(ctx context.Context, e Entry, hidden Hidden) (r Related, err error) {
	r.Linking, err = v.leading(ctx, linkage{e.Source, hidden, "(target = ? OR target IN (SELECT block FROM blocks b JOIN docs t ON t.id = b.doc WHERE t.source = d.source AND t.path = ?))",
		[]any{noteName(e.Path), e.Path}}, func(from, to string) string {
		if to == e.Path {
			return from
		}
		return ""
	})
	if err == nil {
		r.Linked, err = v.leading(ctx, linkage{e.Source, hidden, "d.path = ?", []any{e.Path}}, func(_, to string) string { return to })
	}
	if err == nil {
		r.Near, err = v.near(ctx, e, hidden)
	}
	if err != nil {
		return Related{}, fmt.Errorf("related to %.300q: %w", e.Path, err)
	}
	seen := map[string]bool{e.Path: true}
	for _, list := range []*[]Entry{&r.Linking, &r.Linked, &r.Near} {
		*list = slices.DeleteFunc(*list, func(o Entry) bool {
			again := o.Source == e.Source && seen[o.Path]
			seen[o.Path] = true
			return again
		})
	}
	return r, nil
}

// linkage selects links of a source by a condition with arguments.
type linkage struct {
	source string
	hidden Hidden
	where  string
	args   []any
}

// leading lists the files that pick chooses. It is asked about each link that is selected:
// from the file it stands in, to the file it leads to.
func (v *Vault) leading(ctx context.Context, l linkage, pick func(from, to string) string) ([]Entry, error) {
	taken := map[string]bool{}
	err := v.asking(func(ix *index) error {
		u, err := ix.unseen(ctx, l.hidden)
		if err != nil {
			return err
		}
		all, err := column[string](ctx, ix, "SELECT path FROM docs WHERE source = ? AND id NOT IN (SELECT value FROM json_each(?))", l.source, u.docs)
		if err != nil {
			return err
		}
		set := links.NewSet(all)
		return each(ctx, ix.db, func(rows *sql.Rows) error {
			var from string
			var link links.Link
			var held sql.NullString // the file with the block
			if err := rows.Scan(&from, &link.Target, &link.Kind, &held); err != nil {
				return err
			}
			to := held.String
			if link.Kind != links.ToBlock {
				to = set.Resolve(from, link)
			}
			if name := pick(from, to); name != "" {
				taken[name] = true
			}
			return nil
		}, `SELECT d.path, l.written, l.kind, (SELECT t.path FROM blocks b JOIN docs t ON t.id = b.doc
				WHERE l.kind = ? AND b.block = l.target AND t.source = d.source AND t.id NOT IN (SELECT value FROM json_each(?)))
			FROM links l JOIN docs d ON d.id = l.doc WHERE d.source = ? AND d.id NOT IN (SELECT value FROM json_each(?)) AND `+
			l.where+" LIMIT ?", slices.Concat([]any{links.ToBlock, u.docs, l.source, u.docs}, l.args, []any{maxLinking})...)
	})
	if err != nil || len(taken) == 0 {
		return nil, err
	}
	return v.named(ctx, l.source, taken)
}

// named returns files by their paths, in the order of their titles.
func (v *Vault) named(ctx context.Context, source string, paths map[string]bool) (all []Entry, err error) {
	err = v.asking(func(ix *index) error {
		for name := range paths {
			found, err := ix.entries(ctx, "source = ? AND path = ?", "id", source, name)
			if err != nil {
				return err
			}
			all = append(all, found...)
		}
		return nil
	})
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.Path, b.Path)) })
	return all, err
}

// near lists notes that share tags with a note or treat the same subject.
func (v *Vault) near(ctx context.Context, e Entry, hidden Hidden) ([]Entry, error) {
	d, err := v.Read(ctx, Part{Source: e.Source, Path: e.Path})
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_, body := frontmatter.Parse(d.Text)
	q := Query{Text: text.Clip(d.Title+" "+strings.Join(d.Tags, " ")+" "+body, asksBy), Limit: maxFitting, Hidden: hidden}
	hits, err := v.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	fit, found := map[string]float64{}, map[string]bool{}
	for _, h := range hits {
		if h.Source == e.Source && h.Path != e.Path && (h.Score >= nearEnough || len(d.Tags) > 0) {
			fit[h.Path] = max(fit[h.Path], h.Score)
			found[h.Path] = true
		}
	}
	all, err := v.named(ctx, e.Source, found)
	shared := func(o Entry) (n float64) {
		for _, t := range o.Tags {
			if slices.Contains(d.Tags, t) {
				n += tagWorth
			}
		}
		return n
	}
	all = slices.DeleteFunc(all, func(o Entry) bool { return fit[o.Path]+shared(o) < nearEnough })
	slices.SortStableFunc(all, func(a, b Entry) int { return cmp.Compare(fit[b.Path]+shared(b), fit[a.Path]+shared(a)) })
	return all, err
}

// What makes two notes near: the score of a search, plus tagWorth for each shared tag.
const (
	nearEnough = 0.15
	tagWorth   = 0.2
)

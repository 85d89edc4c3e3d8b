package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"parley/internal/notes/code"
	"parley/internal/notes/document"
	"parley/internal/notes/frontmatter"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Part says what to read of a file: a section by its heading, lines, or everything
// when neither is given.
type Part struct {
	Source   string // "" is the first source that has the path
	Path     string
	Heading  string
	From, To int // lines from 1, To included; 0 is open
}

// Document is a file or a part of one, as it is on disk now.
type Document struct {
	Entry
	Headings []string // of the whole file; of code, what it defines
	Line     int      // where Text begins
	Lines    int      // of the whole file
	Page     int      // of a document: the one that was asked for, 0 for none
	Pages    int      // of a document: how many are known
	Text     string
}

// Entry is a file in a list.
type Entry struct {
	Source, Path, Kind, Title string
	Tags                      []string
	Size                      int64
	Modified                  time.Time
	Skipped                   string // why it is not searched, "" when it is
	Partly                    string // what of it is not searched, "" when that is nothing
}

// Read reads an indexed file or a part of it, of a document by a heading, a page
// ("page 3") or both, not by lines. For a missing heading it returns
// ErrNotFound, which names the headings that exist.
func (v *Vault) Read(ctx context.Context, p Part) (Document, error) {
	e, err := v.entry(ctx, p.Source, p.Path)
	if err != nil {
		return Document{}, fmt.Errorf("read %.300q: %w", p.Path, err)
	}
	var d Document
	if s := v.o.Sources[slices.IndexFunc(v.o.Sources, func(s Source) bool { return s.Name == e.Source })]; s.Kind == KindNotes &&
		document.Is(e.Path) {
		d, err = v.readPaper(ctx, e, p)
	} else {
		d, err = v.open(ctx, s, p)
	}
	if err != nil {
		return Document{}, fmt.Errorf("read %q: %w", p.Path, err)
	}
	d.Entry = e
	return d, nil
}

// entry finds an indexed file: a file that no walk found is never read.
func (v *Vault) entry(ctx context.Context, source, name string) (e Entry, err error) {
	err = v.asking(func(ix *index) error {
		found, err := ix.entries(ctx, "path = ? AND (? = '' OR source = ?)", "id", name, source, source)
		if err != nil {
			return err
		}
		for _, s := range v.o.Sources {
			for _, f := range found {
				if f.Source == s.Name && e.Path == "" {
					e = f
				}
			}
		}
		if e.Path == "" {
			return ErrNotFound
		}
		return nil
	})
	return e, err
}

func (v *Vault) open(ctx context.Context, s Source, p Part) (d Document, err error) {
	c, err := v.content(s, p.Path)
	if err != nil {
		return d, err
	}
	lines := strings.Split(c.text, "\n")
	parts := v.spans(ctx, s, p.Path, c, lines)
	for _, h := range parts {
		d.Headings = append(d.Headings, h.heading)
	}
	from, to := max(p.From, 1), len(lines)
	if p.To > 0 {
		to = min(p.To, to)
	}
	if p.Heading != "" {
		i := slices.IndexFunc(parts, func(h span) bool { return sameHeading(h.heading, p.Heading) })
		if i < 0 {
			return d, text.Tell("%w: no heading %.200q; there are: %.2000s", ErrNotFound, p.Heading, strings.Join(d.Headings, " | "))
		}
		from, to = parts[i].from, parts[i].to
	}
	d.Line, d.Lines = from, len(lines)
	if from <= to {
		d.Text = strings.Join(lines[from-1:to], "\n")
	}
	return d, nil
}

// content reads a file that a walk would find.
func (v *Vault) content(s Source, name string) (c content, err error) {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return c, err
	}
	defer func() { _ = root.Close() }()
	if w := (&walk{root: root, shut: v.excluded()}); !w.reaches(name) {
		return c, ErrNotFound
	}
	c, err = read(root, name, s.Kind, v.o.HardLinks)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return c, ErrNotFound
	case err == nil && c.skipped != "":
		return c, text.Tell("%w: it is %s", ErrNotFound, catalog.Words(c.skipped))
	}
	return c, err
}

// span is a heading with all that is below it, in lines from 1.
type span struct {
	heading        string
	from, body, to int
}

// spans lists the headings of a note, or what a file of code defines.
func (v *Vault) spans(ctx context.Context, s Source, name string, c content, lines []string) (all []span) {
	if s.Kind == KindCode && !isNote(name) {
		parts := slices.DeleteFunc(v.defines(ctx, name, c.text), func(y code.Symbol) bool { return y.Minor || y.Line > len(lines) })
		for i, y := range parts {
			from, to := comment(lines, y.Line-1)+1, len(lines)
			if i+1 < len(parts) {
				to = max(from, comment(lines, parts[i+1].Line-1))
			}
			all = append(all, span{y.Name, from, from, to})
		}
		return all
	}
	return noteSpans(c.text)
}

func noteSpans(text string) (all []span) {
	matter, rest := frontmatter.Parse(text)
	lines := strings.Split(rest, "\n")
	heads, _ := outline(rest, lines)
	for i, h := range heads {
		to := len(lines)
		if j := slices.IndexFunc(heads[i+1:], func(n head) bool { return n.level <= h.level }); j >= 0 {
			to = heads[i+1+j].line
		}
		all = append(all, span{h.text, matter.Lines + h.line + 1, matter.Lines + h.body + 1, matter.Lines + to})
	}
	return all
}

// sameHeading forgives case, marks and spaces.
func sameHeading(a, b string) bool {
	norm := func(s string) string { return strings.ToLower(plain(strings.TrimLeft(s, "# "))) }
	return norm(a) == norm(b)
}

// List names notes, the newest first: of one folder with what is below it, or
// of all when it is "".
func (v *Vault) List(ctx context.Context, folder string, limit int) ([]Entry, error) {
	folder = strings.Trim(folder, "/")
	from, to := below(folder)
	return v.list(ctx, limit, "kind = 'notes' AND (? = '' OR path >= ? AND path < ?)", folder, from, to)
}

// Recent names notes changed since a time, the newest first.
func (v *Vault) Recent(ctx context.Context, since time.Time, limit int) ([]Entry, error) {
	return v.list(ctx, limit, "kind = 'notes' AND mtime >= ?", since.UnixNano())
}

// Titles names notes with a part in their title, file name or an alias, the newest
// first.
func (v *Vault) Titles(ctx context.Context, part string, limit int) ([]Entry, error) {
	return v.list(ctx, limit, "kind = 'notes' AND EXISTS (SELECT 1 FROM names n WHERE n.doc = docs.id AND instr(n.name, ?) > 0)",
		strings.ToLower(strings.ToValidUTF8(part, "")))
}

func (v *Vault) list(ctx context.Context, limit int, where string, args ...any) (all []Entry, err error) {
	err = v.asking(func(ix *index) error {
		all, err = ix.entries(ctx, where, fmt.Sprintf("mtime DESC, id LIMIT %d", max(0, limit)), args...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list notes: %w", err)
	}
	return all, nil
}

// entries lists files; where and order are ours.
func (ix *index) entries(ctx context.Context, where, order string, args ...any) (all []Entry, err error) {
	rows, err := ix.db.QueryContext(ctx, `SELECT source, path, kind, title, size, mtime,
		(SELECT group_concat(tag, char(10)) FROM tags WHERE doc = docs.id) FROM docs WHERE skipped = '' AND `+where+" ORDER BY "+order, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var e Entry
		var mtime int64
		var tags sql.NullString
		if err := rows.Scan(&e.Source, &e.Path, &e.Kind, &e.Title, &e.Size, &mtime, &tags); err != nil {
			return nil, err
		}
		e.Modified = time.Unix(0, mtime)
		if tags.Valid {
			e.Tags = strings.Split(tags.String, "\n")
		}
		all = append(all, e)
	}
	return all, rows.Err()
}

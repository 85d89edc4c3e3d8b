package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"parley/internal/notes/code"
	"parley/internal/notes/document"
	"parley/internal/notes/frontmatter"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Part names what to read of a file: a section by its heading, or lines, or everything.
type Part struct {
	Source   string // "" is the first source that has the path
	Path     string
	Heading  string
	From, To int // lines from 1, To included; 0 is unbounded
}

// Document is a file or a part of one, as it is on disk now.
type Document struct {
	Entry
	Headings []string // of the whole file; of code, its symbols
	Line     int      // first line of Text
	Lines    int      // of the whole file
	Page     int      // of a document: the requested page, 0 for none
	Pages    int      // of a document: the last known page
	Text     string
}

// Entry is a file in a list.
type Entry struct {
	Source, Path, Kind, Title string
	Tags                      []string
	Size                      int64
	Modified                  time.Time
	Skipped                   string // why searches ignore it, "" if they do not
	Partly                    string // which part searches ignore, "" for none
}

// Read reads an indexed file or a part of it. Heading may name a page of a document
// ("page 3", or "Costs, page 3"), which has no lines. If the heading is missing, it
// returns ErrNotFound with the existing headings.
func (v *Vault) Read(ctx context.Context, p Part) (Document, error) {
	e, err := v.entry(ctx, p.Source, p.Path)
	if err != nil {
		return Document{}, fmt.Errorf("read %.300q: %w", p.Path, err)
	}
	var d Document
	if s := v.source(e); s.Kind == KindNotes && document.Is(e.Path) {
		d, err = v.readPaper(ctx, e, p)
	} else {
		p.Path = e.Path
		d, err = v.open(ctx, s, p)
	}
	if err != nil {
		return Document{}, fmt.Errorf("read %q: %w", p.Path, err)
	}
	d.Entry = e
	return d, nil
}

// entry finds an indexed file by its path, in any case, width and form of accents; the very
// path comes first. No other file is ever read.
func (v *Vault) entry(ctx context.Context, source, name string) (e Entry, err error) {
	err = v.asking(func(ix *index) error {
		found, err := ix.entries(ctx, "folded = ? AND (? = '' OR source = ?)", "path = ? DESC, id", text.Fold(name), source, source, name)
		if err != nil {
			return err
		}
		for _, s := range v.o.Sources {
			if i := slices.IndexFunc(found, func(f Entry) bool { return f.Source == s.Name }); i >= 0 {
				e = found[i]
				return nil
			}
		}
		return ErrNotFound
	})
	return e, err
}

func (v *Vault) source(e Entry) Source {
	return v.o.Sources[slices.IndexFunc(v.o.Sources, func(s Source) bool { return s.Name == e.Source })]
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

// content reads a file, provided that a walk would find it.
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

// span is a heading with everything below it, in lines from 1.
type span struct {
	heading        string
	from, body, to int
}

// spans lists the headings of a note, or the symbols of a file of code.
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
	if isBase(name) {
		return nil
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

// sameHeading ignores case, ss for ß, markup and spaces.
func sameHeading(a, b string) bool {
	norm := func(s string) string { return text.Lower(text.Fold(plain(strings.TrimLeft(s, "# ")))) }
	return norm(a) == norm(b)
}

// List returns the notes in and below a folder, the newest first; "" means all notes. Hidden ones
// do not count.
func (v *Vault) List(ctx context.Context, folder string, hidden Hidden, limit int) ([]Entry, error) {
	folder = strings.Trim(folder, "/")
	from, to := below(folder)
	return v.seen(ctx, hidden, limit, "kind = 'notes' AND (? = '' OR path >= ? AND path < ?)", folder, from, to)
}

// Recent returns the notes changed since a time, the newest first.
func (v *Vault) Recent(ctx context.Context, since time.Time, limit int) ([]Entry, error) {
	return v.list(ctx, limit, "kind = 'notes' AND mtime >= ?", since.UnixNano())
}

// Titles returns the notes with part in their title, file name or an alias, the newest
// first. Hidden ones do not count.
func (v *Vault) Titles(ctx context.Context, part string, hidden Hidden, limit int) ([]Entry, error) {
	return v.seen(ctx, hidden, limit, "kind = 'notes' AND EXISTS (SELECT 1 FROM names n WHERE n.doc = docs.id AND instr("+sharp("n.name")+", ?) > 0)",
		text.Lower(text.Fold(strings.ToValidUTF8(part, ""))))
}

// seen lists files that are not hidden.
func (v *Vault) seen(ctx context.Context, hidden Hidden, limit int, where string, args ...any) ([]Entry, error) {
	u, err := v.unseen(ctx, hidden)
	if err != nil {
		return nil, fmt.Errorf("list notes: %w", err)
	}
	return v.list(ctx, limit, "id NOT IN (SELECT value FROM json_each(?)) AND "+where, append([]any{u.docs}, args...)...)
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

// entries lists files. where and order must be trusted SQL.
func (ix *index) entries(ctx context.Context, where, order string, args ...any) (all []Entry, err error) {
	return all, each(ctx, ix.db, func(rows *sql.Rows) error {
		var e Entry
		var mtime int64
		var tags sql.NullString
		err := rows.Scan(&e.Source, &e.Path, &e.Kind, &e.Title, &e.Size, &mtime, &tags)
		e.Modified = time.Unix(0, mtime)
		if tags.Valid {
			e.Tags = strings.Split(tags.String, "\n")
		}
		all = append(all, e)
		return err
	}, `SELECT source, path, kind, title, size, mtime, (SELECT group_concat(tag, char(10)) FROM tags WHERE doc = docs.id)
		FROM docs WHERE skipped = '' AND `+where+" ORDER BY "+order, args...)
}

// maxNamed limits the files that Find returns.
const maxNamed = 20

// names lists the names by which people may call a file.
func (d indexed) names() (all []string) {
	for _, n := range append([]string{noteName(d.path), d.title}, d.aliases...) {
		if n = text.Fold(strings.TrimSpace(n)); n != "" {
			all = append(all, text.Clip(n, maxName))
		}
	}
	return all
}

// Find lists the files that people may mean by a name: a path, a title, an alias or a
// file name, with or without its ending, in any case. If a path fits, only that file is
// listed; ss for ß counts where nothing else fits.
func (v *Vault) Find(ctx context.Context, name string, hidden Hidden) ([]Entry, error) {
	name = strings.TrimSpace(strings.ToValidUTF8(name, ""))
	name = strings.TrimSuffix(strings.TrimPrefix(name, "[["), "]]")
	low := text.Fold(name)
	ended := strings.TrimSuffix(low, ".md") + ".md"
	inside := path.Join(v.o.WriteDir, name)
	for _, try := range []struct {
		where string
		args  []any
	}{
		{"path IN (?, ?, ?, ?)", []any{name, name + ".md", inside, inside + ".md"}},
		{"id IN (SELECT doc FROM names WHERE name IN (?, ?))", []any{low, noteName(name)}},
		{"folded IN (?, ?, ?, ?)", []any{low, low + ".md", text.Fold(inside), text.Fold(inside) + ".md"}},
		{"name = ? AND (folded LIKE '%/' || ? ESCAPE '\\' OR folded LIKE '%/' || ? ESCAPE '\\')",
			[]any{noteName(name), like(low), like(ended)}},
		{"(id IN (SELECT doc FROM names WHERE " + sharp("name") + " IN (?, ?)) OR " + sharp("folded") + " IN (?, ?))",
			[]any{text.Lower(low), text.Lower(noteName(name)), text.Lower(low), text.Lower(ended)}},
	} {
		found, err := v.seen(ctx, hidden, maxNamed, try.where, try.args...)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// sharp is what text.Lower makes of a column that is folded.
func sharp(column string) string { return "replace(" + column + ", 'ß', 'ss')" }

// like escapes a text for LIKE.
func like(s string) string { return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s) }

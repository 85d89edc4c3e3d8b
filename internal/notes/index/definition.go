package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/db/engine"
	"parley/internal/notes/code"
	"parley/internal/text"
	"parley/internal/text/snippet"
)

// maxDefinitions is how many places of one name are returned.
const maxDefinitions = 20

// Definition finds where code defines a name, such as a function, a type, or a method
// as Type.Method. Names in the same case come first.
func (v *Vault) Definition(ctx context.Context, name string) (hits []Hit, err error) {
	owner, name := code.Qualified(name)
	err = v.asking(func(ix *index) error {
		hits, err = ix.hits(ctx, `SELECT y.rowid, d.id, d.source, d.path, d.title, y.name, y.line, 0, d.day, d.mtime,
			coalesce((SELECT text FROM sections s WHERE s.doc = d.id AND s.line <= y.line ORDER BY s.line DESC LIMIT 1), '')
			FROM symbols y JOIN docs d ON d.id = y.doc WHERE y.name = :name AND (:owner = '' OR y.owner = :owner)
			ORDER BY y.name = :name COLLATE BINARY DESC, d.path, y.line LIMIT :limit`,
			engine.Named{"name": name, "owner": owner, "limit": maxDefinitions})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("definition: %w", err)
	}
	for i := range hits {
		hits[i].Score, hits[i].Snippet = 1, snippet.Of(hits[i].Text, [][]string{{text.Lower(name)}})
	}
	return hits, nil
}

// Bounds of a search for uses.
const (
	maxUsers = 300 // files that are read
	maxUses  = 500 // uses that are counted
	maxUse   = 500 // characters of a line
)

// References finds where code uses a name, such as a function or Type.Method: as a whole
// word, outside comments, strings and definitions. Hits are in the order of their files;
// Heading names the symbol around the use, Text is its line. total also counts the hits
// beyond limit.
func (v *Vault) References(ctx context.Context, name string, limit int) (hits []Hit, total int, err error) {
	_, name = code.Qualified(name)
	users, err := v.users(ctx, name)
	if err != nil {
		return nil, 0, fmt.Errorf("references: %w", err)
	}
	for _, e := range users {
		c, err := v.content(v.source(e), e.Path)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, 0, fmt.Errorf("references: %w", err)
		}
		hits = append(hits, v.uses(ctx, e, c.text, name)...)
		if ctx.Err() != nil || len(hits) >= maxUses {
			break
		}
	}
	return hits[:min(len(hits), limit)], len(hits), ctx.Err()
}

// users lists the files of code that contain all words of a name in a row.
func (v *Vault) users(ctx context.Context, name string) (all []Entry, err error) {
	said := strings.Join(slices.Collect(text.Words(name)), " ")
	if said == "" {
		return nil, nil
	}
	err = v.asking(func(ix *index) error {
		all, err = ix.entries(ctx,
			"kind = 'code' AND id IN (SELECT s.doc FROM code_fts JOIN sections s ON s.id = code_fts.rowid WHERE code_fts MATCH ?)",
			"path LIMIT ?", `text : "`+said+`"`, maxUsers)
		return err
	})
	return slices.DeleteFunc(all, func(e Entry) bool { return isNote(e.Path) }), err
}

// uses lists the uses of a name in a file.
func (v *Vault) uses(ctx context.Context, e Entry, source, name string) (hits []Hit) {
	defined := v.defines(ctx, e.Path, source)
	lines := strings.Split(source, "\n")
	for i, masked := range strings.Split(code.Mask(e.Path, source), "\n") {
		if !code.Uses(masked, name) || slices.ContainsFunc(defined, func(s code.Symbol) bool { return s.Line == i+1 && s.Name == name }) {
			continue
		}
		in, _ := slices.BinarySearchFunc(defined, i+2, func(s code.Symbol, line int) int { return cmp.Compare(s.Line, line) })
		for in--; in >= 0 && defined[in].Minor; in-- {
		}
		h := Hit{Source: e.Source, Path: e.Path, Title: e.Title, Line: i + 1, Score: 1, Text: text.Clip(strings.TrimSpace(lines[i]), maxUse)}
		if h.Snippet = h.Text; in >= 0 {
			h.Heading = defined[in].Name
		}
		hits = append(hits, h)
	}
	return hits
}

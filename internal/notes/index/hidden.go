package index

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// Hidden names the files that a reader may not know of. A search counts and compares as if
// they were not there: what is found, in which order and with which scores, and which words
// a slip may stand for, says nothing about them.
type Hidden struct {
	Paths   []string  // in any source
	Renamed []Renamed // known by what is in them
	Known   []string  // paths of which it is clear whether they are hidden
}

// Renamed is a file that was renamed by hand, if none is at its path any more: each file
// with its content is that file.
type Renamed struct {
	Path string
	Hash []byte // Fingerprint
}

// unseen is what of an index a reader may not know of.
type unseen struct {
	docs     string  // a list in JSON
	sections []int64 // in order
	list     string  // of sections, in JSON
}

// unseen finds what is hidden.
func (v *Vault) unseen(ctx context.Context, h Hidden) (u unseen, err error) {
	return u, v.asking(func(ix *index) error {
		u, err = ix.unseen(ctx, h)
		return err
	})
}

func (ix *index) unseen(ctx context.Context, h Hidden) (u unseen, err error) {
	u.docs, u.list = "[]", "[]"
	if len(h.Paths)+len(h.Renamed) == 0 {
		return u, nil
	}
	docs, err := column[int64](ctx, ix, `SELECT d.id FROM (SELECT DISTINCT source FROM docs) s CROSS JOIN json_each(?) j
		CROSS JOIN docs d ON d.source = s.source AND d.path = j.value`, inJSON(h.Paths))
	if err != nil {
		return u, err
	}
	renamed, err := ix.renamed(ctx, h)
	if err != nil {
		return u, err
	}
	u.docs = inJSON(append(docs, renamed...))
	u.sections, err = column[int64](ctx, ix, "SELECT id FROM sections WHERE doc IN (SELECT value FROM json_each(?)) ORDER BY id", u.docs)
	u.list = inJSON(u.sections)
	return u, err
}

// Visible counts the documents and the sections that a reader may know of.
func (v *Vault) Visible(ctx context.Context, h Hidden) (documents, sections int, err error) {
	err = v.asking(func(ix *index) error {
		u, err := ix.unseen(ctx, h)
		if err != nil {
			return err
		}
		return ix.db.QueryRowContext(ctx, `SELECT count(*), (SELECT count(*) FROM sections WHERE doc NOT IN (SELECT value FROM json_each(?)))
			FROM docs WHERE skipped = '' AND id NOT IN (SELECT value FROM json_each(?))`, u.docs, u.docs).Scan(&documents, &sections)
	})
	return documents, sections, err
}

// renamed finds the hidden files that are known by what is in them.
func (ix *index) renamed(ctx context.Context, h Hidden) ([]int64, error) {
	byPath := map[string][]string{}
	for _, r := range h.Renamed {
		byPath[r.Path] = append(byPath[r.Path], hex.EncodeToString(r.Hash))
	}
	paths := make([]string, 0, len(byPath))
	for path := range byPath {
		paths = append(paths, path)
	}
	gone, err := column[string](ctx, ix, `SELECT j.value FROM json_each(?) j WHERE NOT EXISTS
		(SELECT 1 FROM (SELECT DISTINCT source FROM docs) s CROSS JOIN docs d ON d.source = s.source AND d.path = j.value WHERE d.skipped = '')`,
		inJSON(paths))
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	var hashes []string
	for _, path := range gone {
		hashes = append(hashes, byPath[path]...)
	}
	return column[int64](ctx, ix, `SELECT id FROM docs WHERE lower(hex(hash)) IN (SELECT value FROM json_each(?))
		AND path NOT IN (SELECT value FROM json_each(?))`, inJSON(hashes), inJSON(h.Known))
}

// seen drops from sections, in order, those that are hidden, and keeps at most limit.
func (u *unseen) seen(sections []int64, limit int) []int64 {
	if len(u.sections) > 0 {
		sections = slices.DeleteFunc(sections, func(id int64) bool { return holds(u.sections, id) })
	}
	return sections[:min(len(sections), limit)]
}

// inJSON returns a list of numbers or of texts for json_each.
func inJSON[T int64 | string](list []T) string {
	if list == nil {
		return "[]"
	}
	data, _ := json.Marshal(list) // numbers or texts: cannot fail
	return string(data)
}

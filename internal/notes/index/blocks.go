package index

import (
	"context"
	"database/sql"
	"slices"

	"parley/internal/notes/links"
)

// show puts the words of blocks in place of ((id)) in what was found. A block counts if its note
// is in the same source and not hidden.
func (s *search) show(ctx context.Context, hits []Hit) error {
	for i := range hits {
		h := &hits[i]
		ids := links.References(h.Text)
		if len(ids) == 0 {
			continue
		}
		blocks := map[string]string{}
		err := each(ctx, s.ix.db, func(rows *sql.Rows) error {
			var id, said, path string
			err := rows.Scan(&id, &said, &path)
			if blocks[id] = said; path != h.Path && !slices.Contains(h.Quoted, path) {
				h.Quoted = append(h.Quoted, path)
			}
			return err
		}, `SELECT b.block, b.text, d.path FROM blocks b JOIN docs d ON d.id = b.doc WHERE b.block IN (SELECT value FROM json_each(?))
			AND d.source = ? AND d.id NOT IN (SELECT value FROM json_each(?)) ORDER BY d.path`, inJSON(ids), h.Source, s.docs)
		if err != nil {
			return err
		}
		h.Text = links.Shown(h.Text, blocks)
	}
	return nil
}

package index

import (
	"context"
	"database/sql"
	"fmt"

	"parley/internal/db/sqlite"
)

// Scrub erases every trace of removed notes from the index file: words, vectors and
// free space. It takes as long as reading and writing the whole file.
func (v *Vault) Scrub(ctx context.Context) error {
	v.changing.Lock()
	defer v.changing.Unlock()
	err := v.using(func(ix *index) error {
		gone, err := ix.unsaid(ctx)
		if err != nil {
			return err
		}
		err = ix.write(ctx, func(p *put) {
			for _, id := range gone {
				p.exec("DELETE FROM words WHERE id = ?", id)
			}
			p.exec("INSERT INTO words_fts (words_fts) VALUES ('rebuild')")
			p.exec("DELETE FROM vectors WHERE hash NOT IN (SELECT hash FROM sections)")
		})
		if err != nil {
			return err
		}
		return sqlite.Scrub(ctx, ix.db, "notes_fts", "code_fts", "words_fts", "spelled_fts")
	})
	if err != nil {
		return fmt.Errorf("scrub index: %w", err)
	}
	return nil
}

// unsaid lists the words that occur in no file any more.
func (ix *index) unsaid(ctx context.Context) (gone []int64, err error) {
	none := unseen{list: "[]"}
	return gone, each(ctx, ix.db, func(rows *sql.Rows) error {
		var id int64
		var kind, word string
		if err := rows.Scan(&id, &kind, &word); err != nil {
			return err
		}
		said, err := ix.says(ctx, kind, word, &none)
		if !said {
			gone = append(gone, id)
		}
		return err
	}, "SELECT id, kind, word FROM words")
}

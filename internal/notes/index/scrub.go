package index

import (
	"context"
	"database/sql"
	"fmt"

	"parley/internal/db/sqlite"
	"parley/internal/notes/code"
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
		return sqlite.Scrub(ctx, ix.db, "notes_fts", "code_fts", "words_fts")
	})
	if err != nil {
		return fmt.Errorf("scrub index: %w", err)
	}
	return nil
}

// unsaid lists the words that occur in no file any more. It looks tags and aliases up in
// the full-text index, because only that has them all.
func (ix *index) unsaid(ctx context.Context) (gone []int64, err error) {
	said, err := ix.said(ctx)
	if err != nil {
		return nil, err
	}
	return gone, each(ctx, ix.db, func(rows *sql.Rows) error {
		var id int64
		var kind, word string
		if err := rows.Scan(&id, &kind, &word); err != nil || said[kind][word] {
			return err
		}
		var tagged bool
		err := ix.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+kind+"_fts WHERE "+kind+"_fts MATCH ?)",
			`tags : "`+word+`"`).Scan(&tagged)
		if !tagged {
			gone = append(gone, id)
		}
		return err
	}, "SELECT id, kind, word FROM words")
}

// said returns the vocabulary of all sections, by kind.
func (ix *index) said(ctx context.Context) (map[string]map[string]bool, error) {
	all := map[string]map[string]bool{KindNotes: {}, KindCode: {}}
	return all, each(ctx, ix.db, func(rows *sql.Rows) error {
		var kind, title, heading, body string
		if err := rows.Scan(&kind, &title, &heading, &body); err != nil {
			return err
		}
		if kind == KindCode {
			heading += " " + code.Words(heading)
		}
		vocabulary(all[kind], spaced(title+" "+heading))
		vocabulary(all[kind], body)
		return nil
	}, "SELECT d.kind, d.title, s.heading, s.text FROM sections s JOIN docs d ON d.id = s.doc")
}

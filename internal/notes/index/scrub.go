package index

import (
	"context"
	"fmt"

	"parley/internal/db/sqlite"
	"parley/internal/notes/code"
)

// Scrub leaves nothing of removed notes in the index file: no words, no vectors
// and no free space. It takes as long as reading and writing the whole file.
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

// unsaid lists the words that no longer occur in any file. Tags and other names of
// files are looked up in the full-text index, because only it has them all.
func (ix *index) unsaid(ctx context.Context) (gone []int64, err error) {
	said, err := ix.said(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := ix.db.QueryContext(ctx, "SELECT id, kind, word FROM words")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		var kind, word string
		if err := rows.Scan(&id, &kind, &word); err != nil {
			return nil, err
		}
		if said[kind][word] {
			continue
		}
		var tagged bool
		if err := ix.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+kind+"_fts WHERE "+kind+"_fts MATCH ?)",
			`tags : "`+word+`"`).Scan(&tagged); err != nil {
			return nil, err
		}
		if !tagged {
			gone = append(gone, id)
		}
	}
	return gone, rows.Err()
}

// said returns the vocabulary of all sections, by kind.
func (ix *index) said(ctx context.Context) (map[string]map[string]bool, error) {
	rows, err := ix.db.QueryContext(ctx, "SELECT d.kind, d.title, s.heading, s.text FROM sections s JOIN docs d ON d.id = s.doc")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	all := map[string]map[string]bool{KindNotes: {}, KindCode: {}}
	for rows.Next() {
		var kind, title, heading, body string
		if err := rows.Scan(&kind, &title, &heading, &body); err != nil {
			return nil, err
		}
		if kind == KindCode {
			heading += " " + code.Words(heading)
		}
		vocabulary(all[kind], spaced(title+" "+heading))
		vocabulary(all[kind], body)
	}
	return all, rows.Err()
}

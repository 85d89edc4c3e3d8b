package access

import (
	"context"

	"parley/internal/db/engine"
)

// NoteAuthor says whose a note is that was written through the bot. Notes
// without one are the owner's own files.
type NoteAuthor struct {
	Path   string // from the folder of notes
	User   string
	Shared bool   // it was written in company: everybody may read it
	Hash   []byte // of the file as it was last written through the bot
}

// NoteAuthors lists them all.
func (g *Register) NoteAuthors(context.Context) ([]NoteAuthor, error) {
	all, err := engine.Select(g.db, func(r engine.Scanner) (a NoteAuthor, err error) {
		err = r.Scan(&a.Path, &a.User, &a.Shared, &a.Hash)
		return a, err
	}, "SELECT path, user_id, shared, hash FROM note_authors ORDER BY path")
	return all, engine.During("list authors of notes", err)
}

// SaveNoteAuthor stores whose a note is. A note keeps its first author: who
// writes to it later changes only what it is recognized by.
func (g *Register) SaveNoteAuthor(ctx context.Context, a NoteAuthor) error {
	return engine.During("store author of a note", g.db.Exec(ctx, `INSERT INTO note_authors (path, user_id, shared, hash, at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (path) DO UPDATE SET hash = excluded.hash, at = excluded.at`, a.Path, a.User, a.Shared, append([]byte{}, a.Hash...), engine.Stamp(g.now())))
}

// MoveNoteAuthor follows a note to another name.
func (g *Register) MoveNoteAuthor(ctx context.Context, from, to string) error {
	return engine.During("move author of a note", g.db.Write(ctx, func(tx *engine.Tx) error {
		return tx.ExecAll(engine.Named{"from": from, "to": to},
			"DELETE FROM note_authors WHERE path = :to AND EXISTS (SELECT 1 FROM note_authors o WHERE o.path = :from) AND path <> :from",
			"UPDATE note_authors SET path = :to WHERE path = :from")
	}))
}

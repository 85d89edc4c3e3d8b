package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/vault"
)

// showsNote tells whether m's author may read a note that was cited, by its path
// with the heading behind it.
func (a *app) showsNote(ctx context.Context, m chat.Message, cited string) bool {
	s, err := a.shelf(ctx, m)
	if err != nil {
		return false
	}
	path, _, _ := strings.Cut(cited, "#")
	ok, err := s.Shows(ctx, "", path)
	return ok && err == nil
}

// notesOf lists the notes that a person had written.
func (a *app) notesOf(ctx context.Context, user string) (own []memory.NoteAuthor, err error) {
	if a.vault == nil {
		return nil, nil
	}
	all, err := a.store.NoteAuthors(ctx)
	for _, n := range all {
		if n.User == user {
			own = append(own, n)
		}
	}
	return own, err
}

// exportNotes is a person's notes as a file, none when there are none.
func (a *app) exportNotes(ctx context.Context, user string) (files []chat.File, err error) {
	own, err := a.notesOf(ctx, user)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, n := range own {
		d, err := a.vault.Read(ctx, vault.Part{Path: n.Path})
		if errors.Is(err, vault.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "<!-- %s -->\n%s\n\n", n.Path, strings.TrimSpace(d.Text))
	}
	if b.Len() == 0 {
		return nil, nil
	}
	return []chat.File{{Name: "parley-notes.md", MIME: "text/markdown", Data: []byte(b.String())}}, nil
}

// forgetNotes deletes a person's notes with all that is kept of them.
func (a *app) forgetNotes(ctx context.Context, user string) error {
	own, err := a.notesOf(ctx, user)
	if err != nil {
		return err
	}
	for _, n := range own {
		if err := a.vault.Remove(ctx, n.Path); err != nil {
			return err
		}
	}
	return nil
}

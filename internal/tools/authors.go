package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/internal/memory"
	"parley/internal/notes/index"
	"parley/internal/text"
)

// Authors stores who owns the notes that were written through the bot. access.Register
// is the real one.
type Authors interface {
	NoteAuthors(ctx context.Context) ([]memory.NoteAuthor, error)
	SaveNoteAuthor(ctx context.Context, a memory.NoteAuthor) error
	MoveNoteAuthor(ctx context.Context, from, to string) error
}

// maxSifted is how many passages or notes are checked to find those that somebody
// may read.
const (
	maxSifted = 50
	maxListed = 1000
)

// Shelf holds the notes that one person may read: the owner's files, notes written
// for everybody, and their own.
type Shelf struct {
	n      Notes
	call   Call     // of who reads; where others read along, a private note is not shown
	from   []string // sources; nil is all
	byPath map[string]memory.NoteAuthor
	byHash map[string]memory.NoteAuthor
}

// Shelf returns the notes for who calls, who is alone with the bot or in company.
func (n Notes) Shelf(ctx context.Context, c Call) (*Shelf, error) {
	s := &Shelf{n: n, call: c, byPath: map[string]memory.NoteAuthor{}, byHash: map[string]memory.NoteAuthor{}}
	if n.Sources != nil {
		s.from = n.Sources(c.Memory)
	}
	if n.Authors == nil {
		return s, nil
	}
	all, err := n.Authors.NoteAuthors(ctx)
	if err != nil {
		return nil, fmt.Errorf("whose notes: %w", err)
	}
	for _, a := range all {
		s.byPath[a.Path] = a
		if len(a.Hash) > 0 {
			s.byHash[string(a.Hash)] = a
		}
	}
	return s, nil
}

// author returns who owns a file; ok is false for the owner's own. A note that was
// renamed by hand is recognized by its content.
func (s *Shelf) author(ctx context.Context, source, path string) (a memory.NoteAuthor, ok bool, err error) {
	if a, ok = s.byPath[path]; ok || len(s.byHash) == 0 {
		return a, ok, nil
	}
	hash, err := s.n.Vault.Fingerprint(ctx, source, path)
	if errors.Is(err, index.ErrNotFound) {
		return a, false, nil
	}
	if err != nil {
		return a, false, err
	}
	if a, ok = s.byHash[string(hash)]; !ok {
		return a, false, nil
	}
	_, err = s.n.Vault.Fingerprint(ctx, "", a.Path)
	if errors.Is(err, index.ErrNotFound) {
		return a, true, nil
	}
	return memory.NoteAuthor{}, false, err // that note has not moved: this one only has the same content
}

// Shows reports whether the person may read a file. Without a source it is a path of
// a file that they were shown, or of the folder that notes are written to.
func (s *Shelf) Shows(ctx context.Context, source, path string) (bool, error) {
	if s.from != nil && source != "" && !slices.Contains(s.from, source) {
		return false, nil
	}
	a, known, err := s.author(ctx, source, path)
	return err == nil && (!known || s.reads(a)), err
}

// Changes reports whether the person may change a file: their own, and an owner
// all that they may read.
func (s *Shelf) Changes(ctx context.Context, source, path string) (bool, error) {
	a, known, err := s.author(ctx, source, path)
	owner := s.n.Owner == nil || s.n.Owner(ctx, s.call.Who.ID)
	return err == nil && (a.User == s.call.Who.ID && known || owner && (!known || a.Shared)), err
}

// mark notes on a result that it contains words of neither the person nor the
// owner: notes of others, and folders of code, which anybody may have written.
func (s *Shelf) mark(ctx context.Context, r *Result, e index.Entry) error {
	if e.Kind == index.KindCode {
		r.Untrusted = true
		return nil
	}
	a, known, err := s.author(ctx, e.Source, e.Path)
	if err != nil || !known || a.User == s.call.Who.ID || s.n.Owner != nil && s.n.Owner(ctx, a.User) {
		return err
	}
	r.Untrusted, r.Origin = true, r.Origin.Of(a.User)
	return nil
}

// hidden names what the person may not know of.
func (s *Shelf) hidden() (h index.Hidden) {
	for path, a := range s.byPath {
		if h.Known = append(h.Known, path); !s.reads(a) {
			h.Paths = append(h.Paths, path)
		}
	}
	for hash, a := range s.byHash {
		if !s.reads(a) {
			h.Renamed = append(h.Renamed, index.Renamed{Path: a.Path, Hash: []byte(hash)})
		}
	}
	return h
}

// Counts returns how many documents and sections the person may know of.
func (s *Shelf) Counts(ctx context.Context) (documents, sections int, err error) {
	return s.n.Vault.Visible(ctx, s.hidden())
}

// reads reports whether the person may read a note with this author.
func (s *Shelf) reads(a memory.NoteAuthor) bool {
	return a.Shared || a.User == s.call.Who.ID && s.call.Direct
}

// Search returns the vault's, without what the person may not read.
func (s *Shelf) Search(ctx context.Context, q index.Query) ([]index.Hit, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = 8
	}
	q.Limit, q.From, q.Hidden = max(limit, maxSifted), s.from, s.hidden()
	hits, err := s.n.Vault.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	hits, err = sift(ctx, s, hits, inFile)
	return hits[:min(len(hits), limit)], err
}

// Read returns the vault's; what the person may not read is not there. The note may be
// named as Named takes it.
func (s *Shelf) Read(ctx context.Context, p index.Part) (index.Document, error) {
	e, err := s.Named(ctx, p.Path)
	if err != nil {
		return index.Document{}, err
	}
	if p.Source == "" {
		p.Source = e.Source
	}
	p.Path = e.Path
	d, err := s.n.Vault.Read(ctx, p)
	if err != nil {
		return d, s.unseen(ctx, p, err)
	}
	return d, nil
}

// unseen keeps the headings of a note that the person may not read out of an error.
func (s *Shelf) unseen(ctx context.Context, p index.Part, err error) error {
	if ok, aerr := s.Shows(ctx, p.Source, p.Path); aerr != nil || !ok {
		return fmt.Errorf("read %.300q: %w", p.Path, index.ErrNotFound)
	}
	return err
}

// Listed drops from a list what the person may not read.
func (s *Shelf) Listed(ctx context.Context, list []index.Entry, limit int) ([]index.Entry, error) {
	list, err := sift(ctx, s, list, func(e index.Entry) index.Entry { return e })
	return list[:min(len(list), limit)], err
}

// sift keeps what the person may read: nothing on an error.
func sift[T any](ctx context.Context, s *Shelf, all []T, of func(T) index.Entry) ([]T, error) {
	var kept []T
	for _, t := range all {
		e := of(t)
		ok, err := s.Shows(ctx, e.Source, e.Path)
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, t)
		}
	}
	return kept, nil
}

// put writes a note. A new note belongs to its author alone if it was dictated in a
// direct chat, and to everybody if it was dictated in a group; this is stored before
// the note can be found. Only those to whom an old note belongs can change it.
func (s *Shelf) put(ctx context.Context, note index.Note) (index.Written, error) {
	path, err := s.n.Vault.Target(note.Path)
	if err != nil {
		return index.Written{}, err
	}
	_, err = s.n.Vault.Fingerprint(ctx, "", path)
	if err != nil && !errors.Is(err, index.ErrNotFound) {
		return index.Written{}, err
	}
	there := err == nil
	author, known := s.byPath[path]
	if there && note.Mode != index.ModeCreate {
		if err := s.changes(ctx, path); err != nil {
			return index.Written{}, err
		}
	}
	if !known {
		author = memory.NoteAuthor{Path: path, User: s.call.Who.ID, Shared: !s.call.Direct}
	}
	ours := note.Mode == index.ModeCreate && !there
	if s.n.Authors != nil && ours {
		if err := s.n.Authors.SaveNoteAuthor(ctx, author); err != nil {
			return index.Written{}, err
		}
	}
	note.By = s.by()
	w, err := s.n.Vault.Write(ctx, note)
	if err != nil || s.n.Authors == nil || !known && !ours {
		return w, err
	}
	author.Hash, err = s.n.Vault.Fingerprint(ctx, "", path)
	if errors.Is(err, index.ErrNotFound) { // not indexed yet: known by its path
		return w, nil
	}
	s.byPath[path] = author
	return w, errors.Join(err, s.n.Authors.SaveNoteAuthor(ctx, author))
}

// changes returns why a note may not be changed, nil if it may. A note that the
// person may not even read counts as missing.
func (s *Shelf) changes(ctx context.Context, path string) error {
	shows, err := s.Shows(ctx, "", path)
	if err != nil {
		return err
	}
	if !shows {
		return fmt.Errorf("change %.300q: %w", path, index.ErrNotFound)
	}
	may, err := s.Changes(ctx, "", path)
	if err == nil && !may {
		err = text.Tell("That note is somebody else's, so I leave it as it is.")
	}
	return err
}

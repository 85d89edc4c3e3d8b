package tools

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/notes/edit"
	"parley/internal/notes/index"
	"parley/internal/text"
)

// Said in more than one place.
const (
	wordsNotesNoWriter = "Only people whom my owner allows to write notes can do that."
	wordsNotesNot      = "The notes are not for everybody: only my owner may use them."
)

// AmbiguousError means that a name fits several notes. It is a sentence that asks
// which.
type AmbiguousError struct {
	Name string
	List []index.Entry
}

// Error implements error.
func (e AmbiguousError) Error() string { return e.Unwrap().Error() }

// Unwrap makes it an error that people may read.
func (e AmbiguousError) Unwrap() error {
	names := make([]string, len(e.List))
	for i, n := range e.List {
		names[i] = n.Path
	}
	return text.Tell("Several notes are called “%s”. Which one do you mean: %s?", text.Shorten(e.Name, 100), strings.Join(names, ", "))
}

// Named returns the file that a name means among those that the person may read: a
// path, a title, an alias or the name of a file. index.ErrNotFound means none, an
// AmbiguousError several.
func (s *Shelf) Named(ctx context.Context, name string) (index.Entry, error) {
	return s.named(ctx, name, func(index.Entry) bool { return true })
}

// named is Named for those that fit.
func (s *Shelf) named(ctx context.Context, name string, fits func(index.Entry) bool) (index.Entry, error) {
	found, err := s.n.Vault.Find(ctx, name, s.hidden())
	if err != nil {
		return index.Entry{}, err
	}
	found = slices.DeleteFunc(found, func(e index.Entry) bool { return !fits(e) })
	list, err := s.Listed(ctx, found, len(found))
	switch {
	case err != nil:
		return index.Entry{}, err
	case len(list) == 0:
		return index.Entry{}, fmt.Errorf("find %.300q: %w", name, index.ErrNotFound)
	case len(list) > 1 && !samePath(list):
		return index.Entry{}, AmbiguousError{name, list}
	}
	return list[0], nil
}

// samePath reports whether files are the same path of different sources: the first
// source comes first.
func samePath(list []index.Entry) bool {
	for _, e := range list {
		if e.Path != list[0].Path {
			return false
		}
	}
	return true
}

// Related returns what belongs to a note, as far as the person may read it.
func (s *Shelf) Related(ctx context.Context, name string) (e index.Entry, r index.Related, err error) {
	if e, err = s.Named(ctx, name); err != nil {
		return e, r, err
	}
	if r, err = s.n.Vault.Related(ctx, e, s.hidden()); err != nil {
		return e, index.Related{}, err
	}
	for _, list := range []*[]index.Entry{&r.Linking, &r.Linked, &r.Near} {
		if *list, err = s.Listed(ctx, *list, maxRelated); err != nil {
			return e, index.Related{}, err
		}
	}
	return e, r, nil
}

// maxRelated is how many notes each list of related ones has.
const maxRelated = 10

// own returns the path of a note in the write folder that a person names, if they may
// change it. A name of none is returned as it would be written.
func (s *Shelf) own(ctx context.Context, name string) (string, error) {
	at, err := s.target(ctx, name)
	if err == nil {
		at, err = s.n.Vault.Target(strings.TrimSuffix(at, ".md") + ".md")
	}
	if err == nil {
		err = s.changes(ctx, at)
	}
	return at, err
}

// target returns the path of a note to change, as a person names it, of those in the
// write folder; a name of none is returned as it is.
func (s *Shelf) target(ctx context.Context, name string) (string, error) {
	e, err := s.named(ctx, name, func(e index.Entry) bool { return s.n.Vault.Writes(e.Path) })
	if !errors.Is(err, index.ErrNotFound) {
		return e.Path, err
	}
	if _, err := s.Named(ctx, name); err == nil {
		return "", text.Tell("I leave that note as it is: I write only in my own folder of the notes.")
	}
	return name, nil
}

// Move renames a note for who calls and keeps its author. A new name without a folder
// stays in the note's own; one that ends in a slash is only a folder.
func (s *Shelf) Move(ctx context.Context, from, to string) (index.Moved, error) {
	old, err := s.own(ctx, from)
	if err != nil {
		return index.Moved{}, err
	}
	switch to = strings.TrimSpace(to); {
	case strings.HasSuffix(to, "/"):
		to += path.Base(old)
	case !strings.Contains(to, "/"):
		to = path.Join(path.Dir(old), to)
	}
	if !strings.HasSuffix(to, ".md") {
		to += ".md"
	}
	target, err := s.n.Vault.Target(to)
	if err != nil {
		return index.Moved{}, err
	}
	return s.carry(ctx, old, target, func() (index.Moved, error) {
		return s.n.Vault.Move(ctx, old, target, s.by())
	})
}

// Editable returns the notes that who calls may change. Its error says who may.
func (n Notes) Editable(ctx context.Context, c Call) (*Shelf, error) {
	switch {
	case n.May != nil && !n.May(ctx, c):
		return nil, text.Tell(wordsNotesNot)
	case n.Writes != nil && !n.Writes(ctx, c):
		return nil, text.Tell(wordsNotesNoWriter)
	}
	return n.Shelf(ctx, c)
}

// by is who changes notes.
func (s *Shelf) by() index.Who {
	return index.Who{ID: s.call.Who.ID, Name: s.call.Who.Name, Key: s.call.Key}
}

// carry has a note's author follow it, before it can be found at its new place.
func (s *Shelf) carry(ctx context.Context, from, to string, move func() (index.Moved, error)) (index.Moved, error) {
	authors := s.n.Authors
	if authors == nil {
		return move()
	}
	if _, err := s.n.Vault.Fingerprint(ctx, "", to); err == nil {
		return index.Moved{}, fmt.Errorf("move to %s: %w", to, index.ErrExists)
	}
	if err := authors.MoveNoteAuthor(ctx, from, to); err != nil {
		return index.Moved{}, err
	}
	m, err := move()
	if err != nil {
		return m, errors.Join(err, authors.MoveNoteAuthor(ctx, to, from))
	}
	for _, name := range m.Notes { // recognized by what they say now
		author, known := s.byPath[name]
		if name == to {
			author, known = s.byPath[from]
			author.Path = to
		}
		if !known {
			continue
		}
		if author.Hash, err = s.n.Vault.Fingerprint(ctx, "", name); err == nil {
			err = authors.SaveNoteAuthor(ctx, author)
		}
		if err != nil && !errors.Is(err, index.ErrNotFound) {
			return m, err
		}
	}
	return m, nil
}

// Undo takes back the last move of who calls; an owner's is anybody's.
func (s *Shelf) Undo(ctx context.Context) (index.Moved, error) {
	owner := s.n.Owner == nil || s.n.Owner(ctx, s.call.Who.ID)
	var from, to string
	may := func(m edit.Change) bool {
		if m.By != s.call.Who.ID && !owner || s.changes(ctx, m.To) != nil {
			return false
		}
		from, to = m.To, m.From
		return true
	}
	if err := s.n.Vault.Undoes(ctx, may); err != nil {
		return index.Moved{}, err
	}
	return s.carry(ctx, from, to, func() (index.Moved, error) {
		return s.n.Vault.Undo(ctx, func(m edit.Change) bool { return m.To == from && m.From == to && may(m) })
	})
}

// Versions lists what a note said before, the newest first, with its path.
func (s *Shelf) Versions(ctx context.Context, name string) (string, []edit.Version, error) {
	at, err := s.own(ctx, name)
	if err != nil {
		return "", nil, err
	}
	all, err := s.n.Vault.Versions(ctx, at)
	return at, all, err
}

// Restore gives a note the text of an earlier version again.
func (s *Shelf) Restore(ctx context.Context, name string, which edit.Which) (index.Written, error) {
	at, err := s.own(ctx, name)
	if err != nil {
		return index.Written{}, err
	}
	w, err := s.n.Vault.Restore(ctx, at, which, s.by())
	if err != nil {
		return w, err
	}
	return w, s.known(ctx, at)
}

// known has a note recognized by what it says now.
func (s *Shelf) known(ctx context.Context, at string) (err error) {
	author, known := s.byPath[at]
	if !known || s.n.Authors == nil {
		return nil
	}
	if author.Hash, err = s.n.Vault.Fingerprint(ctx, "", at); err != nil {
		return nil // not indexed yet: known by its path
	}
	return s.n.Authors.SaveNoteAuthor(ctx, author)
}

// noteFace is what people see of an operation on notes.
func noteFace(command, helpLine string, args ...Arg) Face {
	return Face{Command: command, Help: helpLine, Args: args, Private: true, Absent: NoNote}
}

// NoNote tells people how to find the notes there are.
func NoNote(err error) error {
	return text.Instead(err, index.ErrNotFound, "There is no such note. /notes search finds one by its words, /notes shows the latest.")
}

// which is the argument that names a note.
func (n Notes) which(of string) Arg {
	return Arg{Name: "path", Of: of, Help: "its title, or its path", Suggest: n.suggest}
}

// suggest completes the title of a note, or its path where several have that title.
func (n Notes) suggest(ctx context.Context, m chat.Message, typed string) (paths []string) {
	if n.Vault == nil {
		return nil
	}
	s, err := n.Shelf(ctx, CallOf(m))
	if err != nil {
		return nil
	}
	list, err := n.Vault.Titles(ctx, typed, s.hidden(), maxListed)
	if err == nil {
		list, err = s.Listed(ctx, list, notesListed)
	}
	if err != nil {
		return nil // nothing to suggest while it is indexed
	}
	times := map[string]int{}
	for _, e := range list {
		times[strings.ToLower(e.Title)]++
	}
	for _, e := range list {
		if times[strings.ToLower(e.Title)] > 1 || len(e.Title) > maxSuggested {
			e.Title = e.Path
		}
		paths = append(paths, e.Title)
	}
	return paths
}

// Bounds of what people are shown: notes of a list, characters of a note and of a passage,
// and bytes of a title that is completed; Discord takes 100 characters.
const (
	notesListed  = 20
	maxNote      = 6000
	maxSnippet   = 200
	maxSuggested = 90
)

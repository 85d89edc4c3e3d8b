package edit

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"parley/internal/text"
)

// How versions are stored. Each note has a book of signatures: who wrote which text.
const (
	keptVersions = 10
	keptLines    = 50 // of a book
	folder       = ".versions"
	stampForm    = "20060102T150405.000000000Z"
	backup       = ".bak"
	book         = ".by"
)

// Writer says who writes, and when.
type Writer struct {
	ID, Name string // "" for the program itself
	At       time.Time
	Key      string // the same for each attempt at what they asked for once; "" is unknown
}

// signature is a line of a note's book.
type signature struct {
	At   time.Time `json:"at"`
	ID   string    `json:"id,omitempty"`
	Name string    `json:"name,omitempty"`
	Key  string    `json:"key,omitempty"`
	Hash []byte    `json:"hash"`
}

// Version is an earlier text of a note.
type Version struct {
	By   Writer // At is when it was written
	Hand bool   // not written through a Pen: the writer is unknown
	Text string

	stamp string
}

// Mark tells a version from others of its note, and stays when newer ones come; those that say
// the same have the same.
func (v Version) Mark() string { return hex.EncodeToString(sum(v.Text))[:6] }

// Which chooses among the versions of a note, of which the newest has place 1.
type Which func(place int, v Version) bool

// Nth chooses by place.
func Nth(n int) Which { return func(place int, _ Version) bool { return place == n } }

// Marked chooses by Mark.
func Marked(mark string) Which { return func(_ int, v Version) bool { return v.Mark() == mark } }

// ErrNoVersion: a note has no such version, or not any more.
var ErrNoVersion = text.Tell("%w: no such version is kept", ErrNotFound)

// keep stores a version of a note and deletes old ones.
func (p *Pen) keep(rel string, f file, at time.Time) error {
	kept := path.Join(folder, rel)
	dir, base := path.Dir(kept), path.Base(kept)
	if err := p.dir.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	name := ""
	for free := false; !free; at = at.Add(1) { // a coarse clock gives two the same time
		name = path.Join(dir, base+"."+at.UTC().Format(stampForm)+backup)
		_, err := p.dir.Lstat(name)
		free = errors.Is(err, os.ErrNotExist)
		if err != nil && !free {
			return err
		}
	}
	if err := p.replace(p.dir, name, string(f.raw), nil); err != nil {
		return err
	}
	_ = p.dir.Chtimes(name, f.info.ModTime(), f.info.ModTime()) // for Version.By.At
	all, err := p.stamps(rel)
	if err != nil {
		return err
	}
	for _, old := range all[:max(0, len(all)-keptVersions)] {
		if err := p.dir.Remove(path.Join(dir, base+"."+old+backup)); err != nil {
			return err
		}
	}
	return nil
}

// stamps lists the versions of a note, the oldest first.
func (p *Pen) stamps(rel string) (all []string, err error) {
	base := path.Base(rel) + "."
	found, err := List(p.dir, path.Dir(path.Join(folder, rel)))
	for _, s := range found {
		stamp, ok := strings.CutSuffix(strings.TrimPrefix(s, base), backup)
		if _, err := time.Parse(stampForm, stamp); ok && err == nil && strings.HasPrefix(s, base) { // not one of base.x.md
			all = append(all, stamp)
		}
	}
	return all, err
}

// sign adds the writer of a note's present text to its book.
func (p *Pen) sign(rel string, by Writer, text string) error {
	if err := p.dir.MkdirAll(path.Dir(path.Join(folder, rel)), 0o700); err != nil {
		return err
	}
	all, err := p.signatures(rel)
	if err != nil {
		return err
	}
	all = append(all, signature{by.At, by.ID, by.Name, by.Key, sum(text)})
	return p.saveBook(rel, all[max(0, len(all)-keptLines):])
}

func (p *Pen) saveBook(rel string, all []signature) error {
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return p.replace(p.dir, path.Join(folder, rel)+book, string(b), nil)
}

// signatures reads a note's book. A damaged book counts as empty.
func (p *Pen) signatures(rel string) (all []signature, err error) {
	f, err := p.read(path.Join(p.in, folder, rel) + book)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_ = json.Unmarshal(f.raw, &all)
	return all, nil
}

// Versions lists the earlier texts of a note, the newest first. The note may be gone.
func (p *Pen) Versions(name string) (all []Version, err error) {
	_, rel := p.at(name)
	stamps, err := p.stamps(rel)
	signed, unsigned := p.signatures(rel)
	if err := errors.Join(err, unsigned); err != nil {
		return nil, fmt.Errorf("versions of %s: %w", name, err)
	}
	for _, stamp := range slices.Backward(stamps) {
		f, err := p.read(path.Join(p.in, folder, rel) + "." + stamp + backup)
		if err != nil {
			return nil, fmt.Errorf("versions of %s: %w", name, err)
		}
		v := Version{By: Writer{At: f.info.ModTime()}, Hand: true, Text: string(f.raw), stamp: stamp}
		for _, s := range signed {
			if bytes.Equal(s.Hash, f.hash()) {
				v.By, v.Hand = Writer{ID: s.ID, Name: s.Name, At: s.At}, false
			}
		}
		all = append(all, v)
	}
	return all, nil
}

// Restore gives a note the text of its first version that is chosen again, and keeps its
// present text as a version. It returns the texts before and after. What an attempt with the
// same key has done is not done again, though versions count from another one since.
func (p *Pen) Restore(name string, which Which, by Writer) (before, after string, err error) {
	all, err := p.Versions(name)
	if err != nil {
		return "", "", err
	}
	_, rel := p.at(name)
	signed, err := p.signatures(rel)
	if err != nil {
		return "", "", err
	}
	if i := len(signed) - 1; by.Key != "" && i >= 0 && signed[i].Key == by.Key {
		if f, err := p.read(name); err == nil && bytes.Equal(f.hash(), signed[i].Hash) {
			if len(all) > 0 {
				before = all[0].Text
			}
			return before, string(f.raw), nil
		}
	}
	place := 1
	for place <= len(all) && !which(place, all[place-1]) {
		place++
	}
	if place > len(all) {
		return "", "", ErrNoVersion
	}
	v := all[place-1]
	before, after, err = p.Update(name, by, func([]byte) (string, error) { return v.Text, nil })
	if errors.Is(err, ErrNotFound) {
		return "", v.Text, p.Create(name, v.Text, by)
	}
	return before, after, err
}

// follow moves the versions and the book of a note to its new name.
func (p *Pen) follow(from, to string) error {
	stamps, err := p.stamps(from)
	if err != nil {
		return err
	}
	ends := []string{book}
	for _, s := range stamps {
		ends = append(ends, "."+s+backup)
	}
	old, next := path.Join(folder, from), path.Join(folder, to)
	if err := p.dir.MkdirAll(path.Dir(next), 0o700); err != nil {
		return err
	}
	for _, end := range ends {
		if err := p.rename(p.dir, old+end, next+end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Remove deletes a note for good, with its versions. A missing note is no error.
func (p *Pen) Remove(name string) error {
	_, rel := p.at(name)
	stamps, err := p.stamps(rel)
	if err != nil {
		return err
	}
	kept := path.Join(folder, rel)
	all := []string{rel, kept + book}
	for _, s := range stamps {
		all = append(all, kept+"."+s+backup)
	}
	for _, n := range all {
		if err := p.dir.Remove(n); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	settle(p.dir, path.Dir(rel))
	err = p.drop(func(c Change) bool { return c.From == name || c.To == name })
	for _, at := range []string{path.Dir(kept), changes} {
		for at != "." && p.dir.Remove(at) == nil { // while it is empty
			at = path.Dir(at)
		}
	}
	return err
}

// Forget removes a person from all books, and the changes that they made.
func (p *Pen) Forget(id string) error {
	theirs := func(s signature) bool { return s.ID == id }
	err := fs.WalkDir(p.dir.FS(), folder, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(at, book) {
			return err
		}
		rel := strings.TrimSuffix(strings.TrimPrefix(at, folder+"/"), book)
		all, err := p.signatures(rel)
		if err != nil || !slices.ContainsFunc(all, theirs) {
			return err
		}
		return p.saveBook(rel, slices.DeleteFunc(all, theirs))
	})
	if errors.Is(err, fs.ErrNotExist) { // there are no books
		err = nil
	}
	return errors.Join(err, p.drop(func(c Change) bool { return c.By == id }))
}

// valid refuses bytes that no note of ours has.
func valid(s string) error {
	if strings.ContainsRune(s, 0) || len(s) > maxFile {
		return text.Tell("%w: it is not text, or too large", ErrContent)
	}
	return nil
}

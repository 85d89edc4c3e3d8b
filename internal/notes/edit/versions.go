package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"parley/internal/text"
)

// What is kept of each note, in a folder that nobody sees.
const (
	keptVersions = 10
	keptLines    = 50 // of the book of who wrote
	folder       = ".versions"
	stampForm    = "20060102T150405.000000000Z"
	backup       = ".bak"
	book         = ".by"
)

// Writer is who writes, and when.
type Writer struct {
	ID, Name string // "" for the program itself
	At       time.Time
}

// signature is a line of a note's book: whose text it was.
type signature struct {
	At   time.Time `json:"at"`
	ID   string    `json:"id,omitempty"`
	Name string    `json:"name,omitempty"`
	Hash []byte    `json:"hash"`
}

// Version is a text that a note had before.
type Version struct {
	By   Writer // At is when it was written
	Hand bool   // it was not written through a Pen: nobody knows by whom
	Text string

	stamp string
}

// keep stores a version of a note and deletes the oldest.
func (p *Pen) keep(rel string, f file, at time.Time) error {
	kept := path.Join(folder, rel)
	dir, base := path.Dir(kept), path.Base(kept)
	if err := p.dir.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	name := ""
	for free := false; !free; at = at.Add(1) { // two in one moment, by a coarse clock
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
	_ = p.dir.Chtimes(name, f.info.ModTime(), f.info.ModTime()) // tells when it was written by hand
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
	found, err := names(p.dir, path.Dir(path.Join(folder, rel)))
	for _, s := range found {
		stamp, ok := strings.CutSuffix(strings.TrimPrefix(s, base), backup)
		if _, err := time.Parse(stampForm, stamp); ok && err == nil && strings.HasPrefix(s, base) { // nor one of base.x.md
			all = append(all, stamp)
		}
	}
	return all, err
}

// sign writes into a note's book whose text it is now.
func (p *Pen) sign(rel string, by Writer, text string) error {
	if err := p.dir.MkdirAll(path.Dir(path.Join(folder, rel)), 0o700); err != nil {
		return err
	}
	all, err := p.signatures(rel)
	if err != nil {
		return err
	}
	all = append(all, signature{by.At, by.ID, by.Name, sum(text)})
	return p.saveBook(rel, all[max(0, len(all)-keptLines):])
}

func (p *Pen) saveBook(rel string, all []signature) error {
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return p.replace(p.dir, path.Join(folder, rel)+book, string(b), nil)
}

// signatures reads a note's book. One that is damaged is empty: it only says who
// wrote.
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

// Versions lists what a note said before, the newest first, also of one that is gone.
func (p *Pen) Versions(name string) (all []Version, err error) {
	_, rel := p.at(name)
	stamps, err := p.stamps(rel)
	if err != nil {
		return nil, fmt.Errorf("versions of %s: %w", name, err)
	}
	signed, err := p.signatures(rel)
	if err != nil {
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
				v.By, v.Hand = Writer{s.ID, s.Name, s.At}, false
			}
		}
		all = append(all, v)
	}
	return all, nil
}

// Restore gives a note the text of a version again; what it says now becomes a
// version. It returns the text before.
func (p *Pen) Restore(name string, v Version, by Writer) (before string, err error) {
	before, _, err = p.Update(name, by, func([]byte) (string, error) { return v.Text, nil })
	if errors.Is(err, ErrNotFound) {
		return "", p.Create(name, v.Text, by)
	}
	return before, err
}

// follow takes versions and the book of a note along to its new name.
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

// Remove deletes a note for good, with its versions. A missing one is no error.
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
	for _, at := range []string{path.Dir(kept), changes} { // the folders that it leaves empty
		for ; at != "."; at = path.Dir(at) {
			if p.dir.Remove(at) != nil {
				break
			}
		}
	}
	return err
}

// Forget takes a person's name out of all books, and the changes they made.
func (p *Pen) Forget(id string) error {
	return errors.Join(p.forget(folder, id), p.drop(func(c Change) bool { return c.By == id }))
}

func (p *Pen) forget(dir, id string) error {
	all, err := names(p.dir, dir)
	if err != nil {
		return err
	}
	for _, name := range all {
		at := path.Join(dir, name)
		info, err := p.dir.Lstat(at)
		switch {
		case err != nil:
			return err
		case info.IsDir():
			err = p.forget(at, id)
		case strings.HasSuffix(name, book):
			err = p.unsign(strings.TrimSuffix(strings.TrimPrefix(at, folder+"/"), book), id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Pen) unsign(rel, id string) error {
	all, err := p.signatures(rel)
	if err != nil || !slices.ContainsFunc(all, func(s signature) bool { return s.ID == id }) {
		return err
	}
	return p.saveBook(rel, slices.DeleteFunc(all, func(s signature) bool { return s.ID == id }))
}

// valid refuses bytes that no note of ours has.
func valid(s string) error {
	if strings.ContainsRune(s, 0) || len(s) > maxFile {
		return text.Tell("%w: it is not text, or too large", ErrContent)
	}
	return nil
}

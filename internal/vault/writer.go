package vault

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"parley/internal/text"
)

// writer is the folder for written notes, open for one write. Nothing outside of it
// can be reached, by any path or through any link.
type writer struct {
	dir   *os.Root
	links bool // writes to files with more than one name
}

// openWriter opens the write folder of the first source of notes, making it
// when it is missing.
func (v *Vault) openWriter() (*writer, error) {
	s := v.notes()
	if s == nil {
		return nil, text.Tell("%w: no folder of notes is set up", ErrNotFound)
	}
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(v.o.WriteDir, 0o700); err != nil {
		return nil, err
	}
	dir, err := root.OpenRoot(v.o.WriteDir)
	if err != nil {
		return nil, err
	}
	looked, err := root.Lstat(v.o.WriteDir)
	if err == nil {
		var opened os.FileInfo
		if opened, err = dir.Stat("."); err == nil && !os.SameFile(looked, opened) {
			err = text.Tell("%w: %s is a link", ErrPath, v.o.WriteDir)
		}
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return &writer{dir, v.o.HardLinks}, nil
}

func (w *writer) close() { _ = w.dir.Close() }

// read reads a note that is to be changed.
func (w *writer) read(name string) (content, error) {
	c, err := read(w.dir, name, KindNotes, w.links)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return c, ErrNotFound
	case err == nil && c.skipped != "":
		return c, text.Tell("%w: what is there is %s", ErrContent, c.skipped)
	}
	return c, err
}

// create writes a note that was not there.
func (w *writer) create(name, text string) error {
	if err := w.claim(name); err != nil {
		return err
	}
	if err := w.replace(name, text, 0o600, nil); err != nil {
		return errors.Join(err, w.dir.Remove(name)) // only the empty claim
	}
	return nil
}

// claim reserves a free name with an empty file: of two callers, only one gets it.
func (w *writer) claim(name string) error {
	if err := w.dir.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := w.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return ErrExists
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// update changes an existing note and keeps the previous version under a name that
// ends in stamp.
func (w *writer) update(name string, n Note, stamp string) (next string, err error) {
	c, err := w.read(name)
	if err != nil {
		return "", err
	}
	old, err := asWritten(c.raw)
	if err != nil {
		return "", err
	}
	if n.Mode == ModeReplaceSection {
		next, err = old.replaced(n)
	} else {
		next = old.appended(n.Content)
	}
	if err != nil {
		return "", err
	}
	if len(next) > maxNote {
		return "", text.Tell("%w: the note would be too large; begin another", ErrContent)
	}
	if err := w.keep(name, string(c.raw), stamp); err != nil {
		return "", fmt.Errorf("keep the version before: %w", err)
	}
	return next, w.replace(name, next, c.info.Mode().Perm(), func() error { return w.unchanged(name, c) })
}

// unchanged is ErrChanged when somebody wrote to a note since it was read.
func (w *writer) unchanged(name string, c content) error {
	now, err := read(w.dir, name, KindNotes, w.links)
	if errors.Is(err, os.ErrNotExist) {
		return ErrChanged
	}
	if err == nil && (!os.SameFile(now.info, c.info) || !bytes.Equal(now.hash, c.hash)) {
		return ErrChanged
	}
	return err
}

// replace gives a file its text in one step: readers see the old or the new.
// It calls may when everything but the name is on disk; nil means yes.
func (w *writer) replace(name, text string, perm os.FileMode, may func() error) error {
	draft := path.Join(path.Dir(name), ".draft-"+rand.Text())
	f, err := w.dir.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(perm), f.Sync(), f.Close())
	if err == nil && may != nil {
		err = may()
	}
	if err == nil {
		err = w.dir.Rename(draft, name)
	}
	if err != nil {
		return errors.Join(err, w.dir.Remove(draft))
	}
	w.settle(path.Dir(name))
	return nil
}

// settle syncs the names in a folder to disk, if the file system can.
func (w *writer) settle(dir string) {
	if f, err := w.dir.Open(dir); err == nil {
		_, _ = f.Sync(), f.Close() // the name is there; some file systems sync no folders
	}
}

// keep stores a version of a note in the dot folder and deletes the oldest.
func (w *writer) keep(name, text, stamp string) error {
	kept := path.Join(versionsDir, name)
	dir, base := path.Dir(kept), path.Base(kept)
	if err := w.dir.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := w.replace(path.Join(dir, base+"."+stamp+".bak"), text, 0o600, nil); err != nil {
		return err
	}
	all, err := list(w.dir, dir)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(s string) bool {
		return !strings.HasPrefix(s, base+".") || !strings.HasSuffix(s, ".bak") || len(s) != len(base+"."+stamp+".bak") // nor one of base.x.md
	})
	for _, old := range all[:max(0, len(all)-keptVersions)] {
		if err := w.dir.Remove(path.Join(dir, old)); err != nil {
			return err
		}
	}
	return nil
}

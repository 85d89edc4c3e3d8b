package edit

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"parley/internal/text"
	"parley/internal/text/machine"
)

// Errors that callers distinguish; each may be shown to people.
var (
	ErrPath     = text.Tell("this is not a usable path of a note")
	ErrExists   = text.Tell("a note of this name exists already; append to it or choose another name")
	ErrNotFound = text.Tell("there is no such note")
	ErrContent  = text.Tell("this cannot be written as a note")
	ErrChanged  = text.Tell("the note was changed by somebody else just now; read it again first")
)

// maxFile limits the bytes of a file that is read or written.
const maxFile = 2 << 20

// Pen is a folder of notes that is open for writing. New files and versions go into one
// folder in it, and no path or link leads out of that. Elsewhere it only changes links in
// files, and adds to daily notes.
type Pen struct {
	top   *os.Root // the folder of notes
	dir   *os.Root // the folder in it for new files
	in    string   // the path of dir
	links bool     // allows files with more than one name

	pause func() // lets tests end the process; else nil
}

// Open opens a folder of notes and the folder in it for new files, which it makes if
// missing. With links it writes files that have more than one name, even outside the
// folder. The caller closes it.
func Open(folder, in string, links bool) (*Pen, error) {
	top, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	p := &Pen{top: top, in: in, links: links}
	if err := p.enter(); err != nil {
		return nil, errors.Join(err, top.Close())
	}
	return p, nil
}

func (p *Pen) enter() error {
	if err := p.top.MkdirAll(p.in, 0o700); err != nil {
		return err
	}
	dir, err := p.top.OpenRoot(p.in)
	if err != nil {
		return err
	}
	looked, err := p.top.Lstat(p.in)
	if err == nil {
		var opened os.FileInfo
		if opened, err = dir.Stat("."); err == nil && !os.SameFile(looked, opened) {
			err = text.Tell("%w: %s is a link", ErrPath, p.in)
		}
	}
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	p.dir = dir
	return nil
}

// Close closes both folders.
func (p *Pen) Close() { _, _ = p.dir.Close(), p.top.Close() }

// at returns the root and the path in it of a path from the folder of notes.
func (p *Pen) at(name string) (*os.Root, string) {
	if rel, ok := strings.CutPrefix(name, p.in+"/"); ok {
		return p.dir, rel
	}
	return p.top, name
}

// file is a file that was read.
type file struct {
	raw  []byte
	info os.FileInfo
}

func (f file) hash() []byte { return sum(string(f.raw)) }

// sum returns the hash that identifies a text.
func sum(text string) []byte {
	s := sha256.Sum256([]byte(text))
	return s[:16]
}

// read reads a regular file. It refuses links, pipes, files in linked folders, and a file
// that took the place of another meanwhile.
func (p *Pen) read(name string) (file, error) {
	root, rel := p.at(name)
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && !info.IsDir() {
			return file{}, ErrNotFound
		}
	}
	looked, err := root.Lstat(rel)
	if errors.Is(err, os.ErrNotExist) {
		return file{}, ErrNotFound
	}
	if err != nil {
		return file{}, err
	}
	f, err := root.OpenFile(rel, os.O_RDONLY|machine.Nonblock, 0)
	if err != nil {
		return file{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return file{}, err
	}
	switch {
	case !looked.Mode().IsRegular() || !os.SameFile(looked, info):
		return file{}, text.Tell("%w: what is there is not a regular file", ErrContent)
	case !p.links && machine.Linked(info, f):
		return file{}, text.Tell("%w: what is there is a hard link, a second name of a file that may be outside of the folder", ErrContent)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return file{}, err
	case len(raw) > maxFile:
		return file{}, text.Tell("%w: what is there is too large", ErrContent)
	case bytes.IndexByte(raw, 0) >= 0:
		return file{}, text.Tell("%w: what is there is not text", ErrContent)
	}
	return file{raw, info}, nil
}

// Text returns the text of a file in the folder of notes, byte for byte.
func (p *Pen) Text(name string) (string, error) {
	f, err := p.read(name)
	return string(f.raw), err
}

// Create writes a new note, in the folder for new files.
func (p *Pen) Create(name, text string, by Writer) error {
	_, rel := p.at(name)
	if err := p.claim(rel); err != nil {
		return err
	}
	if err := p.replace(p.dir, rel, text, nil); err != nil {
		return errors.Join(err, p.dir.Remove(rel)) // only the empty claim
	}
	return p.sign(rel, by, text)
}

// claim reserves a free name with an empty file. Only one of two callers gets it. A name that
// differs from an existing one only by case, width or the form of its accents is taken: on
// other systems both would be one file.
func (p *Pen) claim(rel string) error {
	if err := p.dir.MkdirAll(path.Dir(rel), 0o700); err != nil {
		return err
	}
	if like(p.dir, path.Dir(rel), path.Base(rel)) != "" {
		return ErrExists
	}
	f, err := p.dir.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return ErrExists
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// Update changes a note in the folder for new files, and keeps the previous version. It
// returns the text before and after.
func (p *Pen) Update(name string, by Writer, change func(raw []byte) (string, error)) (before, after string, err error) {
	f, err := p.read(name)
	if err != nil {
		return "", "", err
	}
	next, err := change(f.raw)
	if err != nil {
		return "", "", err
	}
	if len(next) > maxFile {
		return "", "", text.Tell("%w: the note would be too large; begin another", ErrContent)
	}
	_, rel := p.at(name)
	if err := p.keep(rel, f, by.At); err != nil {
		return "", "", fmt.Errorf("keep the version before: %w", err)
	}
	if err := p.put(name, next, f); err != nil {
		return "", "", err
	}
	return string(f.raw), next, p.sign(rel, by, next)
}

// Add changes or makes a file anywhere in the folder of notes. change gets its text and
// whether it exists. No version is kept.
func (p *Pen) Add(name string, change func(was string, there bool) (string, error)) error {
	f, err := p.read(name)
	there := err == nil
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	next, err := change(string(f.raw), there)
	if err == nil {
		err = valid(next)
	}
	if err != nil || there && next == string(f.raw) {
		return err
	}
	if there {
		return p.put(name, next, f)
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := p.top.Lstat(dir); err == nil && !info.IsDir() {
			return text.Tell("%w: %s is a link, or no folder", ErrPath, dir)
		}
	}
	if err := p.top.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	if _, err := p.top.Lstat(name); !errors.Is(err, os.ErrNotExist) {
		return errors.Join(ErrChanged, err)
	}
	return p.replace(p.top, name, next, nil)
}

// put replaces the text of a file, or returns ErrChanged if somebody wrote to it since it
// was read.
func (p *Pen) put(name, text string, was file) error {
	root, rel := p.at(name)
	perm := was.info.Mode().Perm()
	return p.replace(root, rel, text, func(draft *os.File) error {
		now, err := p.read(name)
		switch {
		case errors.Is(err, ErrNotFound):
			return ErrChanged
		case err != nil:
			return err
		case !os.SameFile(now.info, was.info) || !bytes.Equal(now.raw, was.raw):
			return ErrChanged
		}
		return draft.Chmod(perm)
	})
}

// replace replaces the text of a file in one step: readers see the old or the new text.
// may is asked when the draft is on disk, before the renaming; nil means yes.
func (p *Pen) replace(root *os.Root, name, text string, may func(draft *os.File) error) error {
	draft := path.Join(path.Dir(name), ".draft-"+rand.Text())
	f, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync()); err == nil && may != nil {
		err = may(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = p.rename(root, draft, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(draft))
	}
	settle(root, path.Dir(name))
	return nil
}

func (p *Pen) rename(root *os.Root, from, to string) error {
	if p.pause != nil {
		p.pause()
	}
	return root.Rename(from, to)
}

// settle syncs a folder to disk, if the file system can.
func settle(root *os.Root, dir string) {
	if f, err := root.Open(dir); err == nil {
		_, _ = f.Sync(), f.Close() // some file systems cannot sync a folder
	}
}

// List returns the sorted names in a folder, none if it is missing. It opens with
// O_NONBLOCK, so that a pipe in the folder's place does not block.
func List(root *os.Root, dir string) ([]string, error) {
	f, err := root.OpenFile(dir, os.O_RDONLY|machine.Nonblock|machine.Directory, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	all, err := f.Readdirnames(-1)
	slices.Sort(all)
	return all, err
}

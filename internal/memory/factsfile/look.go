package factsfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"parley/internal/memory/facts"
	"parley/internal/text"
	"parley/internal/text/machine"
)

// maxSize limits the bytes of the file.
const maxSize = 64 << 20

// look is the state of a file at one time.
type look struct {
	target string // with links resolved
	exists bool
	info   os.FileInfo
	sum    [sha256.Size]byte
	text   string
}

// at looks at a file. The file may be missing, its folder may not.
func at(name string) (l look, err error) {
	l.target, err = filepath.EvalSymlinks(name)
	if errors.Is(err, os.ErrNotExist) {
		return beside(name)
	}
	if err != nil {
		return l, err
	}
	f, err := os.OpenFile(l.target, os.O_RDONLY|machine.Nonblock, 0)
	if errors.Is(err, os.ErrPermission) {
		return l, &facts.Unfit{Why: err}
	}
	if err != nil {
		return l, err
	}
	defer func() { _ = f.Close() }()
	if l.info, err = f.Stat(); err != nil {
		return l, err
	}
	switch {
	case !l.info.Mode().IsRegular():
		return l, &facts.Unfit{Why: errors.New("it is not a file")}
	case machine.Linked(l.info, f):
		return l, &facts.Unfit{Why: errors.New("it has a second name, a hard link, which would be left behind: replace that by a symbolic link")}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = &facts.Unfit{Why: fmt.Errorf("it is larger than %d MB", maxSize>>20)}
	}
	l.exists, l.text, l.sum = true, string(data), sha256.Sum256(data)
	return l, err
}

// beside returns the look at a missing file.
func beside(name string) (l look, err error) {
	if to, err := os.Readlink(name); err == nil { // a link to nothing
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return l, &facts.Unfit{Why: fmt.Errorf("its folder is not there: %w", err)}
	}
	l.target = filepath.Join(dir, filepath.Base(name))
	return l, nil
}

// same reports whether the file did not change between two looks.
func (l look) same(o look) bool {
	if l.target != o.target || l.exists != o.exists || l.sum != o.sum {
		return false
	}
	return !l.exists || os.SameFile(l.info, o.info) && l.info.Size() == o.info.Size() && l.info.ModTime().Equal(o.info.ModTime())
}

// replace gives the file a text in one step, with the permissions it had. It
// does nothing and is not ok when the file is not as it was any more.
func (l look) replace(name, words string) (ok bool, err error) {
	perm := os.FileMode(0o600)
	if l.exists {
		perm = l.info.Mode().Perm()
	}
	err = text.WriteFile(l.target, []byte(words), perm, func() (bool, error) {
		now, err := at(name)
		ok = err == nil && now.same(l)
		return ok, err
	})
	return ok, err
}

// Write writes a private file whole or not at all.
func Write(name, words string) error { return text.WriteFile(name, []byte(words), 0o600, nil) }

// Examine returns why the file at path would not be used. A missing file is no error, a
// missing folder is os.ErrNotExist.
func Examine(path string) error {
	l, err := at(path)
	if err == nil && l.exists {
		_, err = facts.Parse(l.text)
	}
	return err
}

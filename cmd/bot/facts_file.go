package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"parley/internal/adapters/terminal"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text"
)

// maxFactsFile is more than any facts take, in bytes.
const maxFactsFile = 64 << 20

// factsFile is the owner's facts file, kept in step by a job. People, editors
// and sync programs write to it meanwhile: it is obeyed only when two looks
// find the same, and replaced only while it is as it was read.
type factsFile struct {
	path, user string

	seen   fileLook          // by the look before
	agreed [sha256.Size]byte // what it said when both sides were in step

	mu  sync.Mutex // guards ill
	ill error      // what keeps it from being obeyed
}

// openFactsFile returns nil when there is none to keep.
func (a *app) openFactsFile() *factsFile {
	if a.cfg.Memory.FactsFile == "" {
		return nil
	}
	user := terminal.Local
	if len(a.cfg.Access.Owners) > 0 {
		user = a.cfg.Access.Owners[0]
	}
	return &factsFile{path: a.cfg.Memory.FactsFile, user: user}
}

func (f *factsFile) problem() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ill
}

// syncFacts is the tick that does it. What is wrong with the file changes
// nothing on either side; it is logged once, and shown until it is mended.
func (a *app) syncFacts(ctx context.Context) error {
	f := a.facts
	err := a.followFacts(ctx)
	if err != nil {
		err = fmt.Errorf("memory.facts_file: %s: nothing was taken over: %w", f.path, err)
	}
	f.mu.Lock()
	before := f.ill
	f.ill = err
	f.mu.Unlock()
	if err == nil || before != nil && before.Error() == err.Error() {
		return nil
	}
	if mass := (*memory.MassError)(nil); errors.As(err, &mass) {
		a.tellOwner(ctx, "facts file "+mass.Sum, fmt.Sprintf(wordsFactsFileRefused, text.Sentence(mass.Error())))
	}
	return err
}

// followFacts brings file and rows in step, if there is anything to do and the
// file holds still.
func (a *app) followFacts(ctx context.Context) error {
	f := a.facts
	now, err := lookAt(f.path)
	if err != nil {
		return err
	}
	still := now.same(f.seen) || now.exists && now.sum == f.agreed
	f.seen = now
	if !still {
		return nil // somebody may be at it: the next look decides
	}
	if !now.exists {
		if err := a.missing(ctx, now); err != nil {
			return err
		}
	}
	done, err := a.store.SyncFacts(ctx, f.user, chat.DirectKey(f.user), now.text, now.exists)
	if err != nil {
		return err
	}
	text := likeBefore(done.Text, now.text)
	if !now.exists || text != now.text {
		switch ok, err := now.replace(f.path, text); {
		case err != nil:
			return err
		case !ok: // saved while it was merged: once more, with what it says then
			f.seen = fileLook{}
			return nil
		}
	}
	f.agreed, f.seen = sha256.Sum256([]byte(text)), fileLook{}
	return a.store.FactsAgreed(ctx, done)
}

// missing tells a file that was never there, or that somebody deleted, from one
// whose disk is away: then its folder is empty, as a mount point is. There it
// is not written anew.
func (a *app) missing(ctx context.Context, now fileLook) error {
	list, err := os.ReadDir(filepath.Dir(now.target))
	if err != nil || len(list) > 0 {
		return err
	}
	return a.store.FactsAway(ctx)
}

// likeBefore gives a text the mark and the ends of lines that the file had.
func likeBefore(text, before string) string {
	const mark = "\uFEFF"
	if crlf := strings.Count(before, "\r\n"); 2*crlf > strings.Count(before, "\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if strings.HasPrefix(before, mark) {
		text = mark + text
	}
	return text
}

// fileLook is a file as one look found it.
type fileLook struct {
	target string // behind links
	exists bool
	info   os.FileInfo
	sum    [sha256.Size]byte
	text   string
}

// lookAt reads a file. One that is not there is a look, too, as long as its
// folder is there.
func lookAt(name string) (l fileLook, err error) {
	l.target, err = filepath.EvalSymlinks(name)
	if errors.Is(err, os.ErrNotExist) {
		return lookBeside(name)
	}
	if err != nil {
		return l, err
	}
	f, err := os.OpenFile(l.target, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return l, err
	}
	defer func() { _ = f.Close() }()
	if l.info, err = f.Stat(); err != nil {
		return l, err
	}
	st, _ := l.info.Sys().(*syscall.Stat_t)
	switch {
	case !l.info.Mode().IsRegular():
		return l, errors.New("it is not a file")
	case st != nil && st.Nlink > 1:
		return l, errors.New("it has a second name, a hard link, which would be left behind: replace that by a symbolic link")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFactsFile+1))
	if err == nil && len(data) > maxFactsFile {
		err = fmt.Errorf("it is larger than %d MB", maxFactsFile>>20)
	}
	l.exists, l.text, l.sum = true, string(data), sha256.Sum256(data)
	return l, err
}

// lookBeside is where a file would be that is not there.
func lookBeside(name string) (l fileLook, err error) {
	if to, err := os.Readlink(name); err == nil { // a link to nothing
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return l, fmt.Errorf("its folder is not there: %w", err)
	}
	l.target = filepath.Join(dir, filepath.Base(name))
	return l, nil
}

// same says that nothing happened between two looks.
func (l fileLook) same(o fileLook) bool {
	if l.target != o.target || l.exists != o.exists || l.sum != o.sum {
		return false
	}
	return !l.exists || os.SameFile(l.info, o.info) && l.info.Size() == o.info.Size() && l.info.ModTime().Equal(o.info.ModTime())
}

// replace gives the file a text in one step, with the permissions it had. It
// does nothing and is not ok when the file is not as it was any more.
func (l fileLook) replace(name, text string) (ok bool, err error) {
	perm := os.FileMode(0o600)
	if l.exists {
		perm = l.info.Mode().Perm()
	}
	err = writeAside(l.target, text, perm, func() (bool, error) {
		now, err := lookAt(name)
		ok = err == nil && now.same(l)
		return ok, err
	})
	return ok, err
}

// writeAside writes a file whole or not at all, and puts it on disk. may is
// asked when all but the name is there; nil is yes.
func writeAside(name, text string, perm os.FileMode, may func() (bool, error)) error {
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, ".parley-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(perm), f.Sync(), f.Close())
	ok := err == nil
	if ok && may != nil {
		ok, err = may()
	}
	if ok {
		if err = os.Rename(f.Name(), name); err == nil {
			syncFolder(dir)
			return nil
		}
	}
	_ = os.Remove(f.Name())
	return err
}

// syncFolder puts the names in a folder on disk, where the file system can.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_, _ = d.Sync(), d.Close() // the name is there; some file systems sync no folders
	}
}

// exportFacts writes a private file.
func exportFacts(name, text string) error { return writeAside(name, text, 0o600, nil) }

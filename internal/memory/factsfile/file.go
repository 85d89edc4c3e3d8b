// Package factsfile syncs the owner's facts file with the stored facts. It has no timer and
// writes no message: a job calls Sync and tells the owner about errors.
package factsfile

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/text"
)

// File is the owner's facts file. People, editors and sync programs write to it at any time.
// So it counts only if two looks find the same, and is replaced only if it has not changed
// since it was read.
type File struct {
	path, user string
	store      *memory.Store

	seen   look              // the look before
	agreed [sha256.Size]byte // sum of the text when both sides last agreed

	mu  sync.Mutex // guards ill
	ill error      // why the file is not used
}

// New returns the file at path with the facts of user, and removes what killed processes
// left of it.
func New(path, user string, store *memory.Store) *File {
	if l, err := at(path); err == nil {
		text.SweepDrafts(l.target)
	}
	return &File{path: path, user: user, store: store}
}

func (f *File) paper() facts.Paper {
	path, err := filepath.Abs(f.path)
	if err != nil {
		path = f.path
	}
	return facts.Paper{User: f.user, Path: path}
}

// Problem returns why the file is not used, or nil.
func (f *File) Problem() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ill
}

// Sync looks at the file once. A mistake in the file changes nothing on either side. It is
// returned once, and is the Problem until it is fixed.
func (f *File) Sync(ctx context.Context) error {
	merged, err := f.follow(ctx)
	switch {
	case err == nil:
	case merged:
		err = fmt.Errorf("memory.facts_file: %s: what it says was taken over, but the file could not be brought up to date: %w", f.path, err)
	default:
		err = fmt.Errorf("memory.facts_file: %s: nothing was taken over: %w", f.path, err)
	}
	f.mu.Lock()
	before := f.ill
	f.ill = err
	f.mu.Unlock()
	if err == nil || before != nil && before.Error() == err.Error() {
		return nil
	}
	return err
}

// follow syncs file and database, if there is something to do and nobody is writing. merged
// reports that the database has what the file says, also with an error.
func (f *File) follow(ctx context.Context) (merged bool, err error) {
	now, err := at(f.path)
	if err != nil {
		return false, err
	}
	still := now.same(f.seen) || now.exists && now.sum == f.agreed
	f.seen = now
	if !still {
		return false, nil // somebody may be writing: the next look decides
	}
	if !now.exists {
		if err := f.missing(ctx, now); err != nil {
			return false, err
		}
	}
	done, err := f.store.Facts.SyncFacts(ctx, f.paper(), now.text, now.exists)
	if err != nil {
		return done.Merged, err
	}
	text := likeBefore(done.Text, now.text)
	if !now.exists || text != now.text {
		switch ok, err := now.replace(f.path, text); {
		case err != nil:
			return true, err
		case !ok: // somebody saved it meanwhile: merge it again
			f.seen = look{}
			return true, nil
		}
	}
	f.agreed, f.seen = sha256.Sum256([]byte(text)), look{}
	// The file is written. If a shutdown kept this from being noted, lines deleted from the
	// file would come back at the next start.
	return true, f.store.Facts.FactsAgreed(context.WithoutCancel(ctx), f.paper(), done)
}

// mark names a refusal of the file as it is: the same for each look at it, also of another
// process, and another once it was saved again.
func (f *File) mark(why error) string {
	saved := ""
	if f.seen.exists {
		saved = fmt.Sprint(f.seen.info.ModTime().UnixNano())
	}
	return fmt.Sprintf("facts file %x", sha256.Sum256([]byte(why.Error()+"\n"+saved)))
}

// missing returns an error for a file whose disk is away, which leaves an empty folder as
// mount point: it must not be written anew. A file that was deleted or never existed is no
// error.
func (f *File) missing(ctx context.Context, now look) error {
	list, err := os.ReadDir(filepath.Dir(now.target))
	if err != nil || len(list) > 0 {
		return err
	}
	return f.store.Facts.FactsAway(ctx, f.paper())
}

// likeBefore gives a text the byte order mark and line ends that the file had.
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

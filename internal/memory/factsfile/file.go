// Package factsfile keeps the owner's facts file and the facts that are stored
// in step. It follows no clock and writes to nobody: a job calls Sync, and who
// calls it tells the owner.
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
)

// File is the owner's facts file, kept in step by a job. People, editors and
// sync programs write to it meanwhile: it is obeyed only when two looks find the
// same, and replaced only while it is as it was read.
type File struct {
	path, user string
	store      *memory.Store

	seen   look              // by the look before
	agreed [sha256.Size]byte // what it said when both sides were in step

	mu  sync.Mutex // guards ill
	ill error      // what keeps it from being obeyed
}

// New returns the file at path with the facts of user.
func New(path, user string, store *memory.Store) *File {
	return &File{path: path, user: user, store: store}
}

func (f *File) paper() facts.Paper {
	path, err := filepath.Abs(f.path)
	if err != nil {
		path = f.path
	}
	return facts.Paper{User: f.user, Path: path}
}

// Problem is what keeps the file from being obeyed, nil for nothing.
func (f *File) Problem() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ill
}

// Sync is one look. What is wrong with the file changes nothing on either side;
// it is an error once, and a Problem until it is fixed.
func (f *File) Sync(ctx context.Context) error {
	err := f.follow(ctx)
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
	return err
}

// follow brings file and rows in step, if there is anything to do and the
// file holds still.
func (f *File) follow(ctx context.Context) error {
	now, err := at(f.path)
	if err != nil {
		return err
	}
	still := now.same(f.seen) || now.exists && now.sum == f.agreed
	f.seen = now
	if !still {
		return nil // somebody may be at it: the next look decides
	}
	if !now.exists {
		if err := f.missing(ctx, now); err != nil {
			return err
		}
	}
	done, err := f.store.Facts.SyncFacts(ctx, f.paper(), now.text, now.exists)
	if err != nil {
		return err
	}
	text := likeBefore(done.Text, now.text)
	if !now.exists || text != now.text {
		switch ok, err := now.replace(f.path, text); {
		case err != nil:
			return err
		case !ok: // saved while it was merged: once more, with what it says then
			f.seen = look{}
			return nil
		}
	}
	f.agreed, f.seen = sha256.Sum256([]byte(text)), look{}
	// The file is written: a shutdown now must not leave it as one never agreed
	// on, whose deleted lines would come back at the next start.
	return f.store.Facts.FactsAgreed(context.WithoutCancel(ctx), f.paper(), done)
}

// missing tells a file that was never there, or that somebody deleted, from one
// whose disk is away: then its folder is empty, as a mount point is. There it
// is not written anew.
func (f *File) missing(ctx context.Context, now look) error {
	list, err := os.ReadDir(filepath.Dir(now.target))
	if err != nil || len(list) > 0 {
		return err
	}
	return f.store.Facts.FactsAway(ctx, f.paper())
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

package index

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"parley/internal/db/sqlite"
)

// When files are checked.
const (
	gather    = 200 * time.Millisecond // changes this close together are checked at once
	lookEvery = 3 * time.Second        // whether a folder is back, or the index not ready
	fullEvery = 10 * time.Minute       // everything, for changes that the system did not report
	maxPlaces = 500                    // more changes at once make a full check cheaper
)

// place is something that changed.
type place struct {
	source int
	path   string
}

// follower keeps the index up to date.
type follower struct {
	v       *Vault
	notify  *fsnotify.Watcher
	pending map[place]bool
	all     bool          // a full check is due
	papers  chan struct{} // asks read to check the documents; holds one
	deaf    bool          // a folder cannot be followed, and the log says so
}

// Run brings the index up to date and follows the folders until the context ends.
// That end is no error.
func (v *Vault) Run(ctx context.Context) error {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("follow notes: %w", err)
	}
	defer func() { _ = notify.Close() }()
	v.resumeMoves(ctx)
	f := &follower{v: v, notify: notify, pending: map[place]bool{}, papers: make(chan struct{}, 1)}
	var reader sync.WaitGroup
	reader.Go(func() { f.read(ctx) })
	defer reader.Wait()
	f.full(ctx)
	// The index was in use while the files were compared; silent damage is found
	// now, and the index is then rebuilt.
	if err := v.using(func(ix *index) error { return ix.sound(ctx) }); err != nil && !sqlite.IsDamage(err) && ctx.Err() == nil {
		v.o.Log.Warn("the index of the notes could not be inspected", "err", err)
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	settled := time.NewTimer(gather)
	defer settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-notify.Events:
			if f.note(e.Name) {
				settled.Reset(gather)
			}
		case err := <-notify.Errors: // changes were lost
			v.o.Log.Warn("following notes: all files are checked again", "err", err)
			f.all = true
			settled.Reset(gather)
		case <-v.wake:
			f.full(ctx)
		case <-look.C:
			if v.due() {
				f.full(ctx)
			}
		case <-settled.C:
			f.catchUp(ctx)
		}
	}
}

// read reads documents that may have changed. It runs in its own goroutine, because
// reading them takes long.
func (f *follower) read(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.papers:
		}
		if err := f.v.readPapers(ctx); err != nil && ctx.Err() == nil {
			f.v.o.Log.Warn("documents could not be read", "err", err)
			f.v.nudge()
		}
	}
}

// full checks everything and watches every folder on the way.
func (f *follower) full(ctx context.Context) {
	f.all = false
	clear(f.pending)
	if err := f.v.refresh(ctx, f.watch); err != nil && ctx.Err() == nil {
		f.v.o.Log.Error("the notes could not be indexed", "err", err)
	}
	ask(f.papers)
}

// watch follows a folder. One that cannot be followed is still looked at by
// every full check.
func (f *follower) watch(s Source, dir string) {
	if err := f.notify.Add(filepath.Join(s.Dir, filepath.FromSlash(dir))); err != nil && !f.deaf {
		f.deaf = true
		f.v.o.Log.Warn("a folder of notes cannot be followed; its changes show later", "source", s.Name, "folder", dir, "err", err)
	}
}

// note remembers what changed and reports whether it is the first change since the
// last check.
func (f *follower) note(name string) (first bool) {
	idle := len(f.pending) == 0 && !f.all
	for i, s := range f.v.o.Sources {
		rel, err := filepath.Rel(s.Dir, name)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		if rel = filepath.ToSlash(rel); !hidden(rel) {
			f.pending[place{i, rel}] = true
		}
	}
	f.all = f.all || len(f.pending) > maxPlaces
	return idle && len(f.pending) > 0
}

// catchUp checks what changed. Missing paths come first: a renamed folder is watched
// under its old name until then.
func (f *follower) catchUp(ctx context.Context) {
	var gone, there []place
	for p := range f.pending {
		if _, err := os.Lstat(f.path(p)); err != nil {
			gone = append(gone, p)
		} else {
			there = append(there, p)
		}
	}
	f.forget(gone)
	if f.all {
		f.full(ctx)
		return
	}
	clear(f.pending)
	for _, p := range append(gone, there...) {
		if path.Ext(p.path) != ".md" { // a document, or a folder of documents
			ask(f.papers)
		}
		s := f.v.o.Sources[p.source]
		err := f.v.check(ctx, job{source: s, scope: p.path, enter: func(dir string) { f.watch(s, dir) }})
		if err == nil {
			continue
		}
		if ctx.Err() == nil {
			f.v.o.Log.Warn("a changed note could not be indexed", "source", s.Name, "path", p.path, "err", err)
			f.v.nudge()
		}
		return
	}
	if err := f.v.count(ctx); err != nil && ctx.Err() == nil {
		f.v.o.Log.Warn("notes could not be counted", "err", err)
	}
}

func (f *follower) path(p place) string {
	return filepath.Join(f.v.o.Sources[p.source].Dir, filepath.FromSlash(p.path))
}

// forget stops watching folders that are gone and folders that were in them.
func (f *follower) forget(gone []place) {
	if len(gone) == 0 {
		return
	}
	for _, watched := range f.notify.WatchList() {
		if slices.ContainsFunc(gone, func(p place) bool {
			dir := f.path(p)
			return watched == dir || strings.HasPrefix(watched, dir+string(filepath.Separator))
		}) {
			_ = f.notify.Remove(watched) // it may be gone already
		}
	}
}

// due reports whether a full check is due: the index is not ready, a missing folder
// is back, or it is time.
func (v *Vault) due() bool {
	st := v.Status()
	if st.State != StateReady || v.o.Now().Sub(st.Checked) >= fullEvery {
		return true
	}
	for i, s := range st.Sources {
		if dir := v.o.Sources[i]; s.Away && s.back(dir.Dir) || !s.Away && v.replaced(dir) {
			return true
		}
	}
	return false
}

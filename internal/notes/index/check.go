package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"

	"parley/internal/notes/document"
)

// Bounds of one commit: between two commits, searches and writes continue.
const (
	maxBatchFiles = 200
	maxBatchText  = 512 << 10
	paperSize     = 64 << 10 // that a document counts for at least: it takes long to read
)

// job is one check of a part of one source: of its documents, which take long to
// read, or of all else.
type job struct {
	source Source
	scope  string            // a path, "." for all of it
	papers bool              // only documents
	enter  func(path string) // told of each folder, before it is listed
}

// Refresh compares every file with the index and brings the index up to date.
// It does not read unchanged files, and it repairs a damaged index. A folder that
// cannot be read is no error: Status reports it, and its entries stay.
func (v *Vault) Refresh(ctx context.Context) error {
	if err := v.refresh(ctx, func(Source, string) {}); err != nil {
		return err
	}
	return v.readPapers(ctx)
}

// readPapers does for documents what refresh does for all else. It has its own time:
// notes are found while documents are read.
func (v *Vault) readPapers(ctx context.Context) error {
	v.reading.Lock()
	defer v.reading.Unlock()
	defer v.set(func(s *Status) { s.Unread = 0 })
	for _, s := range v.o.Sources {
		if s.Kind != KindNotes {
			continue
		}
		if err := v.check(ctx, job{source: s, scope: ".", papers: true, enter: func(string) {}}); err != nil {
			return fmt.Errorf("read documents: %w", err)
		}
	}
	return v.count(ctx)
}

func (v *Vault) refresh(ctx context.Context, enter func(Source, string)) error {
	v.checking.Lock()
	defer v.checking.Unlock()
	err := v.checkAll(ctx, enter)
	if damaged(err) {
		err = v.checkAll(ctx, enter)
	}
	if err != nil {
		err = fmt.Errorf("index notes: %w", err)
		v.set(func(s *Status) { s.Err = err.Error() })
	}
	return err
}

// checkAll is one full check, on a new index when the old one is broken.
func (v *Vault) checkAll(ctx context.Context, enter func(Source, string)) error {
	if v.Status().State == StateBroken {
		if err := v.rebuild(ctx); err != nil {
			return err
		}
	}
	v.set(func(s *Status) {
		s.Done, s.Total = 0, 0
		if s.State != StateReady && s.State != StateLoading {
			s.State = StateBuilding
		}
	})
	names := []string{}
	for _, s := range v.o.Sources {
		names = append(names, s.Name)
		if err := v.check(ctx, job{source: s, scope: ".", enter: func(dir string) { enter(s, dir) }}); err != nil {
			return err
		}
	}
	if err := v.settle(ctx, names); err != nil {
		return err
	}
	if err := v.count(ctx); err != nil {
		return err
	}
	v.set(func(s *Status) { s.State, s.Err, s.Checked = StateReady, "", v.o.Now() })
	return nil
}

// settle forgets sources that no longer exist and notes that everything was checked.
func (v *Vault) settle(ctx context.Context, names []string) error {
	list, err := json.Marshal(names)
	if err != nil {
		return err
	}
	gone := map[string][]string{}
	err = v.using(func(ix *index) error {
		rows, err := ix.db.QueryContext(ctx, "SELECT source, path FROM docs WHERE source NOT IN (SELECT value FROM json_each(?))", string(list))
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var source, name string
			if err := rows.Scan(&source, &name); err != nil {
				return err
			}
			gone[source] = append(gone[source], name)
		}
		return rows.Err()
	})
	if err != nil {
		return err
	}
	for source, all := range gone {
		if err := v.apply(ctx, source, &change{drop: all}); err != nil {
			return err
		}
	}
	v.changing.Lock()
	defer v.changing.Unlock()
	return v.using(func(ix *index) error {
		return ix.write(ctx, func(p *put) { p.exec("UPDATE meta SET complete = 1, parser = ? WHERE complete = 0", v.reader()) })
	})
}

// check does one job. Its error is from the index or the context; problems with the
// folder go to its status.
func (v *Vault) check(ctx context.Context, j job) error {
	root, err := os.OpenRoot(j.source.Dir)
	if err != nil {
		v.away(j.source, err)
		return nil
	}
	defer func() { _ = root.Close() }()
	// The index is read first, so that a note written during the walk is not
	// mistaken for a deleted one.
	var known map[string]stamp
	err = v.using(func(ix *index) (err error) {
		known, err = ix.known(ctx, j.source.Name, j.scope)
		return err
	})
	if err != nil {
		return err
	}
	w := &walk{root: root, source: j.source, papers: j.papers, shut: v.excluded(), links: v.o.HardLinks, enter: j.enter}
	if w.reaches(j.scope) {
		if err := w.visit(ctx, j.scope, strings.Count(j.scope, "/")); err != nil {
			return err
		}
	}
	if gone, err := v.vanished(ctx, j, w); err != nil || gone {
		return err
	}
	maps.DeleteFunc(known, func(name string, _ stamp) bool { return document.Is(name) != j.papers })
	if err := v.compare(ctx, j, w, known); err != nil {
		return err
	}
	v.readState(j, w)
	return nil
}

// compare commits the difference between the files and the index. A file that is the
// job itself is read even if size and time are the same: it is known to have
// changed.
func (v *Vault) compare(ctx context.Context, j job, w *walk, known map[string]stamp) error {
	c := &change{}
	v.progress(j, 0, len(w.files))
	for i, f := range w.files {
		was, old := known[f.path]
		delete(known, f.path)
		if !old || f.path == j.scope || was.size != f.size || was.mtime != f.mtime {
			if d, ok := v.file(ctx, w, f.path, was); ok {
				c.take(d, was)
			}
		}
		if len(c.put)+len(c.touch) >= maxBatchFiles || c.size >= maxBatchText {
			if err := v.apply(ctx, j.source.Name, c); err != nil {
				return err
			}
			v.progress(j, len(w.files)-i-1, 0)
			c = &change{}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for name := range known {
		if !w.isUnread(name) { // a folder that cannot be read says nothing about what is in it
			c.drop = append(c.drop, name)
		}
	}
	v.progress(j, 0, 0)
	return v.apply(ctx, j.source.Name, c)
}

// progress reports how many files of a full check are done, and how many more there
// are.
func (v *Vault) progress(j job, left, more int) {
	switch {
	case j.papers:
		v.set(func(s *Status) { s.Unread = max(left, more) })
	case j.scope == ".":
		v.set(func(s *Status) {
			if s.Total += more; more == 0 {
				s.Done = s.Total - left
			}
		})
	}
}

// file reads one file, and parses it if it says something new. ok is false for one
// that cannot be read now.
func (v *Vault) file(ctx context.Context, w *walk, name string, was stamp) (d indexed, ok bool) {
	got, err := read(w.root, name, w.source.Kind, w.links)
	switch {
	case err == nil && len(got.hash) > 0 && string(got.hash) == was.hash:
		return indexed{source: w.source.Name, path: name, stamp: stamp{got.size, got.info.ModTime().UnixNano(), was.hash}}, true
	case err == nil:
		d, err = v.parse(ctx, w.source, name, got)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.unread = append(w.unread, name)
	}
	return d, err == nil
}

// take adds what of a file differs from the index.
func (c *change) take(d indexed, was stamp) {
	switch same := d.hash != "" && d.hash == was.hash; {
	case same && d.size == was.size && d.mtime == was.mtime:
	case same:
		c.touch = append(c.touch, d)
	default:
		c.put = append(c.put, d)
		for _, s := range d.sections {
			c.size += len(s.text)
		}
		if document.Is(d.path) {
			c.size += paperSize
		}
	}
}

func (v *Vault) apply(ctx context.Context, source string, c *change) error {
	if c.empty() {
		return nil
	}
	v.changing.Lock()
	defer v.changing.Unlock()
	defer v.changes.Add(1)
	return v.using(func(ix *index) error { return ix.apply(ctx, source, c) })
}

// away notes that a folder cannot be read at all.
func (v *Vault) away(source Source, err error) {
	v.sourceState(source, func(s *SourceStatus) { s.Away, s.Empty, s.Err = true, errors.Is(err, errEmpty), err.Error() })
}

// readState notes how a check of a whole source went.
func (v *Vault) readState(j job, w *walk) {
	if j.scope != "." || j.papers && len(w.unread) == 0 {
		return
	}
	v.sourceState(j.source, func(s *SourceStatus) {
		s.Away, s.Empty, s.Err = false, false, ""
		if n := len(w.unread); n > 0 {
			s.Err = fmt.Sprintf("%d files or folders cannot be read, %s for one; check who may read them", n, w.unread[0])
		}
	})
}

// sourceState changes the status of a source and logs any change.
func (v *Vault) sourceState(source Source, change func(*SourceStatus)) {
	v.set(func(st *Status) {
		for i := range st.Sources {
			s := &st.Sources[i]
			if s.Name != source.Name {
				continue
			}
			before := s.Err
			change(s)
			switch {
			case s.Err != "" && s.Err != before:
				v.o.Log.Warn("notes cannot be read", "source", s.Name, "err", s.Err)
			case s.Err == "" && before != "":
				v.o.Log.Info("notes can be read again", "source", s.Name)
			}
		}
	})
}

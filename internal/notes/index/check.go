package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"

	"parley/internal/db/sqlite"
	"parley/internal/notes/document"
)

// Bounds of one commit. Searches and writes run between two commits.
const (
	maxBatchFiles = 200
	maxBatchText  = 512 << 10 // bytes
	paperSize     = 64 << 10  // added for each document, because reading one takes long
)

// job is one check of a part of one source, either of its documents, which take long
// to read, or of all other files.
type job struct {
	source Source
	scope  string            // a path; "." means the whole source
	papers bool              // check the documents
	enter  func(path string) // called with each folder before it is listed
}

// Refresh compares every file with the index and updates the index. It does not read
// unchanged files, and it rebuilds a damaged index. A folder that cannot be read is no
// error: Status reports it, and its entries stay.
func (v *Vault) Refresh(ctx context.Context) error {
	if err := v.refresh(ctx, func(Source, string) {}); err != nil {
		return err
	}
	return v.readPapers(ctx)
}

// readPapers does for documents what refresh does for other files. Searches find notes
// while it runs.
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
	if sqlite.IsDamage(err) {
		err = v.checkAll(ctx, enter)
	}
	if err != nil {
		err = fmt.Errorf("index notes: %w", err)
		v.set(func(s *Status) { s.Err = err.Error() })
	}
	return err
}

// checkAll runs one full check, on a new index if the old one is broken.
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

// settle removes sources that no longer exist and marks the index complete.
func (v *Vault) settle(ctx context.Context, names []string) error {
	list, err := json.Marshal(names)
	if err != nil {
		return err
	}
	gone := map[string][]string{}
	err = v.using(func(ix *index) error {
		return each(ctx, ix.db, func(rows *sql.Rows) error {
			var source, name string
			err := rows.Scan(&source, &name)
			gone[source] = append(gone[source], name)
			return err
		}, "SELECT source, path FROM docs WHERE source NOT IN (SELECT value FROM json_each(?))", string(list))
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

// check does one job. It returns errors of the index and the context; those of the
// folder go to its status.
func (v *Vault) check(ctx context.Context, j job) error {
	root, err := os.OpenRoot(j.source.Dir)
	if err != nil {
		v.away(j.source, err)
		return nil
	}
	defer func() { _ = root.Close() }()
	// Read the index first: else a note written during the walk would look deleted.
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

// compare commits the difference between the files and the index. It reads a file that
// is the scope of the job even if size and time are the same, because it has changed.
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

// progress notes in the status that left files remain to check, more of them new.
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

// file reads one file and parses it if it changed. ok is false if it cannot be read now.
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

// take adds a file, as far as it differs from the index.
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
	if len(c.put)+len(c.touch)+len(c.drop) == 0 {
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

// readState notes the outcome of the check of a whole source.
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

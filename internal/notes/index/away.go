package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"parley/internal/db/engine"
	"parley/internal/notes/edit"
	"parley/internal/text/machine"
)

// suddenly is the number of files from which on "all gone at once" means a missing
// disk and no deletion.
const suddenly = 5

// vanished reports whether a check found no file of a source that had some, because
// another folder took its place or all files are gone at once: an unmounted disk, a
// share that is away. The status then says so, and the entries stay in the index.
// Where files are found, it remembers the folder. Only a check of all files says which
// folder was last checked: after another, what changed elsewhere in a new folder is not
// known, and it may not be followed.
func (v *Vault) vanished(ctx context.Context, j job, w *walk) (gone bool, err error) {
	mark, err := markOf(w.root)
	if err != nil {
		v.away(j.source, err)
		return true, nil
	}
	if j.scope == "." && !j.papers {
		v.marks.Store(j.source.Name, mark)
	}
	if w.met > 0 || len(w.unread) > 0 {
		return false, v.remember(ctx, j, mark)
	}
	if names, err := edit.List(w.root, "."); j.scope != "." && (err != nil || slices.ContainsFunc(names, seen)) {
		return false, nil // only a part is gone
	}
	var had int
	var was string
	err = v.using(func(ix *index) error {
		return ix.db.QueryRowContext(ctx,
			"SELECT count(*), coalesce((SELECT mark FROM folders WHERE source = :source), :mark) FROM docs WHERE source = :source",
			engine.Named{"source": j.source.Name, "mark": mark}).Scan(&had, &was)
	})
	if err != nil || had == 0 || was == mark && had < suddenly {
		return false, err
	}
	v.away(j.source, errEmpty)
	return true, nil
}

// remember stores the mark of the folder in which files were found.
func (v *Vault) remember(ctx context.Context, j job, mark string) error {
	if j.scope != "." {
		return nil
	}
	v.changing.Lock()
	defer v.changing.Unlock()
	return v.using(func(ix *index) error {
		var was string
		err := ix.db.QueryRowContext(ctx, "SELECT mark FROM folders WHERE source = ?", j.source.Name).Scan(&was)
		if err != nil && !errors.Is(err, engine.ErrNotFound) || was == mark {
			return err
		}
		return ix.write(ctx, func(p *put) {
			p.exec("INSERT INTO folders (source, mark) VALUES (?, ?) ON CONFLICT DO UPDATE SET mark = excluded.mark", j.source.Name, mark)
		})
	})
}

// markOf identifies a folder, so that another mounted in its place is noticed.
func markOf(root *os.Root) (string, error) {
	info, err := root.Stat(".")
	if err != nil {
		return "", err
	}
	device, number, ok := machine.Identify(info)
	if !ok {
		return "", nil
	}
	return fmt.Sprintf("%d:%d", device, number), nil
}

// replaced reports whether the folder that was last checked is gone or another one.
func (v *Vault) replaced(s Source) bool {
	was, checked := v.marks.Load(s.Name)
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return checked
	}
	defer func() { _ = root.Close() }()
	mark, err := markOf(root)
	return checked && (err != nil || mark != was)
}

func seen(name string) bool { return !hidden(name) }

// back reports whether a folder that was away may have its files again.
func (s SourceStatus) back(dir string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	if !s.Empty {
		return true
	}
	names, err := edit.List(root, ".")
	return err == nil && slices.ContainsFunc(names, seen)
}

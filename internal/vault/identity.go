package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"parley/internal/sqlite"
)

// Fingerprint returns the hash of an indexed file when it was last read; ErrNotFound
// when there is none. source "" is any.
func (v *Vault) Fingerprint(ctx context.Context, source, name string) (hash []byte, err error) {
	err = v.asking(func(ix *index) error {
		err := ix.db.QueryRowContext(ctx, "SELECT hash FROM docs WHERE path = ? AND (? = '' OR source = ?) AND skipped = ''", name, source, source).Scan(&hash)
		if errors.Is(err, sqlite.ErrNotFound) {
			return ErrNotFound
		}
		return err
	})
	return hash, err
}

// Target returns the path, from the folder of notes, that a note is written to under
// a name.
func (v *Vault) Target(name string) (string, error) {
	rel, err := v.target(name)
	if err != nil {
		return "", fmt.Errorf("write note: %w", err)
	}
	return path.Join(v.o.WriteDir, rel), nil
}

// Remove deletes a note in the write folder for good, earlier versions included. A
// missing note is no error.
func (v *Vault) Remove(ctx context.Context, name string) error {
	rel, err := v.target(name)
	if err != nil {
		return fmt.Errorf("remove note: %w", err)
	}
	v.writing.Lock()
	defer v.writing.Unlock()
	w, err := v.openWriter()
	if err != nil {
		return fmt.Errorf("remove note: %w", err)
	}
	defer w.close()
	if err := w.remove(rel); err != nil {
		return fmt.Errorf("remove %s: %w", rel, err)
	}
	v.show(ctx, path.Join(v.o.WriteDir, rel))
	return nil
}

// remove deletes a note and its earlier versions.
func (w *writer) remove(name string) error {
	names := []string{name}
	kept := path.Join(versionsDir, path.Dir(name))
	all, err := list(w.dir, kept)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, s := range all {
		if strings.HasPrefix(s, path.Base(name)+".") && strings.HasSuffix(s, ".bak") {
			names = append(names, path.Join(kept, s))
		}
	}
	for _, n := range names {
		if err := w.dir.Remove(n); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	w.settle(path.Dir(name))
	return nil
}

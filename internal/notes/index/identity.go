package index

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"parley/internal/db/engine"
	"parley/internal/notes/edit"
)

// Fingerprint returns the hash of an indexed file when it was last read; ErrNotFound
// when there is none. source "" is any.
func (v *Vault) Fingerprint(ctx context.Context, source, name string) (hash []byte, err error) {
	err = v.asking(func(ix *index) error {
		err := ix.db.QueryRowContext(ctx, "SELECT hash FROM docs WHERE path = ? AND (? = '' OR source = ?) AND skipped = ''",
			name, source, source).Scan(&hash)
		if errors.Is(err, engine.ErrNotFound) {
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

// Writes reports whether a path is in the write folder.
func (v *Vault) Writes(name string) bool { return strings.HasPrefix(name, v.o.WriteDir+"/") }

// Remove deletes a note in the write folder for good, earlier versions included. A
// missing note is no error.
func (v *Vault) Remove(ctx context.Context, name string) error {
	name, err := v.Target(name)
	if err == nil {
		err = v.withPen(ctx, func(p *edit.Pen) error { return p.Remove(name) })
	}
	if err != nil {
		return fmt.Errorf("remove %.300s: %w", name, err)
	}
	v.show(ctx, name)
	return nil
}

// Disown takes a person's name off all versions of notes, and forgets which notes
// they moved.
func (v *Vault) Disown(ctx context.Context, who string) error {
	if v.notes() == nil {
		return nil
	}
	if err := v.withPen(ctx, func(p *edit.Pen) error { return p.Forget(who) }); err != nil {
		return fmt.Errorf("take a name off notes: %w", err)
	}
	return nil
}

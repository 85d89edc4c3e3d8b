package index

import (
	"context"
	"fmt"

	"parley/internal/notes/edit"
	"parley/internal/text"
)

// Versions lists what a note in the write folder said before, the newest first, also
// of one that is gone.
func (v *Vault) Versions(ctx context.Context, name string) (all []edit.Version, err error) {
	name, err = v.Target(name)
	if err == nil {
		err = v.withPen(ctx, func(p *edit.Pen) error {
			all, err = p.Versions(name)
			return err
		})
	}
	return all, err
}

// Restore gives a note the text of a version again: 1 is the newest. What it says now
// is kept as a version.
func (v *Vault) Restore(ctx context.Context, name string, n int, who Who) (w Written, err error) {
	name, err = v.Target(name)
	if err != nil {
		return w, err
	}
	w = Written{Path: name, Action: Updated}
	err = v.withPen(ctx, func(p *edit.Pen) error {
		all, err := p.Versions(name)
		if err != nil {
			return err
		}
		if n < 1 || n > len(all) {
			return text.Tell("%w: no version %d is kept", ErrNotFound, n)
		}
		w.After = all[n-1].Text
		w.Before, err = p.Restore(name, all[n-1], v.writer(who))
		return err
	})
	if err != nil {
		return Written{}, fmt.Errorf("restore %s: %w", name, err)
	}
	w.Title = parseNote(name, clean(w.After)).title
	v.show(ctx, name)
	return w, nil
}

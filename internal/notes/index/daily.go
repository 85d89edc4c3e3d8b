package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"time"

	"parley/internal/notes/daily"
	"parley/internal/notes/edit"
)

// AddDaily adds a line to the daily note of a day, which is made when it is missing:
// where Obsidian has them, or else in the write folder. It returns the note's path.
func (v *Vault) AddDaily(ctx context.Context, day time.Time, line string) (name string, err error) {
	err = v.withPen(ctx, func(p *edit.Pen) error {
		place := v.daily(p)
		name = place.Path(day)
		if err := checkPath(name); err != nil {
			return err
		}
		return p.Add(name, func(was string, there bool) (string, error) {
			if template := place.TemplatePath(); !there && template != "" && checkPath(template) == nil {
				made, err := p.Text(template)
				if err != nil && !errors.Is(err, ErrNotFound) {
					return "", err
				}
				was = place.New(clean(made), day)
			}
			if _, err := asWritten([]byte(was)); err != nil {
				return "", err
			}
			next, _ := daily.With(was, line)
			return next, nil
		})
	})
	if err != nil {
		return "", fmt.Errorf("write daily note %s: %w", name, err)
	}
	v.show(ctx, name)
	return name, nil
}

// daily returns how this vault has its daily notes.
func (v *Vault) daily(p *edit.Pen) daily.Place {
	if _, err := os.Stat(path.Join(v.notes().Dir, ".obsidian")); err != nil {
		return daily.Place{Folder: path.Join(v.o.WriteDir, "daily")}
	}
	set, _ := p.Text(".obsidian/daily-notes.json") // a missing one is Obsidian's default
	return daily.Settings(set)
}

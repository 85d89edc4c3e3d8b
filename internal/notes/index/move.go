package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/notes/edit"
	"parley/internal/notes/links"
	"parley/internal/text"
)

// Moved reports what a move did, with paths from the folder of notes.
type Moved struct {
	From, To string
	Links    int      // changed so that they lead to the same files as before
	Notes    []string // files with changed links
	Left     []string // files whose links could not be changed
}

// Move renames a note inside the write folder. Links in all notes and canvases, and
// those of the note itself, still lead to the same files. Undo takes the move back. A
// crash leaves nothing half done.
func (v *Vault) Move(ctx context.Context, from, to string, who Who) (m Moved, err error) {
	old, err := v.Target(from)
	if err != nil {
		return m, err
	}
	name, err := v.Target(to)
	if err != nil {
		return m, err
	}
	if strings.ContainsAny(to, "#^[]") {
		return m, text.Tell("%w: with # ^ [ or ] in it no link would lead there (%.300q)", ErrPath, to)
	}
	err = v.withPen(ctx, func(p *edit.Pen) error {
		c := edit.Change{At: v.o.Now(), By: who.ID, From: old, To: name}
		keep, err := v.relink(ctx, p, &c)
		if err != nil {
			return err
		}
		c, err = p.Do(c, keep)
		m = moved(c)
		return err
	})
	if err != nil {
		return Moved{}, fmt.Errorf("move %s: %w", old, err)
	}
	v.showMoved(ctx, m)
	return m, nil
}

// Undo takes back the last move that may allows and that was not taken back yet, or
// returns edit.ErrNothing.
func (v *Vault) Undo(ctx context.Context, may func(edit.Change) bool) (m Moved, err error) {
	err = v.withPen(ctx, func(p *edit.Pen) error {
		last, err := p.Last(may)
		if err != nil {
			return err
		}
		c := edit.Change{From: last.To, To: last.From}
		keep, err := v.relink(ctx, p, &c)
		if err != nil {
			return err
		}
		back := p.Back(last, v.o.Now(), c.Edits)
		back, err = p.Do(back, keep)
		m = moved(back)
		if err != nil {
			return err
		}
		return p.TakenBack(last, back)
	})
	if err != nil {
		return Moved{}, fmt.Errorf("take a move back: %w", err)
	}
	v.showMoved(ctx, m)
	return m, nil
}

// Undoes returns the error that Undo would return before it changes anything.
func (v *Vault) Undoes(ctx context.Context, may func(edit.Change) bool) error {
	return v.withPen(ctx, func(p *edit.Pen) error {
		_, err := p.Last(may)
		return err
	})
}

func moved(c edit.Change) Moved {
	m := Moved{From: c.From, To: c.To}
	for _, e := range c.Edits {
		if e.Failed != "" {
			m.Left = append(m.Left, e.Path)
		} else if e.Links > 0 {
			m.Links += e.Links
			m.Notes = append(m.Notes, e.Path)
		}
	}
	return m
}

func (v *Vault) showMoved(ctx context.Context, m Moved) {
	for _, name := range append([]string{m.From, m.To}, m.Notes...) {
		v.show(ctx, name)
	}
}

// relink plans the links of all files for a change. It returns the function that plans
// them again for a file that changes meanwhile.
func (v *Vault) relink(ctx context.Context, p *edit.Pen, c *edit.Change) (edit.Again, error) {
	files, err := v.everything(ctx, c)
	if err != nil {
		return nil, err
	}
	move := links.NewMove(slices.Sorted(maps.Keys(files)), map[string]string{c.From: c.To}, v.shortest(p))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !isNote(name) && !links.Canvas(name) {
			continue
		}
		raw, err := p.Text(files[name])
		if err != nil {
			continue // too large, or not text: it was never read for links
		}
		if name == c.From {
			name = c.To
		}
		splices, n := move.Keep(name, raw)
		e, ok := edit.NewEdit(name, raw, splices, n)
		if ok && !utf8.ValidString(raw) {
			e.Failed = "not UTF-8"
		}
		if ok {
			c.Edits = append(c.Edits, e)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return move.Keep, nil
}

// everything maps the path that each file in the folder of notes had before a change to
// its present path.
func (v *Vault) everything(ctx context.Context, c *edit.Change) (map[string]string, error) {
	root, err := os.OpenRoot(v.notes().Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	w := &walk{root: root, source: Source{Kind: anyKind}, shut: v.excluded(), links: true, enter: func(string) {}}
	if err := w.visit(ctx, ".", 0); err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, f := range w.files {
		files[f.path] = f.path
	}
	if files[c.From] == "" && files[c.To] != "" {
		files[c.From] = c.To
		delete(files, c.To)
	}
	return files, nil
}

// shortest reports whether a Markdown link without a folder names a file in any folder,
// as it does by default in Obsidian.
func (v *Vault) shortest(p *edit.Pen) bool {
	raw, err := p.Text(".obsidian/app.json")
	if errors.Is(err, ErrNotFound) {
		_, err := os.Stat(path.Join(v.notes().Dir, ".obsidian"))
		return err == nil
	}
	var set struct {
		NewLinkFormat string `json:"newLinkFormat"`
	}
	return err == nil && json.Unmarshal([]byte(raw), &set) == nil && (set.NewLinkFormat == "" || set.NewLinkFormat == "shortest")
}

// finish completes the changes that a crash interrupted.
func (v *Vault) finish(ctx context.Context, p *edit.Pen) error {
	all, err := p.Begun()
	if err != nil {
		return err
	}
	for _, c := range all {
		fresh := edit.Change{From: c.From, To: c.To}
		keep, err := v.relink(ctx, p, &fresh)
		if err != nil {
			return err
		}
		if _, err := p.Finish(c, keep); err != nil {
			return fmt.Errorf("finish moving %s: %w", c.From, err)
		}
		v.o.Log.Info("a move of a note was finished that had been cut short", "from", c.From, "to", c.To)
		v.nudge()
	}
	return nil
}

// resumeMoves finishes interrupted changes before anything is read.
func (v *Vault) resumeMoves(ctx context.Context) {
	s := v.notes()
	if s == nil {
		return
	}
	if _, err := os.Stat(path.Join(s.Dir, v.o.WriteDir)); err != nil {
		return // nothing was ever written, or the folder is away
	}
	if err := v.withPen(ctx, func(*edit.Pen) error { return nil }); err != nil && ctx.Err() == nil {
		v.o.Log.Warn("a move of a note that was cut short is not finished yet", "err", err)
	}
}

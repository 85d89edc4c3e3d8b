package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"parley/internal/notes/links"
	"parley/internal/text"
)

// ErrNothing means that there is no change to take back.
var ErrNothing = text.Tell("there is nothing to take back")

// Change moves a note and changes the links to it and in it.
type Change struct {
	At    time.Time `json:"at"` // unique: it names the change
	By    string    `json:"by"`
	From  string    `json:"from"` // path from the folder of notes
	To    string    `json:"to"`
	Edits []Edit    `json:"edits"`
}

// Edit changes the links of one file.
type Edit struct {
	Path    string         `json:"path"` // after the move
	Links   int            `json:"links"`
	Before  []byte         `json:"before"` // hashes of the whole file
	After   []byte         `json:"after"`
	Splices []links.Splice `json:"splices"`
	// Failed is why the file stayed as it was, "" if it did not.
	Failed string `json:"failed,omitempty"`
}

// NewEdit describes replacements in a file with this text; ok is false if there are none.
func NewEdit(name, text string, splices []links.Splice, n int) (e Edit, ok bool) {
	next, fits := links.Apply(text, splices)
	if !fits || len(splices) == 0 || next == text {
		return e, false
	}
	return Edit{Path: name, Links: n, Before: sum(text), After: sum(next), Splices: splices}, true
}

// Again plans the links of a file that changed since the first plan.
type Again func(name, text string) ([]links.Splice, int)

// Where changes are stored so that a crash or Undo finds them.
const (
	changes     = folder + "/.changes"
	keptChanges = 20
	underWay    = ".open" // ending of a change that has begun
	isDone      = ".done" // ending of a change that is complete
)

func (c Change) name(end string) string {
	return path.Join(changes, c.At.UTC().Format(stampForm)+end)
}

// Do makes a change; after a crash Finish completes it. The result names files whose
// links could not be changed. An error means that nothing was changed.
func (p *Pen) Do(c Change, again Again) (Change, error) {
	_, to := p.at(c.To)
	if _, err := p.dir.Lstat(to); err == nil {
		return c, ErrExists
	}
	if _, err := p.read(c.From); err != nil {
		return c, err
	}
	for p.taken(c) {
		c.At = c.At.Add(1)
	}
	if err := p.note(c, underWay); err != nil {
		return c, err
	}
	if err := p.claim(to); err != nil {
		return c, errors.Join(err, p.dir.Remove(c.name(underWay)))
	}
	return p.finish(c, again)
}

// taken reports whether another change has the same moment.
func (p *Pen) taken(c Change) bool {
	return slices.ContainsFunc([]string{underWay, isDone}, func(end string) bool {
		_, err := p.dir.Lstat(c.name(end))
		return err == nil
	})
}

// note stores a change.
func (p *Pen) note(c Change, end string) error {
	if err := p.dir.MkdirAll(changes, 0o700); err != nil {
		return err
	}
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return p.replace(p.dir, c.name(end), string(b), nil)
}

// Begun lists changes that were not finished.
func (p *Pen) Begun() ([]Change, error) { return p.noted(underWay) }

// noted lists the stored changes with an ending, the oldest first. It skips unreadable
// ones.
func (p *Pen) noted(end string) (all []Change, err error) {
	found, err := List(p.dir, changes)
	for _, name := range found {
		if path.Ext(name) != end {
			continue
		}
		var c Change
		f, err := p.read(path.Join(p.in, changes, name))
		if err == nil && json.Unmarshal(f.raw, &c) == nil {
			all = append(all, c)
		}
	}
	return all, err
}

// Finish completes a change that a crash interrupted. It drops the change if the note is
// gone or another file has taken its new path.
func (p *Pen) Finish(c Change, again Again) (Change, error) {
	_, from := p.at(c.From)
	_, to := p.at(c.To)
	_, missing := p.dir.Lstat(from)
	there, gone := p.dir.Lstat(to)
	switch {
	case missing == nil && gone != nil:
		if err := p.claim(to); err != nil {
			return c, err
		}
	case missing == nil && there.Size() > 0, missing != nil && gone != nil:
		return c, p.dir.Remove(c.name(underWay))
	}
	return p.finish(c, again)
}

// finish moves the note, unless it has moved already, and changes the links.
func (p *Pen) finish(c Change, again Again) (Change, error) {
	_, from := p.at(c.From)
	_, to := p.at(c.To)
	if _, err := p.dir.Lstat(from); err == nil {
		if err := p.rename(p.dir, from, to); err != nil {
			return c, errors.Join(err, p.dir.Remove(to), p.dir.Remove(c.name(underWay)))
		}
		settle(p.dir, path.Dir(to))
		settle(p.dir, path.Dir(from))
	}
	if err := p.follow(from, to); err != nil {
		return c, fmt.Errorf("take the versions along: %w", err)
	}
	for i := range c.Edits {
		if c.Edits[i].Failed != "" {
			continue
		}
		if err := p.edit(&c.Edits[i], again); err != nil {
			c.Edits[i].Failed = err.Error()
		}
	}
	if err := p.note(c, isDone); err != nil {
		return c, err
	}
	return c, errors.Join(p.dir.Remove(c.name(underWay)), p.prune())
}

// edit changes the links of one file, unless that is done.
func (p *Pen) edit(e *Edit, again Again) error {
	f, err := p.read(e.Path)
	if err != nil || bytes.Equal(f.hash(), e.After) {
		return err
	}
	if !bytes.Equal(f.hash(), e.Before) {
		splices, n := again(e.Path, string(f.raw))
		fresh, ok := NewEdit(e.Path, string(f.raw), splices, n)
		if !ok {
			e.Links, e.Splices = 0, nil
			return nil
		}
		*e = fresh
	}
	next, ok := links.Apply(string(f.raw), e.Splices)
	if !ok {
		return ErrChanged
	}
	if err := valid(next); err != nil {
		return err
	}
	return p.put(e.Path, next, f)
}

// prune deletes the oldest changes.
func (p *Pen) prune() error {
	found, err := List(p.dir, changes)
	found = slices.DeleteFunc(found, func(s string) bool { return path.Ext(s) == underWay || strings.HasPrefix(s, ".") })
	for _, name := range found[:max(0, len(found)-keptChanges)] {
		err = errors.Join(err, p.dir.Remove(path.Join(changes, name)))
	}
	return err
}

// drop deletes changes, which can then no longer be taken back.
func (p *Pen) drop(which func(Change) bool) (err error) {
	all, err := p.noted(isDone)
	for _, c := range all {
		if which(c) {
			err = errors.Join(err, p.dir.Remove(c.name(isDone)))
		}
	}
	return err
}

// Last returns the last change that was not taken back and that may allows, or
// ErrNothing.
func (p *Pen) Last(may func(Change) bool) (Change, error) {
	all, err := p.noted(isDone)
	if err != nil {
		return Change{}, err
	}
	for _, c := range slices.Backward(all) {
		if may(c) {
			return c, nil
		}
	}
	return Change{}, ErrNothing
}

// Back returns the change that takes c back. It reverses the edits of files that stayed
// as c left them, and takes edits for the others.
func (p *Pen) Back(c Change, at time.Time, edits []Edit) Change {
	back := Change{At: at, By: c.By, From: c.To, To: c.From}
	own := map[string]bool{}
	for _, e := range c.Edits {
		name := e.Path
		f, err := p.read(name)
		if e.Failed != "" || len(e.Splices) == 0 || err != nil || !bytes.Equal(f.hash(), e.After) {
			continue
		}
		if name == c.To {
			name = c.From
		}
		own[name] = true
		back.Edits = append(back.Edits, Edit{Path: name, Links: e.Links, Before: e.After, After: e.Before, Splices: links.Reverse(e.Splices)})
	}
	for _, e := range edits {
		if !own[e.Path] {
			back.Edits = append(back.Edits, e)
		}
	}
	return back
}

// TakenBack deletes both c and back, so that neither is taken back again.
func (p *Pen) TakenBack(c, back Change) error {
	return errors.Join(p.dir.Remove(c.name(isDone)), p.dir.Remove(back.name(isDone)))
}

// Package files keeps the playbooks that are in force, one for each agent that has one,
// and edits their files: a text is tried beside the others first. A mistake leaves the
// last good playbook in force. It does not know what rules mean.
package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley/internal/playbook"
)

// Rulebook is the playbook of one agent. It is safe for many goroutines.
type Rulebook struct {
	Dir     string // its folder, "" for none
	Agent   string // whose it is, by its name; "" is the bot's own
	Options playbook.Options
	Log     *slog.Logger
	Now     func() time.Time

	source *playbook.Source // nil for none
	wrong  atomic.Value     // with the files: a text, "" for nothing
}

// Open reads the playbook; a mistake in it keeps the bot from starting, while a later
// one leaves the last good book in force. It comes before the others.
func (r *Rulebook) Open() (err error) {
	if r.Dir == "" {
		return nil
	}
	if _, err := os.Stat(r.Dir); err != nil {
		return fmt.Errorf("playbook: %w", err)
	}
	r.source, err = playbook.Open(r.Dir, r.Options)
	return err
}

// Book returns the playbook in force, nil for none.
func (r *Rulebook) Book() *playbook.Book {
	if r.source == nil {
		return nil
	}
	b, err := r.source.Book(r.Now())
	wrong := ""
	if err != nil {
		wrong = err.Error()
	}
	switch before, _ := r.wrong.Swap(wrong).(string); {
	case wrong == before:
	case err != nil:
		r.Log.Warn("the last good playbook stays in force", "err", err)
	default:
		r.Log.Info("the playbook is in force as it is in its folder")
	}
	return b
}

// Files are those of the playbook, nil for none. A text is tried as a start would read
// it, with the tools there are.
func (r *Rulebook) Files() *Folder {
	if r.source == nil {
		return nil
	}
	return &Folder{Dir: r.Dir, Check: func(dir string) (notes []string, err error) {
		b, err := playbook.Load(dir, playbook.Options{Schemas: r.Options.Schemas})
		if err != nil {
			return nil, err
		}
		for _, f := range playbook.Check(b, playbook.Known{}, nil) {
			notes = append(notes, f.String())
		}
		return notes, nil
	}}
}

// Check explains why the playbook does not accept a value of a variable.
func (r *Rulebook) Check(name string, value any) error {
	b := r.Book()
	if b == nil {
		return errors.New("there is no playbook")
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = b.SetVariable(playbook.State{}, playbook.Value{Name: name, Value: raw, Source: "tool"})
	return err
}

// Problem returns what is wrong with the playbook's files, "" for nothing.
func (r *Rulebook) Problem() string {
	wrong, _ := r.wrong.Load().(string)
	return wrong
}

// Books are the rulebooks of all agents.
type Books struct {
	Own    *Rulebook // the bot's own; set before the others are asked for
	others atomic.Pointer[[]*Rulebook]
}

// Put sets the rulebooks of the other agents.
func (b *Books) Put(others []*Rulebook) { b.others.Store(&others) }

// each returns the rulebook of every agent.
func (b *Books) each() []*Rulebook {
	list := []*Rulebook{b.Own}
	if others := b.others.Load(); others != nil {
		list = append(list, *others...)
	}
	return list
}

// All returns the rulebooks that have a playbook.
func (b *Books) All() []*Rulebook {
	return slices.DeleteFunc(b.each(), func(one *Rulebook) bool { return one == nil || one.source == nil })
}

// Of returns the rulebook of an agent by its name, the bot's own for one that is gone.
func (b *Books) Of(agent string) *Rulebook {
	list := b.each()
	return list[max(0, slices.IndexFunc(list, func(one *Rulebook) bool { return one.Agent == agent }))]
}

// Follow checks the playbooks' files even when no messages arrive.
func (b *Books) Follow(context.Context) error {
	for _, one := range b.All() {
		one.Book()
	}
	return nil
}

// Problem returns what is wrong with the files of any playbook, "" for nothing.
func (b *Books) Problem() string {
	var wrong []string
	for _, one := range b.All() {
		if p := one.Problem(); p != "" {
			wrong = append(wrong, p)
		}
	}
	return strings.Join(wrong, "; ")
}

// Reload reads all of them at once.
func (b *Books) Reload() (err error) {
	for _, one := range b.All() {
		err = errors.Join(err, one.source.Reload())
	}
	return err
}

// Embed makes vectors for what rules say, and reports whether there are more to make.
func (b *Books) Embed(ctx context.Context) (more bool, err error) {
	for _, one := range b.All() {
		if more, err = one.Book().Embed(ctx); more || err != nil {
			return more, err
		}
	}
	return false, nil
}

package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/config"
	"parley/internal/agent"
	"parley/internal/app/whatif"
	"parley/internal/text"
)

// noted is the file in the data folder that says what is being tried, for the next process
// where this one is killed.
const noted = "whatif.json"

// run is one trial.
type run struct {
	Change `json:"change"`
	Budget `json:"budget"`
	Folder string    `json:"folder"` // of the copies
	Began  time.Time `json:"began"`
}

// note writes what is tried.
func (r run) note(data string) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := text.WriteFile(filepath.Join(data, noted), b, 0o600, nil); err != nil {
		return fmt.Errorf("note what is tried: %w", err)
	}
	return nil
}

// Open takes note of what a killed process was trying, and removes its copies.
func (d *Desk) Open() error {
	b, err := os.ReadFile(filepath.Join(d.Config().DataDir, noted))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read what was tried: %w", err)
	}
	var r run
	if json.Unmarshal(b, &r) != nil { // cut
		return nil
	}
	d.with(func(s *State) { *s = State{Change: r.Change, Budget: r.Budget, Phase: Broken} })
	if !strings.HasPrefix(filepath.Base(r.Folder), whatif.Folder) {
		return nil
	}
	return os.RemoveAll(r.Folder)
}

// options returns what a change asks for. Its edited files are in the folder of the run.
func (d *Desk) options(r run) (o whatif.Options, err error) {
	o.Base = d.Config()
	o.Changed = o.Base
	next := &o.Changed
	switch r.Kind {
	case Setting:
		err = next.Set(r.Name, r.Value)
	case Persona:
		next.Agent.PromptFile = filepath.Join(r.Folder, "persona.md")
		if err = agent.CheckPrompt(r.Value); err == nil {
			err = os.WriteFile(next.Agent.PromptFile, []byte(r.Value), 0o600)
		}
	default:
		err = r.book(next)
	}
	if err == nil {
		err = next.Validate(d.IDs)
	}
	o.Over, o.Build, o.Pick.Since = o.Base.Diff(o.Changed), d.Build, r.Began.Add(-history)
	return o, err
}

// book puts an edited playbook in the place of the one it is a file of.
func (r run) book(next *config.Config) error {
	edited := filepath.Join(r.Folder, "playbook")
	if err := os.CopyFS(edited, os.DirFS(r.Dir)); err != nil {
		return fmt.Errorf("copy the playbook: %w", err)
	}
	if err := os.WriteFile(filepath.Join(edited, filepath.Base(r.Name)), []byte(r.Value), 0o600); err != nil {
		return err
	}
	put := func(dir *string) {
		if *dir == r.Dir {
			*dir = edited
		}
	}
	next.Agents = slices.Clone(next.Agents)
	for i := range next.Agents {
		put(&next.Agents[i].Playbook)
	}
	put(&next.Playbook.Dir)
	return nil
}

// run tries a change and leaves nothing behind but what models answered, until nothing is
// left to ask.
func (d *Desk) run(ctx context.Context, r run, o whatif.Options, over chan struct{}) {
	defer close(over)
	cfg := d.Config()
	o.Found = d.found
	last := int64(-1)
	o.Seen = func(done, of int64) {
		if percent := 100 * done / max(of, 1); percent != last {
			last = percent
			d.with(func(s *State) { s.Ran, s.Of = done, of })
		}
	}
	o.Asking = &whatif.Asking{Offline: r.Budget == Budget{}, Calls: r.Calls, Money: r.Money, Wait: cfg.Model.Timeout}
	tally, err := d.try(ctx, cfg, r, &o)
	left := os.RemoveAll(r.Folder)
	closed := errors.Is(context.Cause(ctx), errClosed)
	if !closed {
		left = errors.Join(left, os.Remove(filepath.Join(cfg.DataDir, noted)))
	}
	if left != nil {
		d.Log.Warn("what a change was tried on is still there", "err", left)
	}
	d.with(func(s *State) {
		s.Phase, s.Tally, s.Finished, s.Why = Done, tally, d.Now(), o.Asking.Failed
		s.Asked, s.Paid = o.Asking.Spent()
		switch {
		case ctx.Err() != nil:
			s.Phase = Stopped
		case err != nil:
			s.Phase, s.Why = Failed, err
			d.Log.Error("a change could not be tried", "err", err)
		}
	})
}

func (d *Desk) try(ctx context.Context, cfg config.Config, r run, o *whatif.Options) (t whatif.Tally, err error) {
	shut, err := o.Copies(ctx, cfg, r.Folder, nil)
	if err != nil {
		return t, err
	}
	paid := filepath.Join(cfg.DataDir, whatif.Paid)
	if err = o.Asking.Open(paid); err == nil {
		if t, err = whatif.Run(ctx, *o); err == nil {
			err = o.Asking.Settle(t, paid)
		}
		err = errors.Join(err, o.Asking.Close())
	}
	return t, errors.Join(err, shut())
}

// found takes a difference into its place.
func (d *Desk) found(diff whatif.Difference) error {
	line := Line{good: diff.Wish(true), bad: diff.Wish(false)}
	line.good.Says = text.Shorten(line.good.Says, maxSays)
	line.Difference = diff.Brief(maxText)
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &d.state
	if diff.After.Again > 0 {
		s.Would += diff.After.Money
	}
	if d.fine[diff.ID] || diff.Kinds[0] == whatif.Cost { // the sums say what it costs
		return nil
	}
	at, _ := slices.BinarySearchFunc(s.Lines, line, func(a, b Line) int { return a.Order(b.Difference) })
	s.Lines = slices.Insert(slices.Clone(s.Lines), at, line)
	if len(s.Lines) > maxLines {
		s.Lines, s.More = s.Lines[:maxLines], s.More+1
	}
	return nil
}

// Package trial tries changes on the past for the control page: one at a time, in the
// background, on copies. It changes no setting and no file of the bot's; a verdict on a line
// writes a rehearsal, nothing else.
package trial

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/config"
	"parley/internal/app/rehearse"
	"parley/internal/app/whatif"
	"parley/internal/text"
)

// The kinds of a Change.
const (
	File    = "file"    // of a playbook
	Persona = "persona" // its text
	Setting = "setting"
)

// Change is what is tried.
type Change struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`    // of the file or the setting
	Value   string `json:"value"`   // its text, or the setting's value
	Dir     string `json:"dir"`     // of a file's playbook
	Agent   string `json:"agent"`   // whose it is, for the page
	Version string `json:"version"` // of the file that was edited
}

// Budget bounds what models are asked; its zero value asks nobody.
type Budget struct {
	Calls int     `json:"calls"`
	Money float64 `json:"money"` // 0 is no bound
}

// Phase says how it stands with what is tried.
type Phase string

// The phases.
const (
	Nothing Phase = "" // was tried
	Running Phase = "running"
	Done    Phase = "done"
	Stopped Phase = "stopped"
	Failed  Phase = "failed"
	Broken  Phase = "broken off" // with the process
)

// Line is a difference, cut to what a page shows.
type Line struct {
	whatif.Difference
	Written string // a rehearsal

	good, bad rehearse.Wish
}

// State is how it stands.
type State struct {
	Change
	Budget
	Phase    Phase
	Ran, Of  int64 // messages
	Tally    whatif.Tally
	Asked    int     // requests
	Paid     float64 // for them
	Would    float64 // about what asking the rest costs
	Why      error   // it failed; or a model that was asked did
	Lines    []Line  // those that matter most first
	More     int     // that are not in Lines
	Finished time.Time
}

// Bounds of what is kept in memory.
const (
	maxLines = 60
	maxText  = 2000 // characters
	maxSays  = 8000
	maxFine  = 1000
)

// history is how far back it goes.
const history = 30 * 24 * time.Hour

// Desk is where changes are tried. All but Changed are required.
type Desk struct {
	Config  func() config.Config // in force
	IDs     config.IDs
	Build   whatif.Build
	Wanting func(ctx context.Context, id, why string, w rehearse.Wish) (path string, err error)
	Now     func() time.Time
	Log     *slog.Logger
	Changed func() // may be nil

	mu     sync.Mutex // guards what follows
	state  State
	fine   map[string]bool // answers whose difference does not matter, with this change
	stop   context.CancelCauseFunc
	over   chan struct{} // closed when the run has ended; nil before the first
	closed bool
}

// ErrBusy: one change is tried at a time.
var ErrBusy = text.Tell("One change is being tried already. Stop it first, or wait.")

var (
	errStopped = errors.New("stopped")
	errClosed  = errors.New("the process ends")
)

// State returns how it stands. The caller does not change what it points to.
func (d *Desk) State() State {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.state
	s.Lines, s.Tally.Kinds = slices.Clone(s.Lines), maps.Clone(s.Tally.Kinds)
	return s
}

// Start begins to try a change. A text.Error may be shown to people.
func (d *Desk) Start(c Change, b Budget) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state.Phase == Running || d.closed {
		return ErrBusy
	}
	dir, err := os.MkdirTemp("", whatif.Folder)
	if err != nil {
		return err
	}
	r := run{Change: c, Budget: b, Folder: dir, Began: d.Now()}
	o, err := d.options(r)
	if err == nil {
		err = r.note(d.Config().DataDir)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if d.fine == nil || c != d.state.Change {
		d.fine = map[string]bool{}
	}
	var ctx context.Context
	ctx, d.stop = context.WithCancelCause(context.Background())
	d.over = make(chan struct{})
	d.state = State{Change: c, Budget: b, Phase: Running}
	go d.run(ctx, r, o, d.over)
	return nil
}

// Stop ends what is tried, and waits for it.
func (d *Desk) Stop() { d.end(errStopped, nil) }

// Close does so at the end of the process. The next one says that it was broken off.
func (d *Desk) Close() { d.end(errClosed, func() { d.closed = true }) }

// Drop ends it and lets go of what was found: somebody is forgotten.
func (d *Desk) Drop() {
	d.end(errStopped, nil)
	d.with(func(s *State) {
		if s.Lines != nil {
			*s = State{Change: s.Change, Phase: Stopped}
		}
	})
}

func (d *Desk) end(why error, also func()) {
	d.mu.Lock()
	stop, over := d.stop, d.over
	if also != nil {
		also()
	}
	d.mu.Unlock()
	if over != nil {
		stop(why)
		<-over
	}
}

// with changes the state, and tells pages.
func (d *Desk) with(change func(*State)) {
	d.mu.Lock()
	change(&d.state)
	d.mu.Unlock()
	if d.Changed != nil {
		d.Changed()
	}
}

// Verdicts on a line.
const (
	Good = "good"
	Bad  = "bad"
	Fine = "fine"
)

// Judge takes the owner's verdict on the line of an answer: a rehearsal is written, or the
// line is not shown again with this change. ok is false where there is no such line.
func (d *Desk) Judge(ctx context.Context, id, verdict string) (path string, ok bool, err error) {
	at := func(s State) int { return slices.IndexFunc(s.Lines, func(l Line) bool { return l.ID == id }) }
	s := d.State()
	i := at(s)
	if i < 0 {
		return "", false, nil
	}
	switch verdict {
	case Good:
		path, err = d.Wanting(ctx, id, "as "+strings.TrimSpace(s.Kind+" "+filepath.Base(s.Name))+" would have it", s.Lines[i].good)
	case Bad:
		path, err = d.Wanting(ctx, id, "as it was", s.Lines[i].bad)
	case Fine:
	default:
		return "", false, nil
	}
	if err != nil {
		return "", true, err
	}
	d.with(func(s *State) {
		i := at(*s)
		switch {
		case i < 0:
		case verdict != Fine:
			s.Lines = slices.Clone(s.Lines)
			s.Lines[i].Written = path
		default:
			s.Lines = slices.Delete(slices.Clone(s.Lines), i, i+1)
			if len(d.fine) < maxFine {
				d.fine[id] = true
			}
		}
	})
	return path, true, nil
}

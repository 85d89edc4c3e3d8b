package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"parley/config"
	"parley/internal/adapters/terminal"
	"parley/internal/app/fleet"
	"parley/internal/app/metrics"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/command/language"
	"parley/internal/memory"
	"parley/internal/text/catalog"
)

// base is shared by all parts: settings, log, clock, metrics and background work.
type base struct {
	process Process
	cfg     config.Config                 // of the start, including values set from the chat
	inForce atomic.Pointer[config.Config] // in force now
	log     *slog.Logger
	level   *slog.LevelVar   // of the log; nil if it is fixed
	now     func() time.Time // the database's clock where several processes share one
	began   time.Time
	counts  *metrics.Counters // nil if nothing runs
	store   *memory.Store     // nil until storage opens it
	fleet   *fleet.Fleet      // nil if this process has the database to itself
	work    sync.WaitGroup    // background work; drain waits for it
}

func newBase(p Process, cfg config.Config, log *slog.Logger, now func() time.Time) *base {
	b := &base{process: p, cfg: cfg, log: log, began: now()}
	b.now = func() time.Time { return b.fleet.Clock(now) }
	b.inForce.Store(&b.cfg)
	return b
}

// background runs fn and makes drain wait for it.
func (b *base) background(fn func()) { b.work.Go(fn) }

// health returns how receiving from a platform goes; nil if another process receives from
// it, which reports for itself.
func (b *base) health(p chat.Adapter) error {
	if b.fleet.Elsewhere(p.Platform()) {
		return nil
	}
	return p.Health()
}

// inData names a file in the data folder.
func (b *base) inData(name string) string { return filepath.Join(b.cfg.DataDir, name) }

// placeOf returns the place of m's session.
func (b *base) placeOf(m chat.Message) memory.Place {
	p := memory.Place{Key: m.Key, Agent: m.Agent.ID}
	if b.cfg.Session.Scope == "user" {
		p.User = m.From.ID
	}
	return p
}

// say tells the operator something in the language of this machine, or in English if
// programs read the output.
func (b *base) say(words string, args ...any) {
	var p catalog.Printer
	if b.cfg.Log.Format != "json" {
		p, _ = catalog.For(language.Machine(os.Getenv))
	}
	said := p.Say(words, args...)
	if tty, ok := b.process.Out.(*os.File); ok && b.process.Watched {
		said = terminal.Fit(tty, said)
	}
	setup.Announce(b.cfg, b.process.Err, said)
}

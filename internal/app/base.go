package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"parley/config"
	"parley/internal/app/fleet"
	"parley/internal/app/metrics"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/command/language"
	"parley/internal/memory"
	"parley/internal/text/catalog"
)

// base is what every part gets: the settings, the log, the clock, the metrics, and a
// way to run work in the background.
type base struct {
	process Process
	cfg     config.Config                 // as at the start, with what was set from the chat
	inForce atomic.Pointer[config.Config] // as they are now
	log     *slog.Logger
	level   *slog.LevelVar   // of the log; nil where it stays
	now     func() time.Time // by the clock of the database, where several processes share one
	began   time.Time
	counts  *metrics.Counters // nil where nothing is run
	fleet   *fleet.Fleet      // this process among others; nil with a database of its own
	work    sync.WaitGroup    // background work that drain waits for
}

func newBase(p Process, cfg config.Config, log *slog.Logger, now func() time.Time) *base {
	b := &base{process: p, cfg: cfg, log: log, began: now()}
	b.now = func() time.Time { return b.fleet.Clock(now) }
	b.inForce.Store(&b.cfg)
	return b
}

// background runs fn and makes drain wait for it.
func (b *base) background(fn func()) {
	b.work.Add(1)
	go func() {
		defer b.work.Done()
		fn()
	}()
}

// health is how receiving from a platform goes. Where another process receives, that
// one tells.
func (b *base) health(p chat.Adapter) error {
	if b.fleet.Elsewhere(p.Platform()) {
		return nil
	}
	return p.Health()
}

// inData names a file in the data folder.
func (b *base) inData(name string) string { return filepath.Join(b.cfg.DataDir, name) }

// placeOf returns where m's session lives.
func (b *base) placeOf(m chat.Message) memory.Place {
	p := memory.Place{Key: m.Key, Agent: m.Agent.ID}
	if b.cfg.Session.Scope == "user" {
		p.User = m.From.ID
	}
	return p
}

// say tells the operator something, as setup.Announce does, in the language of this
// machine; in English where programs read it.
func (b *base) say(words string, args ...any) {
	var p catalog.Printer
	if b.cfg.Log.Format != "json" {
		p, _ = catalog.For(language.Machine(os.Getenv))
	}
	setup.Announce(b.cfg, b.process.Err, p.Say(words, args...))
}

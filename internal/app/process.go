package app

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"parley/config"
	"parley/internal/adapters/terminal"
	"parley/internal/app/platform"
	"parley/internal/app/setup"
	"parley/internal/app/standby"
	"parley/internal/app/systemd"
	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/command/language"
	"parley/internal/command/welcome"
	"parley/internal/memory/datadir"
	"parley/internal/text/times"
)

// Process is the program around the bot: its version and streams.
type Process struct {
	Version  string
	In       io.Reader
	Out, Err io.Writer

	// Watched is true if Err is a terminal.
	Watched bool

	// Standby waits until no other bot uses the data folder, then takes it over.
	Standby bool
	held    *datadir.Held // the lock, after standing by

	// Fresh starts an empty database if that of a used data folder is missing.
	Fresh bool

	// Met is called once, with the first message that is answered; nil for nobody. It must
	// not block.
	Met func(who, platform string, took time.Duration)

	// Now is the clock by which it lives; nil is time.Now. Tests hold it.
	Now func() time.Time

	// Failpoint is called at each crash point; tests kill the process there. nil in the
	// program.
	Failpoint func(point string)

	// Cron ticks in place of the cron until ctx ends: due does what is due at once, busy
	// reports whether a conversation is at work. What is otherwise done beside the lanes is done
	// in them. nil in the program; tests tick by the clock they hold.
	Cron func(ctx context.Context, due func(context.Context) error, busy func() bool)
}

// Serve runs the platforms until ctx ends. again reads the settings again.
func (p Process) Serve(ctx context.Context, cfg config.Config, again func() (config.Config, error)) (err error) {
	var level slog.LevelVar
	log := setup.NewLogger(cfg, &level, p.Err)
	setup.TakeOver(log)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	// The bot outlives whoever reads its log: with SIGPIPE caught, a write just fails.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	supervisor, err := systemd.New()
	if err != nil {
		log.Warn(err.Error())
	}
	if p.Standby {
		if p.held, err = standby.Wait(ctx, standby.Options{Dir: cfg.DataDir, Log: log, Supervisor: supervisor}); p.held == nil {
			return err
		}
		cfg = reread(cfg, again, log)
		log = setup.NewLogger(cfg, &level, p.Err)
		setup.TakeOver(log)
	}
	a, err := p.newApp(ctx, cfg, log, true)
	if err != nil {
		supervisor.Close()
		return err
	}
	defer a.close()
	a.level, a.vitals.supervisor = &level, supervisor
	a.openToPrograms()
	platforms, err := a.platforms.setUp(a.front)
	if err != nil {
		return err
	}
	if err := a.build(ctx); err != nil {
		return err
	}
	a.say("%s", a.models.endpoint.About) // must come first
	warn(cfg, log)
	if err := a.models.require(ctx); err != nil {
		return err
	}
	if err := a.openFront(ctx, a.platforms.isAdmin); err != nil {
		return err
	}
	if err := a.announce(ctx); err != nil {
		return err
	}
	a.settings.reloads = func(ctx context.Context) {
		for {
			select {
			case <-hangups:
				a.settings.reload(again)
			case <-ctx.Done():
				return
			}
		}
	}
	return a.operate(ctx, platforms...)
}

// reread returns the current settings, which may have changed while standing by.
func reread(cfg config.Config, again func() (config.Config, error), log *slog.Logger) config.Config {
	next, err := again()
	if err != nil {
		log.Error("the settings have a mistake now; those this process began with are in force", "err", err)
		return cfg
	}
	next.DataDir = cfg.DataDir
	return next
}

func warn(cfg config.Config, log *slog.Logger) {
	for _, w := range append(datadir.Unmoved(cfg.DataDir, string(cfg.Database.URL)), cfg.Warnings...) {
		log.Warn(w.Error())
	}
}

// begin tells somebody who sits at a terminal for the first time what to type.
func (a *app) begin(ctx context.Context) {
	counts, err := a.storage.store.Sessions.SessionCounts(ctx)
	if err != nil || len(counts) > 0 {
		return // the counts are no reason not to start
	}
	a.say("Type what you want and press Enter, for example: what can you do? /help lists the commands, Ctrl-D leaves.")
}

// Seat says who sits at a terminal. Empty fields have defaults.
type Seat struct {
	User    string // an id; default local
	Name    string // what the person is called
	Channel string // an id; default local
	TTY     bool   // the streams are a terminal
	JSON    bool   // answers as JSON
}

// Talk is the terminal chat. It ends with its input or ctx.
func (p Process) Talk(ctx context.Context, cfg config.Config, c Seat) error {
	var level slog.LevelVar
	log := slog.New(slog.DiscardHandler)
	if !c.TTY || cfg.Log.Level == "debug" {
		log = setup.NewLogger(cfg, &level, p.Err)
	}
	setup.TakeOver(log)
	a, err := p.newApp(ctx, cfg, log, true)
	if err != nil {
		return err
	}
	defer a.close()
	a.level, a.people.home = &level, times.MachineZone()
	if err := a.build(ctx); err != nil {
		return err
	}
	a.say("%s", a.models.endpoint.About)
	a.say(welcome.SaysVersion, p.Version, datadir.Where(cfg.DataDir, string(cfg.Database.URL)))
	warn(cfg, setup.NewLogger(cfg, &level, p.Err))
	if err := a.models.require(ctx); err != nil {
		return err
	}
	a.people.speaker.Home = language.Machine(os.Getenv)
	if err := a.openFront(ctx, nil); err != nil {
		return err
	}
	if c.TTY {
		a.begin(ctx)
	}
	term := os.Getenv("TERM")
	t := terminal.New(terminal.Options{
		// A dumb terminal gets plain lines, like a pipe.
		In: p.In, Out: p.Out, Err: p.Err, TTY: c.TTY && term != "" && term != "dumb", Color: os.Getenv("NO_COLOR") == "",
		Links: terminal.ShowsLinks(os.Getenv), JSON: c.JSON,
		User: c.User, Name: c.Name, Channel: c.Channel, HistoryFile: a.inData("history"), Tokens: platform.Tokens(),
		Downloads: a.inData("exports"), Log: log, Now: p.Now,
		Complete: func(prefix string) []string {
			return a.front.commands.Complete(ctx, chat.Message{Key: chat.Key{Platform: "terminal", Channel: "local"},
				From: chat.User{ID: terminal.Local}, Text: prefix, Direct: true}, gate.Owner)
		},
	})
	return a.operate(ctx, t)
}

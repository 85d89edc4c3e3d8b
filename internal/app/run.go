package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"parley/config"
	"parley/internal/adapters/terminal"
	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/setup"
)

// Process is what surrounds the bot: the program's version and streams.
type Process struct {
	Version  string
	In       io.Reader
	Out, Err io.Writer

	// Failpoint is called with each crash point's name; tests kill the process
	// there. It is nil in the program.
	Failpoint func(point string)
}

// Serve runs the platforms until ctx ends. again reads the settings anew.
func (p Process) Serve(ctx context.Context, cfg config.Config, again func() (config.Config, error)) (err error) {
	var level slog.LevelVar
	log := setup.NewLogger(cfg, &level, p.Err)
	setup.TakeOver(log)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	// Nobody reading the log any more is no reason to stop serving: once it is
	// asked for, the signal does not end the process, and the write just fails.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	a, err := p.newApp(ctx, cfg, log, true)
	if err != nil {
		return err
	}
	defer a.close()
	a.level = &level
	if a.supervisor, err = newSupervisor(); err != nil {
		log.Warn(err.Error())
	}
	platforms, err := a.platforms()
	if err != nil {
		return err
	}
	if err := a.build(ctx); err != nil {
		return err
	}
	setup.Announce(cfg, p.Err, a.model.About) // the first line, whatever else there is to say
	warn(cfg, log)
	if err := a.requireModel(ctx); err != nil {
		return err
	}
	front, err := a.newFront(ctx, a.isAdmin)
	if err != nil {
		return err
	}
	if err := a.showClaim(ctx, front); err != nil {
		return err
	}
	a.reloads = func(ctx context.Context) {
		for {
			select {
			case <-hangups:
				a.reload(again)
			case <-ctx.Done():
				return
			}
		}
	}
	return a.operate(ctx, front, platforms...)
}

func warn(cfg config.Config, log *slog.Logger) {
	for _, w := range cfg.Warnings {
		log.Warn(w)
	}
}

// requireModel holds the start up, or only says so, as model.required tells.
func (a *app) requireModel(ctx context.Context) error {
	if a.cfg.Model.Required {
		return a.model.Ready(ctx)
	}
	a.background(func() {
		if err := a.model.Ready(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("starting without a model", "err", err)
		}
	})
	return nil
}

// showClaim prints the code that makes somebody owner, while nobody is.
func (a *app) showClaim(ctx context.Context, f *front) error {
	code, err := f.gate.ClaimCode(ctx)
	if err != nil || code == "" {
		return err
	}
	setup.Announce(a.cfg, a.process.Err, "Nobody owns this bot yet. Write to it, in a direct chat: /claim "+code)
	return nil
}

// isAdmin asks the platform whether a person administers a place.
func (a *app) isAdmin(ctx context.Context, k chat.Key, userID string) (bool, error) {
	p, ok := chat.On(a.adapters, k.Platform).(chat.AdminChecker)
	if !ok {
		return false, nil
	}
	return p.IsAdmin(ctx, k, userID)
}

// settled is when starting up is over for good.
const settled = 300 * time.Millisecond

// operate runs adapters, cron and the operator's port until ctx ends or, with
// the terminal, until its adapter is done; then it drains.
func (a *app) operate(ctx context.Context, f *front, adapters ...chat.Adapter) error {
	port, err := a.openPort()
	if err != nil {
		return err
	}
	a.start(a.handler(f), adapters...)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if port != nil {
		a.listen(ctx, port)
	}
	if err := a.takeUp(ctx); err != nil {
		return err
	}
	if port != nil {
		a.background(func() { _ = a.page.Chat.Run(ctx, a.hub) }) // ends with ctx and never fails
	}
	a.startJobs()
	a.watchDatabase(ctx)
	a.gauges()
	errs := make(chan error, len(adapters))
	for _, adapter := range adapters {
		go func() {
			err := adapter.Run(ctx, a.hub)
			if err != nil {
				err = fmt.Errorf("%s: %w", adapter.Platform(), err)
			}
			errs <- err
		}()
	}
	a.introduce(ctx, f, adapters)
	a.background(func() { a.supervised(ctx) })
	a.followVault(ctx)
	if a.reloads != nil {
		a.background(func() { a.reloads(ctx) })
	}
	slim := time.AfterFunc(settled, releaseStartup)
	defer slim.Stop()
	err = a.wait(ctx, adapters, errs, stop)
	a.supervisor.tell("STOPPING=1")
	a.drain()
	return err
}

// wait returns when the last adapter has ended. A platform that gives up does
// not take the others with it; only when none is left is that the end.
func (a *app) wait(ctx context.Context, adapters []chat.Adapter, errs <-chan error, stop func()) error {
	var all []error
	for range adapters {
		if err := <-errs; err != nil && ctx.Err() == nil {
			a.log.Error("a platform gave up", "err", err)
			all = append(all, err)
		}
	}
	stop()
	if len(all) == len(adapters) {
		return errors.Join(all...)
	}
	return nil
}

// drain lets answers in the making end, parks the rest and stops the jobs.
func (a *app) drain() {
	a.stopJobs()
	ctx, cancel := context.WithTimeout(context.Background(), a.cfg.Limits.ShutdownGrace)
	defer cancel()
	if parked := a.hub.Drain(ctx); parked > 0 {
		a.log.Info("answers are left for the next start", "messages", parked)
	}
	a.work.Wait()
}

// background runs fn and makes drain wait for it.
func (a *app) background(fn func()) {
	a.work.Add(1)
	go func() {
		defer a.work.Done()
		fn()
	}()
}

// Seat is who sits at a terminal, and where. What is empty has a default.
type Seat struct {
	User    string // an id; default local
	Name    string // what the person is called
	Channel string // an id; default local
	TTY     bool   // the streams are a terminal
}

// Talk is the terminal chat, until its input or ctx ends.
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
	a.level, a.home = &level, machineZone()
	if err := a.build(ctx); err != nil {
		return err
	}
	fmt.Fprintln(p.Err, a.model.About)
	warn(cfg, setup.NewLogger(cfg, &level, p.Err))
	if err := a.requireModel(ctx); err != nil {
		return err
	}
	front, err := a.newFront(ctx, nil)
	if err != nil {
		return err
	}
	term := os.Getenv("TERM")
	t := terminal.New(terminal.Options{
		// One that knows no escape sequences gets lines, as a pipe does.
		In: p.In, Out: p.Out, Err: p.Err, TTY: c.TTY && term != "" && term != "dumb", Color: os.Getenv("NO_COLOR") == "",
		User: c.User, Name: c.Name, Channel: c.Channel, HistoryFile: a.inData("history"), Downloads: a.inData("exports"), Log: log,
		Complete: func(prefix string) []string {
			return front.commands.Complete(ctx, chat.Message{Key: chat.Key{Platform: "terminal", Channel: "local"}, From: chat.User{ID: terminal.Local}, Text: prefix, Direct: true}, admin.Owner)
		},
	})
	return a.operate(ctx, front, t)
}

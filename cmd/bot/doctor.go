package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"parley/config"
	"parley/internal/agent"
	"parley/internal/chat"
	"parley/internal/memory"
)

type doctorCmd struct{}

// errUnwell makes doctor exit with 1; it has said why.
var errUnwell = fmt.Errorf("something is wrong; see above")

// doctorWait bounds each check that asks somebody.
const doctorWait = 10 * time.Second

// Run checks everything a start needs, one line each, and says how to mend
// what is wrong. It changes nothing.
func (doctorCmd) Run(ctx context.Context, f *flags, s *streams) error {
	cfg, err := f.load()
	d := &doctor{s: s}
	d.line("config", err, "ok")
	if err != nil {
		return errUnwell
	}
	d.hide = newRedactor(cfg, shortestLogged)
	for _, w := range cfg.Warnings {
		d.say("warn", "config", w)
	}
	_, err = agent.New(agent.Options{PromptFile: cfg.Agent.PromptFile})
	d.line("prompt", err, "ok")
	d.data(ctx, cfg)
	d.model(ctx, cfg)
	d.platforms(ctx, cfg)
	if d.unwell {
		return errUnwell
	}
	return nil
}

type doctor struct {
	s      *streams
	hide   redactor
	unwell bool
}

func (d *doctor) say(mark, name, text string) {
	_, _ = fmt.Fprintf(d.s.out, "%-4s %-18s %s\n", mark, name, d.hide.text(text))
}

func (d *doctor) line(name string, err error, fine string) {
	if err != nil {
		d.unwell = true
		d.say("BAD", name, err.Error())
		return
	}
	d.say("ok", name, fine)
}

// data looks at the folder and the database without creating either.
func (d *doctor) data(ctx context.Context, cfg config.Config) {
	st, err := os.Stat(cfg.DataDir)
	if os.IsNotExist(err) {
		d.say("ok", "data folder", cfg.DataDir+" will be made at the first start")
		return
	}
	if err == nil && st.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("%s can be read by other users of this machine (mode %04o): run chmod 700 %s", cfg.DataDir, st.Mode().Perm(), cfg.DataDir)
	}
	d.line("data folder", err, cfg.DataDir)
	if err != nil {
		return
	}
	if _, err := os.Stat(cfg.DataDir + "/" + memory.DatabaseName); os.IsNotExist(err) {
		d.say("ok", "database", "will be made at the first start")
		return
	}
	store, err := memory.Open(ctx, cfg.DataDir, memory.Options{})
	if err != nil {
		d.line("database", err, "")
		return
	}
	defer func() { _ = store.Close() }()
	v, err := store.SchemaVersion(ctx)
	d.line("schema", err, fmt.Sprintf("version %d", v))
	d.line("database", store.Check(ctx), "sound")
}

func (d *doctor) model(ctx context.Context, cfg config.Config) {
	ctx, cancel := context.WithTimeout(ctx, doctorWait)
	defer cancel()
	e, err := connect(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		d.line("model", err, "")
		return
	}
	if e.check != nil {
		err = e.check(ctx)
	}
	if err != nil {
		err = fmt.Errorf("%s %w; check model.base_url, model.api_key and model.name", e.about, err)
	}
	d.line("model", err, e.about)
}

func (d *doctor) platforms(ctx context.Context, cfg config.Config) {
	a := &app{cfg: cfg, log: slog.New(slog.DiscardHandler)}
	list, err := a.platforms()
	if err != nil {
		d.line("tokens", err, "")
		return
	}
	if len(list) == 0 {
		d.say("ok", "tokens", "none set: bot starts the terminal chat")
	}
	for _, p := range list {
		d.line(p.Platform(), probe(ctx, p), "token and connection are fine")
	}
}

// probe lets an adapter connect until it is well, gives up, or time is over.
// What arrives meanwhile is refused, so the platform keeps it.
func probe(ctx context.Context, p chat.Adapter) error {
	ctx, cancel := context.WithTimeout(ctx, doctorWait)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx, refusing{}) }()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if err == nil {
				err = p.Health()
			}
			return err
		case <-ctx.Done():
			err := p.Health()
			<-done
			return err
		case <-tick.C:
			if p.Health() == nil {
				cancel()
				<-done
				return nil
			}
		}
	}
}

// refusing is an intake that takes nothing.
type refusing struct{}

// Deliver implements chat.Intake.
func (refusing) Deliver(context.Context, chat.Batch) error {
	return fmt.Errorf("doctor takes no messages")
}

// Room implements chat.Intake.
func (refusing) Room(ctx context.Context) error { return ctx.Err() }

// Cursors implements chat.Intake.
func (refusing) Cursors(context.Context, string) (map[string]string, error) { return nil, nil }

package cli

import (
	"context"
	"fmt"
	"log/slog"

	"parley/config"
	"parley/internal/app/rehearse"
	"parley/internal/app/setup"
)

// Rehearse plays conversation scripts.
type Rehearse struct {
	Update bool     `help:"Write what really follows into the scripts."`
	Record bool     `help:"Ask the configured model, and write its answers and what follows into the scripts."`
	JUnit  string   `name:"junit" help:"Write the outcome as JUnit XML." placeholder:"FILE"`
	Paths  []string `arg:"" name:"path" help:"Scripts, or folders of scripts (*.txt)."`
}

// Run plays conversation scripts against the real agent, without key, network or data
// folder.
func (c Rehearse) Run(ctx context.Context, cfg config.Config, s *Streams, b *Bot) error {
	p := rehearse.Player{Base: cfg, Build: b.Rehearse, Update: c.Update || c.Record}
	if c.Record {
		e, err := setup.Connect(ctx, p.Base, nil, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		p.Model, p.ModelName = e.Model, e.Name
	}
	scripts, err := rehearse.Open(c.Paths)
	if err != nil {
		return err
	}
	var all []rehearse.Outcome
	for _, script := range scripts {
		got := p.Play(ctx, script)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		all = append(all, got)
		if _, err := fmt.Fprintln(s.Out, got); err != nil {
			return err
		}
	}
	if c.JUnit != "" {
		if err := rehearse.WriteJUnit(c.JUnit, all); err != nil {
			return err
		}
	}
	return rehearse.Summary(s.Out, all)
}

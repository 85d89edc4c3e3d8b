package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"parley/config"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/factsfile"
	"parley/internal/text"
)

type factsFileCmd struct {
	Do string `arg:"" optional:"" enum:"status,accept,undo" default:"status" help:"status, accept or undo."`
}

// Run shows the state of the facts file, or accepts or undoes a change.
func (c factsFileCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		said, err := factsfile.Decide(ctx, store, c.Do)
		if why, ok := text.ForPeople(err); ok {
			said, err = why, nil
		}
		if err == nil {
			_, err = fmt.Fprintln(seen{s.Out}, said)
		}
		return err
	})
}

// factsFile checks the facts file as the next startup would.
func (d *doctor) factsFile(ctx context.Context, cfg config.Config, store *memory.Store) {
	if cfg.Memory.FactsFile == "" {
		return
	}
	err := factsfile.Examine(cfg.Memory.FactsFile)
	if err == nil {
		if mass, rerr := store.Facts.FactsRefused(ctx); mass != nil || rerr != nil {
			err = errors.Join(rerr, refusal(mass))
		}
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		err = text.Tell("%s is not obeyed: %w", cfg.Memory.FactsFile, err)
	}
	d.line("facts file", err, "%s", cfg.Memory.FactsFile)
}

// refusal avoids a non-nil error around a nil pointer.
func refusal(mass *facts.MassError) error {
	if mass == nil {
		return nil
	}
	return mass
}

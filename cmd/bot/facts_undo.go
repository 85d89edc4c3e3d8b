package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"parley/config"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text"
)

// tellOwner says something to the first owner once, where there is a direct
// chat with them. what names it.
func (a *app) tellOwner(ctx context.Context, what, text string) {
	if len(a.cfg.Access.Owners) == 0 {
		return
	}
	k, err := a.store.DirectChat(ctx, a.cfg.Access.Owners[0])
	if err != nil || !slices.ContainsFunc(a.adapters, func(p chat.Adapter) bool { return p.Platform() == k.Platform }) {
		return // the log and /status have it, too
	}
	if err := a.store.Notify(ctx, what, []chat.Part{{Key: k, Text: text}}); err != nil {
		a.log.Warn("tell the owner", "err", err)
		return
	}
	a.hub.Flush(k)
}

// factsFileWords does what is asked about the facts file and says what came of
// it.
func factsFileWords(ctx context.Context, s *memory.Store, do string) (string, error) {
	switch do {
	case "accept":
		mass, err := s.AcceptFacts(ctx)
		switch {
		case err != nil:
			return "", err
		case mass.Away:
			return wordsFactsFileAnew, nil
		}
		return fmt.Sprintf(wordsFactsFileAccepted, mass.Gone, mass.Changed), nil
	case "undo":
		done, err := s.UndoFacts(ctx)
		return fmt.Sprintf(wordsFactsFileUndone, done.At.UTC().Format("2006-01-02 15:04 MST"), done.Restored, done.Reverted, done.Removed), err
	}
	mass, err := s.FactsRefused(ctx)
	if err != nil || mass == nil {
		return wordsFactsFileFine, err
	}
	return fmt.Sprintf(wordsFactsFileRefused, text.Sentence(mass.Error())), nil
}

type factsFileCmd struct {
	Do string `arg:"" optional:"" enum:"status,accept,undo" default:"status" help:"status, accept or undo."`
}

// Run looks at the facts file, or decides about it.
func (c factsFileCmd) Run(ctx context.Context, f *flags, s *streams) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		said, err := factsFileWords(ctx, store, c.Do)
		if why, ok := text.ForPeople(err); ok {
			said, err = why, nil
		}
		if err == nil {
			_, err = fmt.Fprintln(seen{s.out}, said)
		}
		return err
	})
}

// factsFile looks at the facts file as the next start would.
func (d *doctor) factsFile(ctx context.Context, cfg config.Config, store *memory.Store) {
	if cfg.Memory.FactsFile == "" {
		return
	}
	look, err := lookAt(cfg.Memory.FactsFile)
	if err == nil && look.exists {
		_, err = memory.ReadFacts(look.text)
	}
	if err == nil {
		if mass, rerr := store.FactsRefused(ctx); mass != nil || rerr != nil {
			err = errors.Join(rerr, refusal(mass))
		}
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%s is not obeyed: %w", cfg.Memory.FactsFile, err)
	}
	d.line("facts file", err, cfg.Memory.FactsFile)
}

// refusal is an error only when there is one.
func refusal(mass *memory.MassError) error {
	if mass == nil {
		return nil
	}
	return mass
}

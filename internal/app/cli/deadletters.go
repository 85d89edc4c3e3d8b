package cli

import (
	"context"
	"fmt"

	"parley/internal/memory"
	"parley/internal/text"
)

// DeadLetters shows events that could not be understood or stored. The bot may be running.
type DeadLetters struct {
	List  deadlettersListCmd  `cmd:"" help:"List them, oldest first."`
	Show  deadlettersShowCmd  `cmd:"" help:"Show one as it came."`
	Retry deadlettersRetryCmd `cmd:"" help:"Have the running bot, or the next one, read them again and answer."`
	Drop  deadlettersDropCmd  `cmd:"" help:"Forget them for good."`
}

type deadlettersListCmd struct {
	Limit int `help:"How many." default:"100"`
}

// Run lists dead letters.
func (c deadlettersListCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		list, err := store.Letters.List(ctx, 0, c.Limit)
		if err != nil {
			return err
		}
		for _, l := range list {
			if _, err := fmt.Fprintf(seen{s.Out}, "%d\t%s\t%s\t%s\t%s\n", l.ID, l.At.Format("2006-01-02 15:04"), l.Platform,
				letterState(l), l.Reason); err != nil {
				return err
			}
		}
		return nil
	})
}

// letterState returns the state of a dead letter in a word or two.
func letterState(l memory.DeadLetter) string {
	switch {
	case l.Retry:
		return "to be read again"
	case l.Tries > 0:
		return "read again " + text.Many(l.Tries, "time")
	}
	return "new"
}

type deadlettersShowCmd struct {
	ID int64 `arg:"" help:"Its number in the list."`
}

// Run shows a dead letter.
func (c deadlettersShowCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		l, err := store.Letters.Get(ctx, c.ID)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(seen{s.Out}, "number    %d\nplatform  %s\nevent     %s\nput aside %s\nstate     %s\nreason    %s\n\n%s\n",
			l.ID, l.Platform, l.Event, l.At.Format("2006-01-02 15:04:05"), letterState(l), l.Reason, l.Raw)
		return err
	})
}

type deadlettersRetryCmd struct{ letterIDs }

// Run marks dead letters for retry.
func (c deadlettersRetryCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	return c.each(ctx, f, s, func(store *memory.Store, id int64) error { return store.Letters.Retry(ctx, id) },
		"%s will be read again within seconds by the bot that runs, or at the next start\n")
}

type deadlettersDropCmd struct{ letterIDs }

// Run deletes dead letters.
func (c deadlettersDropCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	return c.each(ctx, f, s, func(store *memory.Store, id int64) error { return store.Letters.Drop(ctx, id) }, "%s forgotten\n")
}

type letterIDs struct {
	ID []int64 `arg:"" help:"Their numbers in the list."`
}

// each calls do for each dead letter and prints how many there were.
func (l letterIDs) each(ctx context.Context, f *Flags, s *Streams, do func(*memory.Store, int64) error, words string) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		for _, id := range l.ID {
			if err := do(store, id); err != nil {
				return fmt.Errorf("%d: %w", id, err)
			}
		}
		_, err := fmt.Fprintf(s.Out, words, text.Many(len(l.ID), "event"))
		return err
	})
}

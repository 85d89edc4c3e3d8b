package factsfile

import (
	"context"

	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Decide does what is asked about the facts file and says what came of
// it. do is accept, undo or anything else, which changes nothing.
func Decide(ctx context.Context, s *memory.Store, do string) (string, error) {
	switch do {
	case "accept":
		mass, err := s.AcceptFacts(ctx)
		switch {
		case err != nil:
			return "", err
		case mass.Away:
			return catalog.Text(ctx, wordsAnew), nil
		}
		return catalog.Say(ctx, wordsAccepted, mass.Gone, mass.Changed), nil
	case "undo":
		done, err := s.UndoFacts(ctx)
		if err == nil && done.Withdrawn {
			return catalog.Text(ctx, wordsWithdrawn), nil
		}
		return catalog.Say(ctx, wordsUndone, done.At.UTC().Format("2006-01-02 15:04 MST"), done.Restored, done.Reverted, done.Removed), err
	}
	mass, err := s.FactsRefused(ctx)
	if err != nil || mass == nil {
		return catalog.Text(ctx, WordsFine), err
	}
	return Refused(mass)(catalog.Of(ctx)), nil
}

// Refused says to the owner what a file is like that lost too much to be obeyed.
func Refused(mass *facts.MassError) func(p catalog.Printer) string {
	return func(p catalog.Printer) string { return p.Say(wordsRefused, text.Sentence(mass.In(p))) }
}

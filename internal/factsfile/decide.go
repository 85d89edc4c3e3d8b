package factsfile

import (
	"context"

	"parley/internal/facts"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/tongue"
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
			return tongue.Text(ctx, wordsAnew), nil
		}
		return tongue.Say(ctx, wordsAccepted, mass.Gone, mass.Changed), nil
	case "undo":
		done, err := s.UndoFacts(ctx)
		if err == nil && done.Withdrawn {
			return tongue.Text(ctx, wordsWithdrawn), nil
		}
		return tongue.Say(ctx, wordsUndone, done.At.UTC().Format("2006-01-02 15:04 MST"), done.Restored, done.Reverted, done.Removed), err
	}
	mass, err := s.FactsRefused(ctx)
	if err != nil || mass == nil {
		return tongue.Text(ctx, WordsFine), err
	}
	return Refused(mass)(tongue.Of(ctx)), nil
}

// Refused says to the owner what a file is like that lost too much to be obeyed.
func Refused(mass *facts.MassError) func(p tongue.Printer) string {
	return func(p tongue.Printer) string { return p.Say(wordsRefused, text.Sentence(mass.In(p))) }
}

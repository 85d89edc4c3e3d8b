package factsfile

import (
	"context"
	"fmt"

	"parley/internal/facts"
	"parley/internal/memory"
	"parley/internal/text"
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
			return wordsAnew, nil
		}
		return fmt.Sprintf(wordsAccepted, mass.Gone, mass.Changed), nil
	case "undo":
		done, err := s.UndoFacts(ctx)
		if err == nil && done.Withdrawn {
			return wordsWithdrawn, nil
		}
		return fmt.Sprintf(wordsUndone, done.At.UTC().Format("2006-01-02 15:04 MST"), done.Restored, done.Reverted, done.Removed), err
	}
	mass, err := s.FactsRefused(ctx)
	if err != nil || mass == nil {
		return WordsFine, err
	}
	return Refused(mass), nil
}

// Refused returns what the owner is told about a file that lost too much to be
// obeyed.
func Refused(mass *facts.MassError) string {
	return fmt.Sprintf(wordsRefused, text.Sentence(mass.Error()))
}

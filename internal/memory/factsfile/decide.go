package factsfile

import (
	"context"
	"errors"

	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// WordsFine is said in more than one place.
const WordsFine = "The facts file is in use; nothing in it was refused."

// Decide accepts or undoes changes of the facts file and returns the result for people. do is
// accept or undo; anything else only reports.
func Decide(ctx context.Context, s *memory.Store, do string) (string, error) {
	switch do {
	case "accept":
		mass, err := s.Facts.AcceptFacts(ctx)
		switch {
		case err != nil:
			return "", err
		case mass.Away:
			return catalog.Text(ctx, "The facts file is written again within a few seconds."), nil
		}
		return catalog.Say(ctx, "The facts file is used as it is, within a few seconds (facts gone: %d, changed: %d). /facts file undo takes that back.", mass.Gone, mass.Changed), nil
	case "undo":
		done, err := s.Facts.UndoFacts(ctx)
		if err == nil && done.Withdrawn {
			return catalog.Text(ctx, "Undone: the facts file is not used as it is."), nil
		}
		return catalog.Say(ctx, "Undone what the facts file did on %s. Facts restored: %d, with their earlier words: %d, taken out: "+
			"%d. The file follows in a few seconds.", done.At.UTC().Format("2006-01-02 15:04 MST"), done.Restored, done.Reverted, done.Removed), err
	}
	mass, err := s.Facts.FactsRefused(ctx)
	if err != nil || mass == nil {
		return catalog.Text(ctx, WordsFine), err
	}
	return Refused(mass)(catalog.Of(ctx)), nil
}

// Refused returns what the owner is told about a file that is not used, and the name under
// which it is told once; ok is false if they can do nothing about it.
func (f *File) Refused(why error) (name string, say func(p catalog.Printer) string, ok bool) {
	if mass := (*facts.MassError)(nil); errors.As(why, &mass) {
		return "facts file " + mass.Sum, Refused(mass), true
	}
	unfit := (*facts.Unfit)(nil)
	if !errors.As(why, &unfit) {
		return "", nil, false
	}
	return f.mark(unfit), func(p catalog.Printer) string { return p.Say(wordsRefused, text.Sentence(unfit.Error())) }, true
}

// wordsRefused is said in more than one place.
const wordsRefused = "I am not using the facts file: %s\nIf it was cut off or replaced by accident, restore the whole " +
	"file and everything continues. /facts file undo undoes what an earlier version of it did."

// Refused tells the owner why a file is not used.
func Refused(mass *facts.MassError) func(p catalog.Printer) string {
	return func(p catalog.Printer) string { return p.Say(wordsRefused, text.Sentence(mass.In(p))) }
}

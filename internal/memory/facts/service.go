package facts

import (
	"context"
	"errors"

	"parley/internal/memory/provenance"
	"parley/internal/text"
)

// Said in more than one place.
const (
	wordsShare        = "Only an admin of this place can make me remember, or forget, something for everybody here."
	wordsShareInstead = wordsShare + " I can remember it for you."
)

// Rows are the stored facts that a viewer can see. Methods return ErrNone for others. Store
// implements it.
type Rows interface {
	Reader
	Writer
	Settler
}

// Reader finds facts.
type Reader interface {
	FactHistory(ctx context.Context, v provenance.Viewer, id int64) (Fact, []Earlier, error)
	// Forgotten returns a fact that waits for Undo.
	Forgotten(ctx context.Context, v provenance.Viewer, id int64) (Fact, error)
}

// Writer changes facts.
type Writer interface {
	SaveFact(ctx context.Context, v provenance.Viewer, f NewFact) (Saved, error)
	UpdateFact(ctx context.Context, v provenance.Viewer, id int64, f NewFact) (Saved, error)
	MarkFact(ctx context.Context, v provenance.Viewer, id int64, important bool) (Fact, error)
	ForgetFact(ctx context.Context, v provenance.Viewer, id int64) (Change, error)
}

// Settler keeps, restores and erases facts.
type Settler interface {
	KeepFact(ctx context.Context, v provenance.Viewer, id, not int64) (Fact, Change, error)
	Undo(ctx context.Context, v provenance.Viewer, change int64) ([]Change, error)
	Undoable(ctx context.Context, v provenance.Viewer, number int64) (Change, []Scope, error)
	EraseFact(ctx context.Context, v provenance.Viewer, id int64) (Fact, error)
}

// Asker is a person who asks for a change, and where.
type Asker struct {
	provenance.Viewer
	// Admin reports whether they administer the place or own the bot. It is called only
	// when that matters, because it may ask the platform; nil means no.
	Admin func(context.Context) bool
}

// Service changes facts for people. It has no state. Errors for people are text.Errors.
type Service struct{ Rows Rows }

// share is the rule that only administrators of a place and the bot's owner decide what is
// remembered for everybody there.
func (a Asker) share(ctx context.Context, s Scope, words string) error {
	if s == "" || s == ScopePerson || a.Admin != nil && a.Admin(ctx) {
		return nil
	}
	return text.Tell("%s", words)
}

// Save saves a fact. In a direct chat the scope is always ScopePerson.
func (s Service) Save(ctx context.Context, a Asker, f NewFact) (Saved, error) {
	if err := MayLearn(f.Content); err != nil {
		return Saved{}, err
	}
	if !a.Direct {
		if err := a.share(ctx, f.Scope, wordsShareInstead); err != nil {
			return Saved{}, err
		}
	}
	return s.Rows.SaveFact(ctx, a.Viewer, f)
}

// Find returns a fact that the asker may change.
func (s Service) Find(ctx context.Context, a Asker, id int64) (Fact, error) {
	f, _, err := s.Rows.FactHistory(ctx, a.Viewer, id)
	if err == nil {
		err = a.share(ctx, f.Scope, wordsShare)
	}
	return f, err
}

// Correct gives a fact new content.
func (s Service) Correct(ctx context.Context, a Asker, id int64, f NewFact) (Saved, error) {
	if err := MayLearn(f.Content); err != nil {
		return Saved{}, err
	}
	if _, err := s.Find(ctx, a, id); err != nil {
		return Saved{}, err
	}
	return s.Rows.UpdateFact(ctx, a.Viewer, id, f)
}

// Mark makes a fact important or not.
func (s Service) Mark(ctx context.Context, a Asker, id int64, important bool) (Fact, error) {
	if _, err := s.Find(ctx, a, id); err != nil {
		return Fact{}, err
	}
	return s.Rows.MarkFact(ctx, a.Viewer, id, important)
}

// Forget hides a fact; for a day Undo restores it.
func (s Service) Forget(ctx context.Context, a Asker, id int64) (Change, error) {
	if _, err := s.Find(ctx, a, id); err != nil {
		return Change{}, err
	}
	return s.Rows.ForgetFact(ctx, a.Viewer, id)
}

// FindErasable returns a fact that the asker may change, even one that waits for Undo.
func (s Service) FindErasable(ctx context.Context, a Asker, id int64) (Fact, error) {
	f, err := s.Find(ctx, a, id)
	if !errors.Is(err, ErrNone) {
		return f, err
	}
	if f, err = s.Rows.Forgotten(ctx, a.Viewer, id); err == nil {
		err = a.share(ctx, f.Scope, wordsShare)
	}
	return f, err
}

// Erase deletes a fact at once. Undo cannot restore it.
func (s Service) Erase(ctx context.Context, a Asker, id int64) (Fact, error) {
	if _, err := s.FindErasable(ctx, a, id); err != nil {
		return Fact{}, err
	}
	return s.Rows.EraseFact(ctx, a.Viewer, id)
}

// Keep gives a fact the rank Kept, and forgets the fact not that it contradicts; 0 means
// none.
func (s Service) Keep(ctx context.Context, a Asker, id, not int64) (Fact, Change, error) {
	for _, n := range []int64{id, not} {
		if n == 0 {
			continue
		}
		if _, err := s.Find(ctx, a, n); err != nil {
			return Fact{}, Change{}, err
		}
	}
	return s.Rows.KeepFact(ctx, a.Viewer, id, not)
}

// Undo takes back a change that was made for the asker, if they may still decide about its
// facts. change is its number; 0 means the latest that they were told.
func (s Service) Undo(ctx context.Context, a Asker, change int64) ([]Change, error) {
	is, scopes, err := s.Rows.Undoable(ctx, a.Viewer, change)
	if err != nil {
		return nil, err
	}
	for _, scope := range scopes {
		if err := a.share(ctx, scope, wordsShare); err != nil {
			return nil, err
		}
	}
	return s.Rows.Undo(ctx, a.Viewer, is.ID)
}

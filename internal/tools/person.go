package tools

import "context"

// Person is who waits for a call while it runs.
type Person struct {
	// Status shows them a line of Markdown about it, instead of the one before;
	// nil shows nothing. It must not block and may be called by many.
	Status func(line string)
	// Asks says that they can be asked something before the call goes on
	// (Inquiry).
	Asks bool
	// Guard decides about a call with valid arguments before it is made and before
	// anybody is asked: "" lets it through, NeedsYes asks, Guarded refuses. say is
	// for the model and, with NeedsYes, for the person. nil lets all through.
	Guard func(ctx context.Context, c Call) (class Class, say string)
}

type personKey struct{}

// WithPerson is a context for a call that somebody waits for.
func WithPerson(ctx context.Context, p Person) context.Context {
	return context.WithValue(ctx, personKey{}, p)
}

// PersonOf is who waits for a call; the zero Person is nobody.
func PersonOf(ctx context.Context) Person {
	p, _ := ctx.Value(personKey{}).(Person)
	return p
}

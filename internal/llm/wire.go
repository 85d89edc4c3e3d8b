package llm

import "context"

// Exchange is what one attempt at a call sent, and what came back.
type Exchange struct {
	Sent []byte // the body as it went over the wire; nobody changes it any more
	Got  []byte // the body of the answer; of a stream its pieces joined; nil for none
	Err  error  // why it was no answer
}

type earKey struct{}

// Overheard returns a context whose model calls tell what goes over the wire. ear is
// called from the calling goroutine and must not block.
func Overheard(ctx context.Context, ear func(Exchange)) context.Context {
	return context.WithValue(ctx, earKey{}, ear)
}

// Ear returns who listens to ctx's calls; nil is nobody.
func Ear(ctx context.Context) func(Exchange) {
	ear, _ := ctx.Value(earKey{}).(func(Exchange))
	return ear
}

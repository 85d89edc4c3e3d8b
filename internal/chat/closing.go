package chat

import "context"

// Closings keep what cannot be said where nothing can be sent. The zero Closings keep
// nothing: such parts are dead.
type Closings struct {
	// Closed stores that nothing can be sent to p's conversation, and keeps p.
	Closed func(ctx context.Context, p Part) error
	// TryAgain reports whether the conversation of a message is closed; if so, and if the
	// message came from there, what is kept for it is pending again.
	TryAgain func(ctx context.Context, m Message) (bool, error)
}

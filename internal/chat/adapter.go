// Package chat defines the types that everything shares (who, where, what was
// said) and the Hub, which gives every conversation one lane: strict order within
// a lane, all lanes in parallel, nothing accepted before it is durable, nothing
// answered twice. It is not a platform and knows no model and no SQL.
package chat

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Adapter is one platform. Implementations hold no conversation state beyond
// what a reconnect may lose.
type Adapter interface {
	// Platform returns the first word of every Key and User ID it makes.
	Platform() string
	// Run receives until ctx ends, reconnecting by itself. It returns nil when
	// ctx ended, and an error only when retrying is pointless (a rejected
	// token): the process stays up and Health reports it.
	Run(ctx context.Context, in Intake) error
	// Health returns nil while messages can be received, otherwise a sentence for
	// the operator that names the fix. It must not block.
	Health() error
	Outlet
}

// Outlet sends to one platform. All methods may be called from many
// goroutines, for different conversations.
type Outlet interface {
	// Split cuts an answer into pieces the platform takes, in order, losing
	// nothing. It is pure. An empty text gives no pieces.
	Split(text string) []string
	// Typing shows that an answer is being written. Best effort.
	Typing(ctx context.Context, m Message) error
	// Preview shows an unfinished answer to m. id is what the last call
	// returned, "" at first; the returned id is worth remembering across a
	// crash when it is not empty. wait is how long to wait before the next preview.
	// It may do nothing at all. Text may be longer than one message.
	Preview(ctx context.Context, m Message, id, text string) (newID string, wait time.Duration, err error)
	// Send delivers one part and returns the platform's message id. A part without text
	// and files removes its Preview; that may be repeated. It makes
	// one attempt, and may block no longer than ctx. Its errors are the
	// SendError classes below; any other error counts as not delivered and
	// worth another try.
	Send(ctx context.Context, p Part) (id string, err error)
}

// Intake receives an adapter's messages.
type Intake interface {
	// Deliver returns nil only when the batch is durable; then the adapter may
	// tell the platform. Messages seen before are dropped. On error nothing was
	// stored and the same batch may be delivered again.
	Deliver(ctx context.Context, b Batch) error
	// Room blocks while too much waits to be answered. A platform that keeps
	// messages for us calls it before fetching more.
	Room(ctx context.Context) error
	// Cursors returns what Batch.Cursors stored last for this platform.
	Cursors(ctx context.Context, platform string) (map[string]string, error)
}

// Batch holds what arrived together. It is stored in one transaction.
type Batch struct {
	Platform string
	Messages []Message
	// Cursors are the adapter's notes on how far it has read, by name.
	Cursors map[string]string
	// Dead holds events that could not be turned into a Message. They are put aside
	// raw, in the same transaction, so that what follows them goes on.
	Dead []DeadLetter
	// Present holds what the platform reported about who is where; applied after Moved.
	Present []Presence
	// Moved lists conversations that continue under another Key (a Telegram
	// group that became a supergroup); applied before Messages.
	Moved []Move
	// Taken is called with the new messages once they are committed, before they are on the
	// disk, so that work on them can begin; nil is not called.
	Taken func([]Message)
}

// DeadLetter is an event of a platform that could not be understood or stored.
type DeadLetter struct {
	// ID is the platform's own name for the event, "" when it has none; a
	// letter of the same platform and ID is kept once.
	ID     string
	Raw    []byte // as it came, at most 64 KiB of it
	Whole  bool   // keeps all of Raw, which whoever made it has bounded
	Reason string // a sentence for the operator, without anybody's words
}

// DegradedError is what Health returns when messages are received and answered
// but the operator should look at something. Any other error of Health means
// that nothing can be received.
type DegradedError struct{ Err error }

func (e *DegradedError) Error() string { return e.Err.Error() }
func (e *DegradedError) Unwrap() error { return e.Err }

// Move re-addresses everything a Key owns.
type Move struct{ From, To Key }

// ErrUnknownOutcome is returned by Outlet.Send when the request was written
// but no answer was seen: the message may or may not be there.
var ErrUnknownOutcome = errors.New("outcome unknown")

// WaitError reports that the platform asked us to wait.
type WaitError struct {
	After time.Duration // from now
	Err   error
}

func (e *WaitError) Error() string { return fmt.Sprintf("asked to wait %s: %v", e.After, e.Err) }
func (e *WaitError) Unwrap() error { return e.Err }

// GoneError reports that no attempt at this part will ever succeed: blocked,
// kicked, deleted, forbidden.
type GoneError struct {
	Err error
	// Closed is true when nothing at all can be sent to the conversation (a
	// block, a direct chat that was never opened), not only this part.
	Closed bool
}

func (e *GoneError) Error() string { return fmt.Sprintf("cannot be delivered: %v", e.Err) }
func (e *GoneError) Unwrap() error { return e.Err }

// MovedError reports that the conversation now has another Key.
type MovedError struct {
	To  Key
	Err error
}

func (e *MovedError) Error() string { return fmt.Sprintf("moved to %s: %v", e.To, e.Err) }
func (e *MovedError) Unwrap() error { return e.Err }

// Reply shows an answer while it grows. Everything here is
// a preview and best effort: only the returned Answer is guaranteed.
type Reply interface {
	Text(delta string)
	// Status replaces the preview while there is no text ("looking that up").
	Status(note string)
	// Reset drops the text so far because the model started over.
	Reset()
}

// Unwatched is the Reply to what nobody waits for.
type Unwatched struct{}

func (Unwatched) Text(string)   {}
func (Unwatched) Status(string) {}
func (Unwatched) Reset()        {}

// Handler answers messages, one at a time per conversation. ctx is cancelled
// by /stop (cause ErrStopped), by draining (cause ErrDraining) and at the turn
// deadline its owner sets. On an error the hub sends one generic sentence; a
// Handler that can say something better returns an Answer. After ErrDraining the message
// stays unfinished and is handled again by the next process.
type Handler interface {
	Handle(ctx context.Context, m Message, w Reply) (Answer, error)
}

// HandlerFunc makes a function a Handler.
type HandlerFunc func(ctx context.Context, m Message, w Reply) (Answer, error)

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, m Message, w Reply) (Answer, error) {
	return f(ctx, m, w)
}

// FuncOf returns h as a function. What is around the Handler of a Hub calls the next by it:
// each call passes a whole Message, and through an interface it would do so twice, on a
// stack that many goroutines have at the same time. nil stays nil.
func FuncOf(h Handler) HandlerFunc {
	if f, ok := h.(HandlerFunc); ok || h == nil {
		return f
	}
	return h.Handle
}

// Causes of a cancelled Handler context.
var (
	ErrStopped  = errors.New("stopped by the person")
	ErrDraining = errors.New("shutting down")
)

// Presence is what a platform reported about somebody's membership of a
// conversation; threads follow their channel.
type Presence struct {
	Key   Key
	User  User // nobody: the bot itself is there no more
	State PresenceState
	// Joined is when a Present came; zero when it only turned out that they are
	// there.
	Joined time.Time
}

// PresenceState is the state of a membership.
type PresenceState string

// The states of a Presence.
const (
	Present PresenceState = "in"
	Absent  PresenceState = "out"     // left, was removed, or may not read there any more
	Blocked PresenceState = "blocked" // of a direct chat: nothing can be sent to it
)

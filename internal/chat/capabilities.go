package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Optional capabilities of an Adapter. Callers check for each one with As, and its
// contract explains what happens on a platform without it.
// An adapter declares what it supports with an assertion of its own
// (var _ chat.Fetcher = (*Adapter)(nil)).

// On returns the adapter of a platform, nil for none.
func On(list []Adapter, platform string) Adapter {
	for _, a := range list {
		if a.Platform() == platform {
			return a
		}
	}
	return nil
}

// Fetcher is an Adapter that can download attachments. On any other platform
// only the name of an attachment is known.
type Fetcher interface {
	// Fetch reads an inbound file of at most limit bytes. It makes one attempt.
	// Besides the errors below, any error may be temporary; none holds Ref.
	Fetch(ctx context.Context, f File, limit int64) ([]byte, error)
}

// Errors of Fetch after which trying again is pointless.
var (
	ErrFileTooLarge = errors.New("the file is too large")
	ErrFileGone     = errors.New("the file is no longer there")
)

// Repeater is an Adapter that can send the same part twice and show it once.
// Without it a part whose outcome is unknown is repeated only where the owner
// prefers a doubled answer to a lost one.
type Repeater interface {
	// Idempotent reports whether p is shown once however often it is sent. It
	// must not block, and is asked before the first attempt and after each
	// unknown one.
	Idempotent(p Part) bool
}

// TurnTaker is an Adapter that takes one message at a time.
type TurnTaker interface {
	// Done is called when m is over: every part of its answer was sent or given up,
	// or it has none. It must not block. It may be called twice, and for messages
	// the adapter does not know.
	Done(m Message)
}

// Reacher is an Adapter that shows only some conversations of its platform, such as a terminal
// at which one person sits. What is to be sent in the others waits for one that shows them.
type Reacher interface {
	// Reaches reports whether what is sent to k is seen by those whom it is for. It must
	// not block.
	Reaches(k Key) bool
}

// Reaches reports whether an adapter, nil for none, shows a conversation.
func Reaches(a Adapter, k Key) bool {
	r, some := As[Reacher](a)
	return a != nil && (!some || r.Reaches(k))
}

// AdminChecker is an Adapter that can look up who administers a place. It is
// for platforms whose events do not say so (Message.Admin); elsewhere a person
// is an administrator only if the event says so.
type AdminChecker interface {
	// IsAdmin reports whether a person, by their User.ID, administers k now. It
	// may block; on an error nobody counts as an administrator. It is false in direct chats and for an
	// id that is not one certain person.
	IsAdmin(ctx context.Context, k Key, userID string) (bool, error)
}

// MemberChecker is an Adapter that can look up who may still read in a place.
// Without it, people can recall what was said in a place up to their own last
// message there.
type MemberChecker interface {
	// Reads reports whether a person, by their User.ID, may read what is said in
	// k now. It may block. An error means unknown, for example because k is a
	// direct chat.
	Reads(ctx context.Context, k Key, userID string) (bool, error)
}

// Renormalizer is an Adapter that can re-read an event that was put aside,
// after an update of Parley or because the owner asks for it.
type Renormalizer interface {
	// Renormalize turns an event, as DeadLetter.Raw or Message.Raw held it, into
	// messages: none when it is of no use. ErrNotReady means that the adapter
	// cannot tell yet; any other error explains, without quoting anybody, why
	// the event still cannot be read.
	Renormalize(raw []byte) ([]Message, error)
}

// ErrNotReady is returned by Renormalize before the adapter is connected.
var ErrNotReady = errors.New("not connected yet")

// Confidant is an Adapter of a platform where others may read along. Without it, private
// answers are given in direct chats only.
type Confidant interface {
	// Whispers reports whether an answer to m can be shown where m came from to
	// its author alone. Send hides a Private part of such an answer from others.
	Whispers(m Message) bool
	// DirectKey returns the conversation that only u and the bot can read; false
	// when u is not one certain person. Send takes it even if that conversation
	// was never opened, and fails with a GoneError that is Closed then.
	DirectKey(u User) (k Key, ok bool)
	// Door returns the address at which people open that conversation, "" for none.
	Door() string
}

// Named is an Adapter that knows how people find the bot on its platform. Elsewhere
// nobody has to look for it.
type Named interface {
	// Name returns what the bot is called there, as people type it; "" before the
	// platform has said so.
	Name() string
}

// Learner is an Adapter that learns its own identity in Run and needs it to send. Where
// another process receives, Learn replaces Run. Other adapters can send at once.
type Learner interface {
	// Learn makes one attempt. After an error it is called again. It may be called twice,
	// and beside Run.
	Learn(ctx context.Context, in Intake) error
}

// Sharded is an Adapter that receives over several connections, each for a part of all
// places. Elsewhere Adapter.Health covers everything.
type Sharded interface {
	// Shards returns the connections that this process has or would have. It must not
	// block.
	Shards() []Shard
}

// Shard is one connection of several.
type Shard struct {
	ID, Of int   // counted from 0
	Err    error // why it does not receive; nil when it does
}

// Name is the shard's for people, as 0/4.
func (s Shard) Name() string { return fmt.Sprintf("%d/%d", s.ID, s.Of) }

// Leaver is an Adapter whose bot can leave a place by itself. Elsewhere an administrator
// of the place removes it.
type Leaver interface {
	// Leave leaves the place with this id, as lists of places have it, without the
	// platform: "chat:-100", "guild:99". It makes one attempt.
	Leave(ctx context.Context, place string) error
}

// Forgetter is an Adapter that stores people's words itself, outside the
// journal. Other adapters have nothing to forget.
type Forgetter interface {
	// Forget deletes what the adapter keeps of a person. It may be called twice.
	Forget(ctx context.Context, user string) error
}

// Commander is an Adapter whose platform shows commands natively, behind the
// slash. Elsewhere people type them and /help lists them.
type Commander interface {
	// Register makes the platform show a menu, and does nothing if it already
	// does. It blocks until the adapter is connected or ctx ends. After an error
	// it is called again, no sooner than a WaitError allows; after ErrUnseen, only
	// with the next start.
	Register(ctx context.Context, m Menu) error
}

// Speaker is an Adapter whose platform plays recordings. Elsewhere nothing is spoken.
type Speaker interface {
	// Plays reports whether a File of this MIME type with Voice, in a Part, is shown as
	// somebody speaking.
	Plays(mime string) bool
}

// Amender is an Adapter that can change a message it has sent. Elsewhere a
// question stays as it was asked, and whoever presses its buttons again is told
// that it is over.
type Amender interface {
	// Amend replaces the text of the message of k with this id (as returned by
	// Send) and removes its buttons. It makes one attempt and may be called
	// twice. A text that is too long for one message is cut.
	Amend(ctx context.Context, k Key, id, text string) error
}

// Withdrawer is an Adapter that can remove a preview. Elsewhere a preview that nobody can
// finish stays.
type Withdrawer interface {
	// Withdraw removes the preview with this id from k. It makes one attempt, and may be
	// called twice. nil, a GoneError and a MovedError mean that there is nothing to remove any
	// more, or that the platform refuses for good.
	Withdraw(ctx context.Context, k Key, id string) error
}

// Deferrer is an Adapter whose platform shows that an answer to a message will come, until
// one does. Elsewhere silence needs no word.
type Deferrer interface {
	// Defers reports whether that is shown for m. Send of a Part without text or files then
	// takes it away; it may be repeated.
	Defers(m Message) bool
}

// ReadFile reads a whole file. If it has more than limit bytes, ReadFile stops
// there and returns ErrFileTooLarge.
func ReadFile(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, ErrFileTooLarge
	}
	return data, err
}

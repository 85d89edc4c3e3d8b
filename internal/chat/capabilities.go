package chat

import (
	"context"
	"errors"
)

// What an Adapter may be able to do besides. Nobody has to implement any of
// these: whoever needs one asks for it by a type assertion, and the contract
// says what happens on a platform without it. An adapter states what it is with
// an assertion of its own (var _ chat.Fetcher = (*Adapter)(nil)).

// On returns the adapter of a platform, nil for none.
func On(list []Adapter, platform string) Adapter {
	for _, a := range list {
		if a.Platform() == platform {
			return a
		}
	}
	return nil
}

// Fetcher is an Adapter that can open what people attach. On any other
// platform an attachment is known by its name only.
type Fetcher interface {
	// Fetch reads an inbound file of at most limit bytes. It makes one attempt.
	// Besides the errors below, any error may be temporary; none holds Ref.
	Fetch(ctx context.Context, f File, limit int64) ([]byte, error)
}

// What Fetch returns when trying again is pointless.
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
	// Done tells that m is over: every part of its answer was sent or given up,
	// or it has none. It must not block. It may come twice, and for messages
	// the adapter does not know.
	Done(m Message)
}

// AdminChecker is an Adapter that can be asked who administers a place. It is
// for platforms whose events do not say so (Message.Admin); elsewhere nobody
// counts as an administrator whom the event did not vouch for.
type AdminChecker interface {
	// IsAdmin reports whether a person, by their User.ID, administers k now. It
	// may block; on error nobody does. It is false in direct chats and for an
	// id that is not one certain person.
	IsAdmin(ctx context.Context, k Key, userID string) (bool, error)
}

// MemberChecker is an Adapter that can be asked who may still read in a place.
// Without it, what somebody may recall of a place ends with their own last word
// there.
type MemberChecker interface {
	// Reads reports whether a person, by their User.ID, may read what is said in
	// k now. It may block; an error means that it is not known, also because k
	// is a direct chat.
	Reads(ctx context.Context, k Key, userID string) (bool, error)
}

// Renormalizer is an Adapter that can read an event again that was put aside,
// after an update of Parley or because the owner asks for it.
type Renormalizer interface {
	// Renormalize makes messages of an event as DeadLetter.Raw or Message.Raw
	// held it: none when it is of no use. ErrNotReady means that the adapter
	// cannot tell yet; any other error says, without anybody's words, why it
	// still cannot be read.
	Renormalize(raw []byte) ([]Message, error)
}

// ErrNotReady is returned by Renormalize before the adapter is connected.
var ErrNotReady = errors.New("not connected yet")

// Confidant is an Adapter of a platform where others may read along. Where an
// adapter is none, private answers are given in direct chats only.
type Confidant interface {
	// Whispers reports whether an answer to m can be shown where m came from to its
	// author alone. Send keeps a Private part of such an answer from all others.
	Whispers(m Message) bool
	// DirectKey names the conversation that u alone reads with the bot; false
	// when u is not one certain person. Send takes it even if that conversation
	// was never opened, and fails with a GoneError that is Closed then.
	DirectKey(u User) (k Key, ok bool)
	// Door is the address at which people open that conversation, "" for none.
	Door() string
}

// Forgetter is an Adapter that keeps words of people itself, outside the
// journal. Elsewhere nothing is left to forget.
type Forgetter interface {
	// Forget deletes what it keeps of a person. It may be called twice.
	Forget(ctx context.Context, user string) error
}

// Commander is an Adapter whose platform shows commands natively, behind the
// slash. Elsewhere people type them and /help lists them.
type Commander interface {
	// Register makes the platform show a menu, and changes nothing where it
	// shows just that already. It blocks until the adapter is connected, or
	// ctx ends. It is called again after an error, no sooner than a WaitError
	// says.
	Register(ctx context.Context, m Menu) error
}

// Amender is an Adapter that can change a message it has sent. Elsewhere a
// question stays as it was asked, and pressing its buttons again says that it is
// over.
type Amender interface {
	// Amend gives the message of k with this id, as Send returned it, another
	// text and takes its buttons away. It makes one attempt and may be called
	// twice. A text that is too long for one message is cut.
	Amend(ctx context.Context, k Key, id, text string) error
}

package chat

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrRecord means that a record can never be stored, however often it is tried.
var ErrRecord = errors.New("the record breaks a rule of the store")

// ErrOver means that another process, which owned the conversation meanwhile, sent the part
// or gave it up.
var ErrOver = errors.New("another process has sent it")

// ErrFenced means that another process owns the conversation by now: nothing was stored,
// and nothing of it may be shown or changed here any more. For the conversation that is
// like a shutdown: ErrFenced is an ErrDraining.
var ErrFenced = fmt.Errorf("another process has this conversation: %w", ErrDraining)

// Inbox is the durable side of intake. memory.Store is the real one.
type Inbox interface {
	Reviser
	Adopter
	// Accept stores a batch in one transaction (durable moment 1) and returns
	// the messages that were new, in order, with Row, UID and Nonce set. A
	// message that lacks its identity or has no form that can be stored is put
	// aside with Batch.Dead and is not returned: it holds nothing up. It returns when
	// they are on the disk, and calls Batch.Taken when they are committed. After an error
	// the batch may be delivered again; what was stored all the same, because only the
	// reply was lost, is returned then unless Taken had it.
	Accept(ctx context.Context, b Batch) ([]Message, error)
	// Finish ends a message (durable moment 2): inbox row done, the parts of
	// its answer and its record stored, all or nothing. Parts with Started, and the one
	// that replaces a preview, are stored as started. The parts then carry what their rows
	// say (Row, Nonce, Preview, At). A second Finish of the same row stores nothing and
	// fills in the parts still to be sent; the others keep Row 0. ErrRecord means that it
	// would succeed without the record.
	Finish(ctx context.Context, m Message, parts []Part, record any) error
	// Cursors returns the adapter's notes.
	Cursors(ctx context.Context, platform string) (map[string]string, error)
}

// Adopter is the part of an Inbox that hands over what another process left. It touches
// only the named conversations, and so disturbs no process at work on others.
type Adopter interface {
	// Left lists the conversations with unfinished messages or unsent parts.
	Left(ctx context.Context) ([]Key, error)
	// Adopt returns the unfinished messages of conversations that nobody works on any more,
	// oldest first. The head of each has Attempt counted up, since only a head can have
	// been running; a part that stood at started has one more unknown attempt.
	Adopt(ctx context.Context, keys []Key) ([]Message, error)
}

// Reviser is the part of an Inbox that applies edits to waiting messages.
type Reviser interface {
	// Revise stores the edited form of a message that is not begun, and finishes
	// the messages (by their rows) that brought the edits.
	Revise(ctx context.Context, m Message, changes []int64) error
}

// Outbox is the durable side of delivery. memory.Store is the real one.
type Outbox interface {
	Shower
	// Pending returns the parts of a conversation still to be sent, in order.
	Pending(ctx context.Context, k Key) ([]Part, error)
	// Mark records how far a part got, and its Unknown. id is the platform's
	// message id with PartSent; until is the earliest next attempt with
	// PartReady. Two marks need not be on the disk when Mark returns, because losing them to
	// a power failure costs little: that a part was sent, and that a repeatable one is
	// started. A part that was sent or given up stays so; among several processes
	// PartStarted fails with ErrOver then. PartSent is stored even if another process owns
	// the conversation by now, with ErrFenced.
	Mark(ctx context.Context, p Part, s PartState, id string, until time.Time) error
	// Move re-addresses a conversation.
	Move(ctx context.Context, mv Move) error
}

// Shower is the part of an Outbox that knows which previews stand.
type Shower interface {
	// Previewed remembers the preview shown for a message, so that the next
	// process finishes it instead of leaving it behind.
	Previewed(ctx context.Context, m Message, id string) error
	// Fate returns what is to become of a preview that nobody works on here. One of a
	// message without an answer is remembered as if by Previewed if that has none, whoever
	// owns the conversation; of a part that was sent it stores that.
	Fate(ctx context.Context, p Preview) (Fate, error)
}

// Fate is what is to become of a preview.
type Fate byte

// The fates of a preview.
const (
	Awaits   Fate = iota // its message is not answered, or the answer not sent: that decides
	Taken                // it became part of an answer, or was removed by one
	Orphaned             // no answer knows of it, and none will: it is to be removed
)

// PartState is the state of an outbox row.
type PartState string

const (
	PartReady   PartState = "ready"   // not written to the platform, or refused for now
	PartStarted PartState = "started" // a request may have been written
	PartSent    PartState = "sent"    // the platform gave a message id
	PartUnknown PartState = "unknown" // written, no answer seen, and not tried again
	PartDead    PartState = "dead"    // will never be delivered
)

// Nonce names one part of one answer: the same on every attempt, different for any other
// part. It is 25 characters of base32(sha256), which is what Discord takes. salt belongs to
// one database, so that a platform never answers with a message of another one.
func Nonce(salt []byte, what string, part int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%x|%s|%d", salt, what, part))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:25])
}

// Storable returns what the inbox holds of a message, or why it can never be
// stored: without its identity it could end up in somebody else's conversation.
func Storable(m Message) (body string, err error) {
	switch {
	case m.Key.Platform == "" || m.Key.Channel == "":
		return "", errors.New("a message without a conversation")
	case m.ID == "":
		return "", errors.New("a message without an id")
	case m.From.ID == "" && m.Kind != KindSkipped && m.Kind != KindDeleted && m.Kind != KindAdded:
		return "", errors.New("a message without an author")
	}
	b, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("a message that has no stored form: %w", err)
	}
	return string(b), nil
}

// Letter returns what is kept of a message that can never be stored.
func Letter(m Message, reason error) DeadLetter {
	raw := m.Raw
	if len(raw) == 0 {
		m.At = time.Time{} // the one field whose values may have no form
		raw, _ = json.Marshal(m)
	}
	id := m.Key.String() + "|" + m.ID
	if m.ID == "" {
		sum := sha256.Sum256(raw) // the same event, delivered again, is the same letter
		id = "raw:" + hex.EncodeToString(sum[:16])
	}
	return DeadLetter{ID: id, Raw: raw, Reason: reason.Error()}
}

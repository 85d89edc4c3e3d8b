// Package handoff keeps conversations that were handed over to people, as rows: whose
// they are, who has taken them, and by when somebody has to write. It does not decide
// who may take one and says nothing to anybody.
package handoff

import (
	"context"
	"errors"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/text"
)

// State is how far a handoff is.
type State string

// The states. While it is Waiting or Taken, the assistant is silent for the person
// in their place.
const (
	Waiting State = "waiting" // for somebody to take it
	Taken   State = "taken"
	Missed  State = "missed" // nobody came in time; it can still be taken
	Over    State = "over"
)

// Handoff is one of them.
type Handoff struct {
	ID     int64
	Person chat.User
	Place  chat.Key
	Direct bool
	Agent  string // that they talked to
	By     string // what opened it, in words
	Reason string
	State  State
	Taker  chat.User // zero before it is taken
	Desk   chat.Key  // where it was taken; zero before
	LastID string    // the person's newest message, as the platform calls it
	Opened time.Time
	Due    time.Time // by when the desk has to write; zero while it has
}

// Open reports whether the assistant is silent.
func (h Handoff) Open() bool { return h.State == Waiting || h.State == Taken }

// ErrNone: there is no such handoff. Its text may be shown to people.
var ErrNone = text.Tell("there is no such conversation at the desk; /handoff list shows those there are")

// Handoffs is the handoffs of a database. It is safe for many goroutines.
type Handoffs struct {
	db   *engine.DB
	now  func() time.Time
	some *engine.Kept[struct{}, bool] // whether any is open
}

// New returns what is kept of a database whose schema is up to date.
func New(db *engine.DB, now func() time.Time) *Handoffs {
	return &Handoffs{db: db, now: now, some: engine.Keep[struct{}, bool](db, "handoffs")}
}

// open reports whether any is waiting or taken: most bots have none, and every message
// asks.
func (b *Handoffs) open() (bool, error) {
	return b.some.Get(struct{}{}, func() (some bool, err error) {
		err = b.db.QueryRow("SELECT EXISTS (SELECT 1 FROM handoffs WHERE state IN ('waiting', 'taken'))").Scan(&some)
		return some, err
	})
}

const columns = `id, user_id, name, platform, channel, thread, direct, opened_by, reason, state, taker_id, taker_name,
	desk_platform, desk_channel, desk_thread, last_id, opened_at, due_at, agent`

func scan(r engine.Scanner) (h Handoff, err error) {
	err = r.Scan(&h.ID, &h.Person.ID, &h.Person.Name, &h.Place.Platform, &h.Place.Channel, &h.Place.Thread, &h.Direct,
		&h.By, &h.Reason, &h.State, &h.Taker.ID, &h.Taker.Name,
		&h.Desk.Platform, &h.Desk.Channel, &h.Desk.Thread, &h.LastID, engine.Stamped(&h.Opened),
		engine.Stamped(&h.Due), &h.Agent)
	return h, err
}

// Begin stores a new handoff, and returns the one that is open already where there
// is one: fresh is false then.
func (b *Handoffs) Begin(tx *engine.Tx, h Handoff) (out Handoff, fresh bool, err error) {
	now := engine.Stamp(b.now())
	out, err = scan(tx.QueryRow(
		`INSERT INTO handoffs (user_id, name, platform, channel, thread, direct, opened_by, reason, last_id, opened_at, due_at, changed_at, agent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING `+columns,
		h.Person.ID, h.Person.Name, h.Place.Platform, h.Place.Channel, h.Place.Thread, h.Direct, h.By, h.Reason, h.LastID,
		now, engine.Stamp(h.Due), now, h.Agent))
	if !errors.Is(err, engine.ErrNotFound) {
		return out, err == nil, engine.During("hand over", err)
	}
	out, err = scan(tx.QueryRow("SELECT "+columns+
		" FROM handoffs WHERE platform = ? AND channel = ? AND thread = ? AND user_id = ? AND state IN ('waiting', 'taken')",
		h.Place.Platform, h.Place.Channel, h.Place.Thread, h.Person.ID))
	return out, false, engine.During("hand over", err)
}

// Heard notes that the person has written: the desk has until due to write, unless
// it is late already. It returns the handoff as it is now.
func (b *Handoffs) Heard(tx *engine.Tx, id int64, message string, due time.Time) (Handoff, error) {
	return b.change(tx, "last_id = :message, due_at = iif(due_at = '', :due, due_at)", id, engine.Named{"message": message,
		"due": engine.Stamp(due)})
}

// Answered notes that the desk has written.
func (b *Handoffs) Answered(tx *engine.Tx, id int64) (Handoff, error) {
	return b.change(tx, "due_at = ''", id, engine.Named{})
}

// Take gives a handoff to h.Taker at h.Desk, who has until h.Due to write. One that
// is over stays so.
func (b *Handoffs) Take(tx *engine.Tx, h Handoff) (Handoff, error) {
	return b.change(tx, `taker_id = iif(state = 'over', taker_id, :taker), taker_name = iif(state = 'over', taker_name, :name), desk_platform = :platform, desk_channel = :channel, desk_thread = :thread,
		due_at = iif(state = 'over', '', :due), state = iif(state = 'over', state, 'taken')`, h.ID,
		engine.Named{"taker": h.Taker.ID, "name": h.Taker.Name, "platform": h.Desk.Platform, "channel": h.Desk.Channel,
			"thread": h.Desk.Thread, "due": engine.Stamp(h.Due)})
}

// End brings the assistant back: for good with Over, with Missed until somebody
// takes it after all.
func (b *Handoffs) End(tx *engine.Tx, id int64, as State) (Handoff, error) {
	return b.change(tx, "state = :state, due_at = ''", id, engine.Named{"state": string(as)})
}

// Miss brings the assistant back because nobody wrote in time; ok is false, and
// nothing changes, when somebody has since h was read.
func (b *Handoffs) Miss(tx *engine.Tx, h Handoff) (ok bool, err error) {
	var n int64
	err = tx.Count(&n, "UPDATE handoffs SET state = 'missed', due_at = '', changed_at = ? WHERE id = ? AND state IN "+
		"('waiting', 'taken') AND due_at = ?", engine.Stamp(b.now()), h.ID, engine.Stamp(h.Due))
	return n == 1, engine.During("miss handoff", err)
}

func (b *Handoffs) change(tx *engine.Tx, set string, id int64, args engine.Named) (Handoff, error) {
	args["id"], args["now"] = id, engine.Stamp(b.now())
	h, err := scan(tx.QueryRow("UPDATE handoffs SET "+set+", changed_at = :now WHERE id = :id RETURNING "+columns, args))
	return h, engine.During("change handoff", engine.NoRow(err, ErrNone))
}

// ByID returns one; ErrNone when there is none.
func (b *Handoffs) ByID(_ context.Context, id int64) (Handoff, error) {
	h, err := scan(b.db.QueryRow("SELECT "+columns+" FROM handoffs WHERE id = ?", id))
	return h, engine.NoRow(err, ErrNone)
}

// In returns the open handoff of a person in a place.
func (b *Handoffs) In(_ context.Context, k chat.Key, user string) (h Handoff, ok bool, err error) {
	if some, err := b.open(); err != nil || !some {
		return Handoff{}, false, engine.During("find handoff", err)
	}
	h, ok, err = engine.Found(scan(b.db.QueryRow("SELECT "+columns+
		" FROM handoffs WHERE platform = ? AND channel = ? AND thread = ? AND user_id = ? AND state IN ('waiting', 'taken')",
		k.Platform, k.Channel, k.Thread, user)))
	return h, ok, engine.During("find handoff", err)
}

// TakenBy lists what somebody has taken at a desk, the newest first.
func (b *Handoffs) TakenBy(_ context.Context, desk chat.Key, user string) ([]Handoff, error) {
	if some, err := b.open(); err != nil || !some {
		return nil, engine.During("list handoffs", err)
	}
	return b.list("SELECT "+columns+
		" FROM handoffs WHERE taker_id = ? AND state = 'taken' AND desk_platform = ? AND desk_channel = ? AND desk_thread = "+
		"? ORDER BY id DESC LIMIT 20",
		user, desk.Platform, desk.Channel, desk.Thread)
}

// All lists those that are not over, the oldest first; at most 50.
func (b *Handoffs) All(context.Context) ([]Handoff, error) {
	return b.list("SELECT " + columns + " FROM handoffs WHERE state <> 'over' ORDER BY id LIMIT 50")
}

// Late lists those for which the desk should have written by now.
func (b *Handoffs) Late(context.Context) ([]Handoff, error) {
	return b.list("SELECT "+columns+
		" FROM handoffs WHERE due_at <> '' AND due_at <= ? AND state IN ('waiting', 'taken') ORDER BY due_at LIMIT 100", engine.Stamp(b.now()))
}

func (b *Handoffs) list(query string, args ...any) ([]Handoff, error) {
	list, err := engine.Select(b.db, scan, query, args...)
	return list, engine.During("list handoffs", err)
}

// Posted remembers by their nonces that parts were sent to the desk about a handoff.
func (b *Handoffs) Posted(tx *engine.Tx, id int64, nonces []string) error {
	for _, n := range nonces {
		if _, err := tx.Exec("INSERT INTO handoff_posts VALUES (?, ?) ON CONFLICT DO NOTHING", n, id); err != nil {
			return engine.During("note post", err)
		}
	}
	return nil
}

// About returns the handoff that a message of ours, by the platform's id of it in k,
// was about.
func (b *Handoffs) About(_ context.Context, k chat.Key, message string) (h Handoff, ok bool, err error) {
	if message == "" {
		return h, false, nil
	}
	h, ok, err = engine.Found(scan(b.db.QueryRow("SELECT "+columns+
		` FROM handoffs WHERE id = (SELECT p.handoff_id FROM outbox o JOIN handoff_posts p ON p.nonce = o.nonce
		WHERE o.platform = ? AND o.channel = ? AND o.thread = ? AND o.platform_id = ? AND o.platform_id <> '' LIMIT 1)`, k.Platform, k.Channel, k.Thread, message)))
	return h, ok, engine.During("find handoff", err)
}

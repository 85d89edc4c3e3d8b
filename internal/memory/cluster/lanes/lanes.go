// Package lanes is who works on which conversation, where several nodes share a
// database: claimed with the message that asks for it, held by every later write, and
// adopted when its node has ended. It reads no clock: who lives is the rows of nodes.
package lanes

import (
	"cmp"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Node is this process among others. Its methods do not block.
type Node interface {
	// ID returns its number, "" while it has none.
	ID() string
	// Hint tells another node, by its number, to look what was posted to it.
	Hint(node string)
	// Versions has somebody told the database's version now and then; see engine.DB.Told.
	Versions(tell func(version int64, asked time.Time))
}

// Self returns a node's number, "" for none.
func Self(n Node) string {
	if n == nil {
		return ""
	}
	return n.ID()
}

// Owned is the conversations of this node. A nil Owned is that of a process that is
// alone: everything is its own, and nothing is asked.
//
// The row of a conversation in node_lanes is its lock. Whoever stores something there, or
// reads whose it is, holds that row FOR SHARE until the end of the transaction; whoever
// makes it another's changes it, or inserts it. What is said after that sees all that
// those before have committed. So none of it need be serializable (engine.Held).
type Owned struct {
	db   *engine.DB
	node Node
	// turns keeps apart what is accepted here and what is brought from others: what was
	// committed first is in its lane first.
	turns  sync.RWMutex
	lately lately
}

// New returns what a node owns, nil for nil.
func New(db *engine.DB, n Node) *Owned {
	if n == nil {
		return nil
	}
	n.Versions(db.Told)
	return &Owned{db: db, node: n}
}

const living = "EXISTS (SELECT 1 FROM node_leases WHERE id = "

// Accepting begins to accept messages; the caller ends it once they are in their lanes.
func (b *Owned) Accepting() (end func()) {
	if b == nil {
		return func() {}
	}
	b.turns.RLock()
	return b.turns.RUnlock
}

// Bringing runs work, which takes what others left here and puts it into its lanes,
// while nothing is accepted.
func (b *Owned) Bringing(work func()) {
	b.turns.Lock()
	defer b.turns.Unlock()
	work()
}

// Owner is whose a conversation is.
type Owner struct {
	Ours bool
	// Other is the living node that has it, "" for none. What is nobody's and not ours has
	// things left behind in it: whoever adopts it has all of them, in order.
	Other string
}

// Hold fails with ErrFenced unless k is this node's, and keeps it so until the
// transaction ends.
func (b *Owned) Hold(tx *engine.Tx, k chat.Key) error {
	if b == nil {
		return nil
	}
	return tx.Require(chat.ErrFenced, "SELECT 1 FROM node_lanes WHERE platform = ? AND channel = ? AND thread = ? AND owner = ? FOR SHARE",
		k.Platform, k.Channel, k.Thread, b.node.ID())
}

// Unsent is the condition that a part may still be sent.
const Unsent = " AND state IN ('ready', 'started')"

// HoldPart is Hold for the conversation of a part that gets to a state. If that begins to be
// sent it fails with ErrOver where that was done: this process may have had the
// conversation, lost it and got it again, and go on where it was; and whoever had it before
// may say so late. That it was sent is a Fact.
func (b *Owned) HoldPart(tx *engine.Tx, p chat.Part, s chat.PartState, f *Fact) error {
	if b == nil {
		return nil
	}
	err := b.Hold(tx, p.Key)
	switch {
	case s == chat.PartSent:
		_, err = f.Held(err)
	case s == chat.PartStarted && err == nil:
		err = tx.Require(chat.ErrOver, "SELECT 1 FROM outbox WHERE id = ?"+Unsent+" FOR UPDATE", p.Row)
	}
	return err
}

// HoldRow is Hold for the conversation of an inbox row.
func (b *Owned) HoldRow(tx *engine.Tx, row int64) error {
	if b == nil {
		return nil
	}
	return tx.Require(chat.ErrFenced,
		`SELECT 1 FROM inbox JOIN node_lanes AS l ON l.platform = inbox.platform AND l.channel = inbox.channel AND l.thread = inbox.thread
		WHERE inbox.id = ? AND l.owner = ? FOR SHARE OF l`, row, b.node.ID())
}

// Post leaves, within a transaction, an inbox row to the node whose conversation it belongs to; row 0 is that
// parts wait to be sent there.
func (b *Owned) Post(tx *engine.Tx, k chat.Key, row int64) error {
	_, err := tx.Exec("INSERT INTO node_mail (platform, channel, thread, inbox_id) VALUES (?, ?, ?, ?)", k.Platform, k.Channel, k.Thread, row)
	return err
}

// Tell leaves word, within a transaction, that parts are stored in conversations, but one,
// which other nodes have: they send them, also where this one ends before it can say so.
func (b *Owned) Tell(tx *engine.Tx, parts []chat.Part, but chat.Key) error {
	for i, p := range parts {
		if b == nil || p.Key == but || i > 0 && p.Key == parts[i-1].Key {
			continue
		}
		_, err := tx.Exec(`INSERT INTO node_mail (platform, channel, thread, inbox_id) SELECT platform, channel, thread, 0 FROM node_lanes
			WHERE platform = ? AND channel = ? AND thread = ? AND owner <> ?`, p.Key.Platform, p.Key.Channel, p.Key.Thread, b.node.ID())
		if err != nil {
			return err
		}
	}
	return nil
}

// Pass leaves an inbox row to whoever has its conversation, or will adopt it.
func (b *Owned) Pass(tx *engine.Tx, k chat.Key, row int64, o Owner) error {
	if o.Other == "" {
		return nil
	}
	return b.Post(tx, k, row)
}

// Hint tells a node that something was posted, or "" this one that something is left
// behind. It is called after the commit.
func (b *Owned) Hint(node string) {
	if b != nil {
		b.node.Hint(cmp.Or(node, b.node.ID()))
	}
}

// Cut begins anew with the database, on other connections: the server did not answer in
// time, and may hang.
func (b *Owned) Cut() {
	if b != nil {
		b.db.Cut()
	}
}

// Mail is what others stored for this node.
type Mail struct {
	Rows  []int64    // of the inbox, in order
	Flush []chat.Key // where parts wait
}

// Take takes, within a transaction, what was posted to this node's conversations. This
// process must do what it took; if it ends first, whoever adopts the conversation finds it.
func (b *Owned) Take(tx *engine.Tx) (m Mail, err error) {
	_, err = engine.Select(tx, func(r engine.Scanner) (row int64, err error) {
		var k chat.Key
		err = r.Scan(&row, &k.Platform, &k.Channel, &k.Thread)
		if row == 0 {
			m.Flush = append(m.Flush, k)
		} else {
			m.Rows = append(m.Rows, row)
		}
		return row, err
	}, `DELETE FROM node_mail AS m USING node_lanes AS l
		WHERE l.platform = m.platform AND l.channel = m.channel AND l.thread = m.thread AND l.owner = ?
		RETURNING m.inbox_id, m.platform, m.channel, m.thread`, b.node.ID())
	return m, err
}

func scanKey(r engine.Scanner) (k chat.Key, err error) {
	err = r.Scan(&k.Platform, &k.Channel, &k.Thread)
	return k, err
}

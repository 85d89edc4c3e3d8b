package lanes

import (
	"fmt"
	"sync"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// lately are conversations that were a node's when something was last stored in them.
type lately struct {
	mu    sync.Mutex // guards all
	stays map[chat.Key]stay
	count int64 // of all so far
}

// stay is a conversation's time with a node.
type stay struct {
	node   string // its number then
	number int64
}

// maxLately bounds them; beyond it they begin anew.
const maxLately = 20_000

// Supposes reports whether a conversation was this node's a moment ago, and most likely is:
// see Suppose.
func (b *Owned) Supposes(k chat.Key) bool { return b == nil || b.Stay(k) != 0 }

// Stay is the number of a conversation's stay with this node, 0 where it was not this node's
// a moment ago. Where it is the same before something is read and after a message was
// accepted, nobody else had the conversation in between.
func (b *Owned) Stay(k chat.Key) int64 {
	if b == nil {
		return 0
	}
	b.lately.mu.Lock()
	defer b.lately.mu.Unlock()
	if s := b.lately.stays[k]; s.node == b.node.ID() {
		return s.number
	}
	return 0
}

// supposed reads whether a conversation is a node's which lives, and nothing waits to be
// brought there first: what Claims find out of most. It waits for nobody who is just about
// to change that, for it reads no more after that: the row then counts as changed.
const supposed = "SELECT set_config(?, CASE WHEN EXISTS (SELECT 1 FROM node_lanes AS l " +
	"JOIN node_leases AS n ON n.id = l.owner WHERE l.platform = ? AND l.channel = ? AND l.thread = ? AND l.owner = ?" + `
	AND NOT EXISTS (SELECT 1 FROM node_mail AS m WHERE m.platform = l.platform AND m.channel = l.channel AND m.thread = l.thread AND m.inbox_id <> 0) FOR SHARE OF l SKIP LOCKED)
	THEN 'yes' ELSE '' END, true)`

// Supposed is a condition of what is done in a conversation for which Suppose returned a name,
// that name being its parameter.
const Supposed = "current_setting(?, true) = 'yes'"

// Suppose keeps a conversation this node's until the transaction ends, as Claims would, and
// asks nothing meanwhile: where the conversation is another's, or is to be claimed, what is
// said on condition of the name that it returns comes to nothing, and to no error; "" is no
// condition. n is the number of the conversation in this transaction.
func (b *Owned) Suppose(tx *engine.Tx, k chat.Key, n int) (name string, err error) {
	if b == nil {
		return "", nil
	}
	name = fmt.Sprint("parley.supposed", n)
	_, err = tx.Exec(supposed, name, k.Platform, k.Channel, k.Thread, b.node.ID())
	return name, err
}

// Learn takes over that messages were stored in conversations of this node.
func (b *Owned) Learn(messages []chat.Message) {
	if b == nil {
		return
	}
	b.lately.mu.Lock()
	defer b.lately.mu.Unlock()
	if b.lately.stays == nil || len(b.lately.stays) > maxLately {
		b.lately.stays = map[chat.Key]stay{}
	}
	id := b.node.ID()
	for _, m := range messages {
		if b.lately.stays[m.Key].node != id {
			b.lately.count++
			b.lately.stays[m.Key] = stay{id, b.lately.count}
		}
	}
}

// Unlearn takes over that it may be otherwise.
func (b *Owned) Unlearn(messages []chat.Message) {
	if b == nil {
		return
	}
	b.lately.mu.Lock()
	defer b.lately.mu.Unlock()
	for _, m := range messages {
		delete(b.lately.stays, m.Key)
	}
}

package lanes

import (
	"sync"

	"parley/internal/chat"
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

// Learn takes over that messages were stored in conversations of this node, of which some
// were not so before.
func (b *Owned) Learn(messages []chat.Message, begun []chat.Key) {
	if b == nil {
		return
	}
	b.lately.forget(begun...)
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

// forget ends stays.
func (l *lately) forget(keys ...chat.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range keys {
		delete(l.stays, k)
	}
}

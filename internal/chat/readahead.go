package chat

import (
	"context"
	"sync/atomic"
)

type ahead struct {
	id    string // of the message
	over  chan struct{}
	value any // set before over is closed
	taken atomic.Bool
}

// readAhead begins to read for a single message into an idle conversation: with a
// database server, storing and reading are round trips that need not wait for each
// other. done waits for the reading.
func (h *Hub) readAhead(b Batch) (done func()) {
	if h.o.Ahead == nil || h.o.Node == nil || len(b.Messages) != 1 || b.Messages[0].Kind != KindText || !b.Messages[0].Addressed {
		return func() {}
	}
	m := b.Messages[0]
	a := &ahead{id: m.ID, over: make(chan struct{})}
	if !h.foresees(m.Key, a) {
		return func() {}
	}
	go func() {
		defer close(a.over)
		h.fenced(m.Key, func(ctx context.Context) {
			m.Agent = h.o.Agent(m) // may read a row too
			a.value = h.o.Ahead(ctx, m)
		})
	}()
	return func() {
		h.mu.Lock()
		if h.aheads[m.Key] == a {
			delete(h.aheads, m.Key)
		}
		h.mu.Unlock()
		<-a.over
	}
}

// foresees registers a reading, unless something is under way in the conversation.
func (h *Hub) foresees(k Key, a *ahead) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.aheads[k] != nil || !h.calmly(k) {
		return false
	}
	h.aheads[k] = a
	return true
}

// calmly reports whether nothing under way in a conversation can change what is read for
// its next message. The caller holds mu.
func (h *Hub) calmly(k Key) bool {
	l := h.lanes[k]
	return h.beside[k] == nil && (l == nil || l.calm && len(l.queue) == 0)
}

// calm notes whether the lane only has stored parts left to send. Otherwise a reading for
// its next message may be outdated, and is dropped.
func (h *Hub) calm(l *lane, calm bool) {
	if h.o.Ahead == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if l.calm = calm && !l.beside; !l.calm {
		delete(h.aheads, l.key)
		for i := range l.queue {
			l.queue[i].read = nil
		}
	}
}

// foreseen takes the reading for a lane's next job; nil where other work may have outdated
// it. The caller holds mu.
func (h *Hub) foreseen(l *lane, j job) *ahead {
	a := h.aheads[l.key]
	if a == nil {
		return nil
	}
	delete(h.aheads, l.key)
	if j.do != nil || j.m.ID != a.id || l.beside || !h.calmly(l.key) {
		return nil
	}
	return a
}

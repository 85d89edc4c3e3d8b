package chat

import (
	"context"
	"time"
)

// longestHold bounds how long typing is shown for a message whose answer has not begun.
const longestHold = 5 * time.Minute

// Awaiter is a Reply that can begin to show an answer later.
type Awaiter interface{ Await() }

// Await begins to show the answer to a message that was not addressed but gets one.
func Await(w Reply) {
	if a, ok := w.(Awaiter); ok {
		a.Await()
	}
}

// unseen begins work that shows nothing by itself. Whoever waits behind it sees typing
// until seen is called.
func (h *Hub) unseen(l *lane) (seen func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.unseen = true
	h.hold(l)
	return func() {
		h.mu.Lock()
		held := l.held
		l.held, l.unseen = nil, false
		h.mu.Unlock()
		if held != nil {
			held.stop()
		}
	}
}

// hold shows typing to the first person who waits behind unseen work. The caller holds mu.
func (h *Hub) hold(l *lane) {
	if !l.unseen || l.held != nil || h.ctx.Err() != nil {
		return
	}
	for _, j := range l.queue {
		if j.do == nil && j.m.expected() {
			ctx, cancel := context.WithTimeout(h.ctx, longestHold)
			l.held = startLive(ctx, h, j)
			quit := l.held.quit
			l.held.quit = func() { quit(); cancel() }
			return
		}
	}
}

// expected reports whether a message asks for an answer by itself.
func (m Message) expected() bool {
	return m.Kind != KindEdit && m.Kind != KindDeleted && (m.Addressed || m.Kind == KindCommand)
}

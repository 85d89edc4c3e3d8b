package chat

import (
	"context"
	"time"
)

// longestHold bounds how long typing is shown for a message that nobody has
// begun to answer.
const longestHold = 5 * time.Minute

// Awaiter is a Reply that can begin to show an answer later.
type Awaiter interface{ Await() }

// Await marks a message that was not addressed as expecting an answer after all:
// w then shows it while it grows.
func Await(w Reply) {
	if a, ok := w.(Awaiter); ok {
		a.Await()
	}
}

// unseen begins work in a lane that shows nothing by itself. While somebody waits
// behind it, they see typing; seen ends it.
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

// hold shows typing for the first who waits in a lane that shows nothing itself.
// The caller holds mu.
func (h *Hub) hold(l *lane) {
	if !l.unseen || l.held != nil || h.ctx.Err() != nil {
		return
	}
	for _, j := range l.queue {
		if j.do == nil && j.m.expected() {
			ctx, cancel := context.WithTimeout(h.ctx, longestHold)
			l.held = startLive(ctx, h, j.m, j.disk)
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

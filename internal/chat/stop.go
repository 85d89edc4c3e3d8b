package chat

import (
	"context"
	"strings"
	"time"
)

const wordsStopped = "Stopped."

// stopDeadline bounds how long a platform may take to say who may stop an answer.
const stopDeadline = 10 * time.Second

// isStop recognizes the one command that jumps the queue.
func isStop(m Message) bool {
	if m.Kind != KindCommand || m.Forwarded {
		return false
	}
	word, _, _ := strings.Cut(strings.TrimSpace(m.Text), " ")
	return strings.EqualFold(word, "/stop")
}

// stopping handles a /stop while something runs, beside the intake, which must not wait
// for a platform. A /stop that is not allowed, or too late, is handled like any message:
// the gate refuses it.
func (h *Hub) stopping(m Message) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lanes[m.Key]
	if l == nil || h.closed {
		return false
	}
	running := l.asked
	switch {
	case l.cancel != nil:
	case l.parked && len(l.queue) > 0:
		running = l.queue[0].m
	default:
		return false
	}
	h.idle.Add(1)
	go func() {
		defer h.idle.Done()
		ctx, cancel := context.WithTimeout(h.ctx, stopDeadline)
		defer cancel()
		if !h.o.MayStop(ctx, m, running) || !h.stop(running) && !h.unbegun(running) {
			h.enqueue(nil, []Message{m})
			return
		}
		var parts []Part    // the stopped turn says so
		if m.Origin != "" { // but this platform shows that an answer is being made until one is there
			parts = h.parts(m, Answer{Text: h.speak(m).Text(wordsStopped)})
		}
		h.o.Observe(Event{Name: "stopped", Key: m.Key, Outcome: Answered})
		h.conclude(m, parts, End{Outcome: Answered, Command: "stop"})
	}()
	return true
}

// stop cancels the answer to a message, and reports whether it was still unfinished.
func (h *Hub) stop(running Message) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lanes[running.Key]
	if l == nil || l.cancel == nil || l.asked.Row != running.Row {
		return false
	}
	l.cancel(ErrStopped)
	return true
}

// unbegun ends a message that waits for its place, and says so. It reports whether the
// message still waited.
func (h *Hub) unbegun(m Message) bool {
	h.mu.Lock()
	l := h.lanes[m.Key]
	if l == nil || !l.parked || len(l.queue) == 0 || l.queue[0].m.Row != m.Row {
		h.mu.Unlock()
		return false
	}
	l.queue = l.queue[1:]
	h.waiting--
	h.makeRoom()
	h.mu.Unlock()
	var parts []Part
	if m.expected() {
		parts = h.parts(m, Answer{Text: h.speak(m).Text(wordsStopped)})
	}
	h.conclude(m, parts, End{Outcome: Stopped})
	return true
}

// conclude finishes a message outside its lane and sends what is said about it.
func (h *Hub) conclude(m Message, parts []Part, end End) {
	defer h.sending(m.Key)()
	life := h.lives.Load()
	parts = replacing(m, parts)
	if h.finish(m, parts, end) {
		h.deliverAll(m.Key, parts, nil, life)
		h.done(m)
	}
}

package chat

import "sync"

// Pace is how a message stands to the others of its conversation.
type Pace int

// The paces.
const (
	// InOrder waits for all that came before.
	InOrder Pace = iota
	// Quick waits for all that came before, too, and is over at once: what was
	// read after it knows of it.
	Quick
	// Beside only reads, and is answered at once beside whatever takes long.
	Beside
)

// besideLane is where a message goes that need not wait: the lane beside the
// one that is at work on something that takes long; nil for the usual way. The
// caller holds mu.
func (h *Hub) besideLane(m Message, pace Pace) *lane {
	l := h.lanes[m.Key]
	if pace != Beside || l == nil || !l.slow {
		return nil
	}
	b := h.beside[m.Key]
	if b == nil {
		b = &lane{key: m.Key, beside: true}
	}
	return b
}

// letPass moves what need not wait out of a lane that begins something slow. The
// caller holds mu.
func (h *Hub) letPass(l *lane) {
	var stay []job
	for _, j := range l.queue {
		if j.do == nil && j.pace == Beside {
			h.add(h.besideLane(j.m, j.pace), j)
			continue
		}
		stay = append(stay, j)
	}
	l.queue = stay
}

// outlet is the right to send to one conversation.
type outlet struct {
	mu    sync.Mutex // held while parts of one answer are sent
	users int        // guarded by Hub.mu
}

// sending waits until nothing else is being sent to a conversation, and keeps it
// so until done is called: the parts of two answers do not mix, and what one
// sender has stored no other finds unsent.
func (h *Hub) sending(k Key) (done func()) {
	h.mu.Lock()
	o := h.outlets[k]
	if o == nil {
		o = &outlet{}
		h.outlets[k] = o
	}
	o.users++
	h.mu.Unlock()
	o.mu.Lock()
	return func() {
		o.mu.Unlock()
		h.mu.Lock()
		defer h.mu.Unlock()
		if o.users--; o.users == 0 {
			delete(h.outlets, k)
		}
	}
}

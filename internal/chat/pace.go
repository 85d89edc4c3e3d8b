package chat

import (
	"slices"
	"sync"
	"time"
)

// Pace says which messages of its conversation a message waits for.
type Pace int

const (
	// InOrder waits for everything that came before.
	InOrder Pace = iota
	// Quick waits too, and is short: whatever is read after it sees its effect.
	Quick
	// Beside only reads. It is answered at once, beside whatever takes long.
	Beside
)

// besideLane returns the second lane for a message that need not wait while the
// conversation's own lane does something slow; nil for the own lane. The caller holds mu.
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

// letPass moves messages that need not wait from a lane that begins something slow to the
// lane beside it. The caller holds mu.
func (h *Hub) letPass(l *lane) {
	passes := func(j job) bool { return j.do == nil && j.pace == Beside }
	if !slices.ContainsFunc(l.queue, passes) { // nearly always
		return
	}
	var stay []job
	for _, j := range l.queue {
		if passes(j) {
			h.add(h.besideLane(j.m, j.pace), j)
			continue
		}
		stay = append(stay, j)
	}
	l.queue = stay
}

type outlet struct {
	mu    sync.Mutex // held while parts of one answer are sent
	users int        // guarded by Hub.mu
}

// sending waits until nothing else is being sent to a conversation, and blocks others
// until done is called: parts of two answers do not mix, and no sender picks up parts
// that another has just stored.
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

// A message that waited with its platform, for longer than lately, or because nothing could be
// stored or nobody was there to, was asked at a time when nobody could say that there are too many: keptPerLane times
// as many of those may wait.
const (
	lately      = 10 * time.Second
	keptPerLane = 10
	slowly      = time.Second // what takes longer to store keeps others waiting
)

// stuck notes that what was sent up to now had to wait with its platform.
func (h *Hub) stuck() { h.stuckAt.Store(time.Now().UnixNano()) }

// waited reports whether m waited with its platform.
func (h *Hub) waited(m Message) bool {
	return !m.At.IsZero() && (time.Since(m.At) > lately || m.At.UnixNano() < h.stuckAt.Load())
}

// full reports whether too much waits in a lane for one more message, which waited with its
// platform or not. What did so is in nobody's way but its own kind's.
func (h *Hub) full(l *lane, waited bool) bool {
	fresh := 0
	for i, j := range l.queue {
		if j.do == nil && !j.waited && (i > 0 || !l.parked) {
			fresh++
		}
	}
	return !waited && fresh > h.o.QueuePerLane || l.behind() > keptPerLane*h.o.QueuePerLane
}

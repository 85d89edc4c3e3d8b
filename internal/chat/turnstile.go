package chat

import (
	"math"
	"sync"
	"time"
)

// turnstile bounds how many messages are worked on at the same time, from their first
// thought to their last part. Each takes a hundred kilobytes, those that wait in front
// of it next to nothing, and more of them than processors can serve are not answered
// sooner. Who waits for somebody else, such as a model, stands aside and lets the next
// one in. Nobody who comes back is held up.
type turnstile struct {
	most, all int           // how many are at work, and with those aside
	patience  time.Duration // who is at work for longer is taken to be waiting

	mu      sync.Mutex // guards what follows, and all places
	working int
	inside  int
	queue   []*place // in the order in which they came
}

// The bounds of a Hub, beside its AtOnce.
const (
	workAtOnce   = 16
	workPatience = time.Second
)

// place is that of one message, from enter to leave. A nil one needs none.
type place struct {
	t     *turnstile
	begin func() // of who waits in front
	state placeState
	late  *time.Timer
}

type placeState int

const (
	outside placeState = iota
	working
	waiting
)

// passes reports whether a job needs no place: what is short must get through whatever
// goes on.
func passes(j job) bool { return j.do != nil || j.pace != InOrder || j.m.Kind == KindCommand }

// enter returns a place. With in the caller has it at once; else begin is called when
// it is in, and must not block.
func (t *turnstile) enter(begin func()) (p *place, in bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p = &place{t: t}
	t.queue = append(t.queue, p)
	t.admit()
	p.begin = begin
	return p, p.state == working
}

// open lets everybody in.
func (t *turnstile) open() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.most, t.all = math.MaxInt, math.MaxInt
	t.admit()
}

// admit lets in who may. The caller holds mu.
func (t *turnstile) admit() {
	for len(t.queue) > 0 && t.working < t.most && t.inside < t.all {
		p := t.queue[0]
		t.queue[0] = nil
		t.queue = t.queue[1:]
		t.inside++
		t.working++
		p.state = working
		p.late = time.AfterFunc(t.patience, p.aside)
		if p.begin != nil {
			p.begin()
		}
	}
}

// aside lets the next one in. It may be called again.
func (p *place) aside() { p.change(working, waiting, -1) }

// back ends aside.
func (p *place) back() {
	if p.change(waiting, working, 1) {
		p.late.Reset(p.t.patience)
	}
}

// change reports whether p was in a state, and puts it into another.
func (p *place) change(from, to placeState, more int) bool {
	if p == nil {
		return false
	}
	p.t.mu.Lock()
	defer p.t.mu.Unlock()
	if p.state != from {
		return false
	}
	p.state = to
	p.t.working += more
	p.t.admit()
	return true
}

// leave gives the place up.
func (p *place) leave() {
	p.aside()
	if p.change(waiting, outside, 0) {
		p.late.Stop()
		p.t.mu.Lock()
		defer p.t.mu.Unlock()
		p.t.inside--
		p.t.admit()
	}
}

package chat

import (
	"math"
	"sync"
	"time"
)

// turnstile bounds how many messages are worked on at the same time, from the first read
// to the last part. Each takes a hundred kilobytes, a queued one next to nothing, and
// more of them than the processors can serve are not answered sooner. A turn waiting for
// a model gives up its slot. Returning turns do not queue again.
type turnstile struct {
	most, all int           // limits: at work, and including those aside
	patience  time.Duration // a turn at work for longer counts as waiting

	mu      sync.Mutex // guards what follows, and all places
	working int
	inside  int
	queue   []*place // in order of arrival
}

// The limits of a Hub's turnstile, besides AtOnce.
const (
	workAtOnce   = 16
	workPatience = time.Second
)

// place is one message's slot, from enter to leave. nil needs none.
type place struct {
	t     *turnstile
	begin func() // called on admission; nil for who got in at once
	state placeState
	late  *time.Timer
}

type placeState int

const (
	outside placeState = iota
	working
	waiting
)

// passes reports whether a job needs no place: short work must always get through.
func passes(j job) bool { return j.do != nil || j.pace != InOrder || j.m.Kind == KindCommand }

// enter returns a place. With in, the caller has it at once; otherwise begin is called
// when it is free, and must not block.
func (t *turnstile) enter(begin func()) (p *place, in bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p = &place{t: t}
	t.queue = append(t.queue, p)
	t.admit()
	p.begin = begin
	return p, p.state == working
}

// open admits everything.
func (t *turnstile) open() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.most, t.all = math.MaxInt, math.MaxInt
	t.admit()
}

// admit lets in as many as the limits allow. The caller holds mu.
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

// aside gives up the slot for now. It may be called again.
func (p *place) aside() { p.change(working, waiting, -1) }

// back ends aside, without queueing.
func (p *place) back() {
	if p.change(waiting, working, 1) {
		p.late.Reset(p.t.patience)
	}
}

// change moves p from one state to another, and reports whether it was in the first.
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

// leave gives the place up for good.
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

package chat

import (
	"math"
	"sync"
	"time"
)

// turnstile bounds how many messages are worked on at the same time, from the first read
// to the last part. Each takes a hundred kilobytes, a queued one next to nothing, and
// more of them than the processors can serve are not answered sooner. A turn waiting for
// a model gives up its slot. Returning turns do not queue again. While a model answers
// promptly, turns that have just begun to wait for it count, too: they are about to return,
// and would all be at work together.
type turnstile struct {
	most, all int           // limits: at work, and including those aside
	soon      int           // limit: at work or about to return
	patience  time.Duration // a turn at work for longer counts as waiting

	mu      sync.Mutex // guards what follows, and all places
	working int
	inside  int
	fresh   int      // places that are fresh
	prompt  bool     // the last turn to return was fresh
	queue   []*place // in order of arrival
}

// The limits of a Hub's turnstile, besides AtOnce.
const (
	workAtOnce   = 16
	workSoon     = 32 // for each processor
	workPatience = time.Second
	promptly     = 50 * time.Millisecond // a turn that waits for longer is not about to return
)

// place is one message's slot, from enter to leave. nil needs none.
type place struct {
	t     *turnstile
	begin func() // called on admission; nil for who got in at once
	state placeState
	fresh bool // waits, and has not done so for promptly
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
	t.most, t.all, t.soon = math.MaxInt, math.MaxInt, math.MaxInt
	t.admit()
}

// admit lets in as many as the limits allow. The caller holds mu.
func (t *turnstile) admit() {
	for len(t.queue) > 0 && t.working < t.most && t.inside < t.all && (!t.prompt || t.working+t.fresh < t.soon) {
		p := t.queue[0]
		t.queue[0] = nil
		t.queue = t.queue[1:]
		t.inside++
		t.working++
		p.state = working
		p.late = time.AfterFunc(t.patience, p.overdue)
		if p.begin != nil {
			p.begin()
		}
	}
}

// aside gives up the slot for now. It may be called again.
func (p *place) aside() {
	p.change(working, waiting, func() {
		p.refresh(true)
		p.late.Reset(promptly)
	})
}

// back ends aside, without queueing.
func (p *place) back() {
	p.change(waiting, working, func() {
		p.t.prompt = p.fresh
		p.refresh(false)
		p.late.Reset(p.t.patience)
	})
}

// overdue ends what a turn counts as: being at work, or about to return.
func (p *place) overdue() {
	if !p.change(working, waiting, func() {}) {
		p.change(waiting, waiting, func() { p.refresh(false) })
	}
}

// leave gives the place up for good.
func (p *place) leave() {
	leave := func() {
		p.refresh(false)
		p.late.Stop()
		p.t.inside--
	}
	if !p.change(working, outside, leave) {
		p.change(waiting, outside, leave)
	}
}

// change moves p from one state to another and does what goes with it, unless it was not
// in the first. It reports whether it was.
func (p *place) change(from, to placeState, also func()) bool {
	if p == nil {
		return false
	}
	p.t.mu.Lock()
	defer p.t.mu.Unlock()
	if p.state != from {
		return false
	}
	p.state = to
	if from == working {
		p.t.working--
	}
	if to == working {
		p.t.working++
	}
	also()
	p.t.admit()
	return true
}

// refresh sets whether p is about to return. The caller holds mu.
func (p *place) refresh(fresh bool) {
	if p.fresh {
		p.t.fresh--
	}
	if fresh {
		p.t.fresh++
	}
	p.fresh = fresh
}

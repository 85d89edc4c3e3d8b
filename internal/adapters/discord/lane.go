package discord

import (
	"context"
	"encoding/json"
	"sync"

	"parley/internal/chat"
)

// maxQueued is how many events may wait to be stored. Discord cannot be asked to
// pause: what comes beyond that is read from the history later.
const maxQueued = 4096

// event is something that happened in a channel.
type event struct {
	kind   string // as Discord names it; "" asks to read the history
	raw    json.RawMessage
	made   *chat.Message // of an interaction, which is understood before it waits
	ticket ticket
}

// lanes keep the events of each channel in order. No channel waits for another, and the
// gateway for none: all requests about an event are made here.
type lanes struct {
	mu        sync.Mutex // guards the rest
	byChannel map[string]*lane
	held      int // events in all of them
	full      bool
	work      sync.WaitGroup // one for each lane at work
}

// lane is one channel's. It has a goroutine only while it has events.
type lane struct{ queue []event }

// enter appends an event to its channel's lane. It never blocks. If too much waits already,
// it asks to read the channel's history instead.
func (sh *shard) enter(ctx context.Context, channel string, e event) {
	l := &sh.lanes
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return // nobody works in lanes any more; the next process hears of it
	}
	one := l.byChannel[channel]
	if one == nil {
		one = &lane{}
		l.byChannel[channel] = one
		l.work.Add(1)
		go sh.work(ctx, channel, one)
	}
	if e.kind != "" && l.held >= maxQueued {
		l.full = true
		sh.progress.done(e.ticket)
		if n := len(one.queue); n > 0 && one.queue[n-1].kind == "" {
			return
		}
		e = event{ticket: sh.progress.begin(0)}
	}
	if e.kind != "" {
		l.held++
	}
	one.queue = append(one.queue, e)
}

// clear forgets what waits; nobody is at work.
func (l *lanes) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byChannel, l.held, l.full = map[string]*lane{}, 0, false
}

// waiting returns the channels that have something in their lanes.
func (l *lanes) waiting() (list []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for channel := range l.byChannel {
		list = append(list, channel)
	}
	return list
}

// overrun reports whether events were dropped because too many waited, and still do.
func (l *lanes) overrun() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.full
}

// next takes the first event of a lane, or ends it.
func (l *lanes) next(channel string, one *lane) (e event, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(one.queue) == 0 {
		delete(l.byChannel, channel)
		return e, false
	}
	e = one.queue[0]
	one.queue = one.queue[1:]
	if e.kind != "" {
		l.held--
	}
	l.full = l.full && l.held > maxQueued/2
	return e, true
}

// work goes through a lane until it is empty.
func (sh *shard) work(ctx context.Context, channel string, one *lane) {
	defer sh.lanes.work.Done()
	for ctx.Err() == nil {
		e, ok := sh.lanes.next(channel, one)
		if !ok {
			return
		}
		if e.kind == "" {
			sh.catchUp(ctx, channel)
			sh.pass(ctx, arrival{ticket: e.ticket})
			continue
		}
		sh.pass(ctx, sh.understand(ctx, channel, e))
	}
}

// pass hands something to the store.
func (sh *shard) pass(ctx context.Context, item arrival) {
	select {
	case sh.queue <- item:
	case <-ctx.Done():
	}
}

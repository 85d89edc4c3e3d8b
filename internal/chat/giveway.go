package chat

import (
	"context"
	"fmt"
	"slices"

	"parley/internal/text/catalog"
)

// errGaveWay is the cause of a Handler context whose message lets others pass. For a Handler
// it is like a shutdown: the message is handled again.
var errGaveWay = fmt.Errorf("others go first: %w", ErrDraining)

// mostGiven is how often one message lets others pass. After that they wait in order, so that
// it is answered at last.
const mostGiven = 10

// Failing says whether what the message of ctx waits for, such as a model, fails for now.
// While it does, messages behind it that can do without (HubOptions.Alone) go first: ctx ends
// as in a shutdown, and the Handler is called again for this one after them, with Attempt 1.
func Failing(ctx context.Context, fails bool) {
	if note := handlingOf(ctx).failing; note != nil {
		note(fails)
	}
}

// Alone reports whether the message of ctx has passed one that waits for what fails: it should
// not ask for that, too.
func Alone(ctx context.Context) bool { return handlingOf(ctx).alone }

// Kept returns what first returned when it was called for the message of ctx, however often
// that is handled in this process. It is not safe for several goroutines.
func Kept[T any](ctx context.Context, first func() T) T {
	kept := handlingOf(ctx).kept
	if kept == nil {
		return first()
	}
	if _, ok := (*kept).(T); !ok {
		*kept = first()
	}
	return (*kept).(T)
}

// hurdle is a message whose answer waits for what fails.
type hurdle struct {
	shown *live
	given int // how often it let others pass
}

// failing returns what notes that the message at work in a lane waits for what fails; nil for
// a lane where nobody passes.
func (h *Hub) failing(l *lane, j *job, shown *live) func(bool) {
	if h.o.Alone == nil || l.beside {
		return nil
	}
	given := j.given
	return func(fails bool) {
		h.mu.Lock()
		defer h.mu.Unlock()
		l.hurdle = nil
		if fails && given < mostGiven {
			l.hurdle = &hurdle{shown, given}
			h.beckon(l)
		}
	}
}

// beckon looks for those in a lane that may pass. The caller holds mu.
func (h *Hub) beckon(l *lane) {
	if l.hurdle != nil && len(l.queue) > 0 && !h.closed {
		h.idle.Add(1)
		go h.giveWay(l)
	}
}

// giveWay cancels the message at work in a lane for those that may pass, unless something of
// its answer is to be read already.
func (h *Hub) giveWay(l *lane) {
	defer h.idle.Done()
	h.mu.Lock()
	at, queue := l.hurdle, slices.Clone(l.queue)
	h.mu.Unlock()
	var rows []int64
	for _, j := range queue {
		if j.do == nil && h.goesAlone(j.m) {
			rows = append(rows, j.m.Row)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(rows) == 0 || at == nil || l.hurdle != at || l.cancel == nil || at.shown.speaks() {
		return
	}
	l.let = append(l.let, rows...)
	l.cancel(errGaveWay)
}

// goesAlone reports whether a message needs nothing of what another one waits for.
func (h *Hub) goesAlone(m Message) bool {
	if m.Kind != KindText && m.Kind != KindCommand || !m.Addressed {
		return false
	}
	m.Agent = h.o.Agent(m)
	return h.o.Alone(catalog.With(h.ctx, h.speak(m)), m)
}

// stepBack puts a message that gave way behind those that pass. Any other unfinished one is
// left to the next process.
func (h *Hub) stepBack(l *lane, j job) {
	if !j.gave || h.ctx.Err() != nil {
		h.lose(j)
		return
	}
	if j.loose { // it is found there again, also where this lane is emptied
		h.lose(j)
		j.m.Preview, j.loose = "", false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var pass, stay []job
	for _, q := range l.queue {
		if q.do == nil && slices.Contains(l.let, q.m.Row) {
			q.alone = true
			pass = append(pass, q)
			continue
		}
		stay = append(stay, q)
	}
	l.let, j.gave, j.read = nil, false, nil
	j.given++
	j.m.Attempt, j.m.Begun = max(j.m.Attempt, 1), true // what was done before counts, as after a restart
	l.queue = slices.Concat(pass, []job{j}, stay)
	h.waiting++ // it waits again
}

package chat

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/text/catalog"
)

// HubOptions wires a Hub. Inbox, Outbox, Handler and Adapters are required.
type HubOptions struct {
	Inbox    Inbox
	Outbox   Outbox
	Handler  Handler
	Adapters []Adapter
	Log      *slog.Logger // nil discards
	Node     Node         // this process among others; nil is alone
	Previews Previews     // of this process, for the next one; nil notes none

	Bounds
	// RepeatUnknown says whether a part whose outcome is unknown is sent
	// again. Only platforms without idempotent sends are asked about.
	RepeatUnknown bool
	// Pace says which messages of its conversation a message waits for. It must not
	// block; nil is InOrder for all.
	Pace func(m Message) Pace
	// Alone reports whether a message needs nothing of what an earlier one may wait for
	// (Failing). It may read a row; nil is none.
	Alone func(ctx context.Context, m Message) bool
	Authors
	// Ahead reads what the Handler needs first; nil reads nothing. See Ahead.
	Ahead func(ctx context.Context, m Message) any
	Closings
	// Failpoint is called with each crash point's name; tests kill the process
	// there. nil outside tests.
	Failpoint func(point string)
	// Sent is called once a part was sent, with its text; nil ignores it. It must not block.
	Sent func(p Part)
	// Observe is called for every finished message; nil ignores it. It must not
	// block.
	Observe func(Event)
}

// Bounds limit how much work is taken on.
type Bounds struct {
	// QueuePerLane is how many messages may wait behind the one being
	// answered; the next one is refused. 0 means 10.
	QueuePerLane int
	// Backlog is how many waiting messages, over all lanes, make Room block.
	// 0 means 2000.
	Backlog int
	// AtOnce is how many messages are answered at once, most of them waiting for a
	// model; the others stay in their lanes. 0 means 128.
	AtOnce int
	// TurnTimeout bounds one Handle call; 0 means no bound.
	TurnTimeout time.Duration
}

// Authors answers questions about who writes.
type Authors struct {
	// Agent returns who answers a message; nil is the only one there is. It may
	// read a row.
	Agent func(m Message) Agent
	// Speak returns the language for m's author. It may read a row; nil is English
	// for all.
	Speak func(ctx context.Context, m Message) catalog.Printer
	// Reached reports whether m's author reads their direct chat on m's platform: a private
	// answer then needs no word in company. nil knows nobody.
	Reached func(ctx context.Context, m Message) bool
	// MayStop reports whether m may cancel the answer to running, in the same
	// conversation. It may ask the platform; nil allows whoever asked running.
	MayStop func(ctx context.Context, m, running Message) bool
}

// Event is one thing the Hub did, for counting.
type Event struct {
	Name    string // answered, shed, taken back, failed, dead, sent, kept, unknown, repeated, waits
	Key     Key
	From    User          // who wrote the message; "answered" only
	Took    time.Duration // of an answer; for waits, until the next attempt
	Outcome Outcome       // of a message; "" for events that end none
	Err     error         // why a part waits
}

// Hub gives every conversation one lane. A lane is a queue and, only while
// that queue is worked on, one goroutine.
type Hub struct {
	o     HubOptions
	ctx   context.Context // ends when draining gives up on running turns
	abort context.CancelCauseFunc

	mu      sync.Mutex // guards what follows and every lane's fields
	lanes   map[Key]*lane
	beside  map[Key]*lane // what is answered beside the lane of its conversation
	outlets map[Key]*outlet
	outages map[string]*outage       // one for each platform; never changed
	shows   map[string]chan struct{} // one for each platform; holds a token for each call under way
	stile   *turnstile               // bounds the messages answered in order
	strays  strays
	backlog
	aheads map[Key]*ahead
	closed bool
	idle   sync.WaitGroup // one per running lane
	lives  atomic.Int64   // how often Abandon was called; no lock guards it
	// stuckAt is until when nothing, or nothing soon, could be stored, in Unix's nanoseconds;
	// no lock guards it.
	stuckAt atomic.Int64
}

type backlog struct {
	waiting int           // messages queued or running, over all lanes
	room    chan struct{} // closed and replaced when waiting falls below Bounds.Backlog
}

// lane is one conversation at work.
type lane struct {
	key    Key
	row    int64 // of the message that is being worked on
	queue  []job
	cancel context.CancelCauseFunc // of the running Handle call; nil in between
	asked  Message                 // what the running Handle call answers
	shed   bool                    // the busy notice was given for this burst
	beside bool                    // what is in here only reads
	slow   bool                    // what is being done may take long
	unseen bool                    // and does not show that by itself
	calm   bool                    // the lane only has stored parts left to send
	held   *live                   // typing, for the first who waits; nil for none
	place  *place                  // of the message being worked on, or waiting for its place; nil for none
	parked bool                    // the first of queue waits for it
	hurdle *hurdle                 // the message being worked on, while what it waits for fails; nil otherwise
	let    []int64                 // rows of the messages that pass it
	had    int64                   // life (Hub.lives) + 1 in which this process last surely owned the conversation; 0 for none
}

// job is one thing to do in a lane: a message, or a piece of work.
type job struct {
	m    Message
	disk *onDisk // nil is on it
	read *ahead  // nil is nothing
	pace Pace
	// loose is true if m.Preview stands and the journal may not know of it.
	loose bool
	do    func(ctx context.Context) // when not nil, m is not a message
	gave  bool                      // it lets others pass
	given int                       // how often it did
	alone bool                      // it passed another one
	kept  any                       // see Kept
	// waited is true of what was not put into its lane as soon as it was written.
	waited bool
}

// NewHub makes a Hub. Nothing runs before Recover or Deliver.
func NewHub(o HubOptions) *Hub {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.QueuePerLane = cmp.Or(o.QueuePerLane, 10)
	o.Backlog = cmp.Or(o.Backlog, 2000)
	o.AtOnce = cmp.Or(o.AtOnce, 128)
	if o.Failpoint == nil {
		o.Failpoint = func(string) {}
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	if o.Sent == nil {
		o.Sent = func(Part) {}
	}
	if o.MayStop == nil {
		o.MayStop = func(_ context.Context, m, running Message) bool { return m.From.ID == running.From.ID }
	}
	if o.Speak == nil {
		o.Speak = func(context.Context, Message) catalog.Printer { return catalog.Printer{} }
	}
	if o.Pace == nil {
		o.Pace = func(Message) Pace { return InOrder }
	}
	if o.Agent == nil {
		o.Agent = func(Message) Agent { return Agent{} }
	}
	o.Adapters = Fence(o.Log, o.Adapters...)
	h := &Hub{o: o, lanes: map[Key]*lane{}, beside: map[Key]*lane{}, outlets: map[Key]*outlet{}, outages: map[string]*outage{},
		shows: map[string]chan struct{}{}, backlog: backlog{room: make(chan struct{})}, aheads: map[Key]*ahead{},
		stile: &turnstile{most: workAtOnce, all: o.AtOnce, soon: workSoon * runtime.GOMAXPROCS(0), patience: workPatience}}
	for _, a := range o.Adapters {
		h.outages[a.Platform()] = &outage{over: make(chan struct{})}
		h.shows[a.Platform()] = make(chan struct{}, showsAtOnce)
	}
	h.ctx, h.abort = context.WithCancelCause(context.Background())
	context.AfterFunc(h.ctx, h.stile.open)
	h.stuck()
	return h
}

// Recover continues what an earlier process left: unsent parts first, then
// unfinished messages. Call it once, before any adapter runs.
func (h *Hub) Recover(ctx context.Context) error {
	if err := h.Reclaim(ctx); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	left, err := h.o.Inbox.Left(ctx)
	if err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	if err := h.TakeUp(ctx, left); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	return nil
}

// Deliver implements Intake.
func (h *Hub) Deliver(ctx context.Context, b Batch) error {
	disk := &onDisk{over: make(chan struct{})}
	defer h.readAhead(b)()
	began := time.Now()
	b.Taken = func(fresh []Message) {
		if time.Since(began) > slowly {
			h.stuck()
		}
		if len(b.Messages) > 0 {
			h.o.Failpoint("after_inbox_commit")
		}
		h.taken(disk, fresh)
	}
	_, err := h.o.Inbox.Accept(ctx, b)
	disk.settle(err)
	if err != nil {
		h.stuck()
		return fmt.Errorf("accept: %w", err)
	}
	return nil
}

// Room implements Intake.
func (h *Hub) Room(ctx context.Context) error {
	for {
		h.mu.Lock()
		full, room := h.waiting >= h.o.Backlog, h.room
		h.mu.Unlock()
		if !h.mayAct() {
			return ErrFenced
		}
		if !full {
			return ctx.Err()
		}
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Cursors implements Intake.
func (h *Hub) Cursors(ctx context.Context, platform string) (map[string]string, error) {
	return h.o.Inbox.Cursors(ctx, platform)
}

// Do runs fn in the conversation's lane, after what waits there. No message of the
// conversation runs meanwhile, except Beside ones while fn is InOrder. fn's context ends
// when draining gives up. Do returns at once; false means shutting down.
func (h *Hub) Do(k Key, pace Pace, fn func(ctx context.Context)) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.push(k, job{m: Message{Key: k}, pace: pace, do: fn})
}

// Flush sends what the outbox holds for a conversation, in its lane. Call it after
// storing parts outside a Handler, such as a reminder's.
func (h *Hub) Flush(k Key) { h.Do(k, Quick, func(context.Context) { h.flush(k) }) }

// Active returns the number of conversations at work and of messages waiting.
func (h *Hub) Active() (lanes, messages int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.lanes), h.waiting
}

// Busy reports whether a conversation has work; cron skips those.
func (h *Hub) Busy(k Key) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lanes[k] != nil
}

// Rests reports whether nothing at all is under way in a conversation.
func (h *Hub) Rests(k Key) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lanes[k] == nil && h.beside[k] == nil
}

// enqueue puts messages into their lanes, all under one lock, so that an edit that
// arrived with its message is there when the message is handled. A message is
// shed when too many wait in its lane, unless it was scheduled: nobody would send it again.
func (h *Hub) enqueue(disk *onDisk, messages []Message) {
	type refused struct {
		m     Message
		first bool
	}
	var full []refused
	h.mu.Lock()
	for _, m := range messages {
		pace := h.o.Pace(m)
		l := h.besideLane(m, pace)
		if l == nil {
			l = h.lanes[m.Key]
		}
		if l != nil && h.full(l, h.waited(m)) && !m.Unasked && !sameAlbum(l.queue[len(l.queue)-1].m, m) {
			full = append(full, refused{m, !l.shed})
			l.shed = true
			continue
		}
		h.push(m.Key, job{m: m, disk: disk, pace: pace, waited: h.waited(m)})
	}
	h.mu.Unlock()
	for _, r := range full {
		h.shed(r.m, r.first)
	}
}

// push queues a job and starts the lane's goroutine if it has none. The caller holds mu.
func (h *Hub) push(k Key, j job) bool {
	if h.closed {
		return false // the journal has it; the next process takes it up
	}
	l := h.besideLane(j.m, j.pace)
	if l == nil {
		l = h.lanes[k]
	}
	if l == nil {
		l = &lane{key: k}
	}
	if h.o.Node != nil && l.has(j.m.Row) {
		return true
	}
	h.add(l, j)
	if j.do == nil {
		h.waiting++
	}
	return true
}

// add puts a job into a lane; the first job starts the lane. The caller holds mu.
func (h *Hub) add(l *lane, j job) {
	j.read = h.foreseen(l, j)
	if all := h.ofKind(l); all[l.key] != l {
		all[l.key] = l
		h.idle.Add(1)
		go h.run(l)
	}
	l.queue = append(l.queue, j)
	h.hold(l)
	h.beckon(l)
}

// ofKind returns the map that a lane belongs to.
func (h *Hub) ofKind(l *lane) map[Key]*lane {
	if l.beside {
		return h.beside
	}
	return h.lanes
}

// shed finishes a message unanswered; the first of a burst says why.
func (h *Hub) shed(m Message, first bool) {
	var a Answer
	if m.Addressed {
		a.Record = End{Outcome: Shed}
		if first {
			a.Text = h.speak(m).Text("I'm still working on your earlier messages. Please wait for those answers and send this again.")
		}
	}
	h.o.Observe(Event{Name: "shed", Key: m.Key, Outcome: Ending(m, a.Text != "", a.Record).Outcome})
	parts := h.parts(m, a)
	if h.finish(m, parts, a.Record) && len(parts) > 0 {
		h.Flush(m.Key)
	}
	h.done(m)
}

// run works through a lane until it is empty or its next message must wait for a place.
func (h *Hub) run(l *lane) {
	defer h.idle.Done()
	roomy()
	for j, ok := h.next(l); ok; j, ok = h.next(l) {
		if revised, ok := h.revise(l, j.m); j.do == nil && !ok {
			h.drop(revised)
		} else {
			j.m = h.gather(l, revised, j.disk)
			h.work(l, j)
		}
		l.place.leave()

		h.mu.Lock()
		l.row, l.slow, l.place, l.calm = 0, false, nil, false
		if len(l.queue) == 0 {
			l.shed = false
		}
		if j.do == nil {
			h.waiting--
			h.makeRoom()
		}
		h.mu.Unlock()
	}
}

// next takes the next job out of a lane. false means that there is none, or none yet:
// then another goroutine continues the lane.
func (h *Hub) next(l *lane) (j job, ok bool) {
	h.mu.Lock()
	if l.parked = false; len(l.queue) == 0 || h.ctx.Err() != nil || h.leaves() {
		h.waiting -= countMessages(l.queue)
		delete(h.ofKind(l), l.key)
		h.makeRoom()
		h.mu.Unlock()
		l.place.leave()
		h.left(l.key)
		return j, false
	}
	defer h.mu.Unlock()
	j = l.queue[0]
	if l.slow = j.pace == InOrder; l.slow && !l.beside {
		h.letPass(l)
	}
	if l.place == nil && !passes(j) {
		if l.place, ok = h.stile.enter(func() { go h.run(l) }); !ok {
			l.parked = true
			h.idle.Add(1)
			return j, false
		}
	}
	l.queue = l.queue[1:]
	l.row, l.calm = j.m.Row, false
	return j, true
}

// behind counts the messages behind the one being answered, or behind the next one.
func (l *lane) behind() int {
	n := countMessages(l.queue)
	if l.parked {
		n--
	}
	return n
}

// turn makes the context of one Handle call, which /stop can cancel. Call end when the
// Handler has returned.
func (h *Hub) turn(l *lane, m Message) (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(catalog.With(h.ctx, h.speak(m)))
	arm := func(c context.CancelCauseFunc) {
		h.mu.Lock()
		l.cancel, l.asked, l.hurdle = c, m, nil
		h.mu.Unlock()
	}
	arm(cancel)
	return ctx, func() { arm(nil); cancel(nil) }
}

func (h *Hub) speak(m Message) catalog.Printer { return h.o.Speak(h.ctx, m) }

func countMessages(queue []job) (n int) {
	for _, j := range queue {
		if j.do == nil {
			n++
		}
	}
	return n
}

// makeRoom wakes the callers waiting in Room. The caller holds mu.
func (h *Hub) makeRoom() {
	if h.waiting < h.o.Backlog {
		close(h.room)
		h.room = make(chan struct{})
	}
}

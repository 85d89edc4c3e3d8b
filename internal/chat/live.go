package chat

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

// How an unfinished answer is shown. Typing starts within 500 ms, except for
// answers that are there at once, and is repeated before it expires on Telegram
// (5 s) or Discord (10 s).
const (
	firstTyping  = 300 * time.Millisecond
	typingEvery  = 4 * time.Second
	firstPreview = 700 * time.Millisecond
)

// live shows one answer while it grows: typing until there is text, then a preview
// redrawn at the pace the platform allows. It is a Reply. Its one goroutine starts when
// there is something to show, and ends with stop.
type live struct {
	h    *Hub
	m    Message
	disk *onDisk // nothing is shown before m is on it

	mu     sync.Mutex // guards text, status, tools, id and loose
	text   strings.Builder
	status string
	tools  []string // running now
	id     string   // of the preview; "" while there is none
	loose  bool     // the journal may not know of the preview

	wake  chan struct{} // holds one token when there is something new to draw
	begin sync.Once
	first *time.Timer // of the goroutine; nil without one
	done  chan struct{}
	ctx   context.Context // of the show
	quit  context.CancelFunc
}

// startLive begins to show that the message of j is being answered. Messages nobody waits
// for get a Reply that shows nothing until Await is called.
func startLive(ctx context.Context, h *Hub, j job) *live {
	l := &live{h: h, m: j.m, disk: j.disk, id: j.m.Preview, loose: j.loose, wake: make(chan struct{}, 1), done: make(chan struct{})}
	l.ctx, l.quit = context.WithCancel(ctx)
	if j.m.expected() {
		l.Await()
	}
	return l
}

// Await implements Awaiter: it begins to show, once.
func (l *live) Await() {
	l.begin.Do(func() {
		adapter := l.h.adapter(l.m.Key.Platform)
		if adapter == nil {
			close(l.done)
			return
		}
		l.first = time.AfterFunc(firstTyping, func() {
			defer close(l.done)
			l.show(l.ctx, adapter)
		})
	})
}

// stop ends the show. After it returns nothing more is drawn, so that no preview lands
// after the final text.
func (l *live) stop() {
	l.quit()
	l.begin.Do(func() { close(l.done) }) // it never began
	if l.first == nil || !l.first.Stop() {
		<-l.done
	}
}

// left reports whether a preview stands where people see it.
func (l *live) left() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.id != ""
}

// leaves returns the id of the preview that stands where people see it, "" for none, and
// whether the journal may not know of it. The show is over.
func (l *live) leaves() (id string, loose bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.id, l.loose
}

func (l *live) Text(delta string) {
	l.mu.Lock()
	l.text.WriteString(delta)
	l.mu.Unlock()
	l.poke()
}

func (l *live) Status(note string) {
	l.mu.Lock()
	l.status = note
	l.mu.Unlock()
	l.poke()
}

func (l *live) Reset() {
	l.mu.Lock()
	l.text.Reset()
	l.mu.Unlock()
}

// speaks reports whether something of the answer is there to be read.
func (l *live) speaks() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Len() > 0
}

func (l *live) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *live) picture() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text.Len() > 0 {
		return l.text.String()
	}
	return l.status
}

// show alternates typing and previews, from firstTyping on until ctx ends.
func (l *live) show(ctx context.Context, adapter Adapter) {
	if l.disk.wait(ctx) != nil {
		return
	}
	typing := time.NewTimer(0)
	defer typing.Stop()
	draw := time.NewTimer(firstPreview - firstTyping)
	defer draw.Stop()
	var (
		id    = l.m.Preview
		noted = id != "" && !l.loose // in the journal
		shown string
		ready bool // the pace allows a preview
		fresh bool // there is something new
	)
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
			fresh = true
		case <-draw.C:
			ready = true
		case <-typing.C:
			if !l.turn() {
				return
			}
			err := adapter.Typing(ctx, l.m)
			l.over()
			if !errors.Is(err, ErrPanic) {
				typing.Reset(max(typingEvery, silence(err)))
			}
			continue
		}
		if !ready || !fresh {
			continue
		}
		if !l.turn() {
			return
		}
		text := l.picture()
		fresh = false
		if strings.TrimSpace(text) == "" || text == shown {
			l.over()
			continue
		}
		newID, wait, err := l.draw(ctx, adapter, id, text)
		l.over()
		if err == nil && newID != "" && newID != id {
			id, noted = newID, false
		}
		if !noted && id != "" {
			noted = l.remember(ctx, id)
		}
		if shown, ready = text, false; errors.Is(err, ErrPanic) {
			continue // for good: it would with more text, too
		}
		draw.Reset(max(wait, silence(err), 50*time.Millisecond))
	}
}

// remember stores a preview's id, even if the turn has ended meanwhile: nobody could finish
// the preview otherwise. false means that the journal could not take it, and may later. It is
// noted before in this process' own place: a journal that is away is waited for.
func (l *live) remember(ctx context.Context, id string) (over bool) {
	l.mu.Lock()
	l.id, l.loose = id, true
	l.mu.Unlock()
	l.h.o.Failpoint("before_preview_noted")
	l.h.note(previewOf(l.m, id))
	l.h.o.Failpoint("after_preview_noted")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), firstDraw)
	defer cancel()
	err := l.h.o.Outbox.Previewed(ctx, l.m, id)
	if err != nil {
		l.h.o.Log.Warn("remember preview", "err", err)
	}
	l.mu.Lock()
	l.loose = err != nil
	l.mu.Unlock()
	return err == nil || errors.Is(err, ErrFenced)
}

// showsAtOnce is how many previews and typing calls may be under way to one platform.
// Answers must get through beside them: a preview helps nobody if the answer waits behind
// a thousand of these.
const showsAtOnce = 12

// turn waits for a free call to the platform. false means that nothing more is shown, or
// nothing may be; otherwise the caller calls over.
func (l *live) turn() bool {
	select {
	case l.h.shows[l.m.Key.Platform] <- struct{}{}:
	case <-l.ctx.Done():
		return false
	}
	if l.ctx.Err() == nil && l.h.mayAct() {
		return true
	}
	l.over()
	return false
}

func (l *live) over() { <-l.h.shows[l.m.Key.Platform] }

// firstDraw bounds the call that creates a preview; one that a slower platform makes later
// stays unfinished.
const firstDraw = 15 * time.Second

// lastDraw is how long an answer waits for the edit of its preview that is on the wire. A
// request that is cut off may still reach the platform, and put half of the answer over all
// of it.
const lastDraw = 2 * time.Second

// draw shows the text. The call that creates the preview is not cancelled when
// the answer is ready: a message whose id was never seen could not be finished.
func (l *live) draw(ctx context.Context, adapter Adapter, id, text string) (string, time.Duration, error) {
	drawn, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if id == "" {
		defer time.AfterFunc(firstDraw, cancel).Stop()
	} else {
		defer context.AfterFunc(ctx, func() { time.AfterFunc(lastDraw, cancel) })()
	}
	return adapter.Preview(drawn, l.m, id, Seen(text))
}

// silence returns how long an error asks us to wait; 0 if it does not.
func silence(err error) time.Duration {
	var w *WaitError
	if errors.As(err, &w) {
		return w.After
	}
	return 0
}

// Worker is a Reply that can show which tools are running.
type Worker interface {
	// Work reports that a tool begins, or ends.
	Work(tool string, begins bool)
}

// Work tells w that a tool is running until done is called, which also clears what the
// tool said about itself (Reply.Status).
func Work(w Reply, tool string) (done func()) {
	worker, ok := w.(Worker)
	if ok {
		worker.Work(tool, true)
	}
	return func() {
		if ok {
			worker.Work(tool, false)
		}
		w.Status("")
	}
}

// Watcher is an Adapter that can show what runs for an answer. Elsewhere people see
// typing.
type Watcher interface {
	// Watch shows that these tools, by name, run for m; none means the model. It must not
	// block.
	Watch(m Message, tools []string)
}

func (l *live) Work(tool string, begins bool) {
	w, ok := As[Watcher](l.h.adapter(l.m.Key.Platform))
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if begins {
		l.tools = append(l.tools, tool)
	} else if i := slices.Index(l.tools, tool); i >= 0 {
		l.tools = slices.Delete(l.tools, i, i+1)
	}
	w.Watch(l.m, slices.Clone(l.tools))
}

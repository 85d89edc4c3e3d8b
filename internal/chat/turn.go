package chat

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"syscall"
	"time"

	"parley/internal/text"
)

// maxAttempts is how many processes may die over the same message before the hub
// gives it up with a notice, so that it does not kill the next process too.
const maxAttempts = 10

// work does one job; a panic ends the job, not the process.
func (h *Hub) work(l *lane, j job) {
	if j.do != nil {
		if !h.owns(l) {
			return
		}
		defer h.unseen(l)()
		h.fenced(j.m.Key, j.do)
		return
	}
	began := time.Now()
	if !h.mayAct() {
		h.lost(j.m.Key)
		return // whoever has it next finds it
	}
	j.m.Agent = h.o.Agent(j.m)
	h.strays.take(&j)
	answer, ok := h.answer(l, &j)
	if !ok {
		h.stepBack(l, j)
		return // it is unfinished in the inbox
	}
	h.o.Failpoint("before_finish")
	parts := replacing(j.m, h.parts(j.m, answer))
	closed := h.triedAgain(j.m)
	if len(parts) > 0 && !closed {
		parts[0].Started = h.startsWith(j.m, parts[0]) // it is sent next, which saves a commit
	}
	sent, life := h.sending(j.m.Key), h.lives.Load()
	if !h.finish(j.m, parts, answer.Record) {
		h.lose(j)
		sent()
		return
	}
	h.finished(j.m, parts)
	h.o.Failpoint("after_finish")
	h.ended(j.m, says(parts), answer.Record, time.Since(began))
	var after func(context.Context)
	if a, ok := answer.Record.(Aftercare); ok {
		after = a.After()
	}
	h.calm(l, after == nil)
	here := h.elsewhere(j.m.Key, parts)
	if !closed && h.deliverAll(j.m.Key, here, l.place, life) {
		l.had = life + 1
	} else {
		h.calm(l, false)
	}
	sent()
	if closed {
		h.flush(j.m.Key)
	}
	h.done(j.m)
	l.place.leave()
	if after != nil {
		defer h.unseen(l)()
		h.fenced(j.m.Key, after)
	}
}

// answer handles a message, again while no file can be opened for it. ok is false if the
// process ends meanwhile.
func (h *Hub) answer(l *lane, j *job) (a Answer, ok bool) {
	a, err := h.handle(l, j)
	for wait := firstRetry; crowded(err); wait = min(2*wait, lastRetry) {
		h.o.Log.Warn("a message waits", "conversation", j.m.Key.String(), "for", wait, "err", err)
		if !Sleep(h.ctx, wait) || !h.mayAct() {
			return a, false
		}
		j.m.Attempt = max(j.m.Attempt, 1) // what was done before counts, as after a restart
		a, err = h.handle(l, j)
	}
	if errors.Is(err, ErrDraining) {
		j.gave = errors.Is(err, errGaveWay)
		return a, false
	}
	if err != nil {
		a = h.failed(j.m, err)
	}
	return a, true
}

// crowded reports whether nothing but a file that could not be opened kept a message from
// being handled: others have all there are, for a while.
func crowded(err error) bool { return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) }

// fenced runs work that is not a message; a panic ends the work, not the process.
func (h *Hub) fenced(k Key, do func(context.Context)) {
	_ = guard(h.o.Log, "the lane of "+k.String(), func() error { do(h.ctx); return nil }) // it was logged
}

// done tells a TurnTaker that a message is over, with or without an answer. The terminal
// then reads its next line.
func (h *Hub) done(m Message) {
	if d, ok := As[TurnTaker](h.adapter(m.Key.Platform)); ok {
		d.Done(m)
	}
}

// handle calls the Handler with a live preview and a deadline; its panic is an error. j then
// knows what preview is left.
func (h *Hub) handle(l *lane, j *job) (a Answer, err error) {
	m := j.m
	if m.Attempt >= maxAttempts {
		h.o.Observe(Event{Name: "dead", Key: m.Key})
		return Answer{Text: h.speak(m).Text("I could not finish an answer to this, even after several tries. Please put it another way."), Record: End{Outcome: Failed, Reason: GivenUp}}, nil
	}
	ctx, end := h.turn(l, m)
	defer end()
	shown := func() bool { return m.Preview != "" }
	defer func() {
		switch cause := context.Cause(ctx); {
		case err == nil:
		case errors.Is(cause, errGaveWay):
			err = errGaveWay
		case errors.Is(cause, ErrDraining):
			err = ErrDraining
		case errors.Is(cause, ErrStopped): // before the answer was begun: what was asked of the database ends, too
			a, err = h.halted(m, cause), nil
		}
		a, err = quietly(ctx, a, err, shown())
	}()
	if h.o.TurnTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, h.o.TurnTimeout)
		defer cancel()
	}
	if !m.expected() {
		defer h.unseen(l)()
	}
	live := startLive(ctx, h, *j)
	shown = live.left
	defer func() {
		live.stop()
		j.m.Preview, j.loose = live.leaves()
	}()
	known := &handling{disk: j.disk, read: j.read, place: l.place, node: h.o.Node,
		failing: h.failing(l, j, live), alone: j.alone, kept: &j.kept}
	err = guard(h.o.Log, "the answer in "+m.Key.String(), func() (err error) {
		a, err = h.o.Handler.Handle(known.within(ctx), m, live)
		return err
	})
	return a, err
}

// halted is the answer to a message that its person stopped or took back.
func (h *Hub) halted(m Message, cause error) Answer {
	if errors.Is(cause, ErrTakenBack) {
		return Answer{Record: End{Outcome: Stopped, Reason: TakenBack}}
	}
	return Answer{Text: h.speak(m).Text(wordsStopped), Record: End{Outcome: Stopped}}
}

const saysFault = "Something went wrong on my side. Please try again; if it keeps happening, tell my owner the number %s."

// failed turns an error into one sentence with the id of the log line that has the
// details.
func (h *Hub) failed(m Message, err error) Answer {
	id := ErrorID()
	h.o.Observe(Event{Name: "failed", Key: m.Key})
	h.o.Log.Error("a message failed", "id", id, "conversation", m.Key.String(), "err", err)
	a := Answer{Record: End{Outcome: Failed, Reason: Fault, ErrorID: id, Fault: err.Error()}}
	if m.Addressed {
		a.Text = h.speak(m).Say(saysFault, id)
	}
	return a
}

// ended reports how a message ended. The log line has nobody's words; for what was only
// overheard it is at debug level, because a busy group would fill the log.
func (h *Hub) ended(m Message, said bool, record any, took time.Duration) {
	end := Ending(m, said, record)
	h.o.Observe(Event{Name: "answered", Key: m.Key, From: m.From, Took: took, Outcome: end.Outcome})
	level := slog.LevelInfo
	if end.Outcome == Overheard {
		level = slog.LevelDebug
	}
	about := []any{"from", m.From.ID, "in", m.Key.String(), "outcome", string(end.Outcome), "took", took.Round(time.Millisecond)}
	for name, value := range map[string]string{"reason": string(end.Reason), "command": end.Command, "id": end.ErrorID} {
		if value != "" {
			about = append(about, name, value)
		}
	}
	h.o.Log.Log(context.Background(), level, "message", about...)
}

// ErrorID returns a short random name under which a log line is found again.
func ErrorID() string { return rand.Text()[:8] }

// finish is durable moment 2. A disk that is full for a while loses no answer.
func (h *Hub) finish(m Message, parts []Part, record any) bool {
	ctx := context.WithoutCancel(h.ctx)
	return h.lasting(m.Key, "finish", func() error {
		err := h.o.Inbox.Finish(ctx, m, parts, record)
		if errors.Is(err, ErrRecord) {
			// Trying again would block this conversation forever.
			h.o.Log.Error("a record is lost", "conversation", m.Key.String(), "err", err)
			err = h.o.Inbox.Finish(ctx, m, parts, nil)
		}
		return err
	})
}

// lasting repeats a write to the journal until it succeeds. It returns false when the
// process shuts down first, or another process owns the conversation.
func (h *Hub) lasting(k Key, what string, do func() error) bool {
	return h.repeating(k, what, seldom, do)
}

// seldom is how often a write to the journal is tried at least while it fails, and logged.
const seldom = 5 * time.Second

// repeating is lasting for what is tried at least so often.
func (h *Hub) repeating(k Key, what string, often time.Duration, do func() error) bool {
	logged := time.Time{}
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, often) {
		err := do()
		switch {
		case err == nil:
			return true
		case errors.Is(err, ErrFenced):
			h.o.Log.Warn(what+": another process has this conversation", "conversation", k.String())
			h.lost(k)
			return false
		}
		if wait < often || time.Since(logged) >= seldom {
			h.o.Log.Error(what+" failed, will try again", "conversation", k.String(), "err", err)
			logged = time.Now()
		}
		if !Sleep(h.ctx, wait) {
			return false
		}
	}
}

// parts cuts an answer into outbox rows.
func (h *Hub) parts(m Message, a Answer) []Part {
	adapter := h.adapter(m.Key.Platform)
	if adapter == nil {
		return nil
	}
	way := h.pieces
	if a.Private && !m.Direct {
		way = h.aside
	}
	parts := way(adapter, m, a)
	if d, ok := As[Deferrer](adapter); ok && len(parts) == 0 && d.Defers(m) {
		parts = []Part{{Key: m.Key, To: m.From, Origin: m.Origin}}
	}
	return parts
}

// says reports whether there is anything to read in parts.
func says(parts []Part) bool {
	return slices.ContainsFunc(parts, func(p Part) bool { return p.Text != "" || len(p.Files) > 0 })
}

// maxParts is how many messages one answer may take; a longer one is sent as a
// file.
const maxParts = 10

// maxSplit is how many bytes of an answer are split to count its parts: more than maxParts
// messages on any platform.
const maxSplit = 512 << 10

// pieces returns the parts of an answer that goes where m was written.
func (h *Hub) pieces(adapter Adapter, m Message, a Answer) []Part {
	whole := Seen(a.Text)
	head := text.ClipBytes(whole, maxSplit)
	texts := adapter.Split(head)
	if len(texts) <= maxParts && len(head) < len(whole) {
		texts = adapter.Split(whole)
	}
	if len(texts) > maxParts {
		texts = []string{texts[0], h.speak(m).Text("That was the beginning. The whole answer is in this file.")}
		file := File{Name: "answer.md", MIME: "text/markdown", Size: int64(len(whole)), Data: []byte(whole)}
		a.Files = append([]File{file}, a.Files...)
	}
	if len(texts) == 0 && len(a.Files) > 0 {
		texts = []string{""}
	}
	parts := make([]Part, len(texts))
	for i, text := range texts {
		parts[i] = Part{Key: m.Key, Index: i, Text: text, To: m.From, Origin: m.Origin}
	}
	if len(parts) > 0 {
		switch {
		case slices.Contains([]Kind{KindButton, KindEdit, KindAdded}, m.Kind):
			parts[0].ReplyTo = m.ReplyTo
		case m.Kind == KindDeleted, m.Hook != "": // to nothing that is there
		default:
			parts[0].ReplyTo = m.ID
		}
		parts[len(parts)-1].Buttons = a.Buttons
		parts[len(parts)-1].Files = a.Files
	}
	return parts
}

func (h *Hub) adapter(platform string) Adapter { return On(h.o.Adapters, platform) }

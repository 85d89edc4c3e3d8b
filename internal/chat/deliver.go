package chat

import (
	"context"
	"errors"
	"parley/internal/text"
	"slices"
	"time"
)

// sendTimeout bounds one attempt at one part.
const sendTimeout = 60 * time.Second

// Back-off between attempts that failed before the platform accepted the request;
// while nothing gets through, one part tries again at lastProbe.
const (
	firstRetry = 200 * time.Millisecond
	lastProbe  = 1200 * time.Millisecond
	lastRetry  = 30 * time.Second
)

func (h *Hub) flush(k Key) {
	defer h.sending(k)()
	for h.ctx.Err() == nil {
		var parts []Part
		life := h.lives.Load()
		read := h.lasting(k, "read outbox", func() (err error) {
			parts, err = h.o.Outbox.Pending(h.ctx, k)
			return err
		})
		if !read || len(parts) == 0 || !h.deliverAll(k, parts, nil, life) {
			return
		}
	}
}

// deliverAll delivers parts in order; a part that must wait holds up this lane and no
// other. It returns false when nothing more can be sent here: the process is shutting
// down, or the conversation has moved. at is the message's place, nil for none; life is
// the one in which this process owned the parts.
func (h *Hub) deliverAll(k Key, parts []Part, at *place, life int64) bool {
	adapter := h.adapter(k.Platform)
	if !Reaches(adapter, k) {
		return false
	}
	for _, p := range parts {
		if p.Row == 0 {
			continue // finished before, by another attempt
		}
		moved, ok := h.deliver(adapter, p, at, life)
		if !ok {
			return false
		}
		if moved != nil {
			h.moved(*moved)
			return false
		}
	}
	return true
}

func (h *Hub) moved(mv Move) {
	if h.lasting(mv.From, "move conversation to "+mv.To.String(), func() error { return h.o.Outbox.Move(h.ctx, mv) }) {
		h.Flush(mv.To)
	}
}

// deliver retries one part until it is sent, dead or unknown. It returns false when the
// process shuts down first, and a Move when the conversation has a new Key. A part is
// "started" only while a request may be on the wire; whenever it waits, it is "ready"
// again, with its count of unknown attempts.
func (h *Hub) deliver(adapter Adapter, p Part, at *place, life int64) (*Move, bool) {
	if !h.mayRepeat(adapter, p) {
		return nil, h.mark(p, PartUnknown, "", time.Time{})
	}
	if p.Unknown > 0 {
		h.o.Observe(Event{Name: "repeated", Key: p.Key})
	}
	if !Sleep(h.ctx, time.Until(p.NotBefore)) {
		if p.Started {
			h.mark(p, PartReady, "", p.NotBefore)
		}
		return nil, false
	}
	outage, s := h.outages[p.Key.Platform], h.outages[p.Key.Platform].begin()
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		h.o.Failpoint("before_start")
		p.Again = h.mayAgain(adapter, p)
		if ok, over := h.begins(p, life); !ok {
			return nil, over
		}
		id, err := h.attempt(adapter, p)
		var (
			silence *WaitError
			gone    *GoneError
			moved   *MovedError
			until   time.Time
		)
		switch {
		case err == nil:
			h.o.Failpoint("after_send")
			outage.through()
			return nil, h.mark(p, PartSent, id, time.Time{})
		case errors.As(err, &moved):
			return &Move{From: p.Key, To: moved.To}, h.mark(p, PartReady, "", time.Time{})
		case errors.Is(err, ErrPanic), errors.As(err, &gone):
			return nil, h.gone(adapter, p, gone)
		case errors.As(err, &silence):
			wait = max(silence.After, time.Millisecond)
			until = time.Now().Add(wait)
		case errors.Is(err, ErrUnknownOutcome):
			p.Unknown++
			if !h.mayRepeat(adapter, p) {
				return nil, h.mark(p, PartUnknown, "", time.Time{})
			}
			h.o.Observe(Event{Name: "repeated", Key: p.Key})
		}
		if !h.mark(p, PartReady, "", until) {
			return nil, false
		}
		p.Started = false
		at.aside()
		h.waits(p, wait, err)
		if !outage.wait(h.ctx, wait, &s, silence) {
			return nil, false
		}
		if silence != nil {
			wait = firstRetry / 2
		}
	}
}

func (h *Hub) waits(p Part, wait time.Duration, err error) {
	h.o.Observe(Event{Name: "waits", Key: p.Key, Took: wait, Err: err})
	h.o.Log.Warn("a part waits", "conversation", p.Key.String(), "for", wait, "err", err)
}

// begins marks a part as started. Without ok it must not be sent; over means that another
// process sent it while it owned the conversation.
func (h *Hub) begins(p Part, life int64) (ok, over bool) {
	if !h.stillLives(life) {
		return false, false
	}
	if !p.Started {
		ok = h.lasting(p.Key, "mark part "+string(PartStarted), func() error {
			err := h.o.Outbox.Mark(context.WithoutCancel(h.ctx), p, PartStarted, "", time.Time{})
			if over = errors.Is(err, ErrOver); over {
				return nil
			}
			return err
		})
		if !ok || over {
			return false, over
		}
	}
	return h.stillLives(life), false // marking may take long
}

// mayRepeat reports whether a part that may have been delivered is sent again: always if
// that is harmless, otherwise once, and only if the owner prefers a doubled answer to a
// lost one.
func (h *Hub) mayRepeat(adapter Adapter, p Part) bool {
	return p.Unknown == 0 || harmless(adapter, p) || h.o.RepeatUnknown && p.Unknown == 1
}

// mayAgain is mayRepeat after one more attempt with an unknown outcome.
func (h *Hub) mayAgain(adapter Adapter, p Part) bool {
	p.Unknown++
	return h.mayRepeat(adapter, p)
}

// harmless reports whether a part shows once however often it is sent: it is an edit, or
// the platform knows the nonce.
func harmless(adapter Adapter, p Part) bool {
	d, ok := As[Repeater](adapter)
	return p.Preview != "" || ok && d.Idempotent(p)
}

// startsWith reports whether the first part of the answer to m is stored as started together
// with it. A crash before its request then looks like one after it, so it must be one that may
// be sent again however often that happens.
func (h *Hub) startsWith(m Message, p Part) bool { return harmless(h.adapter(m.Key.Platform), p) }

func (h *Hub) attempt(adapter Adapter, p Part) (string, error) {
	h.o.Failpoint("before_send")
	// Draining does not cut a request that is on the wire: its outcome would be
	// unknown for no reason.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(h.ctx), sendTimeout)
	defer cancel()
	return adapter.Send(ctx, visible(p))
}

// apologize says that a part cannot be shown, which every attempt at it would find again. It
// has nothing of the part: neither what may be the cause, nor buttons for what was not seen.
func (h *Hub) apologize(adapter Adapter, p Part) {
	id := ErrorID()
	h.o.Log.Error("a part cannot be shown", "id", id, "conversation", p.Key.String())
	p.Text = h.speak(Message{Key: p.Key, From: p.To}).Say(saysFault, id)
	p.Files, p.Buttons = nil, nil
	if _, err := h.attempt(adapter, p); err != nil {
		h.o.Log.Warn("say that a part cannot be shown", "id", id, "err", err)
	}
}

// soon is how often it is tried at least to store that a part was sent. Once a database is
// back, others wait for two seconds before they take up what is not known to be.
const soon = 300 * time.Millisecond

// mark is durable moment 3.
func (h *Hub) mark(p Part, s PartState, id string, until time.Time) bool {
	often := seldom
	now, over := func() {}, func(bool) {}
	if s == PartSent {
		often = soon
		now, over = h.remember(p, id)
	}
	stored := false
	ok := h.repeating(p.Key, "mark part "+string(s), often, func() error {
		err := h.o.Outbox.Mark(context.WithoutCancel(h.ctx), p, s, id, until)
		if stored = err == nil || errors.Is(err, ErrFenced); !stored {
			now()
		}
		return err
	})
	over(stored)
	if ok && s == PartSent {
		h.o.Sent(p)
	}
	if ok && s != PartReady && s != PartStarted {
		h.o.Observe(Event{Name: string(s), Key: p.Key})
	}
	return ok
}

// visible removes from a part the characters that are invisible or turn the direction of
// text, whoever wrote them: a model, a page, a person in a name. Everything that is sent
// passes through here.
func visible(p Part) Part {
	p.Text = text.Clean(p.Text)
	p.Files = slices.Clone(p.Files)
	for i := range p.Files {
		p.Files[i].Name = text.Clean(p.Files[i].Name)
	}
	p.Buttons = slices.Clone(p.Buttons)
	for i, row := range p.Buttons {
		row = slices.Clone(row)
		for j := range row {
			row[j].Label = text.Clean(row[j].Label)
		}
		p.Buttons[i] = row
	}
	return p
}

// Seen returns an answer as people may see it: without invisible characters, and
// with the real host after each link that looks as if it led elsewhere. Code that
// splits a text into parts without a Handler must call it first.
func Seen(markdown string) string { return text.Honest(text.Clean(markdown)) }

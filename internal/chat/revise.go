package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrTakenBack is the cause of a Handler context whose message was deleted.
var ErrTakenBack = fmt.Errorf("%w: the message was deleted", ErrStopped)

// Effects is a record that knows whether its message changed anything.
type Effects interface{ Effects() bool }

// Aftercare is a record with work for after the answer is sent. What After returns runs in
// the message's lane, before the next message; nil is nothing. ctx ends with draining.
type Aftercare interface {
	After() func(ctx context.Context)
}

// revise applies the edits that wait behind a message when its turn comes. The new text
// is stored before anything is done for it; ok is false if the message was deleted. A
// message that an earlier process began to answer keeps its text: edits then go to the
// transcript only.
func (h *Hub) revise(l *lane, m Message) (revised Message, ok bool) {
	if m.Begun || m.Kind == KindEdit || m.Kind == KindDeleted || m.Kind == KindButton {
		return m, true
	}
	changes := h.takeChanges(l, m)
	if len(changes) == 0 {
		return m, true
	}
	var rows []int64
	ok = true
	for _, next := range changes {
		rows = append(rows, next.Row)
		if next.Kind == KindDeleted {
			ok = false
			continue
		}
		m = edited(m, next)
	}
	if !ok { // finished with it
		m.With = append(m.With, rows...)
		return m, false
	}
	return m, h.lasting(m.Key, "revise", func() error {
		return h.o.Inbox.Revise(context.WithoutCancel(h.ctx), m, rows)
	})
}

// takeChanges takes a message's edits and deletions out of its lane's queue. Not every
// platform says who deleted.
func (h *Hub) takeChanges(l *lane, m Message) (changes []Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.queue = slices.DeleteFunc(l.queue, func(j job) bool {
		edit := j.m.Kind == KindEdit && j.m.From.ID == m.From.ID
		if j.do != nil || j.m.ReplyTo != m.ID || j.m.ID == m.ID || !edit && j.m.Kind != KindDeleted {
			return false
		}
		changes = append(changes, j.m)
		h.waiting--
		return true
	})
	if len(changes) > 0 {
		h.makeRoom()
	}
	return changes
}

// edited returns a message with its new text. Its flags stay, and those of the edit are
// added.
func edited(m, edit Message) Message {
	m.Text = edit.Text
	if m.Kind == KindCommand && !strings.HasPrefix(strings.TrimSpace(m.Text), "/") {
		m.Kind = KindText
	}
	if m.Quote == "" {
		m.Quote = edit.Quote
	}
	m.Addressed, m.Named = m.Addressed || edit.Addressed, edit.Named
	m.Forwarded = m.Forwarded || edit.Forwarded
	m.Relayed = m.Relayed || edit.Relayed
	m.Shared = m.Shared || edit.Shared
	for _, f := range edit.Files {
		same := func(g File) bool { return g.Ref == f.Ref || g.Name == f.Name && g.Size == f.Size && g.MIME == f.MIME }
		if !slices.ContainsFunc(m.Files, same) {
			m.Files = append(slices.Clip(m.Files), f)
		}
	}
	return m
}

func (h *Hub) drop(m Message) {
	if h.ctx.Err() != nil {
		return // what it has become could not be stored: the next process looks again
	}
	h.o.Observe(Event{Name: "taken back", Key: m.Key, Outcome: Stopped})
	parts := replacing(m, nil)
	if h.finish(m, parts, End{Outcome: Stopped, Reason: TakenBack}) {
		if len(parts) > 0 {
			h.Flush(m.Key)
		}
		h.done(m)
	}
}

// takeBack stops the answer to a message that was deleted.
func (h *Hub) takeBack(deleted Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.lanes[deleted.Key]; l != nil && l.cancel != nil && l.asked.ID == deleted.ReplyTo {
		l.cancel(ErrTakenBack)
	}
}

// quietly drops the answer to a message that was deleted meanwhile, unless some of it was
// shown or something was, or may have been, done for it.
func quietly(ctx context.Context, a Answer, err error, shown bool) (Answer, error) {
	if !errors.Is(context.Cause(ctx), ErrTakenBack) {
		return a, err
	}
	did, knows := a.Record.(Effects)
	if err == nil && (shown || !knows || did.Effects()) {
		return a, nil
	}
	return Answer{Record: a.Record}, nil
}

package chat

import (
	"context"
	"time"
)

// aside addresses a private answer to a question from a group: whispered where the
// platform can, otherwise to the direct chat, with a sentence in the group that says so to
// who may not look there.
// No part of a itself ever goes to a place that others read.
func (h *Hub) aside(adapter Adapter, m Message, a Answer) []Part {
	if a.Text == "" && len(a.Files) == 0 {
		return nil
	}
	c, ok := As[Confidant](adapter)
	if ok && c.Whispers(m) {
		parts := h.pieces(adapter, m, a)
		for i := range parts {
			parts[i].Private = true
		}
		return parts
	}
	said := m
	said.ReplyTo, said.ID, said.Origin, said.Kind = "", "", "", KindText
	known := false
	if ok {
		said.Key, known = c.DirectKey(m.From)
	}
	notice := Answer{Text: h.speak(m).Text("That answer is for you alone: it is in our direct chat, or will be there as soon as you open it.")}
	var secret []Part
	if known {
		secret = h.pieces(adapter, said, a)
	} else {
		notice.Text = h.speak(m).Text("That answer is for one person alone, and I cannot tell who asked. Please ask me in a direct chat.")
	}
	if ok && c.Door() != "" {
		notice.Buttons = [][]Button{{{Label: h.speak(m).Text("Open our direct chat"), URL: c.Door()}}}
	}
	var parts []Part
	if !known || h.o.Reached == nil || !h.o.Reached(h.ctx, m) {
		parts = h.pieces(adapter, m, notice)
	}
	for _, p := range secret {
		p.Index, p.Await = len(parts), true
		parts = append(parts, p)
	}
	return parts
}

// elsewhere flushes the other conversations that parts are addressed to, and returns the
// parts for this one.
func (h *Hub) elsewhere(k Key, parts []Part) (here []Part) {
	var told []Key
	for _, p := range parts {
		if p.Key == k {
			here = append(here, p)
			continue
		}
		if len(told) == 0 || told[len(told)-1] != p.Key {
			told = append(told, p.Key)
		}
	}
	for _, other := range told {
		h.Flush(other)
	}
	return here
}

// gone ends a part that cannot be delivered, or keeps it where nothing can be sent for now;
// why is nil if the adapter panics over it. It returns false when nothing more can be sent
// there.
func (h *Hub) gone(adapter Adapter, p Part, why *GoneError) bool {
	if why == nil {
		h.apologize(adapter, p)
		return h.mark(p, PartDead, "", time.Time{})
	}
	h.o.Log.Warn("a part cannot be delivered", "conversation", p.Key.String(), "err", why)
	if !why.Closed || h.o.Closed == nil {
		return h.mark(p, PartDead, "", time.Time{})
	}
	kept := h.lasting(p.Key, "keep part", func() error { return h.o.Closed(context.WithoutCancel(h.ctx), p) })
	if kept {
		h.o.Observe(Event{Name: "kept", Key: p.Key})
	}
	return kept && p.Await
}

// triedAgain reports whether a conversation was closed, from which a message came: then
// what is kept for it goes first.
func (h *Hub) triedAgain(m Message) (closed bool) {
	if h.o.TryAgain == nil {
		return false
	}
	h.lasting(m.Key, "try a closed conversation", func() (err error) {
		closed, err = h.o.TryAgain(context.WithoutCancel(h.ctx), m)
		return err
	})
	return closed
}

// DirectOf returns the direct chat that an adapter names for a person who may never have opened
// it; ok is false where it names none, as for a nil adapter.
func DirectOf(a Adapter, u User) (k Key, ok bool) {
	if c, confides := As[Confidant](a); confides {
		k, ok = c.DirectKey(u)
	}
	return k, ok
}

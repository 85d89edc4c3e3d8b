package chat

import (
	"context"
	"slices"
)

// Node is this process among several that share an Inbox: each conversation belongs to
// one process at a time. Without a Node, all belong to this one.
type Node interface {
	// Alive reports whether this process surely still owns what it owned. It must not
	// block.
	Alive() bool
	// Own claims a conversation for work that no message asks for. false: another process
	// owns it, and has been told to send what waits there.
	Own(ctx context.Context, k Key) (bool, error)
	// Leave gives up an idle conversation while this process shuts down. Another one does
	// what is left there.
	Leave(k Key)
}

// TakeUp continues conversations that this process has come to own, and that nobody works
// on: unsent parts first, then unfinished messages.
func (h *Hub) TakeUp(ctx context.Context, keys []Key) error {
	messages, err := h.o.Inbox.Adopt(ctx, keys)
	if err != nil {
		return err
	}
	for _, k := range keys {
		h.Flush(k)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range messages { // at once: an edit is there when its message begins
		h.push(m.Key, job{m: m, pace: h.o.Pace(m), waited: true})
	}
	return nil
}

// Hand takes messages that another process stored for this one.
func (h *Hub) Hand(messages []Message) { h.taken(nil, messages) }

// taken puts messages into their lanes, except those finished on the spot.
func (h *Hub) taken(disk *onDisk, fresh []Message) {
	h.enqueue(disk, slices.DeleteFunc(slices.Clone(fresh), func(m Message) bool {
		if m.Kind == KindDeleted {
			h.takeBack(m)
		}
		return m.Kind == KindSkipped || isStop(m) && h.stopping(m)
	}))
}

// Abandon cancels everything under way: another process owns the conversations by now and
// continues them. Nothing more of it is shown or stored. Later messages are unaffected.
func (h *Hub) Abandon() {
	h.lives.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, all := range []map[Key]*lane{h.lanes, h.beside} {
		for _, l := range all {
			h.empty(l)
		}
	}
	h.makeRoom()
}

// Platforms lists the platforms this process can send to.
func (h *Hub) Platforms() (list []string) {
	for _, a := range h.o.Adapters {
		list = append(list, a.Platform())
	}
	return list
}

// lost cancels what is under way in a conversation that another process owns.
func (h *Hub) lost(k Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range []*lane{h.lanes[k], h.beside[k]} {
		if l != nil {
			h.empty(l)
		}
	}
	h.makeRoom()
}

// has reports whether a message is in a lane already: it may arrive twice, as left behind
// and as handed over.
func (l *lane) has(row int64) bool {
	return row != 0 && (l.row == row || slices.ContainsFunc(l.queue, func(j job) bool { return j.m.Row == row }))
}

// empty drops what waits in a lane and cancels what runs. The caller holds mu.
func (h *Hub) empty(l *lane) {
	h.waiting -= countMessages(l.queue)
	l.queue = nil
	if l.cancel != nil {
		l.cancel(ErrFenced)
	}
}

// mayAct reports whether this process still owns its conversations.
func (h *Hub) mayAct() bool { return h.o.Node == nil || h.o.Node.Alive() }

// stillLives reports whether ownership has not changed since life (Hub.lives).
func (h *Hub) stillLives(life int64) bool { return h.lives.Load() == life && h.mayAct() }

// owns claims a conversation for work without a message. It asks once per life: while the
// lane runs, this process does not give the conversation up (Hub.left), and no other takes
// it before the life ends.
func (h *Hub) owns(l *lane) bool {
	life := h.lives.Load()
	if h.o.Node == nil || l.had == life+1 && h.mayAct() {
		return true
	}
	if !Reaches(h.adapter(l.key.Platform), l.key) {
		return false // a process that can send there finds it
	}
	ours := false
	ok := h.lasting(l.key, "claim", func() (err error) {
		ours, err = h.o.Node.Own(h.ctx, l.key)
		return err
	})
	if ok && ours {
		l.had = life + 1
	}
	return ok && ours
}

// leaves reports whether lanes end although something waits: while one of several
// processes shuts down, another continues sooner. The caller holds mu.
func (h *Hub) leaves() bool { return h.closed && h.o.Node != nil }

// left gives up the conversation of a lane that has ended, during shutdown.
func (h *Hub) left(k Key) {
	h.mu.Lock()
	leave := h.leaves() && h.lanes[k] == nil && h.beside[k] == nil
	h.mu.Unlock()
	if leave {
		h.o.Node.Leave(k)
	}
}

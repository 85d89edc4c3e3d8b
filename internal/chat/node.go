package chat

import (
	"context"
	"slices"
)

// Node is this process among several that share an Inbox: each conversation is one
// process's at a time. Without one, all are this process's.
type Node interface {
	// Alive reports whether what is this process's certainly is not another's yet. It
	// must not block.
	Alive() bool
	// Own makes a conversation this process's for work that no message asks for. It is
	// false where another one has it, which has been told to send what waits there.
	Own(ctx context.Context, k Key) (bool, error)
	// Leave gives up a conversation in which nothing is under way here, while this
	// process ends. What is left there is another one's to do.
	Leave(k Key)
}

// TakeUp continues conversations that are this process's by now, and that nobody is at
// work on: unsent parts first, then unfinished messages.
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
		h.push(m.Key, job{m: m, pace: h.o.Pace(m)})
	}
	return nil
}

// Hand takes messages that another process stored for this one.
func (h *Hub) Hand(messages []Message) { h.taken(nil, messages) }

// taken puts messages into their lanes, except those that are done with at once.
func (h *Hub) taken(disk *onDisk, fresh []Message) {
	h.enqueue(disk, slices.DeleteFunc(slices.Clone(fresh), func(m Message) bool {
		if m.Kind == KindDeleted {
			h.takeBack(m)
		}
		return m.Kind == KindSkipped || isStop(m) && h.stopping(m)
	}))
}

// Abandon ends all that is under way, for none of it is this process's any more, and
// whoever has it now goes on with it. Nothing more of it is shown, and nothing stored.
// What comes afterwards is not concerned.
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

// Platforms lists those that this process can send to.
func (h *Hub) Platforms() (list []string) {
	for _, a := range h.o.Adapters {
		list = append(list, a.Platform())
	}
	return list
}

// lost ends what is under way in one conversation.
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

// has reports whether a message is in a lane: it may be found twice, among what was left
// behind and among what was handed over.
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

// mayAct reports whether this process may do something for the conversations it has.
func (h *Hub) mayAct() bool { return h.o.Node == nil || h.o.Node.Alive() }

// stillLives reports whether this process lives the life still that had a number (Hub.lives)
// when something began: what was its own in one life may be another's in the next.
func (h *Hub) stillLives(life int64) bool { return h.lives.Load() == life && h.mayAct() }

// owns is own for the next job of a lane. What was stored there in this life says so, too:
// while the lane goes on nobody here gives the conversation up (Hub.left), and nobody else
// takes it before this life ends.
func (h *Hub) owns(l *lane) bool {
	life := h.lives.Load()
	if l.had == life+1 && h.mayAct() {
		return true
	}
	if !h.own(l.key) {
		return false
	}
	l.had = life + 1
	return true
}

// own reports whether a conversation is this process's for work without a message.
func (h *Hub) own(k Key) bool {
	if h.o.Node == nil {
		return true
	}
	if h.adapter(k.Platform) == nil {
		return false // one that can send there finds it
	}
	ours := false
	ok := h.lasting(k, "claim", func() (err error) {
		ours, err = h.o.Node.Own(h.ctx, k)
		return err
	})
	return ok && ours
}

// leaves reports whether a lane ends although something waits in it: while a process
// among several ends, the next one goes on sooner. The caller holds mu.
func (h *Hub) leaves() bool { return h.closed && h.o.Node != nil }

// left gives up the conversation of a lane that has ended, while this process ends.
func (h *Hub) left(k Key) {
	h.mu.Lock()
	leave := h.leaves() && h.lanes[k] == nil && h.beside[k] == nil
	h.mu.Unlock()
	if leave {
		h.o.Node.Leave(k)
	}
}

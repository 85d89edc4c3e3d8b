package chat

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Preview is one that stands where people see it: which, and for whom, and none of its words.
// With Sent it is a part of an answer, of which no row may say that it was sent.
type Preview struct {
	Key  Key       `json:"key"`
	ID   string    `json:"id"`  // the platform's
	Row  int64     `json:"row"` // of its message, or of the part
	UID  string    `json:"uid"` // of that message, or the part's nonce
	At   time.Time `json:"at"`
	Sent bool      `json:"sent,omitempty"`
}

// same reports whether two are the same preview.
func (p Preview) same(q Preview) bool { return p.Key == q.Key && p.ID == q.ID && p.UID == q.UID }

// Previews notes the previews that stand, beside the Outbox: while that is away, and where
// this process is killed before that has them, its next start finds them here.
// previews.Book is the real one. Nothing of it waits for a disk.
type Previews interface {
	// Note notes a preview, once.
	Note(p Preview) error
	// Drop forgets a preview, if it was noted.
	Drop(p Preview) error
	// Noted lists all, also those of earlier processes.
	Noted() []Preview
}

// replacing returns the parts of the answer to m, with one more that takes m's preview away
// if none of them goes where it stands: a preview becomes part of the answer, or nothing.
func replacing(m Message, parts []Part) []Part {
	if m.Preview == "" || slices.ContainsFunc(parts, func(p Part) bool { return p.Key == m.Key }) {
		return parts
	}
	return append(parts, Part{Key: m.Key, Index: len(parts), To: m.From, Origin: m.Origin})
}

// strays are previews of unfinished messages that nobody shows any more here, and of which
// the journal may not know.
type strays struct {
	mu   sync.Mutex // guards what follows
	list []Preview
	busy bool           // somebody looks after them
	over bool           // nobody begins to
	done sync.WaitGroup // for whoever looks after them
}

// end returns once nobody looks after strays any more, or after flushGrace. The Hub's context
// is over.
func (s *strays) end() {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	gone := make(chan struct{})
	go func() { s.done.Wait(); close(gone) }()
	late := time.NewTimer(flushGrace)
	defer late.Stop()
	select {
	case <-gone:
	case <-late.C:
	}
}

// take gives a stray of a message back to its job, which goes on with it.
func (s *strays) take(j *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.list, func(p Preview) bool { return p.UID == j.m.UID && p.Key == j.m.Key && !p.Sent })
	if i < 0 || j.m.UID == "" || j.m.Preview != "" {
		return
	}
	j.m.Preview, j.loose = s.list[i].ID, true
	s.list = slices.Delete(s.list, i, i+1)
}

// all returns the strays there are.
func (s *strays) all() []Preview {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// rest ends looking after strays where there are none.
func (s *strays) rest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = len(s.list) > 0
	return !s.busy
}

// drop removes one; it may be gone.
func (s *strays) drop(p Preview) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, p.same)
}

// previewOf is the preview with this id of a message.
func previewOf(m Message, id string) Preview {
	return Preview{Key: m.Key, ID: id, Row: m.Row, UID: m.UID, At: time.Now().Round(0)}
}

// note notes a preview for the next process.
func (h *Hub) note(p Preview) {
	if h.o.Previews == nil {
		return
	}
	if err := h.o.Previews.Note(p); err != nil {
		h.o.Log.Warn("note a preview", "conversation", p.Key.String(), "err", err)
	}
}

// unnote forgets a preview of which the journal knows all that the next process needs.
func (h *Hub) unnote(p Preview) {
	h.strays.drop(p)
	if h.o.Previews == nil {
		return
	}
	if err := h.o.Previews.Drop(p); err != nil {
		h.o.Log.Warn("forget that a preview stands", "conversation", p.Key.String(), "err", err)
	}
}

// remember notes that a part was sent, where that takes long to store; now does so at once.
// over ends it, and forgets the part if that is stored.
func (h *Hub) remember(p Part, id string) (now func(), over func(stored bool)) {
	sent := Preview{Key: p.Key, ID: id, Row: p.Row, UID: p.Nonce, At: time.Now().Round(0), Sent: true}
	if h.o.Previews == nil {
		return func() {}, func(bool) {}
	}
	noted := make(chan struct{})
	late := time.AfterFunc(soon, func() { h.note(sent); close(noted) })
	once := sync.OnceFunc(func() {
		if late.Stop() {
			h.note(sent)
			close(noted)
		}
	})
	return once, func(stored bool) {
		if late.Stop() {
			return
		}
		if <-noted; stored {
			h.unnote(sent)
		}
	}
}

// Reclaim looks after previews that an earlier process in the same place left. Call it before
// anything is taken up, as Recover does, and again after it failed.
func (h *Hub) Reclaim(ctx context.Context) (err error) {
	if h.o.Previews == nil {
		return nil
	}
	for _, p := range h.o.Previews.Noted() {
		fate, e := h.o.Outbox.Fate(ctx, p)
		if err = errors.Join(err, e); e == nil && fate == Taken {
			h.unnote(p)
			continue
		}
		h.stray(p)
	}
	return err
}

// finished looks after the preview of a message that is finished with these parts. Where its
// author was forgotten meanwhile nothing was stored, and where another attempt had stored the
// end before, who knows: then it is a stray.
func (h *Hub) finished(m Message, parts []Part) {
	if m.Preview == "" {
		return
	}
	p := previewOf(m, m.Preview)
	if slices.ContainsFunc(parts, func(part Part) bool { return part.Preview == p.ID }) {
		h.unnote(p)
		return
	}
	h.stray(p)
}

// lose leaves the preview of an unfinished message to whoever answers it next.
func (h *Hub) lose(j job) {
	if j.m.Preview == "" {
		return
	}
	p := previewOf(j.m, j.m.Preview)
	if !j.loose {
		h.unnote(p)
		return
	}
	if h.stray(p); h.ctx.Err() != nil { // nobody looks after it here any more
		ctx, cancel := context.WithTimeout(context.WithoutCancel(h.ctx), lastDraw)
		defer cancel()
		h.settle(ctx, p)
	}
}

// How often strays are looked after at least, and for how long at most: people have read on,
// and Telegram removes nothing that is older than two days.
const (
	tidyEvery = 5 * time.Second
	tidyFor   = 24 * time.Hour
)

// stray has a preview looked after until an answer has it, or it is removed.
func (h *Hub) stray(p Preview) {
	h.note(p)
	s := &h.strays
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.list, p.same) {
		return
	}
	s.list = append(s.list, p)
	if s.busy || s.over || h.ctx.Err() != nil {
		return
	}
	s.busy = true
	s.done.Add(1)
	go h.tidy()
}

// tidy looks after strays until there are none, or the Hub ends.
func (h *Hub) tidy() {
	defer h.strays.done.Done()
	for wait := firstRetry; ; wait = min(2*wait, tidyEvery) {
		for _, p := range h.strays.all() {
			h.settle(h.ctx, p)
		}
		if h.strays.rest() || !Sleep(h.ctx, wait) {
			return
		}
	}
}

// settle does with a stray what its message needs by now; what fails is done later.
func (h *Hub) settle(ctx context.Context, p Preview) {
	if time.Since(p.At) > tidyFor {
		h.unnote(p)
		return
	}
	fate, err := h.o.Outbox.Fate(ctx, p)
	if err == nil && fate == Orphaned {
		err = h.withdraw(ctx, p)
	}
	switch {
	case err != nil:
		h.o.Log.Warn("a preview is left", "conversation", p.Key.String(), "err", err)
	case fate != Awaits:
		h.unnote(p)
	}
}

// withdraw removes a preview, where the platform can. It makes one attempt.
func (h *Hub) withdraw(ctx context.Context, p Preview) error {
	w, ok := As[Withdrawer](h.adapter(p.Key.Platform))
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, firstDraw)
	defer cancel()
	err := w.Withdraw(ctx, p.Key, p.ID)
	if errors.As(err, new(*GoneError)) || errors.As(err, new(*MovedError)) {
		return nil
	}
	return err
}

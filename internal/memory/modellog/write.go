package modellog

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/db/engine"
	"parley/internal/llm"
	"parley/internal/text"
)

// Bounds of storing. Sizes are in bytes.
const (
	maxQueue   = 512      // waiting calls
	maxWaiting = 64 << 20 // of waiting calls
	maxBatch   = 64       // calls in one transaction
	maxBody    = 4 << 20  // of a request without pictures; a longer one loses its middle
	maxWhy     = 2000     // of an error
	maxGrown   = 4 << 20  // of requests, before the size of the file is checked again
)

// together is how long the first call waits for others to be stored with it.
const together = 100 * time.Millisecond

// tidyEvery is how often old calls are deleted. A full file is shrunk at once.
const tidyEvery = time.Hour

// keep queues a call. It never blocks.
func (t *Tape) keep(c take) {
	n := c.weight()
	if t.queued.Add(n) > maxWaiting {
		t.queued.Add(-n)
		t.dropped.Add(1)
		return
	}
	select {
	case t.queue <- &c:
	default:
		t.queued.Add(-n)
		t.dropped.Add(1)
	}
}

// run stores calls until Close.
func (t *Tape) run() {
	defer close(t.done)
	tidy := time.NewTicker(tidyEvery)
	defer tidy.Stop()
	ctx := context.Background()
	t.note(t.Prune(ctx))
	for {
		select {
		case c := <-t.queue:
			t.note(t.write(ctx, t.gather(c)))
		case written := <-t.asked:
			for len(t.queue) > 0 {
				t.note(t.write(ctx, t.waiting()))
			}
			close(written)
		case <-tidy.C:
			t.note(t.Prune(ctx))
		case <-t.quit:
			for len(t.queue) > 0 {
				t.note(t.write(ctx, t.waiting()))
			}
			return
		}
	}
}

// catchUp waits until all waiting calls are stored, so that they can be read.
func (t *Tape) catchUp(ctx context.Context) {
	written := make(chan struct{})
	select {
	case t.asked <- written:
		select {
		case <-written:
		case <-ctx.Done():
		}
	case t.hurry <- struct{}{}: // run is in gather
		t.catchUp(ctx)
	case <-t.done:
	case <-ctx.Done():
	}
}

func (t *Tape) note(err error) {
	if err != nil {
		t.o.Log.Warn("traces of model calls", "err", err)
	}
}

// gather adds the calls that wait or come within a moment. It sleeps until then, instead of
// waking for each call.
func (t *Tape) gather(first *take) []*take {
	if len(t.queue) < maxBatch {
		over := time.NewTimer(together)
		defer over.Stop()
		select {
		case <-over.C:
		case <-t.hurry:
		case <-t.quit:
		}
	}
	return append([]*take{first}, t.waiting()...)
}

// waiting takes the waiting calls from the queue, at most maxBatch.
func (t *Tape) waiting() []*take {
	list := make([]*take, 0, min(maxBatch, len(t.queue)))
	for len(list) < cap(list) {
		list = append(list, <-t.queue)
	}
	return list
}

// write stores calls, except those with forgotten words.
func (t *Tape) write(ctx context.Context, list []*take) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	var kept []packed
	for _, c := range list {
		t.queued.Add(-c.weight())
		t.grown += c.weight()
		if t.isBarred(c.Call) {
			continue
		}
		p, err := t.pack(c)
		if err != nil {
			return err
		}
		kept = append(kept, p)
	}
	if len(kept) == 0 {
		return nil
	}
	err := t.db.Write(ctx, func(tx *engine.Tx) error {
		t.packer.again()
		for _, p := range kept {
			if err := p.insert(tx, &t.packer); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.packer.forget()
		return fmt.Errorf("store model calls: %w", err)
	}
	t.packer.stored()
	if t.grown < min(t.o.MaxSize/100, maxGrown) {
		return nil
	}
	t.grown = 0
	return t.shrink(ctx)
}

// pictures matches files inside a request.
var pictures = text.Pattern(`data:([a-z]+/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=]{200,})`)

// pack removes secrets and pictures from a call, shortens and compresses it.
func (t *Tape) pack(c *take) (packed, error) {
	request, answer := c.bodies()
	if strings.Contains(request, ";base64,") {
		request = pictures().ReplaceAllStringFunc(request, func(s string) string {
			kind, data, _ := strings.Cut(s, ",")
			return fmt.Sprintf("%s,(%d bytes are not kept)", kind, len(data)*3/4)
		})
	}
	request, answer = t.o.Hide.Hide(request), t.o.Hide.Hide(answer)
	c.Reply = t.hidden(c.Reply)
	if c.err != nil {
		c.Error = text.ClipBytes(t.o.Hide.Hide(c.err.Error()), maxWhy)
	}
	return t.packer.pack(c.Call, middle(request), middle(answer))
}

// hidden returns a reply without secrets.
func (t *Tape) hidden(m *llm.Message) *llm.Message {
	if m == nil {
		return nil
	}
	out := llm.Message{Role: m.Role, Content: middle(t.o.Hide.Hide(m.Content))}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Name, Args: t.o.Hide.Hide(c.Args)})
	}
	return &out
}

// middle removes the middle of a text that is too long.
func middle(s string) string {
	if len(s) <= maxBody {
		return s
	}
	head := text.ClipBytes(s, maxBody/2)
	tail := strings.ToValidUTF8(s[len(s)-maxBody/2:], "")
	return fmt.Sprintf("%s…(%d bytes are not kept)…%s", head, len(s)-len(head)-len(tail), tail)
}

// Package chattest has an adapter in memory and the contract of chat.Adapter as a
// suite of tests, which each adapter runs against its own wire. It is for tests
// only.
package chattest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/internal/chat"
)

// Platform is the platform of an Adapter.
const Platform = "p"

// Adapter is a chat.Adapter in memory that records what is sent. The zero
// Adapter is ready.
type Adapter struct {
	mu     sync.Mutex // guards the rest
	in     chat.Intake
	sent   []chat.Part
	errs   []error // for the next sends
	calls  int     // of Send
	typing int
	shown  []string
}

var _ chat.Adapter = (*Adapter)(nil)

// Platform implements chat.Adapter.
func (*Adapter) Platform() string { return Platform }

// Run implements chat.Adapter: Deliver works while it runs.
func (a *Adapter) Run(ctx context.Context, in chat.Intake) error {
	a.with(func() { a.in = in })
	<-ctx.Done()
	a.with(func() { a.in = nil })
	return nil
}

// Health implements chat.Adapter.
func (a *Adapter) Health() (err error) {
	a.with(func() {
		if a.in == nil {
			err = errors.New("not running")
		}
	})
	return err
}

// Deliver hands messages to the intake as one batch.
func (a *Adapter) Deliver(ctx context.Context, messages ...chat.Message) error {
	if err := a.Health(); err != nil {
		return err
	}
	return a.in.Deliver(ctx, chat.Batch{Platform: Platform, Messages: messages})
}

// Split implements chat.Adapter: a message has at most 1000 bytes.
func (*Adapter) Split(text string) []string {
	return chat.Split(text, func(s string) bool { return len(s) <= 1000 })
}

// Typing implements chat.Adapter.
func (a *Adapter) Typing(context.Context, chat.Message) error {
	a.with(func() { a.typing++ })
	return nil
}

// Preview implements chat.Adapter.
func (a *Adapter) Preview(_ context.Context, _ chat.Message, _, text string) (string, time.Duration, error) {
	a.with(func() { a.shown = append(a.shown, text) })
	return "preview", time.Millisecond, nil
}

// Send implements chat.Adapter. A message that fails with chat.ErrUnknownOutcome
// is delivered all the same.
func (a *Adapter) Send(_ context.Context, part chat.Part) (id string, err error) {
	a.with(func() {
		a.calls++
		if len(a.errs) > 0 {
			err, a.errs = a.errs[0], a.errs[1:]
		}
		if err == nil || errors.Is(err, chat.ErrUnknownOutcome) {
			a.sent = append(a.sent, part)
		}
		if err == nil {
			id = fmt.Sprint(len(a.sent))
		}
	})
	return id, err
}

// Fail makes the next sends fail with these errors; nil lets one through.
func (a *Adapter) Fail(errs ...error) { a.with(func() { a.errs = errs }) }

// Tried returns how many sends have been tried.
func (a *Adapter) Tried() (n int) {
	a.with(func() { n = a.calls })
	return n
}

// Typed returns how often typing was shown.
func (a *Adapter) Typed() (n int) {
	a.with(func() { n = a.typing })
	return n
}

// Shown returns the previews, the latest last.
func (a *Adapter) Shown() (list []string) {
	a.with(func() { list = append(list, a.shown...) })
	return list
}

// Sent returns what was sent, in order.
func (a *Adapter) Sent() (list []chat.Part) {
	a.with(func() { list = append(list, a.sent...) })
	return list
}

// Texts returns the texts of Sent.
func (a *Adapter) Texts() (list []string) {
	for _, p := range a.Sent() {
		list = append(list, p.Text)
	}
	return list
}

func (a *Adapter) with(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
}

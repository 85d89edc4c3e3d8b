package chat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"parley/internal/text"
)

// ErrPanic is what a fenced call returns that panicked. The log has the stack, once.
var ErrPanic = errors.New("panic")

// guard makes a call; its panic is an ErrPanic and ends only the call. Every call of an
// adapter or a handler passes through here.
func guard(log *slog.Logger, what string, call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic", "in", what, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("%w in %s: %v", ErrPanic, what, p)
		}
	}()
	return call()
}

// Fence returns the adapters with a fence around every call: one that panics fails like one
// that returns an error, or does nothing where its contract has no error. What they can do
// besides is found with As. An adapter in a fence stays as it is.
func Fence(log *slog.Logger, list ...Adapter) []Adapter {
	list = slices.Clone(list)
	for i, a := range list {
		if _, ok := a.(*fenced); !ok {
			list[i] = &fenced{in: a, log: log, platform: a.Platform()}
		}
	}
	return list
}

// As returns a capability of an adapter, and whether it has it. A type assertion would not
// find it behind the adapter's fence.
func As[Capability any](a Adapter) (c Capability, ok bool) {
	f, ok := a.(*fenced)
	if !ok {
		c, ok = a.(Capability)
		return c, ok
	}
	if _, ok = f.in.(Capability); ok {
		c, ok = any(able{f}).(Capability)
	}
	return c, ok
}

// fenced is an adapter in a fence.
type fenced struct {
	in       Adapter
	log      *slog.Logger
	platform string
}

// able has every capability; As hands out those that the adapter has.
type able struct{ *fenced }

var (
	_ interface {
		Fetcher
		Repeater
		TurnTaker
		Reacher
		AdminChecker
		MemberChecker
		Renormalizer
		Confidant
		Named
	} = able{}
	_ interface {
		Learner
		Sharded
		Leaver
		Forgetter
		Commander
		Amender
		Withdrawer
		Watcher
	} = able{}
)

func (f *fenced) call(what string, do func() error) error {
	return guard(f.log, f.platform+" "+what, do)
}

func (f *fenced) quiet(what string, do func()) {
	_ = f.call(what, func() error { do(); return nil }) // it was logged
}

func (f *fenced) Platform() string { return f.platform }

// Run receives again after a panic, as after a broken connection.
func (f *fenced) Run(ctx context.Context, in Intake) error {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		err := f.call("Run", func() error { return f.in.Run(ctx, in) })
		if !errors.Is(err, ErrPanic) {
			return err
		}
		if !Sleep(ctx, pause) {
			return nil
		}
	}
}

func (f *fenced) Health() error { return f.call("Health", f.in.Health) }

// Split cuts a text that the adapter cannot cut without looking at it.
func (f *fenced) Split(said string) (pieces []string) {
	if f.call("Split", func() error { pieces = f.in.Split(said); return nil }) == nil {
		return pieces
	}
	pieces = nil
	for rest := said; strings.TrimSpace(rest) != ""; {
		piece := text.ClipBytes(rest, anyPlatform)
		pieces, rest = append(pieces, piece), rest[len(piece):]
	}
	return pieces
}

// anyPlatform is how many bytes of a message every platform takes.
const anyPlatform = 1000

func (f *fenced) Typing(ctx context.Context, m Message) error {
	return f.call("Typing", func() error { return f.in.Typing(ctx, m) })
}

func (f *fenced) Preview(ctx context.Context, m Message, id, text string) (newID string, wait time.Duration, err error) {
	err = f.call("Preview", func() (err error) { newID, wait, err = f.in.Preview(ctx, m, id, text); return err })
	return newID, wait, err
}

func (f *fenced) Send(ctx context.Context, p Part) (id string, err error) {
	err = f.call("Send", func() (err error) { id, err = f.in.Send(ctx, p); return err })
	return id, err
}

func (f able) Fetch(ctx context.Context, file File, limit int64) (data []byte, err error) {
	err = f.call("Fetch", func() (err error) { data, err = f.in.(Fetcher).Fetch(ctx, file, limit); return err })
	return data, err
}

func (f able) Idempotent(p Part) (yes bool) {
	f.quiet("Idempotent", func() { yes = f.in.(Repeater).Idempotent(p) })
	return yes
}

func (f able) Done(m Message) { f.quiet("Done", func() { f.in.(TurnTaker).Done(m) }) }

func (f able) Reaches(k Key) (yes bool) {
	f.quiet("Reaches", func() { yes = f.in.(Reacher).Reaches(k) })
	return yes
}

func (f able) IsAdmin(ctx context.Context, k Key, userID string) (yes bool, err error) {
	err = f.call("IsAdmin", func() (err error) { yes, err = f.in.(AdminChecker).IsAdmin(ctx, k, userID); return err })
	return yes, err
}

func (f able) Reads(ctx context.Context, k Key, userID string) (yes bool, err error) {
	err = f.call("Reads", func() (err error) { yes, err = f.in.(MemberChecker).Reads(ctx, k, userID); return err })
	return yes, err
}

func (f able) Renormalize(raw []byte) (list []Message, err error) {
	err = f.call("Renormalize", func() (err error) { list, err = f.in.(Renormalizer).Renormalize(raw); return err })
	return list, err
}

func (f able) Defers(m Message) (yes bool) {
	f.quiet("Defers", func() { yes = f.in.(Deferrer).Defers(m) })
	return yes
}

func (f able) Whispers(m Message) (yes bool) {
	f.quiet("Whispers", func() { yes = f.in.(Confidant).Whispers(m) })
	return yes
}

func (f able) Plays(mime string) (yes bool) {
	f.quiet("Plays", func() { yes = f.in.(Speaker).Plays(mime) })
	return yes
}

func (f able) DirectKey(u User) (k Key, ok bool) {
	f.quiet("DirectKey", func() { k, ok = f.in.(Confidant).DirectKey(u) })
	return k, ok
}

func (f able) Door() (address string) {
	f.quiet("Door", func() { address = f.in.(Confidant).Door() })
	return address
}

func (f able) Name() (name string) {
	f.quiet("Name", func() { name = f.in.(Named).Name() })
	return name
}

func (f able) Learn(ctx context.Context, in Intake) error {
	return f.call("Learn", func() error { return f.in.(Learner).Learn(ctx, in) })
}

func (f able) Shards() (list []Shard) {
	f.quiet("Shards", func() { list = f.in.(Sharded).Shards() })
	return list
}

func (f able) Leave(ctx context.Context, place string) error {
	return f.call("Leave", func() error { return f.in.(Leaver).Leave(ctx, place) })
}

func (f able) Forget(ctx context.Context, user string) error {
	return f.call("Forget", func() error { return f.in.(Forgetter).Forget(ctx, user) })
}

func (f able) Register(ctx context.Context, m Menu) error {
	return f.call("Register", func() error { return f.in.(Commander).Register(ctx, m) })
}

func (f able) Amend(ctx context.Context, k Key, id, text string) error {
	return f.call("Amend", func() error { return f.in.(Amender).Amend(ctx, k, id, text) })
}

func (f able) Withdraw(ctx context.Context, k Key, id string) error {
	return f.call("Withdraw", func() error { return f.in.(Withdrawer).Withdraw(ctx, k, id) })
}

func (f able) Watch(m Message, tools []string) {
	f.quiet("Watch", func() { f.in.(Watcher).Watch(m, tools) })
}

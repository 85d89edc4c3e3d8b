package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/internal/app/console"
	"parley/internal/app/platform"
	"parley/internal/chat"
	"parley/internal/command/gate"
)

// platforms owns the adapters and the hub, which joins them with the handler.
type platforms struct {
	*base
	adapters []chat.Adapter                              // once they run
	hub      *chat.Hub                                   // from then on
	members  *console.Members                            // with chats in browsers; nil for none
	again    func(ctx context.Context, raw []byte) error // takes what a webhook brought once more
}

// setUp makes an adapter for each platform that is set up.
func (ps *platforms) setUp(f *front) (list []chat.Adapter, err error) {
	for _, p := range platform.Accounts() {
		if !p.On(ps.cfg) {
			continue
		}
		a, err := p.Open(ps.cfg, platform.Surroundings{
			Log: ps.log, Fleet: ps.fleet, Now: ps.process.Now, Toast: f.toast, Speak: f.people.speaker.With,
			Private: func(ctx context.Context, m chat.Message) bool { return f.commands.Private(ctx, m) },
			Suggest: func(ctx context.Context, m chat.Message, option, typed string) []chat.Choice {
				return f.commands.Suggest(ctx, m, option, typed)
			},
			Command: func(name string) bool { return f.commands.Has(name) },
			Welcome: func(ctx context.Context, m chat.Message) bool {
				role, err := f.people.gate.Role(ctx, m)
				return err == nil && role > gate.Stranger
			},
		})
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// isAdmin asks the platform whether a person administers a place.
func (ps *platforms) isAdmin(ctx context.Context, k chat.Key, userID string) (bool, error) {
	p, ok := chat.As[chat.AdminChecker](chat.On(ps.adapters, k.Platform))
	if !ok {
		return false, nil
	}
	return p.IsAdmin(ctx, k, userID)
}

// alone reports whether a place has one person in it, as far as its sessions
// know.
func (ps *platforms) alone(k chat.Key) bool {
	alone, err := ps.store.Sessions.Alone(context.Background(), k)
	return err == nil && alone
}

// reached reports whether m's author wrote to the bot alone on m's platform, and did not
// block it since.
func (ps *platforms) reached(ctx context.Context, m chat.Message) bool {
	k, err := ps.store.People.DirectChat(ctx, m.From.ID)
	return err == nil && k.Platform == m.Key.Platform && !ps.store.Access.Place(k).Closed()
}

// busy reports whether a conversation is at work.
func (ps *platforms) busy() bool {
	lanes, waiting := ps.hub.Active()
	return lanes+waiting > 0
}

// closed keeps a part of a conversation to which nothing can be sent: the person blocked
// the bot, or the bot was removed or may not write. Reminders there wait until it is open again.
func (ps *platforms) closed(ctx context.Context, p chat.Part) error {
	gone := chat.Presence{Key: p.Key, State: chat.Absent}
	if p.Await || ps.alone(p.Key) {
		gone.User, gone.State = p.To, chat.Blocked
	}
	return ps.store.Closed(ctx, p, gone)
}

// forgetElsewhere has the front ends forget a person.
func (ps *platforms) forgetElsewhere(ctx context.Context, user string) error {
	var errs []error
	if ps.members != nil {
		_, err := ps.members.End(ctx, user)
		errs = append(errs, err)
	}
	for _, adapter := range ps.adapters {
		if f, ok := chat.As[chat.Forgetter](adapter); ok {
			errs = append(errs, f.Forget(ctx, user))
		}
	}
	return errors.Join(errs...)
}

// run starts the adapters; each ends with ctx and sends the error that stopped it, or
// nil.
func (ps *platforms) run(ctx context.Context) <-chan error {
	errs := make(chan error, len(ps.adapters))
	down := newRefusals(len(ps.adapters))
	for _, adapter := range ps.adapters {
		go func() {
			errs <- down.keep(ctx, ps.log, func() error {
				err := ps.fleet.Receive(ctx, adapter, ps.hub, ps.oneAtATime(adapter))
				if err != nil {
					err = fmt.Errorf("%s: %w", adapter.Platform(), err)
				}
				return err
			})
		}()
	}
	return errs
}

// oneAtATime reports whether of several processes one receives from a platform.
func (ps *platforms) oneAtATime(a chat.Adapter) bool {
	p, ok := platform.Named(a.Platform())
	return ok && p.Hosted != nil && p.OneAtATime != nil && p.OneAtATime(ps.cfg)
}

// wait returns when the last adapter has ended. A platform that gives up does not
// stop the others.
func (ps *platforms) wait(ctx context.Context, errs <-chan error, stop func()) error {
	var all []error
	for range ps.adapters {
		if err := <-errs; err != nil && ctx.Err() == nil {
			ps.log.Error("a platform gave up", "err", err)
			all = append(all, err)
		}
	}
	stop()
	if len(all) < len(ps.adapters) {
		return nil
	}
	err := errors.Join(all...)
	if !slices.ContainsFunc(all, func(err error) bool { return !refused(err) }) {
		err = &refusedByAll{err}
	}
	return err
}

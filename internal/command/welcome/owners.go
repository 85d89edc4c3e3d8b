package welcome

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// Owners reaches who owns the bot. All fields are required.
type Owners struct {
	List     func(ctx context.Context) ([]string, error) // their ids
	Adapters func() []chat.Adapter
	// Direct returns where somebody last wrote to the bot alone, or an error.
	Direct func(ctx context.Context, id string) (chat.Key, error)
	// Notify stores parts once for each name.
	Notify func(ctx context.Context, what string, parts []chat.Part) error
	Flush  func(chat.Key)
	Speak  func(ctx context.Context, id string) catalog.Printer // to somebody
}

// errNobody: no owner can be reached; the log and /status have it, too.
var errNobody = errors.New("no owner can be reached")

// Tell sends a notice to one owner: of the platform where it happened, if there is
// one, and elsewhere to the first who can be reached. For an owner who has never
// opened the direct chat it waits until they do.
func (o Owners) Tell(ctx context.Context, n Notice) error {
	owners, err := o.List(ctx)
	if err != nil {
		return fmt.Errorf("tell the owner: %w", err)
	}
	slices.SortStableFunc(owners, func(a, b string) int { return rank(n, b) - rank(n, a) })
	for _, id := range owners {
		platform, _ := chat.CutID(id)
		adapter := chat.On(o.Adapters(), platform)
		if adapter == nil {
			continue
		}
		if p, ok := o.reach(ctx, adapter, id); ok {
			return o.send(ctx, adapter, n, p)
		}
	}
	return errNobody
}

// Person sends a notice to somebody who wrote to the bot alone.
func (o Owners) Person(ctx context.Context, id string, n Notice) error {
	platform, _ := chat.CutID(id)
	adapter := chat.On(o.Adapters(), platform)
	if adapter == nil {
		return fmt.Errorf("tell %s: %w", id, errNobody)
	}
	p, ok := o.reach(ctx, adapter, id)
	if !ok {
		return fmt.Errorf("tell %s: %w", id, errNobody)
	}
	return o.send(ctx, adapter, n, p)
}

// reach returns the direct chat of somebody; for who has never opened it, what is put
// there waits.
func (o Owners) reach(ctx context.Context, adapter chat.Adapter, id string) (p chat.Part, ok bool) {
	p.To = chat.User{ID: id}
	var err error
	if p.Key, err = o.Direct(ctx, id); err == nil && p.Key.Platform == adapter.Platform() {
		return p, true
	}
	c, ok := adapter.(chat.Confidant)
	if !ok {
		return p, false
	}
	p.Key, ok = c.DirectKey(p.To)
	p.Await = true
	return p, ok
}

// rank is higher for owners on the platform of a notice.
func rank(n Notice, id string) int {
	if n.Platform != "" && strings.HasPrefix(id, n.Platform+":") {
		return 1
	}
	return 0
}

func (o Owners) send(ctx context.Context, adapter chat.Adapter, n Notice, to chat.Part) error {
	var parts []chat.Part
	said, buttons := n.Say(o.Speak(ctx, to.To.ID))
	for i, piece := range adapter.Split(chat.Seen(said)) {
		to.Index, to.Text = i, piece
		parts = append(parts, to)
	}
	if len(parts) > 0 {
		parts[len(parts)-1].Buttons = buttons
	}
	if err := o.Notify(ctx, n.What, parts); err != nil {
		return fmt.Errorf("tell the owner: %w", err)
	}
	o.Flush(to.Key)
	return nil
}

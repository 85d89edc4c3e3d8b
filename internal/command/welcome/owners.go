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

// Owners reaches the bot's owners. All fields are required.
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

// ErrNobody: no owner can be reached; the log and /status have it, too.
var ErrNobody = errors.New("no owner can be reached")

// Tell sends a notice to one owner who can be reached: of the platform where it happened,
// if there is one.
func (o Owners) Tell(ctx context.Context, n Notice) error {
	owners, err := o.List(ctx)
	if err != nil {
		return fmt.Errorf("tell the owner: %w", err)
	}
	slices.SortStableFunc(owners, func(a, b string) int { return rank(n, b) - rank(n, a) })
	for _, id := range owners {
		if err := o.send(ctx, id, n); !errors.Is(err, ErrNobody) {
			return err
		}
	}
	return ErrNobody
}

// Person sends a notice to somebody who wrote to the bot alone.
func (o Owners) Person(ctx context.Context, id string, n Notice) error { return o.send(ctx, id, n) }

// rank is higher for owners on the platform of a notice.
func rank(n Notice, id string) int {
	if n.Platform != "" && strings.HasPrefix(id, n.Platform+":") {
		return 1
	}
	return 0
}

// send stores a notice for somebody's direct chat and sends it. For who has never opened
// the chat, it waits there. ErrNobody means that there is no such chat.
func (o Owners) send(ctx context.Context, id string, n Notice) error {
	platform, _ := chat.CutID(id)
	adapter := chat.On(o.Adapters(), platform)
	if adapter == nil {
		return fmt.Errorf("tell %s: %w", id, ErrNobody)
	}
	to := chat.Part{To: chat.User{ID: id}}
	var err error
	if to.Key, err = o.Direct(ctx, id); err != nil || to.Key.Platform != platform {
		if to.Key, to.Await = chat.DirectOf(adapter, to.To); !to.Await {
			return fmt.Errorf("tell %s: %w", id, ErrNobody)
		}
	}
	var parts []chat.Part
	said, buttons := n.Say(o.Speak(ctx, id))
	for i, piece := range adapter.Split(chat.Seen(said)) {
		to.Index, to.Text = i, piece
		parts = append(parts, to)
	}
	if len(parts) > 0 {
		parts[len(parts)-1].Buttons = buttons
	}
	if err := o.Notify(ctx, n.What, parts); err != nil {
		return fmt.Errorf("tell %s: %w", id, err)
	}
	o.Flush(to.Key)
	return nil
}

// Leave takes the bot out of a place, by its id with the platform.
func (o Manners) Leave(ctx context.Context, place string) error {
	platform, local := chat.CutID(place)
	l, ok := chat.As[chat.Leaver](chat.On(o.Adapters(), platform))
	if !ok {
		return fmt.Errorf("leave %s: %w", place, errors.ErrUnsupported)
	}
	return l.Leave(ctx, local)
}

// Door returns the address at which people open a direct chat, "" for none.
func (o Manners) Door(platform string) string {
	c, ok := chat.As[chat.Confidant](chat.On(o.Adapters(), platform))
	if !ok {
		return ""
	}
	return c.Door()
}

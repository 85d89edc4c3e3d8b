package handover

import (
	"context"
	"slices"

	"parley/internal/chat"
)

// Place is where the desk is, and who is at it.
type Place struct {
	// Where is a place, as chat.Key writes it, or InOwners; "" is no desk.
	Where  string
	Owners func() []string // their ids
	// Runs reports whether a platform is served now.
	Runs func(platform string) bool
	// May reports whether m's author may take conversations, if they are at the desk.
	May func(ctx context.Context, m chat.Message) (bool, error)
	// Window is the owner's page, from which conversations may be taken as well.
	Window chat.Key
}

// InOwners is the desk in the direct chats with the owners.
const InOwners = "owners"

// places returns the places of the desk as they are now; none means that there is
// nobody to hand anything over to.
func (d *Desk) places(ctx context.Context) (list []chat.Key, err error) {
	if d.o.Where != InOwners {
		if k, ok := chat.ParseKey(d.o.Where); ok {
			list = append(list, d.o.Store.Access.Latest(k))
		}
		return list, nil
	}
	for _, owner := range d.o.Owners() {
		if k, err := d.o.Store.People.DirectChat(ctx, owner); err == nil && d.o.Runs(k.Platform) {
			list = append(list, k)
		}
	}
	return list, nil
}

// mayTake reports whether m's author may take conversations.
func (d *Desk) mayTake(ctx context.Context, m chat.Message) (bool, error) {
	list, err := d.places(ctx)
	if err != nil || len(list) == 0 || m.Key != d.o.Window && !slices.Contains(list, m.Key) {
		return false, err
	}
	return d.o.May(ctx, m)
}

package handover

import (
	"context"
	"slices"

	"parley/internal/chat"
	"parley/internal/memory/handoff"
	"parley/internal/text/catalog"
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

// places returns the places of the desk now; none means that nobody is there.
func (d *Desk) places(ctx context.Context) (list []chat.Key) {
	if d.o.Where != InOwners {
		if k, ok := chat.ParseKey(d.o.Where); ok {
			list = append(list, d.o.Store.Access.Place(k).Key)
		}
		return list
	}
	for _, owner := range d.o.Owners() {
		if k, err := d.o.Store.People.DirectChat(ctx, owner); err == nil && d.o.Runs(k.Platform) {
			list = append(list, k)
		}
	}
	return list
}

func (d *Desk) mayTake(ctx context.Context, m chat.Message) (bool, error) {
	list := d.places(ctx)
	if len(list) == 0 || m.Key != d.o.Window && !slices.Contains(list, m.Key) {
		return false, nil
	}
	return d.o.May(ctx, m)
}

// hearing knows the language of each place of the desk: in an owner's direct chat theirs,
// where several read along that of the first owner.
type hearing struct {
	places map[chat.Key]catalog.Printer
	other  catalog.Printer
}

// hearing reads the languages of the desk, and of who has taken a handoff; the zero Handoff
// is nobody's. It reads before anything is stored.
func (d *Desk) hearing(ctx context.Context, taken handoff.Handoff) hearing {
	h := hearing{places: map[chat.Key]catalog.Printer{}}
	for i, owner := range d.o.Owners() {
		p := d.o.Speak(ctx, owner)
		if i == 0 {
			h.other = p
		}
		if d.o.Where != InOwners {
			break
		}
		if k, err := d.o.Store.People.DirectChat(ctx, owner); err == nil {
			h.places[k] = p
		}
	}
	if taken.State == handoff.Taken {
		h.places[taken.Desk] = d.o.Speak(ctx, taken.Taker.ID)
	}
	return h
}

func (h hearing) at(k chat.Key) catalog.Printer {
	if p, known := h.places[k]; known {
		return p
	}
	return h.other
}

package handover

import (
	"context"

	"parley/internal/chat"
	"parley/internal/memory/handoff"
	"parley/internal/text/catalog"
)

// hearing is the language of each place of the desk: in an owner's direct chat
// theirs, where several read it that of the first owner.
type hearing struct {
	places map[chat.Key]catalog.Printer
	other  catalog.Printer
}

// hearing reads the languages of the desk, before anything is stored. Who has taken one
// reads what comes to their place; the zero Handoff is nobody.
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

// at returns the language of a place of the desk.
func (h hearing) at(k chat.Key) catalog.Printer {
	if p, known := h.places[k]; known {
		return p
	}
	return h.other
}

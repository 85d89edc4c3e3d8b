package chat

import (
	"slices"
	"time"
)

// Address is what the address book knows of a place. Whoever has any name of it (from the
// settings, a button, an event) asks the book which place is meant.
type Address struct {
	Key    Key   // what it is called now
	Former []Key // what it was called before: settings and buttons may still say so
	State  PlaceState
	Since  time.Time // of the state; zero while it is Open
}

// Names returns all names of the place, today's first.
func (a Address) Names() []Key { return append([]Key{a.Key}, a.Former...) }

// Closed reports whether nothing can be said there now.
func (a Address) Closed() bool { return a.State != Open }

// PlaceState says whether the bot can write in a place.
type PlaceState string

// The states of a place.
const (
	Open   PlaceState = ""
	Left   PlaceState = "left"    // the bot was put out of it
	Barred PlaceState = "blocked" // a direct chat, whose person blocked the bot
	Shut   PlaceState = "shut"    // the platform refuses what is sent there
)

// Unmoved is the address book of places that never had another name.
func Unmoved(k Key) Address { return Address{Key: k} }

// In returns the address of a thread of the place.
func (a Address) In(thread string) Address {
	a.Key.Thread = thread
	a.Former = slices.Clone(a.Former)
	for i := range a.Former {
		a.Former[i].Thread = thread
	}
	return a
}

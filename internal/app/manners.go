package app

import (
	"parley/internal/chat"
	"parley/internal/manners"
)

// manners returns how this bot treats those who do not know it yet.
func (f *front) manners() manners.Manners {
	adapters := func() []chat.Adapter { return f.platforms.adapters }
	owners := manners.Owners{List: f.people.gate.Owners, Adapters: adapters, Rows: f.store, Flush: func(k chat.Key) { f.platforms.hub.Flush(k) }, Speak: f.people.speaker.To}
	return manners.Manners{Name: f.cfg.Agent.Name, Adapters: adapters, Tell: owners.Tell, Person: owners.Person, Talks: f.people.gate.Talks, Log: f.log}
}

package app

import (
	"parley/internal/chat"
	"parley/internal/command/welcome"
)

// manners returns how this bot treats those who do not know it yet.
func (f *front) manners() welcome.Manners {
	adapters := func() []chat.Adapter { return f.platforms.adapters }
	owners := welcome.Owners{List: f.people.gate.Owners, Adapters: adapters, Direct: f.store.People.DirectChat, Notify: f.store.Notify,
		Flush: func(k chat.Key) { f.platforms.hub.Flush(k) }, Speak: f.people.speaker.To}
	return welcome.Manners{Name: f.cfg.Agent.Name, Adapters: adapters, Tell: owners.Tell, Person: owners.Person,
		Talks: f.people.gate.Talks, Log: f.log}
}

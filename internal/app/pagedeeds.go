package app

import (
	"slices"

	"parley/config"
	"parley/internal/app/console"
	"parley/internal/chat/routing"
)

// residents lists the agents for the page, nil where there is only one. The bot's own is
// among them where it has a memory that none of them has.
func (m *mind) residents() (list []console.Agent) {
	if !m.roster.Several() {
		return nil
	}
	for _, name := range m.roster.Names() {
		if at, err := m.roster.Memory(name); err == nil {
			list = append(list, console.Agent{Name: name, Memory: at.ID})
		}
	}
	if at, err := m.roster.Memory(routing.Nobody); err == nil && !slices.ContainsFunc(list,
		func(a console.Agent) bool { return a.Memory == at.ID }) {
		list = append(list, console.Agent{Name: routing.Nobody, Memory: at.ID})
	}
	return list
}

// tunable lists the settings that may change while the bot runs.
func (p *port) tunable() (list []console.Setting) {
	c := p.inForce.Load()
	for _, s := range config.Settings() {
		if s.Change != config.ByChat {
			continue
		}
		value, _ := c.Get(s.Path)
		list = append(list, console.Setting{Name: s.Path, Value: value, Doc: s.Doc})
	}
	return list
}

package setup

import (
	"context"
	"slices"
	"time"

	"parley/config"
	"parley/internal/chat"
	"parley/internal/chat/routing"
	"parley/internal/memory"
)

// Residents returns the agents of the settings for the roster.
func Residents(c config.Config) (list []routing.Agent) {
	for _, r := range c.Agents {
		list = append(list, routing.Agent{Name: r.Name, Places: r.Places, Share: r.Share})
	}
	return list
}

// Resident returns the settings of an agent by its name; nil is the bot's own.
func Resident(c config.Config, name string) *config.Resident {
	i := slices.IndexFunc(c.Agents, func(r config.Resident) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Agents[i]
}

// Draws returns the sources that an agent reads, by their names in the index of notes; nil
// is all.
func Draws(r *config.Resident) []string {
	if r == nil {
		return nil
	}
	from := []string{}
	for _, name := range r.Sources {
		if name == config.VaultSource {
			name = NotesSource
		}
		from = append(from, name)
	}
	return from
}

// Alone reports whether only the agent of this memory reads a source.
func Alone(c config.Config, r *routing.Roster, memory, source string) bool {
	if !r.Several() {
		return true
	}
	names := r.Names()
	if r.At(chat.Message{}).Agent == routing.Nobody { // it answers somewhere
		names = append(names, routing.Nobody)
	}
	for _, name := range names {
		at, err := r.Memory(name)
		from := Draws(Resident(c, name))
		if draws := from == nil || slices.Contains(from, source); err == nil && draws != (at.ID == memory) {
			return false
		}
	}
	return true
}

// LookRoster returns a read-only roster.
func LookRoster(ctx context.Context, c config.Config, store *memory.Store) (*routing.Roster, error) {
	return routing.Open(ctx, looking{store.Settings}, store.Access.Place, time.Now, Residents(c))
}

// looking are rows that ignore writes.
type looking struct{ routing.Rows }

// SetSetting implements routing.Rows.
func (looking) SetSetting(context.Context, string, string) error { return nil }

package gate

import (
	"parley/internal/chat"
	"parley/internal/text"
)

// Role is what a person may do at a place. Roles are ordered: each may do what
// the ones before it may.
type Role int

// The roles. Anyone is used in command tables only: it admits even a Stranger,
// where the zero Role there means Member.
const (
	Anyone   Role = iota - 1
	Stranger      // not let in
	Member        // may talk
	Admin         // a Member whom the platform vouches for as administrator of this place
	Owner         // runs this bot
)

// String returns the role's name as people read it.
func (r Role) String() string {
	return [...]string{"anyone", "stranger", "member", "admin", "owner"}[min(max(r, Anyone), Owner)+1]
}

// terminal is the platform of people who sit at the machine itself.
const terminal = "terminal"

// ownersPage is the platform of the control page.
const ownersPage = "page"

// checkID explains why an entry of an access list cannot be used; nil when it can.
func (g *Gate) checkID(id string, placeToo bool) error {
	check := g.o.IDs.Person
	if placeToo {
		check = g.o.IDs.Entry
	}
	if problem, hint := check(id); problem != nil {
		return text.Tell("%w; %w", problem, hint)
	}
	return nil
}

// oneself reports whether m's author is one certain person.
func (g *Gate) oneself(m chat.Message) bool { return g.o.IDs.Oneself(m) }

// places returns the ids under which the place of m can be let in as a whole: those of
// today, and what its channel was called when somebody wrote it down.
func (g *Gate) places(m chat.Message) []string {
	ids := []string{chat.PlaceID(m.Key)}
	if g.o.Formerly != nil {
		for _, old := range g.o.Formerly(m.Key) {
			ids = append(ids, chat.PlaceID(old))
		}
	}
	if m.Guild != "" {
		ids = append(ids, chat.ServerID(m.Key.Platform, m.Guild))
	}
	return ids
}

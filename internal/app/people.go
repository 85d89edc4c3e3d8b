package app

import (
	"context"
	"strings"
	"time"

	"parley/internal/app/platform"
	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/command/language"
	"parley/internal/memory/agenda"
	"parley/internal/text/times"
	"parley/internal/tools"
)

// people knows what people may do and their time zones. It owns the gate.
type people struct {
	*base
	gate  *gate.Gate
	claim string // makes somebody the owner; "" if there is one
	// speaker knows people's languages.
	speaker language.Speaker
	home    string // time zone of the person at this machine; "" if unknown or nobody sits here
	// logged is called with each new entry of a journal.
	logged func(context.Context, tools.Call, agenda.LogEntry)
}

// open makes the gate. o holds what front knows: administrators, awaited answers and
// greetings.
func (p *people) open(o gate.GateOptions) (err error) {
	o.Mode, o.Owners, o.Allow, o.IDs = p.cfg.Access.Mode, p.cfg.Access.Owners, p.cfg.Access.Allow, platform.Identities()
	o.Rows, o.Place, o.Called, o.Now, o.Log = p.store.Access, p.store.Access.Place, p.store.Browse.Person, p.now, p.log
	p.gate, err = gate.NewGate(o)
	return err
}

// role returns a person's role in a place, as rules name it.
func (p *people) role(ctx context.Context, m chat.Message) string {
	r, err := p.gate.Role(ctx, m)
	if err != nil {
		p.log.Warn("role", "err", err)
		return ""
	}
	return r.String()
}

// isOwner reports whether the caller is an owner.
func (p *people) isOwner(ctx context.Context, c tools.Call) bool {
	return p.roleOf(ctx, c) >= gate.Owner
}

// roleOf returns the caller's role in the place of the call.
func (p *people) roleOf(ctx context.Context, c tools.Call) gate.Role {
	role, err := p.gate.Role(ctx, chat.Message{Key: c.Where, From: c.Who, Direct: c.Direct, Guild: c.Guild})
	if err != nil {
		p.log.Warn("role", "err", err)
	}
	return role
}

// owns reports whether an id belongs to an owner.
func (p *people) owns(ctx context.Context, id string) bool {
	platform, _ := chat.CutID(id)
	return p.isOwner(ctx, tools.Call{Who: chat.User{ID: id}, Where: chat.Key{Platform: platform, Channel: id}, Direct: true})
}

// planner keeps reminders and journals in people's local time.
func (p *people) planner() tools.Planner {
	return tools.Planner{Store: p.store, Now: p.now, Zone: p.zone, Next: times.Next, Logged: p.logged, Currency: p.cfg.Limits.Currency}
}

// mayShare reports whether the caller may save facts for everybody in a place.
func (p *people) mayShare(ctx context.Context, c tools.Call) bool {
	return p.roleOf(ctx, c) >= gate.Admin
}

// zone returns a person's time zone, "" if unknown; for the person at this machine, the
// machine's.
func (p *people) zone(ctx context.Context, who chat.User) string {
	known, err := p.store.People.Person(ctx, who.ID, "")
	if err != nil {
		p.log.Error("read time zone", "err", err)
	}
	if zone := strings.TrimSpace(known.TimeZone); zone != "" || !strings.HasPrefix(who.ID, "terminal:") {
		return zone
	}
	return p.home
}

// location returns a person's time zone, UTC if unknown.
func (p *people) location(ctx context.Context, who chat.User) *time.Location {
	loc, err := time.LoadLocation(p.zone(ctx, who))
	if err != nil {
		return time.UTC
	}
	return loc
}

package app

import (
	"context"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/command/language"
	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/text/times"
	"parley/internal/tools"
)

// people knows about persons: what they may do, and their time zone. It owns the
// gate.
type people struct {
	*base
	store *memory.Store
	gate  *gate.Gate
	claim string // the code of this start that makes somebody the owner; "" with an owner
	// speaker knows people's languages.
	speaker language.Speaker
	home    string // time zone of who sits at this machine, "" when unknown or nobody does
	// logged is told of each line of a journal.
	logged func(context.Context, tools.Call, agenda.LogEntry)
}

// vouching tells the gate what it cannot know by itself; nil means never.
type vouching struct {
	isAdmin func(context.Context, chat.Key, string) (bool, error) // of a place, as its platform says
	waits   func(context.Context, chat.Message) (bool, error)     // for a yes or a no of theirs
	knock   func(ctx context.Context, who chat.User, request string)
	door    func(platform string) string
	welcome func(ctx context.Context, who chat.User) // is told of who was let in
}

// open makes the gate of the settings.
func (p *people) open(by vouching) (err error) {
	p.gate, err = gate.NewGate(gate.GateOptions{
		Mode: p.cfg.Access.Mode, Owners: p.cfg.Access.Owners, Allow: p.cfg.Access.Allow,
		IDs: Identities, Rows: p.store.Access, IsAdmin: by.isAdmin, Waits: by.waits, Knock: by.knock, Door: by.door,
		Formerly: p.store.Access.Formerly, Called: p.store.Browse.Person, Admitted: by.welcome, Now: p.now, Log: p.log,
	})
	return err
}

// role names what a person is at a place, as rules know it.
func (p *people) role(ctx context.Context, m chat.Message) string {
	r, err := p.gate.Role(ctx, m)
	if err != nil {
		p.log.Warn("role", "err", err)
		return ""
	}
	return r.String()
}

// isOwner reports whether who calls is an owner.
func (p *people) isOwner(ctx context.Context, c tools.Call) bool {
	return p.roleOf(ctx, c) >= gate.Owner
}

// roleOf returns what who calls is, in the place of the call.
func (p *people) roleOf(ctx context.Context, c tools.Call) gate.Role {
	role, err := p.gate.Role(ctx, chat.Message{Key: c.Where, From: c.Who, Direct: c.Direct, Guild: c.Guild})
	if err != nil {
		p.log.Warn("role", "err", err)
	}
	return role
}

// owns reports whether an id is an owner's.
func (p *people) owns(ctx context.Context, id string) bool {
	platform, _ := chat.CutID(id)
	return p.isOwner(ctx, tools.Call{Who: chat.User{ID: id}, Where: chat.Key{Platform: platform, Channel: id}, Direct: true})
}

// mayStop asks the gate, like every other way in.
func (p *people) mayStop(ctx context.Context, m, running chat.Message) bool {
	return p.gate.MayStop(ctx, m, running)
}

// planner handles reminders and journals in people's own time.
func (p *people) planner() tools.Planner {
	return tools.Planner{Store: p.store, Now: p.now, Zone: p.zone, Next: times.Next, Logged: p.logged, Currency: p.cfg.Limits.Currency}
}

// mayShare reports whether who calls may make the bot remember something for
// everybody in a place.
func (p *people) mayShare(ctx context.Context, c tools.Call) bool {
	return p.roleOf(ctx, c) >= gate.Admin
}

// zone returns a person's time zone, "" when unknown. The person at this machine has
// the machine's zone.
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

// location returns where a person's clock is, UTC when unknown.
func (p *people) location(ctx context.Context, who chat.User) *time.Location {
	loc, err := time.LoadLocation(p.zone(ctx, who))
	if err != nil {
		return time.UTC
	}
	return loc
}

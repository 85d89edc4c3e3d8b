// Package gate sits in front of the agent and controls who may speak (Gate), how
// much (Quotas), what waits for a yes (Confirmations) and what the owner can do by
// slash command (Commands). Each is a chat.Handler around the next.
//
// It calls no model, knows no platform and holds no SQL: what must survive a
// restart is stored through the narrow interfaces it declares.
package gate

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/chat"
	"parley/internal/text"
)

// Grants stores who was let in, or kept out, by hand. Roles are "owner", "member"
// and "denied"; "" is none.
type Grants interface {
	Granted(ctx context.Context, id string) (role string, err error)
	Grant(ctx context.Context, id, role, by string) error
	// Revoke reports whether there was a grant to take back.
	Revoke(ctx context.Context, id string) (bool, error)
	Grants(ctx context.Context) (map[string]string, error)
}

// Codes keeps hashes of one-time codes, at most one per purpose and person.
type Codes interface {
	AddCode(ctx context.Context, purpose string, hash []byte, who chat.User, until time.Time) error
	// TakeCode uses a code up: of several callers with the same code, one gets ok.
	TakeCode(ctx context.Context, purpose string, hash []byte) (who chat.User, ok bool, err error)
	// Waiting lists who holds a live code, the oldest first.
	Waiting(ctx context.Context, purpose string) ([]chat.User, error)
	// DropCode makes a person's code stop working; false when there is none.
	DropCode(ctx context.Context, purpose, user string) (bool, error)
}

// Guesses counts attempts at codes.
type Guesses interface {
	// Try counts one and reports whether it is within limit in this window.
	Try(ctx context.Context, user string, limit int, window time.Duration) (bool, error)
	Forgive(ctx context.Context, user string) error
}

// Policies stores the settings of each channel.
type Policies interface {
	Policy(ctx context.Context, k chat.Key) (chat.Policy, error)
	SetPolicy(ctx context.Context, k chat.Key, p chat.Policy) error
}

// Rows is everything a Gate remembers. access.Register is the real one.
type Rows interface {
	Grants
	Codes
	Guesses
	Policies
}

// GateOptions of NewGate. Rows is required; the rest may be zero.
type GateOptions struct {
	// Mode is "pairing" (also when empty), "allowlist" or "open"; Set changes
	// it, Owners and Allow.
	Mode string
	// Owners and Allow are platform-scoped ids; Allow may name places.
	Owners, Allow []string
	// IDs is the grammar of ids of all platforms; an id of any other is
	// refused.
	IDs  chat.Identities
	Rows Rows
	// IsAdmin asks a platform whether a person administers a place, for
	// platforms whose events do not say. It may block; nil never vouches.
	IsAdmin func(ctx context.Context, k chat.Key, userID string) (bool, error)
	// Waits reports whether an overheard m answers a question to its author
	// (Confirmations.Waits); nil means never.
	Waits func(ctx context.Context, m chat.Message) (bool, error)
	// Listen is the Policy.Listen of channels about which nothing was decided; nil is mention.
	Listen func() string
	// Along takes what is said to others in a channel that the bot reads along in, and edits
	// of that; nil ignores it.
	Along chat.Handler
	// Knock tells the owner that somebody new asks to be let in; request names the request.
	// It must not block; nil tells nobody.
	Knock func(ctx context.Context, who chat.User, request string)
	// Door returns the address at which people open a direct chat on a platform, ""
	// for none; nil knows none.
	Door func(platform string) string
	// Place is the address book: what lets a place in may name it by any name it had. nil
	// knows none but today's.
	Place func(k chat.Key) chat.Address
	// Called returns the name of a person or place with this id, or the id; nil knows none.
	Called func(ctx context.Context, id string) (string, error)
	// Admitted is told who was let in after asking; nil tells nobody.
	Admitted func(ctx context.Context, who chat.User)
	Now      func() time.Time
	Log      *slog.Logger
}

// Gate decides who may speak. It derives authority from transport ids only, and treats every
// kind of message alike: who may not write may not press, edit or give commands either.
type Gate struct {
	o     GateOptions
	rules atomic.Pointer[rules]
	told  *once      // people who were told this hour, in a place, that they are not answered
	help  *once      // and who were told what they may still do because they asked for it
	codes sync.Mutex // held while a pairing code is made, so that the limit holds
}

// rules are the settings of a gate. They are immutable; Set replaces them as a whole.
type rules struct {
	mode          string
	owners, allow map[string]bool
	// local is true if the person at the terminal is the owner.
	local bool
}

// NewGate checks the ids it is given: an entry that is a name, or stands for many people, is
// an error.
func NewGate(o GateOptions) (*Gate, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Place == nil {
		o.Place = chat.Unmoved
	}
	g := &Gate{o: o, told: newOnce(toldEvery), help: newOnce(helpEvery)}
	if err := g.Set(o.Mode, o.Owners, o.Allow); err != nil {
		return nil, err
	}
	return g, nil
}

// Set puts other settings in force for every later message. After an error nothing has
// changed.
func (g *Gate) Set(mode string, owners, allow []string) error {
	r := &rules{mode: mode, owners: map[string]bool{}, allow: map[string]bool{}, local: true}
	switch mode {
	case "":
		r.mode = "pairing"
	case "pairing", "allowlist", "open":
	default:
		return fmt.Errorf("access.mode: %q is not pairing, allowlist or open", mode)
	}
	for _, id := range owners {
		if err := g.checkID(id, false); err != nil {
			return fmt.Errorf("access.owners: %w", err)
		}
		r.owners[id] = true
		r.local = r.local && !isTerminal(id)
	}
	for _, id := range allow {
		if err := g.checkID(id, true); err != nil {
			return fmt.Errorf("access.allow: %w", err)
		}
		r.allow[id] = true
	}
	g.rules.Store(r)
	return nil
}

// Wrap lets through what may pass, marked as addressed, and finishes the rest: mostly in
// silence, for a stranger at most with a sentence.
func (g *Gate) Wrap(next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		m = linked(m)
		way, a, err := g.decide(ctx, m)
		if err != nil {
			return chat.Answer{}, fmt.Errorf("access: %w", err)
		}
		if way == overheard {
			return g.o.Along.Handle(ctx, m, w)
		}
		if way != passes {
			if a.Record == nil && expected(m) {
				a.Record = chat.End{Outcome: chat.Refused, Reason: chat.NotLetIn}
			}
			return a, nil
		}
		if !m.Addressed && m.Kind == chat.KindText {
			chat.Await(w)
		}
		m.Addressed = true
		return pass(ctx, m, w)
	})
}

// decide is the only function that admits messages. An error admits nobody.
func (g *Gate) decide(ctx context.Context, m chat.Message) (way passage, a chat.Answer, err error) {
	if m.Kind == chat.KindSkipped || m.Kind == chat.KindDeleted || m.Kind == chat.KindAdded { // nobody waits for an answer
		return ends, a, nil
	}
	role, barred, err := g.known(ctx, m)
	if err != nil || barred {
		return ends, a, err
	}
	here := chat.Policy{Listen: "all"}
	if !m.Direct {
		if here, err = g.policy(ctx, m); err != nil {
			return ends, a, err
		}
	}
	if here.Listen == "off" { // the owner must be able to turn it on again
		if expected(m) {
			a = ended("", chat.Refused, chat.Off)
		}
		return when(role == Owner && m.Kind == chat.KindCommand), a, nil
	}
	if role == Stranger {
		if g.isClaim(m) {
			return passes, a, nil
		}
		a, err = g.stranger(ctx, m)
		return ends, a, err
	}
	pass := expected(m) || here.Listen == "all"
	if !pass && g.o.Waits != nil {
		pass, err = g.o.Waits(ctx, m)
	}
	if !pass && err == nil && g.along(m, here) {
		return overheard, a, nil
	}
	if !pass || err != nil || here.Who == "" {
		return when(pass && err == nil), a, err
	}
	if role, err = g.Role(ctx, m); err != nil || role > Stranger {
		return when(err == nil), a, err
	}
	// If the platform shows that it is waiting, silence would look like a failure.
	first := expected(m) && g.told.first(inPlace(m), g.o.Now())
	if g.asksHelp(m) || first || m.Origin != "" {
		a, err = g.refusal(ctx, m, here.Who)
	}
	return ends, a, err
}

// expected reports whether m asks for an answer by itself.
func expected(m chat.Message) bool {
	return m.Addressed || m.Kind == chat.KindCommand || m.Kind == chat.KindButton
}

// known returns the role of m's author without asking the platform: Owner, Member or
// Stranger. barred is true if the owner keeps this person or place out.
func (g *Gate) known(ctx context.Context, m chat.Message) (role Role, barred bool, err error) {
	return g.under(ctx, m, g.rules.Load())
}

// Unvouched reports whether nobody let m's author in, neither by name nor with the place, and
// nobody makes them an administrator there: they may speak because access.mode is open.
func (g *Gate) Unvouched(ctx context.Context, m chat.Message) (bool, error) {
	closed := *g.rules.Load()
	if closed.mode != "open" || m.Direct {
		return false, nil
	}
	closed.mode = "allowlist"
	role, _, err := g.under(ctx, m, &closed)
	if err != nil {
		return true, fmt.Errorf("who let somebody in: %w", err)
	}
	return role == Stranger && !g.administers(ctx, m), nil
}

// under is known by these rules.
func (g *Gate) under(ctx context.Context, m chat.Message, rules *rules) (role Role, barred bool, err error) {
	if g.Local(m) {
		return Owner, false, nil
	}
	ids := g.places(m)
	if g.oneself(m) {
		if rules.owners[m.From.ID] {
			return Owner, false, nil
		}
		ids = append([]string{m.From.ID}, ids...)
	}
	for _, id := range ids {
		granted, err := g.o.Rows.Granted(ctx, id)
		if err != nil {
			return Stranger, true, err
		}
		switch {
		case granted == "denied":
			return Stranger, true, nil
		case granted == "owner" && id == m.From.ID:
			return Owner, false, nil
		case granted == "member" || rules.allow[id]:
			role = Member
		}
	}
	if rules.mode == "open" && m.From.ID != "" {
		role = Member
	}
	return role, false, nil
}

// Local reports whether m was typed at the machine itself by its owner: on the
// owner's page, which only its owner gets into, or at the terminal, unless
// access.owners says who that is there. A program with a token that was made
// there counts as well.
func (g *Gate) Local(m chat.Message) bool {
	at := m.Key.Platform
	if at == chat.Programs {
		at, _ = chat.CutID(m.From.ID)
	}
	return g.oneself(m) && (at == ownersPage || at == terminal && g.rules.Load().local)
}

// Role returns what m's author may do where m was written; people whom the channel's policy
// leaves out are Strangers there. It may ask the platform, so it can block; if the platform
// cannot tell, nobody is an administrator.
func (g *Gate) Role(ctx context.Context, m chat.Message) (Role, error) {
	role, barred, err := g.known(ctx, m)
	if err != nil {
		return Stranger, fmt.Errorf("role: %w", err)
	}
	if barred || role != Member || m.Direct {
		return role, nil
	}
	if g.administers(ctx, m) {
		role = Admin
	}
	here, err := g.o.Rows.Policy(ctx, m.Key)
	if err != nil {
		return Stranger, fmt.Errorf("role: %w", err)
	}
	if here.Who == "owner" || here.Who == "admins" && role < Admin {
		return Stranger, nil
	}
	return role, nil
}

// Talks reports whether everybody in m's place may speak there: it was let in as a whole, or
// the bot is open to all.
func (g *Gate) Talks(ctx context.Context, m chat.Message) (bool, error) {
	rules := g.rules.Load()
	for _, id := range g.places(m) {
		granted, err := g.o.Rows.Granted(ctx, id)
		if err != nil || granted == "denied" {
			return false, err
		}
		if granted == "member" || rules.allow[id] {
			return true, nil
		}
	}
	return rules.mode == "open", nil
}

// administers asks the platform, unless the message says it already.
func (g *Gate) administers(ctx context.Context, m chat.Message) bool {
	if !g.oneself(m) || m.Admin || g.o.IsAdmin == nil {
		return g.oneself(m) && m.Admin
	}
	yes, err := g.o.IsAdmin(ctx, m.Key, m.From.ID)
	if err != nil {
		g.o.Log.Warn("cannot ask who administers this place", "place", m.Key.String(), "error", err)
	}
	return yes && err == nil
}

// MayStop reports whether m's author may stop the answer to running: the person who
// asked for it, an administrator of the place or the owner, if they may speak at all.
func (g *Gate) MayStop(ctx context.Context, m, running chat.Message) bool {
	role, err := g.Role(ctx, m)
	if err != nil {
		g.o.Log.Warn("who may stop", "place", m.Key.String(), "error", err)
	}
	return err == nil && (role >= Admin || role == Member && m.From.ID == running.From.ID)
}

// Owners lists who owns this bot, by the settings and by claim.
func (g *Gate) Owners(ctx context.Context) ([]string, error) {
	granted, err := g.o.Rows.Grants(ctx)
	if err != nil {
		return nil, fmt.Errorf("list owners: %w", err)
	}
	owners := maps.Clone(g.rules.Load().owners)
	for id, role := range granted {
		if role == "owner" {
			owners[id] = true
		}
	}
	return slices.Sorted(maps.Keys(owners)), nil
}

// HasOwner reports whether anybody but the person at the terminal owns this bot.
func (g *Gate) HasOwner(ctx context.Context) (bool, error) {
	for id := range g.rules.Load().owners {
		if !isTerminal(id) {
			return true, nil
		}
	}
	granted, err := g.o.Rows.Grants(ctx)
	if err != nil {
		return false, fmt.Errorf("look for an owner: %w", err)
	}
	for _, role := range granted {
		if role == "owner" {
			return true, nil
		}
	}
	return false, nil
}

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

// places returns the ids under which m's place can be let in as a whole, those that its
// channel had before included.
func (g *Gate) places(m chat.Message) []string {
	var ids []string
	for _, k := range g.o.Place(m.Key).Names() {
		ids = append(ids, chat.PlaceID(k))
	}
	if m.Guild != "" {
		ids = append(ids, chat.ServerID(m.Key.Platform, m.Guild))
	}
	return ids
}

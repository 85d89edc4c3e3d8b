// Package routing decides which of several agents answers where: by the places in the
// settings, and by those the owner bound from a chat. It also says which memory an agent
// has. It makes no agent and reads nobody's words.
package routing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/chat"
)

// Agent is one agent, as the settings have it.
type Agent struct {
	Name   string
	Places []string // where it answers; Everywhere is where nobody else does
	Share  bool     // what it knows about a person, others that share know too
}

// Everywhere is the place of the agent that answers where no other is bound.
const Everywhere = "default"

// Nobody is the name of the bot's own agent, which answers where none of the others
// is bound.
const Nobody = ""

// Rows keeps small values by name, "" is none.
// memory.Settings is the real one.
type Rows interface {
	Setting(ctx context.Context, name string) (string, error)
	SetSetting(ctx context.Context, name, value string) error
}

// Roster is who answers where. Of and At may be called from many goroutines, and see
// a change of the settings as a whole.
type Roster struct {
	rows  Rows
	place func(chat.Key) chat.Address
	now   func() time.Time

	mu  sync.Mutex // held by whoever changes it
	all atomic.Pointer[state]
}

// Bound is a place that the owner bound from a chat.
type Bound struct {
	Agent string    `json:"agent"`
	By    string    `json:"by"` // a person's id
	At    time.Time `json:"at"`
}

type state struct {
	agents  []Agent
	places  map[string]string // of the settings: place -> agent
	bound   map[string]Bound  // from chats, which win over the settings
	founder string            // whose memory the rows without an agent are
	kin     string            // JSON list of the memories that share
}

// Rows of Settings: the places that were bound from chats, and the agent that took
// over what the bot knew before there were agents.
const (
	boundRow   = "agents.bound"
	founderRow = "agents.founder"
)

// ErrNobody says that there is no agent of that name.
var ErrNobody = errors.New("no agent of that name")

// Open returns the roster of these agents; none is a bot with one agent, which
// reads and writes nothing. place is the address book: the settings may call a place by any
// name it had.
func Open(ctx context.Context, rows Rows, place func(chat.Key) chat.Address, now func() time.Time, agents []Agent) (*Roster, error) {
	r := &Roster{rows: rows, place: place, now: now}
	r.all.Store(&state{})
	return r, r.Set(ctx, agents)
}

// Set puts other agents in force; places that were bound from a chat stay.
func (r *Roster) Set(ctx context.Context, agents []Agent) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(agents) == 0 {
		r.all.Store(&state{})
		return nil
	}
	next := &state{agents: agents, places: map[string]string{}}
	for _, a := range agents {
		for _, p := range a.Places {
			next.places[p] = a.Name
		}
	}
	var err error
	if next.bound, err = bound(ctx, r.rows); err != nil {
		return err
	}
	if next.founder, err = r.rows.Setting(ctx, founderRow); err != nil {
		return fmt.Errorf("agents: %w", err)
	}
	if first := next.places[Everywhere]; next.founder == "" && first != "" {
		next.founder = first
		if err := r.rows.SetSetting(ctx, founderRow, first); err != nil {
			return fmt.Errorf("agents: %w", err)
		}
	}
	next.kin = next.kinship()
	r.all.Store(next)
	return nil
}

func bound(ctx context.Context, rows Rows) (list map[string]Bound, err error) {
	row, err := rows.Setting(ctx, boundRow)
	if err == nil && row != "" {
		err = json.Unmarshal([]byte(row), &list)
	}
	if err != nil {
		return nil, fmt.Errorf("read which places were given to which agents: %w", err)
	}
	return list, nil
}

func (s *state) kinship() string {
	ids := []string{}
	for _, a := range s.agents {
		if a.Share {
			ids = append(ids, s.memory(a.Name))
		}
	}
	b, _ := json.Marshal(ids) // texts: cannot fail
	return string(b)
}

// elsewhere is the memory of the bot's own agent once another owns the rows without an
// agent. No agent can have this name.
const elsewhere = "*"

// memory returns the memory that an agent reads and writes. The first agent to answer
// everywhere takes over what the bot knew before there were agents, and keeps it even if
// another answers everywhere later.
func (s *state) memory(name string) string {
	switch {
	case len(s.agents) == 0 || name == s.founder:
		return ""
	case name == Nobody:
		return elsewhere
	}
	return name
}

// Memory returns the memory of an agent; ErrNobody when there is none of that name.
func (r *Roster) Memory(name string) (chat.Agent, error) {
	s := r.all.Load()
	if name != Nobody && !s.has(name) {
		return chat.Agent{}, fmt.Errorf("%w: %s", ErrNobody, name)
	}
	return s.agent(name), nil
}

func (s *state) agent(name string) chat.Agent {
	a := chat.Agent{ID: s.memory(name)}
	if i := s.index(name); i >= 0 && s.agents[i].Share {
		a.Kin = s.kin
	}
	return a
}

func (s *state) index(name string) int {
	return slices.IndexFunc(s.agents, func(a Agent) bool { return a.Name == name })
}

func (s *state) has(name string) bool { return s.index(name) >= 0 }

// Name returns the agent that has a memory: ok is false when none of today's has it.
func (r *Roster) Name(memory string) (name string, ok bool) {
	s := r.all.Load()
	for _, name := range append([]string{Nobody}, r.Names()...) {
		if s.memory(name) == memory {
			return name, true
		}
	}
	return "", false
}

// Names lists the agents in the order of the settings; none where there is only one.
func (r *Roster) Names() (names []string) {
	for _, a := range r.all.Load().agents {
		names = append(names, a.Name)
	}
	return names
}

// Several reports whether there are agents to tell apart.
func (r *Roster) Several() bool { return len(r.all.Load().agents) > 0 }

// Of returns m with the agent that answers it.
func (r *Roster) Of(m chat.Message) chat.Message {
	s := r.all.Load()
	if len(s.agents) > 0 {
		m.Agent = s.agent(s.at(r.places(m)).Agent)
	}
	return m
}

// Answering is who answers in a place, and why.
type Answering struct {
	Agent string // "" is the bot's own
	Place string // that decided; "" for none
	Chat  *Bound // it was bound from a chat; nil is by the settings
	// Instead is the agent that the settings have for the same place, "" for none.
	Instead string
}

// At returns who answers m.
func (r *Roster) At(m chat.Message) Answering { return r.all.Load().at(r.places(m)) }

// at returns who answers in the first of some places that is anybody's. Each has its
// names, today's first.
func (s *state) at(places [][]string) Answering {
	for _, names := range places {
		var set, instead string
		for _, p := range names {
			if name, ok := s.places[p]; ok && set == "" {
				set, instead = p, name
			}
		}
		for _, p := range names {
			if b, ok := s.bound[p]; ok && s.has(b.Agent) {
				return Answering{b.Agent, p, &b, instead}
			}
		}
		if set != "" {
			return Answering{Agent: instead, Place: set}
		}
	}
	return Answering{}
}

// Bind makes an agent answer in a place from now on, whatever the settings say.
// ErrNobody when there is none of that name.
func (r *Roster) Bind(ctx context.Context, place, name, by string) error {
	return r.change(ctx, func(s *state) error {
		if !s.has(name) {
			return fmt.Errorf("%w: %s", ErrNobody, name)
		}
		s.bound[place] = Bound{Agent: name, By: by, At: r.now().UTC()}
		return nil
	})
}

// Unbind leaves a place to the settings again; ok is false when it was.
func (r *Roster) Unbind(ctx context.Context, place string) (ok bool, err error) {
	err = r.change(ctx, func(s *state) error {
		_, ok = s.bound[place]
		delete(s.bound, place)
		return nil
	})
	return ok, err
}

func (r *Roster) change(ctx context.Context, do func(*state) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := *r.all.Load()
	var err error
	if next.bound, err = bound(ctx, r.rows); err != nil { // anew: another process may have bound one
		return err
	}
	if next.bound == nil {
		next.bound = map[string]Bound{}
	}
	if err := do(&next); err != nil {
		return err
	}
	row, err := json.Marshal(next.bound)
	if err != nil {
		return err
	}
	if len(next.bound) == 0 {
		row = nil
	}
	if err := r.rows.SetSetting(ctx, boundRow, string(row)); err != nil {
		return fmt.Errorf("give a place to an agent: %w", err)
	}
	r.all.Store(&next)
	return nil
}

// Given lists the places that were bound from chats to an agent, sorted.
func (r *Roster) Given(name string) []string {
	return r.given(func(agent string) bool { return agent == name })
}

// Lost lists the places that were bound from chats to agents that are no more: the
// settings decide there again until they are back.
func (r *Roster) Lost() []string {
	s := r.all.Load()
	return r.given(func(agent string) bool { return !s.has(agent) })
}

func (r *Roster) given(to func(agent string) bool) (places []string) {
	for p, b := range r.all.Load().bound {
		if to(b.Agent) {
			places = append(places, p)
		}
	}
	slices.Sort(places)
	return places
}

// Places returns what m's place is called, the closest name first: its thread, its
// channel or the direct chat of its author, and its server.
func Places(m chat.Message) (names []string) {
	if m.Key.Thread != "" {
		names = append(names, named(m.Key))
	}
	if m.Direct {
		names = append(names, m.From.ID)
	}
	names = append(names, chat.PlaceID(m.Key))
	if m.Guild != "" {
		names = append(names, chat.ServerID(m.Key.Platform, m.Guild))
	}
	return names
}

func named(k chat.Key) string {
	if k.Thread != "" {
		return chat.PlaceID(k) + "/" + k.Thread
	}
	return chat.PlaceID(k)
}

// places returns Places with what each was called before, and Everywhere.
func (r *Roster) places(m chat.Message) (list [][]string) {
	channel := m.Key.Whole()
	for _, name := range append(Places(m), Everywhere) {
		names := []string{name}
		for _, k := range []chat.Key{m.Key, channel} {
			if name == named(k) {
				for _, old := range r.place(k).Former {
					names = append(names, named(old))
				}
				break
			}
		}
		list = append(list, names)
	}
	return list
}

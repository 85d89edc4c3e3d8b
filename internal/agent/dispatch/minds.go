// Package dispatch is the agents of one bot together: each message, and each session,
// goes to the one it belongs to. It decides nothing else.
package dispatch

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"parley/internal/agent"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Mind is one agent and the book it goes by.
type Mind struct {
	*agent.Agent
	Name string                // "" is the bot's own
	Book func() *playbook.Book // in force; nil is none
	// Follows is true where it is answered by the model that the owner chose for
	// the bot, and not by models of its own.
	Follows bool
}

// Minds is all agents by their memories. The zero Minds has none; Put comes first.
// It is safe for many goroutines.
type Minds struct {
	// Sessions finds the session of an id; memory.Sessions.
	Sessions interface {
		SessionByID(ctx context.Context, id string) (memory.Session, error)
	}
	all atomic.Pointer[map[string]*Mind]
}

// Put puts agents in force, by their memories. The one of fallback answers for
// those that are no more, and is always there.
func (ms *Minds) Put(all map[string]*Mind) { ms.all.Store(&all) }

// Own is the memory that the bot's own agent is put under besides its place in the
// roster: it does what belongs to no agent of today.
const Own = "*own"

// Of returns the agent of a memory.
func (ms *Minds) Of(memory string) *Mind {
	all := *ms.all.Load()
	if m := all[memory]; m != nil {
		return m
	}
	return all[Own]
}

// here returns the agent that answers m.
func (ms *Minds) here(m chat.Message) *Mind { return ms.Of(m.Agent.ID) }

// session returns the agent that a session belongs to. Where there is only one,
// nothing is read.
func (ms *Minds) session(ctx context.Context, id string) (*Mind, error) {
	all := *ms.all.Load()
	if len(all) == 1 {
		return all[Own], nil
	}
	se, err := ms.Sessions.SessionByID(ctx, id)
	return ms.Of(se.Agent), err
}

// Each calls do for every agent once.
func (ms *Minds) Each(do func(*Mind)) {
	seen := map[*Mind]bool{}
	for _, m := range *ms.all.Load() {
		if !seen[m] {
			seen[m] = true
			do(m)
		}
	}
}

// Book returns the playbook that m is answered by, nil for none.
func (ms *Minds) Book(m chat.Message) *playbook.Book { return ms.here(m).Book() }

// Rules returns the agent whose rules m is answered by.
func (ms *Minds) Rules(m chat.Message) *agent.Agent { return ms.here(m).Agent }

// Handle implements chat.Handler.
func (ms *Minds) Handle(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
	return ms.here(m).Handle(ctx, m, w)
}

// Ahead is agent.Agent.Ahead.
func (ms *Minds) Ahead(ctx context.Context, m chat.Message) any { return ms.here(m).Ahead(ctx, m) }

// Begin is agent.Agent.Begin.
func (ms *Minds) Begin(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
	return ms.here(m).Begin(ctx, m, w)
}

// Ask is agent.Agent.Ask.
func (ms *Minds) Ask(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
	return ms.here(m).Ask(ctx, m, w)
}

// Resume is agent.Agent.Resume.
func (ms *Minds) Resume(ctx context.Context, m chat.Message, w chat.Reply, r agent.Resumed) (chat.Answer, error) {
	return ms.here(m).Resume(ctx, m, w, r)
}

// Propose is agent.Agent.Propose.
func (ms *Minds) Propose(ctx context.Context, m chat.Message, tool string, args map[string]any) (chat.Answer, error) {
	return ms.here(m).Propose(ctx, m, tool, args)
}

// Session is agent.Agent.Session.
func (ms *Minds) Session(ctx context.Context, m chat.Message) (memory.Session, error) {
	return ms.here(m).Session(ctx, m)
}

// Summarize is agent.Agent.Summarize.
func (ms *Minds) Summarize(ctx context.Context, p memory.Place) (string, error) {
	return ms.Of(p.Agent).Summarize(ctx, p)
}

// Delegate is agent.Agent.Delegate, by the agent that makes the call.
func (ms *Minds) Delegate(ctx context.Context, s agent.Subagent, c tools.Call, task string) (tools.Result, error) {
	return ms.Of(c.Memory.ID).Delegate(ctx, s, c, task)
}

// Expire is agent.Agent.Expire.
func (ms *Minds) Expire(ctx context.Context, id string) error {
	m, err := ms.session(ctx, id)
	if err != nil {
		return err
	}
	return m.Expire(ctx, id)
}

// Archive is agent.Agent.Archive.
func (ms *Minds) Archive(ctx context.Context, id string) error {
	m, err := ms.session(ctx, id)
	if err != nil {
		return err
	}
	return m.Archive(ctx, id)
}

// Pay is agent.Agent.Pay.
func (ms *Minds) Pay(ctx context.Context, id string) error {
	m, err := ms.session(ctx, id)
	if err != nil {
		return err
	}
	return m.Pay(ctx, id)
}

// End is agent.Agent.End.
func (ms *Minds) End(ctx context.Context, id string, carry bool) (bool, error) {
	m, err := ms.session(ctx, id)
	if err != nil {
		return false, err
	}
	return m.End(ctx, id, carry)
}

// Fill is agent.Agent.Fill.
func (ms *Minds) Fill(p catalog.Printer, c agent.Pending, m chat.Message, said chat.Said) (say string, form *chat.Form, reply tools.Reply) {
	return ms.here(m).Fill(p, c, m, said)
}

// ExpireInquiries is agent.Agent.ExpireInquiries of every agent.
func (ms *Minds) ExpireInquiries(life time.Duration) {
	ms.Each(func(m *Mind) { m.Agent.ExpireInquiries(life) })
}

// ModelName is the model of the bot's own agent.
func (ms *Minds) ModelName() string { return ms.Of(Own).ModelName() }

// ReloadPrompt reads every persona again.
func (ms *Minds) ReloadPrompt() (err error) {
	ms.Each(func(m *Mind) { err = errors.Join(err, m.Agent.ReloadPrompt()) })
	return err
}

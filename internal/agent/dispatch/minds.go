// Package dispatch holds the agents of one bot: each message, and each session, goes to the
// one it belongs to. It decides nothing else.
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
)

// Mind is one agent and its playbook.
type Mind struct {
	*agent.Agent
	Name string                // "" is the bot's own
	Book func() *playbook.Book // in force; nil is none
	// Follows is true if it uses the model that the owner chose for the bot, and has none of
	// its own.
	Follows bool
}

// Minds holds all agents by their memories; call Put first. It is safe for many goroutines.
type Minds struct {
	// Sessions finds the session of an id; memory.Sessions.
	Sessions interface {
		SessionByID(ctx context.Context, id string) (memory.Session, error)
	}
	all atomic.Pointer[map[string]*Mind]
}

// Put puts agents in force, by their memories. The one under Own is always there, and answers
// for those that are gone.
func (ms *Minds) Put(all map[string]*Mind) { ms.all.Store(&all) }

// Own is the key under which the bot's own agent is also put: it does what belongs to no
// agent of today.
const Own = "*own"

// Of returns the agent of a memory.
func (ms *Minds) Of(memory string) *Mind {
	all := *ms.all.Load()
	if m := all[memory]; m != nil {
		return m
	}
	return all[Own]
}

// At returns the agent that answers m.
func (ms *Minds) At(m chat.Message) *Mind { return ms.Of(m.Agent.ID) }

// session returns the agent that a session belongs to. If there is only one, it reads
// nothing.
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

// Handle implements chat.Handler.
func (ms *Minds) Handle(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
	return ms.At(m).Handle(ctx, m, w)
}

// Ahead is agent.Agent.Ahead.
func (ms *Minds) Ahead(ctx context.Context, m chat.Message) any { return ms.At(m).Ahead(ctx, m) }

// Session is agent.Agent.Session.
func (ms *Minds) Session(ctx context.Context, m chat.Message) (memory.Session, error) {
	return ms.At(m).Session(ctx, m)
}

// MaySpeak is agent.Agent.MaySpeak.
func (ms *Minds) MaySpeak(ctx context.Context, m chat.Message) (bool, error) {
	return ms.At(m).MaySpeak(ctx, m)
}

// Summarize is agent.Agent.Summarize.
func (ms *Minds) Summarize(ctx context.Context, p memory.Place) (string, error) {
	return ms.Of(p.Agent).Summarize(ctx, p)
}

// Expire is agent.Agent.Expire.
func (ms *Minds) Expire(ctx context.Context, id string) error {
	return ms.with(ctx, id, (*agent.Agent).Expire)
}

// Archive is agent.Agent.Archive.
func (ms *Minds) Archive(ctx context.Context, id string) error {
	return ms.with(ctx, id, (*agent.Agent).Archive)
}

// Pay is agent.Agent.Pay.
func (ms *Minds) Pay(ctx context.Context, id string) error {
	return ms.with(ctx, id, (*agent.Agent).Pay)
}

// with calls do with the agent that a session belongs to.
func (ms *Minds) with(ctx context.Context, id string, do func(*agent.Agent, context.Context, string) error) error {
	m, err := ms.session(ctx, id)
	if err != nil {
		return err
	}
	return do(m.Agent, ctx, id)
}

// End is agent.Agent.End.
func (ms *Minds) End(ctx context.Context, id string, carry bool) (bool, error) {
	m, err := ms.session(ctx, id)
	if err != nil {
		return false, err
	}
	return m.End(ctx, id, carry)
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

package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"time"

	"parley/config"
	"parley/internal/adapters/terminal"
	"parley/internal/app/bucket"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/tools"
	"parley/internal/tools/mcp"
)

// MCP serves Parley to the owner's other programs as an MCP server, whether the bot runs
// or not. Only the protocol is written to Out.
func (p Process) MCP(ctx context.Context, cfg config.Config) error {
	b := newBase(p, cfg, setup.NewLogger(cfg, &slog.LevelVar{}, p.Err), time.Now)
	a, err := openApp(ctx, b, false)
	if err != nil {
		return err
	}
	defer a.close()
	if err := a.people.open(gate.GateOptions{}); err != nil {
		return err
	}
	if err := a.notes.open(ctx); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer b.work.Wait()
	defer stop()
	a.notes.follow(ctx)
	set, err := a.toolset.list()
	if err != nil {
		return err
	}
	in, ok := p.In.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(p.In)
	}
	return mcp.Serve(ctx, forClients(set), b.asOwner(), in, writeCloser{p.Out})
}

// clientTools are the tools for other programs, besides those for notes. None needs a yes:
// no program can be trusted to have asked a person.
var clientTools = []string{"recall_conversation", "list_facts", "save_fact", "update_fact", "list_tasks", "add_task", "complete_task"}

func forClients(all tools.Set) tools.Set {
	var names []string
	for _, s := range all.All() {
		if !s.Confirm && !s.Over && s.Asks() != tools.AskAlways && (s.Category == tools.Vault || slices.Contains(clientTools, s.Name)) {
			names = append(names, s.Name)
		}
	}
	return all.Only(names...)
}

// newDoor makes what answers MCP clients over HTTP; nil where it is off.
func (p *port) newDoor() *mcp.Door {
	if !p.cfg.HTTP.MCP || p.cfg.HTTP.Listen == "" {
		return nil
	}
	limit := bucket.New(func() int { return p.inForce.Load().HTTP.MCPPerMinute }, p.now)
	return mcp.NewDoor(mcp.DoorOptions{
		Bearer: p.bearer, Log: p.log, Runner: func() *tools.Runner { return p.mind.runner }, Failpoint: p.process.Failpoint,
		Guest: func(ctx context.Context, person string) (mcp.Guest, error) {
			if wait := limit.Take(person); wait > 0 {
				return mcp.Guest{}, &mcp.LaterError{After: wait}
			}
			return p.guest(ctx, person)
		},
	})
}

// bearer returns whose a token is; ok is false for nobody's.
func (p *port) bearer(ctx context.Context, token string) (person string, ok bool, err error) {
	t, ok, err := p.store.Tokens.Find(ctx, token)
	return t.User, ok, err
}

// guest returns what a person's programs may do: what the person may in their direct chat, of
// what is for programs.
func (p *port) guest(ctx context.Context, person string) (g mcp.Guest, err error) {
	at, err := p.store.People.DirectChat(ctx, person)
	if errors.Is(err, memory.ErrNotFound) {
		at, err = chat.DirectKey(person), nil
	}
	if err != nil {
		return g, err
	}
	m := chat.Message{Key: at, From: chat.User{ID: person}, Direct: true, Addressed: true}
	role, err := p.front.people.gate.Role(ctx, m)
	if err != nil {
		return g, err
	}
	if role < gate.Member {
		return g, mcp.ErrBarred
	}
	m.Agent = p.mind.agentOf(m)
	set, err := p.front.toolset.here(ctx, m)
	c := tools.CallOf(m)
	c.Key, c.Program = "", true
	return mcp.Guest{As: c, Set: forClients(set)}, err
}

// expelTime is how long forgetting somebody waits for what their programs have under way.
const expelTime = 10 * time.Second

// expelling ends what a person's programs have under way before the person is forgotten, so
// that nothing is stored of them afterwards. forget may be nil.
func (p *port) expelling(forget func(context.Context, string) (func(), error)) func(context.Context, string) (func(), error) {
	return func(ctx context.Context, user string) (func(), error) {
		limit, cancel := context.WithTimeout(ctx, expelTime)
		defer cancel()
		back := p.mcp.Expel(limit, user)
		if forget == nil {
			return back, nil
		}
		over, err := forget(ctx, user)
		if err != nil {
			back()
			return nil, err
		}
		return func() { over(); back() }, nil
	}
}

// asOwner returns a call of the first owner's program in their direct chat.
func (b *base) asOwner() tools.Call {
	owner := terminal.UserID(b.firstOwner())
	return tools.Call{Who: chat.User{ID: owner}, Where: chat.DirectKey(owner), Direct: true, Caller: tools.Caller{Program: true}}
}

// firstOwner returns the first of access.owners, else the person at this machine.
func (b *base) firstOwner() string {
	if len(b.cfg.Access.Owners) > 0 {
		return b.cfg.Access.Owners[0]
	}
	return terminal.Local
}

// writeCloser ignores Close.
type writeCloser struct{ io.Writer }

// Close implements io.Closer.
func (writeCloser) Close() error { return nil }

package app

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"time"

	"parley/config"
	"parley/internal/adapters/terminal"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/command/gate"
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
		if !s.Confirm && (s.Category == tools.Vault || slices.Contains(clientTools, s.Name)) {
			names = append(names, s.Name)
		}
	}
	return all.Only(names...)
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

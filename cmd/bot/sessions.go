package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/adapters/terminal"
	"parley/internal/admin"
	"parley/internal/llm"
	"parley/internal/memory"
)

// withStore opens the data folder beside a bot that may be running.
func withStore(ctx context.Context, f *flags, do func(*memory.Store) error) error {
	cfg, err := f.load()
	if err != nil {
		return err
	}
	store, err := memory.Open(ctx, cfg.DataDir, memory.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	return do(store)
}

type sessionsCmd struct {
	List   sessionsListCmd   `cmd:"" help:"List conversations, newest first."`
	Show   sessionsShowCmd   `cmd:"" help:"Show one conversation."`
	Import sessionsImportCmd `cmd:"" help:"Bring older conversations in."`
}

type sessionsListCmd struct {
	Status string `help:"Only those that are active, idle, suspended, completed, expired or archived." placeholder:"STATUS" enum:",active,idle,suspended,completed,expired,archived" default:""`
	Limit  int    `help:"How many." default:"50"`
}

// Run lists conversations.
func (c sessionsListCmd) Run(ctx context.Context, f *flags, s *streams) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		list, err := store.Sessions(ctx, memory.SessionQuery{Status: memory.Status(c.Status), Limit: c.Limit})
		if err != nil {
			return err
		}
		for _, se := range list {
			if _, err := fmt.Fprintf(seen{s.out}, "%s  %-9s  %s  %s  %s\n", se.ID, se.Status, se.LastActivity.Format(time.RFC3339), se.Key, se.Title); err != nil {
				return err
			}
		}
		return nil
	})
}

type sessionsShowCmd struct {
	ID string `arg:"" help:"The id, or its beginning."`
}

// Run shows one conversation.
func (c sessionsShowCmd) Run(ctx context.Context, f *flags, s *streams) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		se, err := store.FindSession(ctx, strings.ToLower(c.ID))
		if errors.Is(err, memory.ErrNotFound) {
			return fmt.Errorf("there is no session %s, or more than one begins like that: bot sessions list shows them", c.ID)
		}
		if err != nil {
			return fmt.Errorf("session %s: %w", c.ID, err)
		}
		entries, err := store.Transcript(ctx, se.ID, 0, 0)
		if err != nil {
			return err
		}
		fmt.Fprintf(seen{s.out}, "session   %s\nplace     %s\nstatus    %s\nbegun     %s\nlast      %s\ntokens    %d\nshortened %s\n",
			se.ID, se.Key, se.Status, se.Created.Format(time.RFC3339), se.LastActivity.Format(time.RFC3339), se.TokensUsed, many(se.Compressions, "time"))
		for name, text := range map[string]string{"title": se.Title, "closing": se.Closing, "summary": se.Summary} {
			if text != "" {
				fmt.Fprintf(seen{s.out}, "%-9s %s\n", name, text)
			}
		}
		for _, e := range entries {
			name := e.Name
			if e.Role == llm.RoleAssistant {
				name = "assistant"
			}
			if e.Role != llm.RoleTool && e.Content != "" {
				fmt.Fprintf(seen{s.out}, "[%s] %s: %s\n", e.At.UTC().Format("2006-01-02 15:04"), name, e.Content)
			}
		}
		return nil
	})
}

type pairCmd struct {
	List    pairListCmd    `cmd:"" help:"Who waits to be let in."`
	Approve pairApproveCmd `cmd:"" help:"Let in whoever holds a code."`
	Drop    pairDropCmd    `cmd:"" help:"Turn down somebody who waits."`
}

// gateOf is the gate of a data folder, for the owner at the machine.
func gateOf(ctx context.Context, f *flags, do func(*admin.Gate) error) error {
	cfg, err := f.load()
	if err != nil {
		return err
	}
	return withStore(ctx, f, func(store *memory.Store) error {
		gate, err := admin.NewGate(admin.GateOptions{IDs: identities, Mode: cfg.Access.Mode, Owners: cfg.Access.Owners, Allow: cfg.Access.Allow, Rows: store})
		if err != nil {
			return err
		}
		return do(gate)
	})
}

type pairListCmd struct{}

// Run lists who waits.
func (pairListCmd) Run(ctx context.Context, f *flags, s *streams) error {
	return gateOf(ctx, f, func(g *admin.Gate) error {
		waiting, err := g.Waiting(ctx)
		if err != nil {
			return err
		}
		for _, u := range waiting {
			fmt.Fprintf(seen{s.out}, "%s  %s\n", u.ID, u.Name)
		}
		if len(waiting) == 0 {
			fmt.Fprintln(s.err, "nobody waits to be let in")
		}
		return nil
	})
}

type pairApproveCmd struct {
	Code string `arg:"" help:"The code the person was given."`
}

// Run lets a person in.
func (c pairApproveCmd) Run(ctx context.Context, f *flags, s *streams) error {
	return gateOf(ctx, f, func(g *admin.Gate) error {
		who, err := g.Approve(ctx, c.Code, terminal.Local)
		if err != nil {
			return err
		}
		fmt.Fprintf(seen{s.out}, "%s (%s) may talk to the bot now\n", who.ID, who.Name)
		return nil
	})
}

type pairDropCmd struct {
	ID string `arg:"" name:"id" help:"Who waits, as bot pair list shows them."`
}

// Run turns a request down.
func (c pairDropCmd) Run(ctx context.Context, f *flags, s *streams) error {
	return gateOf(ctx, f, func(g *admin.Gate) error {
		ok, err := g.Drop(ctx, c.ID)
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("%s does not wait to be let in; bot pair list shows who does", c.ID)
		}
		fmt.Fprintf(seen{s.out}, "%s waits no more\n", c.ID)
		return nil
	})
}

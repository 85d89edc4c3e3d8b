package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/text"
)

// Sessions lists, shows and imports conversations.
type Sessions struct {
	List   sessionsListCmd   `cmd:"" help:"List conversations, newest first."`
	Show   sessionsShowCmd   `cmd:"" help:"Show one conversation."`
	Import sessionsImportCmd `cmd:"" help:"Bring older conversations in."`
}

type sessionsListCmd struct {
	Status string `help:"Only those that are active, idle, suspended, completed, expired or archived." placeholder:"STATUS" enum:",active,idle,suspended,completed,expired,archived" default:""`
	Limit  int    `help:"How many." default:"50"`
}

// Run lists conversations.
func (c sessionsListCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		list, err := store.Sessions.Sessions(ctx, memory.SessionQuery{Status: memory.Status(c.Status), Limit: c.Limit})
		if err != nil {
			return err
		}
		for _, se := range list {
			if _, err := fmt.Fprintf(seen{s.Out}, "%s  %-9s  %s  %s  %s\n", se.ID, se.Status, se.LastActivity.Format(time.RFC3339),
				se.Key, se.Title); err != nil {
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
func (c sessionsShowCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		se, err := store.Sessions.FindSession(ctx, strings.ToLower(c.ID))
		if errors.Is(err, memory.ErrNotFound) {
			return text.Tell("there is no session %s, or more than one begins like that: bot sessions list shows them", c.ID)
		}
		if err != nil {
			return text.Tell("session %s: %w", c.ID, err)
		}
		entries, err := store.Transcript(ctx, se.ID, 0, 0)
		if err != nil {
			return err
		}
		fmt.Fprintf(seen{s.Out}, "session   %s\nplace     %s\nstatus    %s\nbegun     %s\nlast      %s\ntokens    %d\nshortened %s\n",
			se.ID, se.Key, se.Status, se.Created.Format(time.RFC3339), se.LastActivity.Format(time.RFC3339), se.TokensUsed,
			text.Many(se.Compressions, "time"))
		for name, text := range map[string]string{"title": se.Title, "closing": se.Closing, "summary": se.Summary} {
			if text != "" {
				fmt.Fprintf(seen{s.Out}, "%-9s %s\n", name, text)
			}
		}
		for _, e := range entries {
			name := e.Name
			if e.Role == llm.RoleAssistant {
				name = "assistant"
			}
			if e.Role != llm.RoleTool && e.Content != "" {
				fmt.Fprintf(seen{s.Out}, "[%s] %s: %s\n", e.At.UTC().Format("2006-01-02 15:04"), name, e.Content)
			}
		}
		return nil
	})
}

package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/internal/app/console"
	"parley/internal/app/endpoint"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/tools/mcp"
)

// openToPrograms makes the endpoint for programs, unless it is off.
func (a *app) openToPrograms() {
	if !a.cfg.HTTP.API {
		return
	}
	a.programs = endpoint.New(endpoint.Options{
		Store: a.store, Name: a.cfg.Agent.Name, Hub: a.hubOnceReady, Elsewhere: a.platforms.toDirectChat,
		PerMinute: func() int { return a.inForce.Load().HTTP.APIPerMinute }, Now: a.now, Log: a.log,
		Admits: func(ctx context.Context, m chat.Message) (bool, error) {
			role, err := a.people.gate.Role(ctx, m)
			return role >= gate.Member, err
		},
	})
	a.port.programs, a.front.programs = a.programs, a.programs
}

// hubOnceReady returns the hub once it has taken up what an earlier process left; nil before.
func (a *app) hubOnceReady() *chat.Hub {
	if !a.port.ready.Load() {
		return nil
	}
	return a.platforms.hub
}

// toDirectChat sends a part that answers no program's request to its person's direct chat; who
// never said anything there may have made a token there. It is repeatable.
func (ps *platforms) toDirectChat(ctx context.Context, p chat.Part) error {
	k, err := ps.store.People.DirectChat(ctx, p.To.ID)
	await := false
	if errors.Is(err, memory.ErrNotFound) {
		platform, _ := chat.CutID(p.To.ID)
		if k, await = chat.DirectOf(chat.On(ps.adapters, platform), p.To); !await {
			return &chat.GoneError{Err: errors.New("its person has no direct chat")}
		}
		err = nil
	}
	if err != nil {
		return err
	}
	k = ps.store.Access.Place(k).Key
	pieces := []string{p.Text}
	if adapter := chat.On(ps.adapters, k.Platform); adapter != nil {
		pieces = adapter.Split(p.Text)
	} else if k.Platform != console.Here().Platform {
		return &chat.GoneError{Err: fmt.Errorf("%s does not run", k.Platform)}
	}
	var parts []chat.Part
	for i, piece := range pieces {
		parts = append(parts, chat.Part{Key: k, Index: i, Text: piece, To: p.To, Await: await})
	}
	if len(parts) == 0 {
		parts = []chat.Part{{Key: k, To: p.To, Await: await}}
	}
	parts[len(parts)-1].Files, parts[len(parts)-1].Buttons = p.Files, p.Buttons
	if err := ps.store.Notify(ctx, "from a program: "+p.Nonce, parts); err != nil {
		return err
	}
	ps.hub.Flush(k)
	return nil
}

// tokenCommands is /token.
func (a *app) tokenCommands() command.Tokens {
	return command.Tokens{
		On:   func() bool { return a.programs != nil || a.cfg.HTTP.MCP },
		Rows: a.store.Tokens, Role: a.people.gate.Role, Called: a.people.gate.Called,
		Address: func() string {
			if a.port.page == nil {
				return ""
			}
			return strings.Join(a.port.doors(), "`\n`")
		},
	}
}

// doors returns the addresses at which programs are served.
func (p *port) doors() (list []string) {
	if p.programs != nil {
		list = append(list, p.page.Base()+"v1")
	}
	if p.mcp != nil {
		list = append(list, p.page.Base()+strings.TrimPrefix(mcp.Pattern, "/"))
	}
	return list
}

package command

import (
	"context"
	"errors"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/text/catalog"
	"parley/internal/tools/mcp"
)

// Logins logs in to tool servers, as mcp.Client does.
type Logins interface {
	Login(ctx context.Context, server string) (address string, err error)
	FinishLogin(ctx context.Context, server, address string) error
	Logout(server string) (bool, error)
}

// login starts a login to a tool server, or ends it with the address that the
// browser was sent to.
func (t Tools) login(ctx context.Context, r gate.Request) (chat.Answer, error) {
	name, address := r.Args["server"], strings.TrimSpace(r.Args["address"])
	if !t.hasServer(name) {
		return say(ctx, wordsNoToolServer, name)
	}
	if address == "" {
		open, err := t.Logins.Login(ctx, name)
		if errors.Is(err, mcp.ErrNoNeed) {
			return say(ctx, wordsNoLoginNeeded, name)
		}
		if err != nil {
			return say(ctx, wordsLoginFailed, name, foreign(err.Error(), maxServerErr))
		}
		return chat.Answer{Text: catalog.Say(ctx, wordsLogin, name, open, name), Private: true}, nil
	}
	switch err := t.Logins.FinishLogin(ctx, name, address); {
	case errors.Is(err, mcp.ErrAddress):
		return say(ctx, wordsLoginAddress, mcp.Redirect)
	case errors.Is(err, mcp.ErrNoLogin):
		return say(ctx, wordsNoLogin, name)
	case err != nil:
		return say(ctx, wordsLoginFailed, name, foreign(err.Error(), maxServerErr))
	}
	return say(ctx, wordsLoggedIn, name)
}

func (t Tools) logout(ctx context.Context, r gate.Request) (chat.Answer, error) {
	name := r.Args["server"]
	if !t.hasServer(name) {
		return say(ctx, wordsNoToolServer, name)
	}
	had, err := t.Logins.Logout(name)
	if err != nil {
		return chat.Answer{}, err
	}
	if !had {
		return say(ctx, wordsNotLoggedIn, name)
	}
	return say(ctx, wordsLoggedOut, name)
}

func (t Tools) hasServer(name string) bool {
	for _, s := range t.Servers() {
		if s.Server == name {
			return true
		}
	}
	return false
}

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

// Said in more than one place.
const (
	wordsNoToolServer = "There is no tool server named %q. /tools list shows them."
	wordsLoginFailed  = "The login to %s failed: %s"
)

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
			return say(ctx, "The tool server %s does not ask for a login.", name)
		}
		if err != nil {
			return say(ctx, wordsLoginFailed, name, foreign(err.Error(), maxServerErr))
		}
		return chat.Answer{Text: catalog.Say(ctx, "To log in to %s, open this address in a browser and agree:\n%s\n\nThe browser then shows a "+
			"page that does not load. That is expected: copy the address of that page and send it to me within 15 minutes, "+
			"as\n/tools login %s ADDRESS", name, open, name), Private: true}, nil
	}
	switch err := t.Logins.FinishLogin(ctx, name, address); {
	case errors.Is(err, mcp.ErrAddress):
		return say(ctx, "That is not the address I need. After you agree, the browser goes to an address that begins "+
			"with %s: send me all of it.", mcp.Redirect)
	case errors.Is(err, mcp.ErrNoLogin):
		return say(ctx, "No login to %[1]s is under way, or it took too long. /tools login %[1]s begins a new one.", name)
	case err != nil:
		return say(ctx, wordsLoginFailed, name, foreign(err.Error(), maxServerErr))
	}
	return say(ctx, "Logged in to %s. /tools servers shows how it stands.", name)
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
		return say(ctx, "There is no login to %s that I could forget.", name)
	}
	return say(ctx, "I forgot the login to %s.", name)
}

func (t Tools) hasServer(name string) bool {
	for _, s := range t.Servers() {
		if s.Server == name {
			return true
		}
	}
	return false
}

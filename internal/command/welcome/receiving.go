package welcome

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// Receiving tells the operator, as each platform begins to receive, under which name it does
// and what to type there. claim is the code that makes somebody the owner, "" with an owner.
// It ends with the last platform, or with ctx.
func Receiving(ctx context.Context, adapters []chat.Adapter, claim string, say func(format string, args ...any)) {
	waiting := slices.Clone(adapters)
	for {
		waiting = slices.DeleteFunc(waiting, func(p chat.Adapter) bool {
			n, ok := chat.As[chat.Named](p)
			var degraded *chat.DegradedError
			if err := p.Health(); !ok || err != nil && !errors.As(err, &degraded) {
				return !ok
			}
			say("%s: receiving as %s. %s", strings.ToUpper(p.Platform()[:1])+p.Platform()[1:], n.Name(), open(p, claim))
			return true
		})
		if len(waiting) == 0 || !chat.Sleep(ctx, 100*time.Millisecond) {
			return
		}
	}
}

// open says what to do to begin a conversation.
func open(p chat.Adapter, claim string) catalog.Filled {
	door, starts := "", false
	if c, ok := chat.As[chat.Confidant](p); ok {
		door, _, starts = strings.Cut(c.Door(), "?start=")
	}
	switch {
	case claim != "" && starts:
		return catalog.Fill("Open %s?start=%s and press Start: that makes you the owner.", door, claim)
	case claim != "":
		return catalog.Fill("Write to it, in a direct chat: /claim %s", claim)
	case door != "":
		return catalog.Fill("Open %s and write, for example: what can you do? /help lists the commands.", door)
	}
	return catalog.Fill("Write to it, for example: what can you do? /help lists the commands.")
}

// SaysVersion is said in more than one place.
const SaysVersion = "Parley %s. Its data is in %s."

// Start is what startup knows before any platform runs. All fields are required.
type Start struct {
	Version, Data string
	Listen        string // where the control page is; "" for nowhere
	Watched       bool   // a person reads this, and no log keeps it
	// Link makes a link that lets a browser into the page once.
	Link func(ctx context.Context) (string, error)
	// Claim makes the code that makes somebody the owner; "" where there is one.
	Claim  func(ctx context.Context) (string, error)
	Owners func(ctx context.Context) ([]string, error)
}

// Say tells the operator the version, the data folder, the page, and who owns the bot
// or how to become that. It returns the code that does, "" with an owner.
func (s Start) Say(ctx context.Context, say func(format string, args ...any)) (claim string, err error) {
	say(SaysVersion, s.Version, s.Data)
	switch {
	case s.Listen == "":
		say("Page: none; http.listen 127.0.0.1:9090 makes one.")
	case s.Watched:
		link, err := s.Link(ctx)
		if err != nil {
			return "", err
		}
		say("Page: %s (lets you in once; bot page makes another link)", link)
	default: // a log is kept and passed on
		say("Page: http://%s (bot page makes a link that lets you in)", s.Listen)
	}
	if claim, err = s.Claim(ctx); err != nil {
		return "", err
	}
	if claim != "" {
		say("Nobody owns this bot yet. Write to it, in a direct chat: /claim %s", claim)
		return claim, nil
	}
	owners, err := s.Owners(ctx)
	if err == nil {
		say("Owner: %s.", strings.Join(owners, ", "))
	}
	return "", err
}

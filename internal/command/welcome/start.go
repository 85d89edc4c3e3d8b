package welcome

import (
	"context"
	"strings"
)

// SaysVersion is said in more than one place.
const SaysVersion = "Parley %s. Its data is in %s."

// Start is what a start without platforms knows already. All fields are required.
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

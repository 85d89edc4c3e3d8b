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

// lookEvery is how often a platform that does not receive yet is looked at again.
const lookEvery = 100 * time.Millisecond

// Receiving tells the operator, as each platform begins to receive, as whom it does and
// what to type there. claim is the code that makes somebody the owner, "" with an
// owner. It ends with the last platform, or with ctx.
func Receiving(ctx context.Context, adapters []chat.Adapter, claim string, say func(format string, args ...any)) {
	waiting := slices.Clone(adapters)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		waiting = slices.DeleteFunc(waiting, func(p chat.Adapter) bool {
			n, ok := p.(chat.Named)
			var degraded *chat.DegradedError
			if err := p.Health(); !ok || err != nil && !errors.As(err, &degraded) {
				return !ok
			}
			say("%s: receiving as %s. %s", strings.ToUpper(p.Platform()[:1])+p.Platform()[1:], n.Name(), open(p, claim))
			return true
		})
		if len(waiting) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// open says what to do to begin a conversation.
func open(p chat.Adapter, claim string) catalog.Filled {
	door, starts := "", false
	if c, ok := p.(chat.Confidant); ok {
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

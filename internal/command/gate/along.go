package gate

import (
	"cmp"
	"context"

	"parley/internal/chat"
)

// passage is what becomes of a message.
type passage byte

// The passages.
const (
	ends      passage = iota // here
	passes                   // on
	overheard                // said to others, and read along
)

// when returns passes where ok holds.
func when(ok bool) passage {
	if ok {
		return passes
	}
	return ends
}

// along reports whether m, which nobody said to the bot, is read along. Edits always are: what
// they change may have been overheard before.
func (g *Gate) along(m chat.Message, here chat.Policy) bool {
	return g.o.Along != nil && (m.Kind == chat.KindText && here.Listen == chat.Ambient || m.Kind == chat.KindEdit && !m.Direct)
}

// policy returns what holds in m's channel: what was decided there or, where nothing was, what
// the settings say.
func (g *Gate) policy(ctx context.Context, m chat.Message) (chat.Policy, error) {
	here, err := g.o.Rows.Policy(ctx, m.Key)
	if here.Listen == "" && g.o.Listen != nil {
		here.Listen = g.o.Listen()
	}
	here.Listen = cmp.Or(here.Listen, "mention")
	return here, err
}

// Along reports whether the bot reads along where m was written.
func (g *Gate) Along(ctx context.Context, m chat.Message) (bool, error) {
	if m.Direct {
		return false, nil
	}
	here, err := g.policy(ctx, m)
	return here.Listen == chat.Ambient, err
}

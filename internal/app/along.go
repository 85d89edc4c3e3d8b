package app

import (
	"context"

	"parley/internal/agent/overheard"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
)

// along takes what is said to others where the bot reads along.
func (f *front) along() chat.Handler {
	at := func(least gate.Role) func(context.Context, chat.Message) bool {
		return func(ctx context.Context, m chat.Message) bool {
			role, err := f.people.gate.Role(ctx, m)
			if err != nil {
				f.log.Warn("role", "err", err)
			}
			return err == nil && role >= least
		}
	}
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		set := f.inForce.Load()
		l := overheard.Listener{
			Rows: f.store.Access, Mind: f.mind, Edit: f.store.EditMessage, Log: f.log,
			TTL: set.Session.TTL, PerDay: set.Channel.UnaskedPerDay,
			Answered: at(gate.Member), Owns: at(gate.Owner), Agent: f.quotas.Budget(f.debugging(f.mind)), Place: gate.WordsAlong,
		}
		return l.Handle(ctx, m, w)
	})
}

// listens is what the settings say of channels about which nothing was decided.
func (f *front) listens() string { return f.inForce.Load().Channel.Mode }

func (a *app) listenCommand() command.Listen {
	return command.Listen{Rows: a.store.Access, Forget: a.store.ForgetOverheard, Along: a.people.gate.Along}
}

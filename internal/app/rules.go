package app

import (
	"context"
	"errors"

	"parley/internal/app/rehearse"
	"parley/internal/memory"
	"parley/internal/memory/modellog"
	"parley/internal/playbook"
	"parley/internal/playbook/files"
)

// rulebook returns one that is not open yet: dir "" is none.
func (a *app) rulebook(dir, agent string) *files.Rulebook {
	return &files.Rulebook{Dir: dir, Agent: agent, Log: a.log, Now: a.now,
		Options: playbook.Options{Embed: a.models.embeds(), Schemas: schemasOf(a.toolset.own)}}
}

// openRules reads the playbook of the bot's own agent.
func (a *app) openRules(context.Context) error {
	a.rules.Own = a.rulebook(a.cfg.Playbook.Dir, "")
	return a.rules.Own.Open()
}

// came reads what models answered for a decision: words for the person, and verdicts.
func came(kept *modellog.Tape) func(context.Context, memory.Decision) ([]rehearse.Came, error) {
	return func(ctx context.Context, d memory.Decision) (list []rehearse.Came, err error) {
		calls, err := kept.For(ctx, d.InboxID, d.Key, d.At)
		for _, c := range calls {
			whole, err := kept.Read(ctx, c.ID)
			switch {
			case errors.Is(err, modellog.ErrNone): // it was forgotten meanwhile
				return nil, nil
			case err != nil:
				return nil, err
			case whole.Reply != nil && (whole.Form == "" || whole.Form == rehearse.Verdicts):
				list = append(list, rehearse.Came{Message: *whole.Reply, Judged: whole.Form != ""})
			}
		}
		return list, err
	}
}

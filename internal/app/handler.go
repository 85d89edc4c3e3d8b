package app

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/config"
	"parley/internal/admin"
	"parley/internal/agent"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/memory"
	"parley/internal/setup"
	"parley/internal/text"
)

// front is what stands between the hub and the agent.
type front struct {
	gate     *admin.Gate
	quotas   *admin.Quotas
	confirm  *admin.Confirmations
	commands *admin.Commands
	approved admin.Do // the yes to /tools approve
}

// actionTool is the kind of a confirmation that runs a tool.
const actionTool = "tool"

// newFront builds gate, quotas, confirmations and commands. isAdmin asks the
// platform; nil never vouches.
func (a *app) newFront(ctx context.Context, isAdmin func(context.Context, chat.Key, string) (bool, error)) (f *front, err error) {
	f = &front{}
	if f.confirm, err = admin.NewConfirmations(ctx, a.store, a.now); err != nil {
		return nil, err
	}
	f.gate, err = admin.NewGate(admin.GateOptions{
		Mode: a.cfg.Access.Mode, Owners: a.cfg.Access.Owners, Allow: a.cfg.Access.Allow,
		IDs: Identities, Rows: a.store, IsAdmin: isAdmin, Waits: f.confirm.Waits, Now: a.now, Log: a.log,
	})
	if err != nil {
		return nil, err
	}
	f.quotas = admin.NewQuotas(admin.QuotaOptions{
		Limits: limits(a.cfg),
		Usage:  a.store, Exempt: f.gate.Local, Record: record, Now: a.now, Log: a.log,
	})
	groups := a.commands(f)
	f.approved = groups.Tools.Approved
	table := append(f.gate.Commands(a.configVerbs(f)...), groups.Table()...)
	f.commands, err = admin.NewCommands(table, admin.CommandOptions{
		Role: f.gate.Role, Confirm: f.confirm, Record: record, Log: a.log,
	})
	a.front = f
	return f, err
}

// mayStop asks the gate, which every way in passes.
func (a *app) mayStop(ctx context.Context, m, running chat.Message) bool {
	return a.front.gate.MayStop(ctx, m, running)
}

// limits are those of the settings.
func limits(c config.Config) admin.Limits {
	return admin.Limits{
		PerMinute: c.Limits.UserPerMinute, UserTokens: int64(c.Limits.UserTokensPerDay), ChannelTokens: int64(c.Limits.ChannelTokensPerDay),
		AllTokens: int64(c.Limits.TokensPerDay), Pass: c.Limits.PastLimit == pastOffline,
	}
}

// handler is the way of every message: who may speak, how often, what waits
// for a yes, commands, how much, and then the agent.
func (a *app) handler(f *front) chat.Handler {
	do := f.commands.Actions()
	do[actionTool] = func(ctx context.Context, m chat.Message, act admin.Action) (chat.Answer, error) {
		var p agent.Pending
		if err := json.Unmarshal(act.Args, &p); err != nil {
			return chat.Answer{}, fmt.Errorf("read confirmed call: %w", err)
		}
		return a.agent.Confirmed(ctx, m, p)
	}
	do[command.ActionApprove] = f.approved
	way := f.gate.Wrap(a.opening(f.quotas.Rate(f.confirm.Wrap(f.commands.Wrap(f.quotas.Budget(a.debugging(f, a.agent))), do))))
	return a.spans.messages(discreetly(setup.NewRedactor(a.cfg, setup.ShortestSaid), way))
}

// debugging shows calls and timings under an answer where /debug is on, to
// those who may see them.
func (a *app) debugging(f *front, next chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		answer, err := next.Handle(ctx, m, w)
		rec, ok := answer.Record.(*memory.Turn)
		if err != nil || !ok || answer.Text == "" {
			return answer, err
		}
		if on, _ := a.debug.Load(m.Key); on != true {
			return answer, nil
		}
		if role, rerr := f.gate.Role(ctx, m); rerr != nil || role < admin.Admin {
			return answer, rerr
		}
		if rec.Decision.ID == "" {
			rec.Decision.ID = memory.NewID()
		}
		answer.Text += fmt.Sprintf("\n\n`%s · %s · %s · %s · %d ms · /trace %s`", rec.Decision.Category,
			many(rec.Decision.Calls, "model call"), many(len(rec.Calls), "tool"), many(rec.Decision.Usage.Total, "token"), rec.Decision.Took.Milliseconds(), rec.Decision.ID[:8])
		return answer, nil
	})
}

// ask turns a tool call that needs a yes into a question.
func (f *front) ask(ctx context.Context, m chat.Message, question string, p agent.Pending) (chat.Answer, error) {
	args, err := json.Marshal(p)
	if err != nil {
		return chat.Answer{}, err
	}
	return f.confirm.Ask(ctx, m, question, admin.Action{Kind: actionTool, Args: args})
}

// record is the audit row of what admin answered by itself.
func record(_ chat.Message, category, detail string) any {
	return &memory.Note{Decision: memory.Decision{Category: category, Detail: memory.Detail{Reason: detail}}}
}

// discreetly hides secrets in what is answered without a model: commands that
// tell of an error, tools whose words are passed on.
func discreetly(hide text.Redactor, next chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		a, err := next.Handle(ctx, m, w)
		a.Text = hide.Hide(a.Text)
		return a, err
	})
}

package app

import (
	"context"
	"fmt"
	"sync"

	"parley/config"
	"parley/internal/agent"
	"parley/internal/agent/handover"
	"parley/internal/agent/scheduled"
	"parley/internal/app/endpoint"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
	"parley/internal/command/welcome"
	"parley/internal/llm"
	"parley/internal/llm/offline"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// front stands between the hub and the agent. It owns quotas, confirmations and commands.
type front struct {
	*base
	people    *people
	platforms *platforms
	models    *models
	mind      *mind
	toolset   *toolset
	desk      *handover.Desk
	quotas    *gate.Quotas
	confirm   *gate.Confirmations
	commands  *gate.Commands
	voice     *voice             // nil is silent
	programs  *endpoint.Endpoint // nil without http.api
	approved  gate.Do            // acts on a yes to /tools approve
	brought   gate.Do            // acts on the answer to /facts brought
	debug     sync.Map           // chat.Key -> true where answers show calls and timings
}

// open builds gate, quotas and confirmations. isAdmin asks the platform; nil means nobody
// is an administrator.
func (f *front) open(ctx context.Context, isAdmin func(context.Context, chat.Key, string) (bool, error)) (err error) {
	if f.confirm, err = gate.NewConfirmations(ctx, f.store.Questions, f.store.Access, f.now); err != nil {
		return err
	}
	o := gate.GateOptions{
		IsAdmin: isAdmin, Waits: f.waits, Along: f.along(), Listen: f.listens,
		Door: func(platform string) string { return f.manners().Door(platform) },
		Knock: func(ctx context.Context, who chat.User, request string) {
			if err := f.store.People.SetHeard(ctx, who.ID, catalog.Of(ctx).Tag()); err != nil { // for the welcome later
				f.log.Warn("language of somebody who asks to be let in", "err", err)
			}
			f.manners().Knock(ctx, who, request)
		},
		Admitted: func(ctx context.Context, who chat.User) {
			f.manners().Welcome(ctx, who, fmt.Sprintf("%s %d", who.ID, f.now().UnixMilli()))
		},
	}
	if err := f.people.open(o); err != nil {
		return err
	}
	f.quotas = gate.NewQuotas(gate.QuotaOptions{
		Limits: f.mind.limits(f.cfg),
		Usage:  f.store.Usage, Exempt: f.people.gate.Local, Now: f.now, Log: f.log, Free: f.free,
	})
	f.confirm.Passes, f.confirm.Stands, f.confirm.Speak = f.desk.Holds, f.stands, f.people.speaker.With
	f.confirm.Budget, f.confirm.Role, f.confirm.Shown = f.quotas.Budget, f.people.gate.Role, f.amend
	f.confirm.Place = f.store.Access.Place
	f.voice = f.newVoice()
	f.confirm.Allow = func(ctx context.Context, m chat.Message, tool string) error {
		return f.store.Access.Allow(ctx, m.Key, tool, m.From.ID)
	}
	return nil
}

// waits reports whether the bot expects m although it addresses nobody.
func (f *front) waits(ctx context.Context, m chat.Message) (bool, error) {
	if ok, err := f.confirm.Waits(ctx, m); ok || err != nil {
		return ok, err
	}
	return f.desk.Waits(ctx, m)
}

// take sets the commands, which use what open has built.
func (f *front) take(groups command.Groups, config []gate.Command) (err error) {
	f.approved, f.brought = groups.Tools.Approved, groups.Facts.Brought
	table := append(f.people.gate.Commands(config...), groups.Table()...)
	f.commands, err = gate.NewCommands(table, gate.CommandOptions{
		Role: f.people.gate.Role, Confirm: f.confirm, Log: f.log,
	})
	return err
}

// free reports a message that the free lane answers, also one that answers its question, so
// that it needs no allowance.
func (f *front) free(ctx context.Context, m chat.Message) bool {
	if f.cfg.Quick == config.QuickOff || m.Kind == chat.KindCommand || len(m.Files) > 0 {
		return false
	}
	said := agent.Spoken(memory.Entry{Role: llm.RoleUser, User: m.From.ID, Name: m.From.Name, Content: m.Text}, m.Direct)
	tag := catalog.Of(ctx).Tag()
	return offline.Takes([]llm.Message{said}, tag) || offline.Takes(append(f.lately(ctx, m), said), tag)
}

// alone reports a message that needs no model, and nothing of an answer that waits for one.
func (f *front) alone(ctx context.Context, m chat.Message) bool {
	return f.commands.Alone(m) || f.free(ctx, m)
}

// mostLately is how many entries before a message say whether it answers the free lane.
const mostLately = 12

// lately is what was last said where m is; nothing if that cannot be read.
func (f *front) lately(ctx context.Context, m chat.Message) (all []llm.Message) {
	se, ok, err := f.store.Sessions.LiveSession(ctx, f.placeOf(m))
	if err != nil || !ok {
		return nil
	}
	entries, err := f.store.Transcript(ctx, se.ID, se.SummarizedAt, mostLately)
	if err != nil {
		f.log.Warn("what was said before", "err", err)
	}
	for _, e := range entries {
		all = append(all, agent.Spoken(e, m.Direct))
	}
	return all
}

// limits returns the limits of the settings.
func (m *mind) limits(c config.Config) gate.Limits {
	own := map[string]gate.AgentLimits{}
	for _, r := range c.Agents {
		if at, err := m.memory(r.Name); err == nil {
			own[at.ID] = gate.AgentLimits{
				User:    gate.Amount{Tokens: int64(r.Limits.UserTokensPerDay), Money: r.Limits.UserMoneyPerDay},
				Channel: gate.Amount{Tokens: int64(r.Limits.ChannelTokensPerDay), Money: r.Limits.ChannelMoneyPerDay},
			}
		}
	}
	return gate.Limits{
		Agents:    own,
		PerMinute: c.Limits.UserPerMinute, Pass: c.Limits.PastLimit == pastOffline,
		User:    gate.Amount{Tokens: int64(c.Limits.UserTokensPerDay), Money: c.Limits.UserMoneyPerDay},
		Channel: gate.Amount{Tokens: int64(c.Limits.ChannelTokensPerDay), Money: c.Limits.ChannelMoneyPerDay},
		All:     gate.Amount{Tokens: int64(c.Limits.TokensPerDay), Money: c.Limits.MoneyPerDay},
	}
}

// handler returns the path of every message: who may speak, how often, pending
// confirmations, handoffs, commands, budgets, and then the agent. Answers to questions
// also pass while people have taken over.
func (f *front) handler() chat.Handler {
	do := f.commands.Actions()
	do[actionTool] = func(ctx context.Context, m chat.Message, s gate.Settled, w chat.Reply) (chat.Answer, error) {
		return f.resume(ctx, m, s, w, nil)
	}
	do[actionForm] = f.fill
	do[command.ActionApprove], do[command.ActionBrought] = f.approved, f.brought
	mind := f.quotas.Budget(f.debugging(f.mind))
	way := f.confirm.Revised(f.people.gate.Wrap(f.people.speaker.Heard(f.opening(scheduled.Apart(f.store.Agenda, f.log, mind,
		f.quotas.Rate(f.confirm.Wrap(f.desk.Wrap(f.commands.Wrap(mind)), do)))))))
	titled := &titles{set: f.store.Access.SetTitle, log: f.log}
	said := discreetly(setup.NewRedactor(f.cfg, setup.ShortestSaid), titled.noting(f.hooked(f.manners().Wrap(way))))
	all := f.models.spans.Messages(f.voice.speaking(said))
	if f.programs != nil {
		all = f.programs.Wrap(all)
	}
	if members := f.platforms.members; members != nil {
		return members.Feeds.Wrap(all)
	}
	return all
}

// opening sends what waited for a direct chat once its person writes there. It runs in the
// conversation's lane, because a failing attempt to send may still be under way there.
func (f *front) opening(next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Direct {
			f.platforms.hub.Do(m.Key, chat.Quick, func(ctx context.Context) {
				waited, err := f.store.Opened(ctx, m)
				if err != nil {
					f.log.Error("answers that wait for a direct chat", "err", err)
				}
				if waited {
					f.platforms.hub.Flush(m.Key)
				}
			})
		}
		return pass(ctx, m, w)
	})
}

// debugging adds calls and timings to answers where /debug is on, for those who may see
// them.
func (f *front) debugging(next chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		answer, err := next.Handle(ctx, m, w)
		rec, ok := answer.Record.(*memory.Turn)
		if err != nil || !ok || answer.Text == "" {
			return answer, err
		}
		if on, _ := f.debug.Load(m.Key); on != true {
			return answer, nil
		}
		role, err := f.people.gate.Role(ctx, m)
		if err != nil {
			f.log.Warn("who asks is not known, so /debug shows nothing", "err", err)
			return answer, nil
		}
		if role < gate.Admin {
			return answer, nil
		}
		if rec.Decision.ID == "" {
			rec.Decision.ID = memory.NewID()
		}
		answer.Text += fmt.Sprintf("\n\n`%s · %s · %s · %s · %d ms · /trace %s`", rec.Decision.End.Outcome,
			catalog.Many(ctx, rec.Decision.Calls, "model call"), catalog.Many(ctx, len(rec.Calls), "tool"), catalog.Many(ctx,
				rec.Decision.Usage.Total, "token"), rec.Decision.Took.Milliseconds(), rec.Decision.ID[:8])
		return answer, nil
	})
}

// discreetly hides secrets in answers that pass no model: errors of commands, and tool
// results passed on.
func discreetly(hide text.Redactor, next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		a, err := pass(ctx, m, discreet{w, hide})
		a.Text = hide.Hide(a.Text)
		return a, err
	})
}

// discreet hides secrets in the status of running tools.
type discreet struct {
	chat.Reply
	hide text.Redactor
}

// Await implements chat.Awaiter.
func (d discreet) Await() { chat.Await(d.Reply) }

var _ chat.Worker = discreet{}

// Work implements chat.Worker.
func (d discreet) Work(tool string, begins bool) {
	if w, ok := d.Reply.(chat.Worker); ok {
		w.Work(tool, begins)
	}
}

// Status implements chat.Reply.
func (d discreet) Status(note string) { d.Reply.Status(d.hide.Hide(note)) }

// manners returns how the bot treats strangers.
func (f *front) manners() welcome.Manners {
	adapters := func() []chat.Adapter { return f.platforms.adapters }
	owners := welcome.Owners{List: f.people.gate.Owners, Adapters: adapters, Direct: f.store.People.DirectChat, Notify: f.store.Notify,
		Flush: func(k chat.Key) { f.platforms.hub.Flush(k) }, Speak: f.people.speaker.To}
	return welcome.Manners{Name: f.cfg.Agent.Name, Adapters: adapters, Tell: owners.Tell, Person: owners.Person,
		Talks: f.people.gate.Talks, Log: f.log}
}

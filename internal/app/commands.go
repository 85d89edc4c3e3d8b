package app

import (
	"context"
	"log/slog"
	"slices"

	"parley/config"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
	"parley/internal/command/language"
	"parley/internal/llm"
	"parley/internal/memory/factsfile"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// commands gives each group of slash commands its view of the bot.
func (a *app) commands() command.Groups {
	f := a.front
	book := a.playbookCommands()
	return command.Groups{
		General: command.General{
			Name: a.cfg.Agent.Name, Help: func(ctx context.Context, r gate.Role) string { return f.commands.Help(ctx, r, "") },
			Ask: f.quotas.Budget(chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
				return a.mind.At(m).Ask(ctx, m, w)
			})),
			Page: a.port.link, Agents: command.Agents{Roster: a.mind.roster, About: a.mind.about},
		},
		Web: a.port.web(),
		Status: command.Status{Currency: a.cfg.Limits.Currency, Left: f.quotas.Left, Parts: a.vitals.parts,
			Sessions: a.storage.store.Sessions.SessionCounts,
			Model: func(ctx context.Context) string {
				return a.mind.ModelName() + ", " + a.models.state(ctx).said.In(catalog.Of(ctx))
			}},
		Session: command.Session{Rows: a.storage.store.Sessions, Agent: a.mind, Place: a.placeOf, Archive: a.chores.archiveSoon,
			Variables: book.Variables, Past: a.storage.store.Past, Control: a.sessionControl(),
			More:   f.quotas.Budget(a.mind),
			Tokens: func() int { return min(a.cfg.Context.TokenBudget, a.models.window("", a.mind.ModelName())) }, Now: a.now},
		Model: command.Model{Name: a.mind.ModelName, List: a.models.endpoint.List, BuiltIn: a.models.builtIn(),
			Routes: a.models.shown(), Choose: a.mind.choose, Reload: a.mind.ReloadPrompt},
		Tools: a.toolCommands(),
		Insight: command.Insight{Rows: a.storage.store.Decisions, Spent: a.storage.store.Usage, Currency: a.cfg.Limits.Currency, Now: a.now,
			ShowsNote: a.notes.shows, ReadsNotes: a.notes.reads,
			Debug: func(k chat.Key, on bool) { f.debug.Store(k, on) }, Kept: a.port.kept},
		Facts: command.Facts{Rows: a.storage.store.Facts, Steps: a.storage.store, MayShare: a.people.mayShare,
			Location: a.people.location, File: a.factsFileDoes(), Ask: a.front.confirm.Ask},
		Decisions: command.Decisions{Rows: a.storage.store, MayAll: a.people.mayShare},
		Tasks:     command.Tasks{Rows: a.storage.store},
		Reminders: command.Reminders{Planner: a.people.planner(), Location: a.people.location},
		Handoff:   command.Handoff{Desk: f.desk, Choices: f.desk.Choices},
		Hooks:     a.hookCommands(),
		Tokens:    a.tokenCommands(),
		Journal:   command.Journal{Planner: a.people.planner()},
		Person:    a.personCommands(),
		Voice:     f.voiceCommand(),
		Listen:    a.listenCommand(),
		Notes:     a.notes.commands(),
		Playbook:  book,
		Rehearsal: command.Rehearsal{Last: a.storage.store.Decisions.LastDecision, Write: a.mind.capture(a.rules, a.storage.tape).Write},
	}
}

// Commands returns the slash commands of a bot with these settings.
func Commands(ctx context.Context, cfg config.Config) (*gate.Commands, error) {
	a, err := Process{}.newApp(ctx, cfg, slog.New(slog.DiscardHandler), true)
	if err != nil {
		return nil, err
	}
	defer a.close()
	if err := a.toolset.open(ctx); err != nil {
		return nil, err
	}
	err = a.openFront(ctx, nil)
	return a.front.commands, err
}

// sessionControl says who may do what with sessions.
func (a *app) sessionControl() command.SessionControl {
	return command.SessionControl{
		Everyone: func() bool { return a.inForce.Load().Session.Control == "everyone" }, Attest: a.platforms.attest,
		Resume: func(ctx context.Context, id string) (bool, error) {
			return a.storage.store.Past.Resume(ctx, id, a.inForce.Load().Session.TTL)
		},
	}
}

func (a *app) toolCommands() command.Tools {
	return command.Tools{All: a.toolset.all, Rows: a.storage.store.Access, Now: a.toolset.offered, Servers: a.toolset.status,
		Ask: a.front.confirm.Ask, Role: a.people.gate.Role,
		Logins: a.toolset.servers, Approve: func(server, tool, hash string) error { return a.toolset.servers.Approve(server, tool, hash) },
		Switch: a.toolset.turn}
}

func (a *app) personCommands() command.Person {
	return command.Person{Language: language.Language{Rows: a.storage.store.People, Speak: a.people.speaker.Answering},
		Rows: a.storage.store, Authors: a.storage.store.Access, Served: a.storage.store.File.Path() == "",
		Vault: a.notes.index, Elsewhere: a.platforms.forgetElsewhere,
		Daily: a.notes.noted}
}

func (a *app) playbookCommands() command.Playbook {
	var judge llm.Model // nil: the built-in responder cannot judge
	if a.models.endpoint.List != nil {
		judge = a.models.endpoint.Model
	}
	return command.Playbook{Book: a.book, Rules: func(m chat.Message) command.Rules { return a.mind.Of(a.mind.agentOf(m).ID) },
		Rows: a.storage.store.Sessions, People: a.storage.store.People, Session: a.mind.Session, Place: a.placeOf, Judge: judge,
		Begin: a.front.quotas.Budget(chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
			return a.mind.At(m).Begin(ctx, m, w)
		})),
		Now: a.now}
}

// factsFileDoes returns the facts file's service, nil without a file.
func (a *app) factsFileDoes() func(ctx context.Context, do string) (string, error) {
	if a.cfg.Memory.FactsFile == "" {
		return nil
	}
	return func(ctx context.Context, do string) (string, error) {
		said, err := factsfile.Decide(ctx, a.storage.store, do)
		if said == catalog.Text(ctx, factsfile.WordsFine) && a.chores.facts != nil && a.chores.facts.Problem() != nil {
			said = text.Sentence(a.chores.facts.Problem().Error())
		}
		return said, err
	}
}

// configVerbs returns the verbs of /config except access.
func (a *app) configVerbs() []gate.Command {
	return command.Config{Settings: a.settings, Policies: a.storage.store.Access, Here: a.people.gate.Here, All: a.toolset.all,
		Leave: a.front.manners().Leave,
		IDs:   a.ids, Called: a.people.gate.Called, Log: a.log}.Verbs()
}

// ids returns every person and place named in the settings, once.
func (a *app) ids() []string {
	c := a.inForce.Load()
	list := slices.Concat(c.Access.Owners, c.Access.Allow)
	for _, r := range c.Agents {
		list = append(list, r.Places...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"

	"parley/config"
	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/facts"
	"parley/internal/factsfile"
	"parley/internal/llm"
	"parley/internal/llm/offline"
	"parley/internal/memory"
	"parley/internal/page"
	"parley/internal/text"
	"parley/internal/tools"
)

// commands gives each group of slash commands the view of the bot that it needs.
func (a *app) commands(f *front) command.Groups {
	book := a.playbookCommands()
	return command.Groups{
		General: command.General{
			Name: a.cfg.Agent.Name, Help: func(r admin.Role) string { return f.commands.Help(r, "") },
			Ask: f.quotas.Budget(chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
				return a.agent.Ask(ctx, m, w)
			})),
			Page: a.pageLink,
		},
		Status: command.Status{Left: f.quotas.Left, Parts: a.parts, Sessions: a.store.SessionCounts,
			Model: func(ctx context.Context) string { return a.agent.ModelName() + ", " + a.modelState(ctx) }},
		Session: command.Session{Rows: a.store, Agent: a.agent, Place: a.placeOf, Archive: a.archiveSoon, Variables: book.Variables,
			Tokens: min(a.cfg.Context.TokenBudget, a.cfg.Model.ContextSize), Now: a.now},
		Model: command.Model{Name: a.agent.ModelName, List: a.model.List, BuiltIn: a.model.Name == offline.Name,
			Choose: a.chooseModel, Reload: a.agent.ReloadPrompt},
		Tools: a.toolCommands(f),
		Insight: command.Insight{Rows: a.store, Now: a.now, ShowsNote: a.showsNote, ReadsNotes: a.readsNotes,
			Debug: func(k chat.Key, on bool) { a.debug.Store(k, on) }},
		Facts:     command.Facts{Rows: a.store, Service: facts.Service{Rows: a.store}, Location: a.location, File: a.factsFileDoes()},
		Tasks:     command.Tasks{Rows: a.store},
		Reminders: command.Reminders{Rows: a.store, Planner: a.planner(), Location: a.location, Now: a.now},
		Journal:   command.Journal{Rows: a.store, Planner: a.planner()},
		Person:    a.personCommands(),
		Notes:     a.notesCommands(),
		Playbook:  book,
	}
}

// Commands are the slash commands of a bot with these settings.
func Commands(ctx context.Context, cfg config.Config) (*admin.Commands, error) {
	a, err := Process{}.newApp(ctx, cfg, slog.New(slog.DiscardHandler), true)
	if err != nil {
		return nil, err
	}
	defer a.close()
	if a.toolset, err = a.newToolset(ctx); err != nil {
		return nil, err
	}
	front, err := a.newFront(ctx, nil)
	if err != nil {
		return nil, err
	}
	return front.commands, nil
}

// placeOf is where m's session lives.
func (a *app) placeOf(m chat.Message) memory.Place {
	p := memory.Place{Key: m.Key}
	if a.cfg.Session.Scope == "user" {
		p.User = m.From.ID
	}
	return p
}

// pageLink makes a link into the control page, "" without one.
func (a *app) pageLink(ctx context.Context, who chat.User) (link, port string, err error) {
	if a.page == nil {
		return "", "", nil
	}
	_, port, _ = net.SplitHostPort(a.page.Address()) // a listener's address has one
	link, err = page.NewLink(ctx, a.store, a.page.Address(), who)
	return link, port, err
}

// parts is how each part of the bot is, for /status.
func (a *app) parts(ctx context.Context) (lines []command.Line) {
	for _, l := range a.doing(ctx) {
		lines = append(lines, command.Line{Name: l.Name, State: l.State})
	}
	return lines
}

// chooseModel has another model answer from now on and after the next start.
func (a *app) chooseModel(ctx context.Context, name string) (conversations int, err error) {
	n, err := a.store.SuspendAll(ctx)
	if err != nil {
		return 0, err
	}
	if err := a.store.SetSetting(ctx, modelSetting, name); err != nil {
		return 0, err
	}
	a.agent.SetModel(name)
	return int(n), nil
}

func (a *app) toolCommands(f *front) command.Tools {
	return command.Tools{All: a.toolset.all, Now: a.toolset.now, Servers: a.toolset.status, Ask: f.confirm.Ask, Role: f.gate.Role,
		Approve: func(server, tool, hash string) error { return a.toolset.servers.Approve(server, tool, hash) },
		Switch: func(ctx context.Context, name string, on bool) error {
			off, err := json.Marshal(a.toolset.turn(name, on))
			if err != nil {
				return err
			}
			return a.store.SetSetting(ctx, offSetting, string(off))
		}}
}

// toolsHere is what may be used where m was written.
func (a *app) toolsHere(ctx context.Context, m chat.Message) (tools.Set, error) {
	p, err := a.store.Policy(ctx, m.Key)
	if err != nil || p.Tools == nil {
		return a.toolset.now(), err
	}
	return a.toolset.only(p.Tools), nil
}

func (a *app) personCommands() command.Person {
	p := command.Person{Rows: a.store, Elsewhere: a.forgetElsewhere}
	if a.vault != nil {
		p.Vault = a.vault
	}
	return p
}

// forgetElsewhere has the front ends forget a person.
func (a *app) forgetElsewhere(ctx context.Context, user string) error {
	var errs []error
	for _, adapter := range a.adapters {
		if f, ok := adapter.(chat.Forgetter); ok {
			errs = append(errs, f.Forget(ctx, user))
		}
	}
	return errors.Join(errs...)
}

// notesCommands are what people do with the notes themselves.
func (a *app) notesCommands() command.Notes {
	n := command.Notes{Owner: a.cfg.Vault.Readers == "owner", BuiltIn: a.model.Name == offline.Name}
	if a.vault != nil {
		n.Index = a.vault
		n.Shelf = func(ctx context.Context, m chat.Message) (command.Shelf, error) { return a.shelf(ctx, m) }
	}
	if a.hasNotes() {
		n.Tidy = func(ctx context.Context, m chat.Message, task string) (chat.Answer, error) {
			return a.agent.Propose(ctx, m, tools.Librarian, map[string]any{"task": task})
		}
	}
	return n
}

// readsNotes tells whether m's author may read the owner's notes at all.
func (a *app) readsNotes(ctx context.Context, m chat.Message) bool {
	return a.cfg.Vault.Readers != "owner" || a.isOwner(ctx, tools.CallOf(m))
}

// showsNote tells whether m's author may read a note that was cited, by its path
// with the heading behind it.
func (a *app) showsNote(ctx context.Context, m chat.Message, cited string) bool {
	if a.vault == nil {
		return true
	}
	s, err := a.shelf(ctx, m)
	if err != nil {
		return false
	}
	path, _, _ := strings.Cut(cited, "#")
	ok, err := s.Shows(ctx, "", path)
	return ok && err == nil
}

func (a *app) playbookCommands() command.Playbook {
	var judge llm.Model // the built-in responder judges nothing
	if a.model.List != nil {
		judge = a.model.Model
	}
	return command.Playbook{Book: a.bookNow, Rules: a.agent, Rows: a.store, Session: a.agent.Session, Place: a.placeOf, Judge: judge, Now: a.now}
}

// factsFileDoes decides about the facts file, nil without one.
func (a *app) factsFileDoes() func(ctx context.Context, do string) (string, error) {
	if a.cfg.Memory.FactsFile == "" {
		return nil
	}
	return func(ctx context.Context, do string) (string, error) {
		said, err := factsfile.Decide(ctx, a.store, do)
		if said == factsfile.WordsFine && a.facts != nil && a.facts.Problem() != nil {
			said = text.Sentence(a.facts.Problem().Error())
		}
		return said, err
	}
}

// settings is the settings as /config shows and changes them.
type settings struct{ a *app }

// String implements command.Settings.
func (s settings) String() string { return s.a.inForce.Load().String() }

// Tunable implements command.Settings.
func (s settings) Tunable() []string { return tunable }

// Tuned implements command.Settings.
func (s settings) Tuned() (list []command.Tuned) {
	t := &s.a.tuned
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(t.set)) {
		given, _ := t.given.Get(name)
		list = append(list, command.Tuned{Name: name, Now: t.set[name], Otherwise: given})
	}
	return list
}

// Tune implements command.Settings.
func (s settings) Tune(ctx context.Context, name, value string) (was, now string, err error) {
	was, _ = s.a.inForce.Load().Get(name)
	now, err = s.a.tune(ctx, name, value)
	return was, now, err
}

// configVerbs are the verbs of /config beyond access.
func (a *app) configVerbs(f *front) []admin.Command {
	return command.Config{Settings: settings{a}, Policies: a.store, Here: f.gate.Here, All: a.toolset.all, Log: a.log}.Verbs()
}

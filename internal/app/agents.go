package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"parley/config"
	"parley/internal/agent"
	"parley/internal/agent/dispatch"
	"parley/internal/app/rehearse"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/chat/routing"
	"parley/internal/memory/modellog"
	"parley/internal/playbook"
	"parley/internal/playbook/files"
	"parley/internal/text/catalog"
	"parley/internal/tools"
	"parley/internal/tools/policy"
)

// openRoster reads which agent answers where.
func (a *app) openRoster(ctx context.Context) (err error) {
	store := a.storage.store
	a.mind.Sessions = store.Sessions
	if a.mind.roster, err = routing.Open(ctx, store.Settings, store.Access.Place, a.now, setup.Residents(a.cfg)); err == nil {
		for _, place := range a.mind.roster.Lost() {
			a.log.Warn("a place was given to an agent that is no more; the settings decide there", "place", place)
		}
	}
	return err
}

// put puts the agents of the settings in force, all of them or, on an error, none. Agents
// that did not change are kept.
func (a *app) put(ctx context.Context, next config.Config) error {
	err := a.mind.roster.Set(ctx, setup.Residents(next))
	if err == nil {
		err = a.putAll(next)
	}
	if err != nil {
		err = errors.Join(err, a.mind.roster.Set(ctx, setup.Residents(*a.inForce.Load())))
	}
	return err
}

func (a *app) putAll(next config.Config) error {
	was, all, others := a.mind.known, map[string]*dispatch.Mind{}, []*files.Rulebook{}
	own := a.mind.own
	all[dispatch.Own] = own
	if at, err := a.mind.roster.Memory(routing.Nobody); err == nil {
		all[at.ID] = own
	}
	known := map[string]known{}
	for _, r := range next.Agents {
		at, err := a.mind.roster.Memory(r.Name)
		if err != nil {
			return err
		}
		k, ok := was[r.Name]
		if !ok || !reflect.DeepEqual(k.set, r) || k.at != at {
			if k, err = a.become(r, at, k); err != nil {
				return fmt.Errorf("agents: %s: %w", r.Name, err)
			}
		}
		known[r.Name], all[at.ID] = k, k.mind
		others = append(others, k.rules)
	}
	a.mind.known = known
	a.rules.Put(others)
	a.mind.Put(all)
	return nil
}

// known is an agent, with the settings and the memory it was made from.
type known struct {
	set   config.Resident
	at    chat.Agent
	mind  *dispatch.Mind
	rules *files.Rulebook
}

// become makes one agent. It keeps the playbook of its predecessor if the folder is the
// same.
func (a *app) become(r config.Resident, at chat.Agent, was known) (known, error) {
	k := known{set: r, at: at, rules: was.rules}
	if k.rules == nil || k.rules.Dir != r.Playbook {
		k.rules = a.rulebook(r.Playbook, r.Name)
		if err := k.rules.Open(); err != nil {
			return k, err
		}
	}
	for _, t := range r.Tools {
		if err := policy.Known("tools", t, a.toolset.own.Names(), a.toolset.serverNames()); err != nil {
			return k, err
		}
	}
	o := a.options()
	answer := a.models.own(r.Name, config.PurposeAnswer)
	o.Model, o.BookModel = a.models.routed(answer), a.models.routed(a.models.own(r.Name, config.PurposePlaybook))
	o.Summarizer, o.Kin = a.models.routed(a.models.own(r.Name, config.PurposeSummary)), at.Kin
	o.Book, o.Switches = k.rules.Book, ruleSwitches+at.ID
	o.Persona = agent.Persona{Name: r.Name, PromptFile: cmp.Or(r.Persona, a.cfg.Agent.PromptFile), ModelName: a.mind.own.ModelName()}
	follows := answer == config.PurposeAnswer
	if !follows {
		o.ModelName = a.models.routes[answer].Legs[0].Name
	}
	o.Limits.MaxCalls, o.Limits.History = cmp.Or(r.Limits.MaxToolIterations, o.Limits.MaxCalls),
		cmp.Or(r.Limits.HistoryMessages, o.Limits.History)
	o.Limits.TokenBudget = cmp.Or(r.Limits.TokenBudget, o.Limits.TokenBudget)
	o.Limits.Window, o.Limits.Tokens = func(name string) int { return a.models.window(r.Name, name) }, a.models.estimate(answer)
	made, err := agent.New(o)
	k.mind = &dispatch.Mind{Agent: made, Name: r.Name, Book: k.rules.Book, Follows: follows}
	return k, err
}

// ruleSwitches is the prefix of the rows with an agent's switched rules.
const ruleSwitches = "playbook.enabled:"

// memory returns the memory of an agent by name.
func (m *mind) memory(name string) (chat.Agent, error) {
	if m.roster == nil {
		return chat.Agent{}, routing.ErrNobody
	}
	return m.roster.Memory(name)
}

// resident returns the settings of the agent with this memory; nil for the bot's own.
func (m *mind) resident(memory string) *config.Resident {
	if m.roster == nil || !m.roster.Several() {
		return nil
	}
	name, _ := m.roster.Name(memory)
	return setup.Resident(*m.inForce.Load(), name)
}

func (m *mind) agentOf(msg chat.Message) chat.Agent { return m.roster.Of(msg).Agent }

// draws returns the sources an agent may use, by their names in the index; nil means all.
func (m *mind) draws(a chat.Agent) []string { return setup.Draws(m.resident(a.ID)) }

// narrowed reduces a set to the tools that the settings of m's agent allow, and to the
// note and code tools whose sources it may use.
func (t *toolset) narrowed(m chat.Message, set tools.Set) tools.Set {
	r := t.mind.resident(m.Agent.ID)
	if r == nil {
		return set
	}
	return hiding(set, func(s tools.Spec) bool {
		named := len(r.Tools) == 0 || slices.ContainsFunc(r.Tools, func(pattern string) bool { ok, _ := path.Match(pattern, s.Name); return ok })
		return !named || !t.notes.lends(m.Agent, s)
	})
}

// book returns the playbook of the agent that answers m, nil for none.
func (a *app) book(m chat.Message) *playbook.Book { return a.mind.Of(a.mind.agentOf(m).ID).Book() }

// capture writes rehearsals of stored conversations into the data folder.
func (m *mind) capture(rules *files.Books, kept *modellog.Tape) rehearse.Capture {
	of := func(agent string) (*playbook.Book, string) {
		name, _ := m.roster.Name(agent)
		r := rules.Of(name)
		return r.Book(), r.Dir
	}
	return rehearse.Capture{Rows: m.store, Dir: m.inData("rehearsals"), Came: rehearse.Kept(kept), Rules: of}
}

// called returns the name of the agent with this memory, "" for the bot's own and for a
// removed one.
func (m *mind) called(memory string) string {
	name, _ := m.roster.Name(memory)
	return name
}

// about describes an agent for its owner.
func (m *mind) about(ctx context.Context, name string) (lines []string) {
	at, err := m.memory(name)
	r := m.resident(at.ID)
	if err != nil || r == nil {
		return nil
	}
	line := func(words string, list ...string) {
		if said := strings.Join(list, ", "); said != "" {
			lines = append(lines, catalog.Say(ctx, words, said))
		}
	}
	line("answers in %s", append(slices.Clone(r.Places), m.roster.Given(name)...)...)
	line("persona: %s", cmp.Or(r.Persona, m.cfg.Agent.PromptFile))
	line("playbook: %s", r.Playbook)
	line("draws on %s", r.Sources...)
	line("tools: %s", r.Tools...)
	line("model: %s", m.Of(at.ID).ModelName())
	if r.Share {
		lines = append(lines, catalog.Text(ctx, "what it knows about a person, the others that share know too"))
	}
	return lines
}

// rulebook returns a rulebook, not yet open; dir "" means no rules.
func (a *app) rulebook(dir, agent string) *files.Rulebook {
	return &files.Rulebook{Dir: dir, Agent: agent, Log: a.log, Now: a.now,
		Options: playbook.Options{Embed: a.models.embeds(), Schemas: schemasOf(a.toolset.own)}}
}

// openRules reads the playbook of the bot's own agent.
func (a *app) openRules(context.Context) error {
	a.rules.Own = a.rulebook(a.cfg.Playbook.Dir, "")
	return a.rules.Own.Open()
}

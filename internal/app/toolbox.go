package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"parley/config"
	"parley/internal/agent"
	"parley/internal/agent/handover"
	"parley/internal/app/setup"
	"parley/internal/command/language"
	"parley/internal/memory"
	"parley/internal/playbook/files"
	"parley/internal/text/catalog"
	"parley/internal/tools"
	"parley/internal/tools/netguard"
	"parley/internal/tools/web"
)

// toolbox makes the built-in tools of the parts that they work on.
type toolbox struct {
	*base
	store     *memory.Store
	people    *people
	platforms *platforms
	notes     *notes
	rules     *files.Books
	models    *models
	mind      *mind
	desk      *handover.Desk
}

// newToolbox puts these parts together. It opens and starts nothing.
func newToolbox(b *base, m *models, store *memory.Store) *toolbox {
	box := &toolbox{
		base: b, store: store, people: &people{base: b, store: store, speaker: language.Speaker{Rows: store.People, Log: b.log}},
		platforms: &platforms{base: b, store: store},
		mind:      &mind{base: b, store: store}, rules: &files.Books{}, models: m,
	}
	box.notes = &notes{base: b, store: store, people: box.people, models: m, mind: box.mind}
	box.desk = newDesk(b, store, box.platforms, box.people)
	return box
}

// ToolSchemas returns the schemas of the arguments of the built-in tools that the
// settings make useful, by name.
func ToolSchemas(cfg config.Config) (map[string][]byte, error) {
	b := newBase(Process{}, cfg, slog.New(slog.DiscardHandler), time.Now)
	list, err := newToolbox(b, &models{base: b}, &memory.Store{}).list() // whose tools are described and never called
	if err != nil {
		return nil, err
	}
	return schemasOf(tools.NewSet(list...)), nil
}

func schemasOf(set tools.Set) map[string][]byte {
	all := map[string][]byte{}
	for _, s := range set.All() {
		all[s.Name] = s.Parameters
	}
	return all
}

// list returns the tools that are part of Parley, as far as the settings make them
// useful.
func (b *toolbox) list() ([]tools.Tool, error) {
	list := []tools.Tool{
		tools.CurrentTime(b.now, b.people.zone),
		tools.SaveDecision(),
		tools.RecallConversation(b.store, b.platforms.attester().Look),
	}
	list = append(list, tools.Tools(tools.FactOperations(b.store.Facts, b.people.mayShare))...)
	list = append(list, tools.Tools(tools.TaskOperations(b.store))...)
	list = append(list, tools.Tools(tools.ReminderOperations(b.people.planner()))...)
	list = append(list, tools.Tools(tools.LogOperations(b.people.planner()))...)
	list = append(list, b.notes.tools()...)
	if b.cfg.Playbook.Dir != "" || slices.ContainsFunc(b.cfg.Agents, func(r config.Resident) bool { return r.Playbook != "" }) {
		list = append(list, tools.SetVariable(func(c tools.Call, name string, value any) error {
			return b.rules.Of(b.mind.Of(c.Memory.ID).Name).Check(name, value)
		}))
	}
	list = append(list, web.Fetch(netguard.Guard{AllowHosts: b.cfg.Web.AllowHosts}))
	if s := b.cfg.Web.Search; s.URL != "" || s.APIKey != "" {
		search, err := web.Searching(web.Search{Kind: s.Kind, URL: s.URL, Key: string(s.APIKey)})
		if err != nil {
			return nil, fmt.Errorf("web.search: %w", err)
		}
		list = append(list, search)
	}
	services, err := setup.Services(b.cfg, b.log)
	if err != nil {
		return nil, err
	}
	list = append(list, services...)
	list = append(list, b.handOver()...)
	for _, s := range b.cfg.Subagents {
		sub, err := readSubagent(s)
		if err != nil {
			return nil, err
		}
		sub.Model = b.models.routed(setup.ForSubagent + s.Name)
		list = append(list, b.delegate(sub))
	}
	return list, nil
}

func readSubagent(s config.Subagent) (agent.Subagent, error) {
	prompt, err := os.ReadFile(s.PromptFile)
	if err != nil {
		return agent.Subagent{}, fmt.Errorf("subagents: %s: %w", s.Name, err)
	}
	return agent.Subagent{Name: s.Name, Description: s.Description, Prompt: string(prompt), Tools: s.Tools, MaxTurns: s.MaxTurns}, nil
}

// delegate returns the tool that gives a subagent a job. The agent exists by the time
// it is called.
func (b *toolbox) delegate(s agent.Subagent) tools.Tool {
	type args struct {
		Task string `json:"task" jsonschema:"the whole job; the helper sees nothing else of this conversation"`
	}
	meta := tools.Meta{Name: s.Name, Description: s.Description, Category: tools.About, Scope: []string{""}, SideEffect: true,
		Trying: tools.Trying{Timeout: tools.MaxTimeout}}
	meta.Ask = func(ctx context.Context, c tools.Call) (string, error) {
		return catalog.Say(ctx, "Give the helper %s this job?", s.Name) + "\n" + tools.Listed(c.Args), nil
	}
	return tools.Func(meta, func(ctx context.Context, c tools.Call, in args) (tools.Result, error) {
		return b.mind.Of(c.Memory.ID).Delegate(ctx, s, c, in.Task)
	})
}

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
	"parley/internal/app/setup"
	"parley/internal/memory"
	"parley/internal/text/catalog"
	"parley/internal/tools"
	"parley/internal/tools/netguard"
	"parley/internal/tools/policy"
	"parley/internal/tools/web"
)

// ToolSchemas returns the argument schemas of the built-in tools that the settings enable,
// by name.
func ToolSchemas(cfg config.Config) (map[string][]byte, error) {
	b := newBase(Process{}, cfg, slog.New(slog.DiscardHandler), time.Now)
	b.store = &memory.Store{} // its tools are described and never called
	set, err := assemble(b, &models{base: b}, &storage{base: b}).toolset.list()
	if err != nil {
		return nil, err
	}
	return schemasOf(set), nil
}

func schemasOf(set tools.Set) map[string][]byte {
	all := map[string][]byte{}
	for _, s := range set.All() {
		all[s.Name] = s.Parameters
	}
	return all
}

// list returns the built-in tools that the settings enable, and those that the settings make.
// A new tool is added here.
func (t *toolset) list() (tools.Set, error) {
	list := []tools.Tool{
		tools.CurrentTime(t.now, t.people.zone),
		tools.SaveDecision(t.store),
		tools.RecallConversation(t.store, t.platforms.attest),
	}
	list = append(list, tools.Tools(tools.FactOperations(t.store.Facts, t.people.mayShare))...)
	list = append(list, tools.Tools(tools.DecisionOperations(t.store, t.people.mayShare))...)
	list = append(list, tools.Tools(tools.TaskOperations(t.store))...)
	list = append(list, tools.Tools(tools.ReminderOperations(t.people.planner()))...)
	list = append(list, tools.Tools(tools.LogOperations(t.people.planner()))...)
	list = append(list, t.notes.tools()...)
	if t.cfg.Playbook.Dir != "" || slices.ContainsFunc(t.cfg.Agents, func(r config.Resident) bool { return r.Playbook != "" }) {
		list = append(list, tools.SetVariable(func(c tools.Call, name string, value any) error {
			return t.rules.Of(t.mind.Of(c.Memory.ID).Name).Check(name, value)
		}))
	}
	list = append(list, web.Fetch(netguard.Guard{AllowHosts: t.cfg.Web.AllowHosts}))
	if s := t.cfg.Web.Search; s.URL != "" || s.APIKey != "" {
		search, err := web.Searching(web.Search{Kind: s.Kind, URL: s.URL, Key: string(s.APIKey)})
		if err != nil {
			return tools.Set{}, fmt.Errorf("web.search: %w", err)
		}
		list = append(list, search)
	}
	if t.cfg.Handoff.Desk != "" {
		list = append(list, tools.HandOverTool(func(ctx context.Context, c tools.Call) error { return t.desk.Possible(ctx, c.Where, c.Who.ID) }))
	}
	return t.configured(tools.NewSet(list...))
}

// configured returns the built-in tools with those that the settings make: HTTP services and
// subagents.
func (t *toolset) configured(set tools.Set) (tools.Set, error) {
	services, err := setup.Services(t.cfg, t.log)
	if err != nil {
		return set, err
	}
	find := tools.Func(tools.Meta{Name: tools.FindName, Description: tools.FindName, Category: tools.About},
		func(context.Context, tools.Call, struct{}) (tools.Result, error) { return tools.Result{}, nil })
	if set, err = set.Plus(find); err == nil { // which is made of the others, later
		set, err = set.Plus(services...)
	}
	if err != nil {
		return set, fmt.Errorf("tools.http, tools.openapi: %w", err)
	}
	for i, s := range t.cfg.Subagents {
		prompt, err := os.ReadFile(s.PromptFile)
		if err == nil {
			err = agent.CheckPrompt(string(prompt))
		}
		if err != nil {
			return set, fmt.Errorf("subagents: %s: %w", s.Name, err)
		}
		set, err = set.Plus(t.delegate(agent.Subagent{Name: s.Name, Description: s.Description, Prompt: string(prompt), Tools: s.Tools,
			MaxTurns: s.MaxTurns, Model: t.models.routed(setup.ForSubagent + s.Name)}))
		if err != nil {
			return set, fmt.Errorf("subagents[%d]: %w", i, err)
		}
	}
	for i, s := range t.cfg.Subagents {
		for _, name := range s.Tools {
			if err := policy.Named(fmt.Sprintf("subagents[%d].tools", i), name, set.Names(), t.serverNames()); err != nil {
				return set, err
			}
		}
	}
	return set.Without(tools.FindName), nil
}

// delegate returns the tool that gives a subagent a job. The agent exists once it is
// called.
func (t *toolset) delegate(s agent.Subagent) tools.Tool {
	type args struct {
		Task string `json:"task" jsonschema:"the whole job; the helper sees nothing else of this conversation"`
	}
	meta := tools.Meta{Name: s.Name, Description: s.Description, Category: tools.About, Scope: []string{""}, SideEffect: true,
		Trying: tools.Trying{Timeout: tools.MaxTimeout}}
	meta.Ask = func(ctx context.Context, c tools.Call) (string, error) {
		return catalog.Say(ctx, "Give the helper %s this job?", s.Name) + "\n" + tools.Listed(c.Args), nil
	}
	return tools.Func(meta, func(ctx context.Context, c tools.Call, in args) (tools.Result, error) {
		return t.mind.Of(c.Memory.ID).Delegate(ctx, s, c, in.Task)
	})
}

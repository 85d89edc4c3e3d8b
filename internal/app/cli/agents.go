package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"parley/config"
	"parley/internal/agent"
	"parley/internal/app/setup"
	"parley/internal/chat/routing"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/text/catalog"
)

// wordsAgentCalled is said in more than one place.
const wordsAgentCalled = "agent %s"

// agents checks the persona and the playbook of each, and who is bound to nothing.
func (d *doctor) agents(ctx context.Context, cfg config.Config) {
	if len(cfg.Agents) == 0 {
		return
	}
	r := d.roster(ctx, cfg)
	for _, a := range cfg.Agents {
		_, err := agent.New(agent.Options{Persona: agent.Persona{Name: a.Name, PromptFile: cmp.Or(a.Persona, cfg.Agent.PromptFile)}})
		if err == nil && a.Playbook != "" {
			_, err = playbook.Load(a.Playbook, playbook.Options{})
		}
		places := slices.Clone(a.Places)
		if r != nil {
			places = append(places, r.Given(a.Name)...)
		}
		if err == nil && len(places) == 0 {
			d.say("warn", catalog.Fill(wordsAgentCalled, a.Name), "answers nowhere: set its places, or use /agent use %s where it shall", a.Name)
			continue
		}
		d.line(catalog.Fill(wordsAgentCalled, a.Name), err, "answers in %s", strings.Join(places, ", "))
	}
	if r == nil {
		return
	}
	for _, place := range r.Lost() {
		d.say("warn", "agents", "%s was given to an agent that is no more, so the settings decide there: /agent reset in it, or bring the agent back", place)
	}
}

// roster returns who answers where, nil while there is no database.
func (d *doctor) roster(ctx context.Context, cfg config.Config) *routing.Roster {
	if !stored(cfg) {
		return nil
	}
	store, err := openStore(ctx, cfg, memory.Options{})
	if err != nil {
		return nil // data tells why
	}
	defer func() { _ = store.Close() }()
	r, err := setup.LookRoster(ctx, cfg, store)
	if err != nil {
		return nil
	}
	return r
}

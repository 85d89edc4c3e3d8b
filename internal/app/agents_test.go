package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/config"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/memory/agenda"
	"parley/internal/memory/provenance"
	"parley/internal/notes/index"
	"parley/internal/tools"
)

// writes returns a message to the agent of a server.
func writes(guild string) chat.Message {
	return chat.Message{ID: "1", Key: chat.Key{Platform: "discord", Channel: "5"}, Guild: guild,
		From: chat.User{ID: "discord:1", Name: "Ann"}, Text: "hello", Addressed: true}
}

// housed returns a bot with three agents: one draws on a handbook, one on the notes, one
// on nothing.
func housed(t *testing.T) *stage {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"notes/boat.md": "# Boat\nThe harbour key is under the mat.",
		"handbook/keys.md": "# Keys\nThe harbour key is at the desk."} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return staged(t, fmt.Sprintf(`Two agents, and their own.
-- settings.yaml --
access: {mode: open}
vault: {dir: %q, writers: everyone}
sources: [{name: handbook, dir: %q}]
agents:
  - {name: desk, sources: [handbook], tools: ["vault_*", list_facts], places: ["discord:guild:9"], limits: {max_tool_iterations: 2}}
  - {name: home, sources: [vault], places: [default]}
  - {name: lab, places: ["discord:guild:8"]}
-- talk --
> hello
= Hello.
`, filepath.Join(dir, "notes"), filepath.Join(dir, "handbook")), nil)
}

// Each agent has the tools its settings allow, and finds only its own sources: it neither
// finds nor writes notes of another.
func TestAgentsHaveToolsAndSourcesOfTheirOwn(t *testing.T) {
	st := housed(t)
	a := st.app
	must(t, a.notes.index.Refresh(t.Context()))
	for guild, tt := range map[string]struct {
		has, lacks []string
		finds      string
	}{
		"9": {[]string{"vault_search", "vault_read", "list_facts"}, []string{"vault_write", "vault_move", tools.Librarian,
			"save_fact", "set_reminder"}, "handbook"},
		"8": {[]string{"save_fact", "list_facts"}, []string{"vault_search", "vault_read", "vault_write", tools.Librarian}, ""},
		"7": {[]string{"vault_search", "vault_write", tools.Librarian, "save_fact"}, nil, "notes"},
	} {
		m := writes(guild)
		m.Agent = a.mind.agentOf(m)
		set, err := a.toolset.here(t.Context(), m)
		must(t, err)
		for _, name := range tt.has {
			if _, ok := set.Lookup(name); !ok {
				t.Errorf("server %s: no tool %s", guild, name)
			}
		}
		for _, name := range tt.lacks {
			if _, ok := set.Lookup(name); ok {
				t.Errorf("server %s: unexpected tool %s", guild, name)
			}
		}
		shelf, err := a.notes.shelf(t.Context(), m)
		must(t, err)
		hits, err := shelf.Search(t.Context(), index.Query{Text: "where is the harbour key"})
		must(t, err)
		var from []string
		for _, h := range hits {
			from = append(from, h.Source)
		}
		if got := strings.Join(slices.Compact(from), " "); got != tt.finds {
			t.Errorf("server %s: found in %q, want %q", guild, got, tt.finds)
		}
		for source, path := range map[string]string{"notes": "boat.md", "handbook": "keys.md"} {
			_, err := shelf.Read(t.Context(), index.Part{Source: source, Path: path})
			if may := source == tt.finds; (err == nil) != may {
				t.Errorf("server %s: reading %s: %v", guild, source, err)
			}
		}
	}
	if !setup.Alone(a.cfg, a.mind.roster, "", "notes") || setup.Alone(a.cfg, a.mind.roster, "desk", "notes") {
		t.Error("the daily note is not home's alone")
	}
}

// A reload puts other agents in force, with their personas and places. A mistake, or
// models that are not connected, keep the old ones.
func TestAgentsFollowAReload(t *testing.T) {
	st := housed(t)
	a := st.app
	persona := filepath.Join(t.TempDir(), "night.md")
	must(t, os.WriteFile(persona, []byte("You keep the night watch."), 0o600))
	load := func(change func(*config.Config)) func() (config.Config, error) {
		return func() (config.Config, error) {
			c := a.cfg
			c.Agents = slices.Clone(c.Agents)
			change(&c)
			return c, nil
		}
	}
	answers := func(guild string) string { return a.mind.roster.At(writes(guild)).Agent }
	desk := a.mind.Of("desk")
	a.settings.reload(load(func(c *config.Config) {
		c.Agents[1].Places = nil
		c.Agents = append(c.Agents[:2:2], config.Resident{Name: "night", Persona: persona, Places: []string{"default"}})
	}))
	if answers("9") != "desk" || answers("8") != "night" || answers("7") != "night" {
		t.Errorf("after the reload %q, %q and %q answer", answers("9"), answers("8"), answers("7"))
	}
	if a.mind.Of("night").Name != "night" || a.mind.Of("desk") != desk || a.mind.Of("lab").Name != "" {
		t.Error("the agents are not those of the settings, or one that stayed was made again")
	}
	if memory := a.mind.agentOf(writes("7")).ID; memory != "night" {
		t.Errorf("who answers everywhere now has the memory %q", memory)
	}
	for mistake, change := range map[string]func(*config.Config){
		"no playbook": func(c *config.Config) { c.Agents[0].Playbook = "/nowhere/at/all" },
		"no persona":  func(c *config.Config) { c.Agents[0].Persona = "/nowhere.md" },
		"no tool":     func(c *config.Config) { c.Agents[0].Tools = []string{"lokup_order"} },
		"a new route": func(c *config.Config) { c.Agents[0].Routes.Answer = []string{"main"} },
		"two places":  func(c *config.Config) { c.Agents[1].Places = c.Agents[0].Places },
	} {
		a.settings.reload(load(func(c *config.Config) { change(c); c.Agents[0].Name = "night" }))
		if answers("7") != "night" || answers("9") != "desk" || a.mind.Of("desk") != desk {
			t.Errorf("after %s %q and %q answer", mistake, answers("7"), answers("9"))
		}
	}
}

// A reminder with a question goes only to the agent that was asked to set it.
func TestScheduledQuestionStaysWithItsAgent(t *testing.T) {
	st := housed(t)
	a := st.app
	m := writes("9")
	m.Agent = a.mind.agentOf(m)
	c := tools.CallOf(m)
	planner := a.people.planner()
	_, err := planner.Plan(t.Context(), c, agenda.Reminder{Text: "what is open", Asking: agenda.Asking{Ask: true}}, "in 2 hours")
	must(t, err)
	list, err := a.storage.store.Agenda.DueReminders(t.Context(), []string{"discord"}, 10)
	must(t, err)
	if len(list) != 0 {
		t.Fatalf("due already: %v", list)
	}
	all, err := a.storage.store.Agenda.Reminders(t.Context(), provenance.ViewerOf(m))
	must(t, err)
	if len(all) != 1 || a.chores.asker.Elsewhere(all[0]) {
		t.Fatalf("it is not the desk's: %+v", all)
	}
	must(t, a.mind.roster.Bind(t.Context(), "discord:guild:9", "home", "discord:1"))
	if !a.chores.asker.Elsewhere(all[0]) {
		t.Error("home is asked what was asked of the desk")
	}
}

package config

import (
	"strings"
	"testing"
)

// TestAgents: agents are read as written; each mistake is reported with its line.
func TestAgents(t *testing.T) {
	good := `vault: {dir: /notes}
sources:
  - {name: handbook, dir: /handbook}
models:
  - {name: main, model: a, base_url: "http://localhost:1/v1"}
agents:
  - {name: desk, persona: desk.md, playbook: playbooks/desk, sources: [handbook], tools: [lookup_*], routes: {answer: [main]}, places: ["p:chat:99", "p:chat:5/6"]}
  - name: home
    sources: [vault]
    share: true
    limits: {token_budget: 4000}
    places:
      - default
      - p:1
`
	cfg, err := Load(Options{File: write(t, good), IDs: ids{}})
	if err != nil {
		t.Fatal(err)
	}
	if len(cfg.Agents) != 2 || cfg.Agents[0].Places[1] != "p:chat:5/6" || !cfg.Agents[1].Share ||
		cfg.Agents[1].Limits.TokenBudget != 4000 || cfg.Agents[0].Route(PurposeSummary)[0] != "main" {
		t.Errorf("read %+v", cfg.Agents)
	}
	for mistake, tt := range map[string]struct{ old, new, want string }{
		"one place twice":    {"- p:1\n", "- p:chat:99\n", "bot.yaml:14:9: agents[1].places[1]: is p:chat:99, which desk has already"},
		"default twice":      {`"p:chat:5/6"]`, `default]`, "bot.yaml:13:9: agents[1].places[0]: is default, which desk has already"},
		"within one list":    {"- p:1\n", "- default\n", "bot.yaml:14:9: agents[1].places[1]: is default, which home has already"},
		"no place":           {"- p:1\n", "- everywhere\n", "bot.yaml:14:9: agents[1].places: no entry"},
		"a server's thread":  {"- p:1\n", "- p:1/2\n", "a thread is written behind its channel"},
		"names of one sound": {"name: home", "name: Desk", `agents[1].name: is "Desk", as agents[0].name is`},
		"no name":            {"name: home", "name: the home", `agents[1].name: is "the home"`},
		"no such source": {"sources: [vault]", "sources: [handbok]",
			`agents[1].sources[0]: names "handbok", which is not in sources (did you mean handbook?)`},
		"no such model":  {"answer: [main]", "answer: [mian]", `agents[0].routes.answer: names "mian"`},
		"no pattern":     {"lookup_*]", "'lookup_[']", "agents[0].tools[0]: is \"lookup_[\", which is no pattern"},
		"a small budget": {"token_budget: 4000", "token_budget: 3999", "agents[1].limits.token_budget: is 3999"},
		"an unknown key": {"share: true", "shares: true", "bot.yaml:10:5: agents[1].shares: unknown setting"},
	} {
		t.Run(mistake, func(t *testing.T) {
			text := strings.Replace(good, tt.old, tt.new, 1)
			if text == good {
				t.Fatalf("%q is not there", tt.old)
			}
			if _, err := Load(Options{File: write(t, text), IDs: ids{}}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v\nhas no %q", err, tt.want)
			}
		})
	}
}

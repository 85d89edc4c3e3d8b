package app

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/llm"
)

// recordings are talks of people with an agent of tau-bench, with the calls it made.
type recordings struct {
	turns   []recordedTurn
	results map[string]string          // by call
	tools   map[string]map[string]bool // arguments of each
}

// recordedTurn is what a person says, and what the agent does until they say something again.
type recordedTurn struct {
	talk  int
	words string
	steps []llm.Message
}

// read takes recordings from a file of tau-bench's historical_trajectories.
func read(t *testing.T, file string, most int) *recordings {
	t.Helper()
	b, err := os.ReadFile(file)
	must(t, err)
	var talks []struct {
		Traj []struct {
			Role    string
			Content string
			Name    string
			ID      string `json:"tool_call_id"`
			Calls   []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	must(t, json.Unmarshal(b, &talks))
	p := &recordings{results: map[string]string{}, tools: map[string]map[string]bool{}}
	for i, talk := range talks {
		calls := map[string]string{}
		for _, m := range talk.Traj {
			switch {
			case m.Role == "user" && len(p.turns) < most:
				p.turns = append(p.turns, recordedTurn{talk: i, words: m.Content})
			case m.Role == "user":
				return p
			case m.Role == "tool":
				p.results[calls[m.ID]] = m.Content
			case m.Role == "assistant" && len(p.turns) > 0:
				said := llm.Message{Role: llm.RoleAssistant, Content: m.Content}
				for _, c := range m.Calls {
					said.ToolCalls = append(said.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments})
					calls[c.ID] = p.key(c.Function.Name, []byte(c.Function.Arguments))
				}
				now := &p.turns[len(p.turns)-1]
				now.steps = append(now.steps, said)
			}
		}
	}
	return p
}

// key names a call by its tool and its arguments, and notes which there are.
func (p *recordings) key(tool string, args []byte) string {
	var v map[string]any
	_ = json.Unmarshal(args, &v)
	if p.tools[tool] == nil {
		p.tools[tool] = map[string]bool{}
	}
	for name := range v {
		p.tools[tool][name] = true
	}
	b, _ := json.Marshal(v)
	return tool + string(b)
}

// step is what the agent does next for message n.
func (p *recordings) step(r llm.Request, n string) llm.Message {
	done := 0
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == llm.RoleUser {
			break
		}
		if m.Role == llm.RoleAssistant && len(m.ToolCalls) > 0 {
			done++
		}
	}
	var i int
	_, _ = fmt.Sscan(n, &i)
	if steps := p.turns[i].steps; done < len(steps) {
		return steps[done]
	}
	return llm.Message{Role: llm.RoleAssistant, Content: "That is all for #" + n + "."}
}

// result answers a call as it was answered then.
func (p *recordings) result(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	if said, ok := p.results[p.key(filepath.Base(r.URL.Path), body)]; ok {
		return said
	}
	return "done"
}

func (p *recordings) settings(policies ...string) string {
	tools, ask := "", ""
	for _, name := range slices.Sorted(maps.Keys(p.tools)) {
		known := ""
		for _, arg := range slices.Sorted(maps.Keys(p.tools[name])) {
			known += arg + ": {}, "
		}
		tools += fmt.Sprintf("    - {name: %s, description: Does it., method: POST, url: \"SHOP/%[1]s\", parameters: {type: object, properties: {%s}}}\n",
			name, known)
		if !strings.Contains(strings.Join(policies, ""), "name: "+name+",") {
			ask += fmt.Sprintf("    - {name: %s, ask: never}\n", name)
		}
	}
	head, _, _ := strings.Cut(pastSettings, "  http:\n")
	return head + "  http:\n" + tools + "  policy:\n" + ask + strings.Join(policies, "")
}

// TestWhatIfRecorded foretells changes of guards, rules and permissions for talks that tau-bench
// recorded, beside real second runs. PARLEY_WHATIF_RECORDED names a file of its
// historical_trajectories, PARLEY_WHATIF how many messages of it.
func TestWhatIfRecorded(t *testing.T) {
	file := os.Getenv("PARLEY_WHATIF_RECORDED")
	if file == "" {
		t.Skip("PARLEY_WHATIF_RECORDED names no recordings")
	}
	most := 1 << 30
	_, _ = fmt.Sscan(os.Getenv("PARLEY_WHATIF"), &most)
	p := read(t, file, most)
	h := newHistory(t, len(p.turns))
	h.model.recorded = p
	h.write(t, "book/guards.yaml", "guards: []\n")
	settings := h.settings(p.settings())
	cfg := h.load(t, h.write(t, "bot.yaml", settings), filepath.Join(h.dir, "data"))
	began := time.Now()
	h.live(t, cfg)
	t.Logf("%d messages lived in %v", h.n, time.Since(began).Round(time.Millisecond))
	guards, err := os.ReadFile("../../config/guards/airline/guards.yaml")
	must(t, err)
	list := []planting{
		{word: "guards", files: map[string]string{"book/guards.yaml": string(guards)}},
		{word: "permission", files: map[string]string{"bot.yaml": p.settings("    - {name: calculate, ask: always}\n")}},
		{word: "rule", files: map[string]string{"book/rules.yaml": pastBook + "  - {id: insured, condition: 'literal:insurance', reply: One moment.}\n"}},
		{word: "nothing", files: map[string]string{"book/guards.yaml": "# none\nguards: []\n"}},
	}
	for i, one := range list {
		for name, content := range one.files {
			list[i].apply = append(list[i].apply, h.write(t, fmt.Sprintf("edited%d/%s", i, filepath.Base(name)), h.settings(content)))
		}
	}
	h.tried(t, cfg, list)
}

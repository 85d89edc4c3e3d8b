package config

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"parley/internal/text"
)

// Said in more than one place.
const (
	wordsNoneOf     = "names %q, which is not in %s"
	wordsDidYouMean = "did you mean %s?"
)

// Resident is one of several agents in one bot, with memory of its own.
type Resident struct {
	Name     string         `yaml:"name" form:"agent" doc:"what it calls itself, and what /agent and its stored memory go by"`
	Persona  string         `yaml:"persona" doc:"its persona and constitution, reloaded when it changes; with none, agent.prompt_file"`
	Playbook string         `yaml:"playbook" doc:"its folder of guidelines, journeys and variables; with none, it has no playbook"`
	Sources  []string       `yaml:"sources" doc:"names of sources that its answers may draw on, and vault for vault.dir; with none, no notes and no code"`
	Tools    []string       `yaml:"tools" doc:"tools it may use, by name or by patterns such as lookup_*; with none, all"`
	Routes   ResidentRoutes `yaml:"routes"`
	Limits   ResidentLimits `yaml:"limits"`
	Share    bool           `yaml:"share" default:"false" doc:"true: what it knows about a person, the other agents with share know too"`
	Places   []string       `yaml:"places" form:"bound" doc:"where it answers, as in access.allow: discord:guild:99…, telegram:chat:-100…, a channel as discord:chat:5, a thread or topic of one as discord:chat:5/6, a person's direct chat as telegram:42; default is everywhere else. The closest place counts"`
}

// ResidentRoutes says which models work for one agent.
type ResidentRoutes struct {
	Answer   []string `yaml:"answer" doc:"names of models that answer for it, in order; with none, routes.answer"`
	Playbook []string `yaml:"playbook" doc:"that match its playbook; with none, as its answer"`
	Summary  []string `yaml:"summary" doc:"that summarize its conversations; with none, as its answer"`
}

// ResidentLimits bound what one agent takes; 0 is as for all.
type ResidentLimits struct {
	MaxToolIterations   int     `yaml:"max_tool_iterations" default:"0" range:"0..30" doc:"model calls per message; 0 is agent.max_tool_iterations"`
	HistoryMessages     int     `yaml:"history_messages" default:"0" range:"0..1000" doc:"latest messages sent word for word; 0 is session.history_messages"`
	TokenBudget         int     `yaml:"token_budget" default:"0" range:"0..128000" doc:"tokens of a request, 4000 at least; 0 is context.token_budget"`
	UserTokensPerDay    int     `yaml:"user_tokens_per_day" default:"0" range:"0..1000000000" doc:"tokens of one person, wherever they used them, beyond which this agent does not answer; 0 is limits.user_tokens_per_day"`
	ChannelTokensPerDay int     `yaml:"channel_tokens_per_day" default:"0" range:"0..1000000000" doc:"tokens of one channel; 0 is limits.channel_tokens_per_day"`
	UserMoneyPerDay     float64 `yaml:"user_money_per_day" default:"0" range:"0..1000000000" doc:"money of one person; 0 is limits.user_money_per_day"`
	ChannelMoneyPerDay  float64 `yaml:"channel_money_per_day" default:"0" range:"0..1000000000" doc:"money of one channel; 0 is limits.channel_money_per_day"`
}

// Everywhere is the place of the agent that answers where no other is bound.
const Everywhere = "default"

// VaultSource is what an agent's sources call vault.dir.
const VaultSource = "vault"

// leastBudget is the smallest token budget that is one.
const leastBudget = 4000

// Route returns the models that an agent has of its own for a purpose; nil is
// none of its own. Its answer's serve for what else it does.
func (r Resident) Route(purpose string) []string {
	own := map[string][]string{PurposeAnswer: r.Routes.Answer, PurposePlaybook: r.Routes.Playbook, PurposeSummary: r.Routes.Summary}[purpose]
	if len(own) == 0 {
		return r.Routes.Answer
	}
	return own
}

// SameRoutes reports whether agents are answered by the models that were connected
// for them at the start.
func SameRoutes(were, are []Resident) bool {
	for _, r := range are {
		var before ResidentRoutes
		if i := slices.IndexFunc(were, func(w Resident) bool { return w.Name == r.Name }); i >= 0 {
			before = were[i].Routes
		}
		if !reflect.DeepEqual(before, r.Routes) {
			return false
		}
	}
	return true
}

// residents checks the agents against each other, and against the rest.
func (c *Config) residents(fail fail) {
	taken := map[string]string{} // place -> where it was claimed
	names := map[string]string{}
	for i, r := range c.Agents {
		at := fmt.Sprintf("agents[%d].", i)
		if first := names[strings.ToLower(r.Name)]; first != "" {
			fail(at+"name", wrong(wordsIsTwice, r.Name, first).hint(wordsDiffer))
		}
		names[strings.ToLower(r.Name)] = fmt.Sprintf("agents[%d]", i)
		for j, p := range r.Places {
			if first := taken[p]; first != "" {
				fail(fmt.Sprintf("%splaces[%d]", at, j), wrong("is %s, which %s has already", p, first).hint("one agent answers in one place"))
				continue
			}
			taken[p] = r.Name
		}
		c.drawn(at, r, fail)
		for j, t := range r.Tools {
			if _, err := path.Match(t, ""); err != nil || t == "" {
				fail(fmt.Sprintf("%stools[%d]", at, j), wrong("is %q, which is no pattern", t).hint("use letters and *"))
			}
		}
		if n := r.Limits.TokenBudget; n != 0 && n < leastBudget {
			fail(at+"limits.token_budget", wrong("is %d; expected %d to 128000, or 0", n, leastBudget))
		}
	}
}

// drawn checks the sources of an agent.
func (c *Config) drawn(at string, r Resident, fail fail) {
	var known []string
	if c.Vault.Dir != "" {
		known = append(known, VaultSource)
	}
	for _, s := range c.Sources {
		known = append(known, s.Name)
	}
	for j, name := range r.Sources {
		if slices.Contains(known, name) {
			continue
		}
		e := wrong(wordsNoneOf, name, "sources")
		switch near := text.Nearest(name, known); {
		case near != "":
			e.hint(wordsDidYouMean, near)
		case len(known) > 0:
			e.hint("there is %s", strings.Join(known, ", "))
		default:
			e.hint("there are no sources")
		}
		fail(fmt.Sprintf("%ssources[%d]", at, j), e)
	}
}

// boundTo checks one of an agent's places.
func boundTo(place string, ids IDs) *Error {
	if place == Everywhere {
		return nil
	}
	whole, thread, threaded := strings.Cut(place, "/")
	if threaded && (thread == "" || strings.Contains(thread, "/") || !strings.Contains(whole, ":chat:")) {
		return wrong(wordsIs, place).hint("a thread is written behind its channel: discord:chat:5/6")
	}
	if ids == nil {
		return nil
	}
	e := identified(ids.Entry(whole))
	if e != nil {
		e.hint("%w, or %s", e.Hint, Everywhere)
	}
	return e
}

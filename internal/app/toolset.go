package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/config"
	"parley/internal/admin"
	"parley/internal/agent"
	"parley/internal/chat"
	"parley/internal/playbook"
	"parley/internal/tools"
	"parley/internal/tools/mcp"
)

// toolset is what the model may use: the built-in tools, those of servers that
// come and go, less those the owner switched off.
type toolset struct {
	own     tools.Set
	servers *mcp.Client // nil without servers
	stop    func()      // ends the servers and waits for them

	mu  sync.Mutex // guards off and made
	off map[string]bool
	// made is what now returns and from what it was made.
	made struct{ from, set tools.Set }
}

// offSetting is the row that lists the tools switched off from the chat.
const offSetting = "tools.off"

func (a *app) newToolset(ctx context.Context) (*toolset, error) {
	list, err := a.builtinTools()
	if err != nil {
		return nil, err
	}
	t := &toolset{own: tools.NewSet(list...), off: map[string]bool{}, stop: func() {}}
	v, err := a.store.Setting(ctx, offSetting)
	if err != nil {
		return nil, err
	}
	if v != "" {
		if err := json.Unmarshal([]byte(v), &t.off); err != nil {
			return nil, fmt.Errorf("read tools switched off: %w", err)
		}
	}
	return t, a.openServers(t)
}

// ToolNames are the names of the built-in tools that the settings make useful.
func ToolNames(cfg config.Config) (names []string, err error) {
	a := &app{cfg: cfg, log: slog.New(slog.DiscardHandler), now: time.Now}
	list, err := a.builtinTools()
	for _, t := range list {
		names = append(names, t.Spec().Name)
	}
	return names, err
}

// builtinTools are the tools that are part of Parley, as far as the settings
// make them useful.
func (a *app) builtinTools() ([]tools.Tool, error) {
	list := []tools.Tool{
		tools.CurrentTime(a.now, a.zone), tools.SaveDecision(), tools.RecallConversation(a.store, a.attest),
		tools.SaveFact(a.store, a.mayShare), tools.UpdateFact(a.store, a.mayShare), tools.ForgetFact(a.store, a.mayShare), tools.ListFacts(a.store),
	}
	list = append(list, tools.TaskTools(a.store)...)
	list = append(list, tools.ReminderTools(a.planner())...)
	list = append(list, tools.LogTools(a.planner())...)
	list = append(list, a.vaultTools()...)
	if a.cfg.Playbook.Dir != "" {
		list = append(list, tools.SetVariable(a.checkVariable))
	}
	list = append(list, tools.WebFetch(tools.Guard{AllowHosts: a.cfg.Web.AllowHosts}))
	if s := a.cfg.Web.Search; s.URL != "" || s.APIKey != "" {
		search, err := tools.WebSearch(tools.Search{Kind: s.Kind, URL: s.URL, Key: string(s.APIKey)})
		if err != nil {
			return nil, fmt.Errorf("web.search: %w", err)
		}
		list = append(list, search)
	}
	for _, s := range a.cfg.Subagents {
		sub, err := readSubagent(s)
		if err != nil {
			return nil, err
		}
		list = append(list, a.delegate(sub))
	}
	return list, nil
}

func readSubagent(s config.Subagent) (agent.Subagent, error) {
	prompt, err := os.ReadFile(s.PromptFile)
	if err != nil {
		return agent.Subagent{}, fmt.Errorf("subagents: %s: %w", s.Name, err)
	}
	return agent.Subagent{Name: s.Name, Description: s.Description, Prompt: string(prompt), Tools: s.Tools, MaxTurns: s.MaxTurns, Model: s.Model}, nil
}

// delegate is the tool through which a subagent is given a job. The agent
// exists by the time anybody calls it.
func (a *app) delegate(s agent.Subagent) tools.Tool {
	type args struct {
		Task string `json:"task" jsonschema:"the whole job; the helper sees nothing else of this conversation"`
	}
	meta := tools.Meta{Name: s.Name, Description: s.Description, Category: tools.About, Scope: []string{""}, SideEffect: true, Timeout: tools.MaxTimeout}
	return tools.Func(meta, func(ctx context.Context, c tools.Call, in args) (tools.Result, error) {
		return a.agent.Delegate(ctx, s, c, in.Task)
	})
}

// checkVariable says why a value cannot be taken by the playbook.
func (a *app) checkVariable(name string, value any) error {
	b := a.bookNow()
	if b == nil {
		return errors.New("there is no playbook")
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = b.SetVariable(playbook.State{}, playbook.Value{Name: name, Value: raw, Source: "tool"})
	return err
}

// openServers connects the MCP servers in the background.
func (a *app) openServers(t *toolset) error {
	if len(a.cfg.MCP.Servers) == 0 {
		return nil
	}
	o := mcp.Options{Dir: a.inData("mcp"), Log: a.log}
	for _, s := range a.cfg.MCP.Servers {
		env := make([]string, len(s.Env))
		for i, e := range s.Env {
			env[i] = string(e)
		}
		o.Servers = append(o.Servers, mcp.Server{Name: s.Name, Command: s.Command, Env: env, URL: s.URL, ReadOnly: s.ReadOnly, Timeout: s.Timeout})
	}
	var err error
	if t.servers, err = mcp.Open(o); err != nil {
		return fmt.Errorf("mcp.servers: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); t.servers.Run(ctx) }()
	t.stop = func() { cancel(); <-done }
	return nil
}

// all is every tool there is, on or off.
func (t *toolset) all() tools.Set {
	if t.servers == nil {
		return t.own
	}
	return t.own.With(t.servers.Set())
}

// now is the set as it stands, with find_tools for what is not always offered.
func (t *toolset) now() tools.Set {
	all := t.all()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.made.set.Len() > 0 && t.made.from.Same(all) {
		return t.made.set
	}
	set := findable(all.Without(slices.Collect(maps.Keys(t.off))...))
	t.made.from, t.made.set = all, set
	return set
}

// only is now less everything that is not named.
func (t *toolset) only(names []string) tools.Set {
	t.mu.Lock()
	defer t.mu.Unlock()
	return findable(t.all().Only(names...).Without(slices.Collect(maps.Keys(t.off))...))
}

// findable adds the tool that finds what is not always offered.
func findable(set tools.Set) tools.Set {
	if find, ok := tools.FindTools(set); ok {
		return set.With(tools.NewSet(find))
	}
	return set
}

// turn switches a tool on or off for everybody and returns what is off.
func (t *toolset) turn(name string, on bool) map[string]bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if on {
		delete(t.off, name)
	} else {
		t.off[name] = true
	}
	t.made.set = tools.Set{}
	return maps.Clone(t.off)
}

// status is how the tool servers stand; one that has died silently is found
// out by the next time.
func (t *toolset) status() []mcp.Status {
	if t.servers == nil {
		return nil
	}
	t.servers.Look()
	return t.servers.Status()
}

func (t *toolset) close() { t.stop() }

// planner does what has to do with people's time.
func (a *app) planner() tools.Planner {
	return tools.Planner{Store: a.store, Now: a.now, Zone: a.zone, Next: nextTime}
}

// mayShare says whether who calls may make the bot remember something for
// everybody in a place.
func (a *app) mayShare(ctx context.Context, c tools.Call) bool {
	return a.roleOf(ctx, c) >= admin.Admin
}

// zone is a person's time zone, "" when unknown. Who sits at this machine is
// where it is.
func (a *app) zone(ctx context.Context, who chat.User) string {
	p, err := a.store.Person(ctx, who.ID)
	if err != nil {
		a.log.Error("read time zone", "err", err)
	}
	if zone := strings.TrimSpace(p.TimeZone); zone != "" || !strings.HasPrefix(who.ID, "terminal:") {
		return zone
	}
	return a.home
}

// machineZone is the name of this machine's time zone, "" when it has none but
// UTC or none that can be told.
func machineZone() string {
	name, set := os.LookupEnv("TZ")
	if !set {
		link, err := os.Readlink("/etc/localtime")
		if err != nil {
			return ""
		}
		_, name, _ = strings.Cut(link, "/zoneinfo/")
	}
	name = strings.TrimPrefix(name, ":")
	if loc, err := time.LoadLocation(name); err != nil || loc == time.UTC || strings.HasSuffix(name, "UTC") {
		return ""
	}
	return name
}

// location is where a person's clock is, UTC when unknown.
func (a *app) location(ctx context.Context, who chat.User) *time.Location {
	loc, err := time.LoadLocation(a.zone(ctx, who))
	if err != nil {
		return time.UTC
	}
	return loc
}

package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"parley/config"
	"parley/internal/agent/handover"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/playbook/files"
	"parley/internal/tools"
	"parley/internal/tools/mcp"
	"parley/internal/tools/policy"
)

// toolset is the tools the model may use: built-in ones and those of servers, without
// those the owner switched off.
type toolset struct {
	*base
	people    *people
	platforms *platforms
	notes     *notes
	rules     *files.Books
	models    *models
	mind      *mind
	desk      *handover.Desk

	own     tools.Set
	servers *mcp.Client // nil without servers
	stop    func()      // stops the servers and waits for them; nil without
	apart   *tools.Set  // in a world apart, what servers had; nil is this world

	switching sync.Mutex // held while the row of offSetting is read, written and applied

	mu  sync.Mutex // guards off and made
	off map[string]bool
	// made caches what offered returns, and from what it was made.
	made struct{ from, set tools.Set }
}

// offSetting is the row with the tools switched off from the chat.
const offSetting = "tools.off"

// open makes the built-in tools and connects to the servers.
func (t *toolset) open(ctx context.Context) (err error) {
	if t.own, err = t.list(); err != nil {
		return err
	}
	if t.off, err = storedMap[bool](ctx, t.store, offSetting); err != nil {
		return err
	}
	if err := t.checked(t.cfg); err != nil {
		return err
	}
	return t.connect()
}

func (t *toolset) policies() policy.List { return policiesOf(*t.inForce.Load()) }

func policiesOf(c config.Config) (list policy.List) {
	for _, p := range c.Tools.Policy {
		list = append(list, policy.Rule(p))
	}
	return list
}

func (t *toolset) serverNames() (names []string) {
	for _, s := range t.cfg.MCP.Servers {
		names = append(names, s.Name)
	}
	return names
}

// connect connects to the MCP servers in the background.
func (t *toolset) connect() error {
	if len(t.cfg.MCP.Servers) == 0 || t.apart != nil {
		return nil
	}
	o := setup.ToolServers(t.cfg)
	o.Log, o.Asks = t.log, true
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

// all returns every tool, on or off.
func (t *toolset) all() tools.Set {
	if t.apart != nil {
		return t.own.With(*t.apart)
	}
	if t.servers == nil {
		return t.own
	}
	return t.own.With(t.servers.Set())
}

// offered returns the tools that are on, with find_tools for those not always offered.
func (t *toolset) offered() tools.Set {
	all := t.all()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.made.set.Len() > 0 && t.made.from.Same(all) {
		return t.made.set
	}
	set := findable(t.policies().Apply(all.Without(slices.Collect(maps.Keys(t.off))...)))
	t.made.from, t.made.set = all, set
	return set
}

// only is offered for the named tools.
func (t *toolset) only(names []string) tools.Set {
	t.mu.Lock()
	defer t.mu.Unlock()
	return findable(t.policies().Apply(t.all().Only(names...).Without(slices.Collect(maps.Keys(t.off))...)))
}

// here returns the tools for m's author in m's place.
func (t *toolset) here(ctx context.Context, m chat.Message) (tools.Set, error) {
	p, err := t.store.Access.Policy(ctx, m.Key)
	if err != nil {
		return t.offered(), err
	}
	set := t.offered()
	if p.Tools != nil {
		set = t.only(p.Tools)
	}
	if set, err = t.personal(ctx, m, t.narrowed(m, set)); m.Unasked {
		set = set.Careful()
	}
	switch {
	case m.Hook != "":
		set = forHook(set)
	case m.Overhears(): // nobody asked for anything, and nobody is asked
		set = hiding(set, func(s tools.Spec) bool { return !s.ReadOnly })
	}
	return set, err
}

// findable adds find_tools if there is something to find.
func findable(set tools.Set) tools.Set {
	if find, ok := tools.FindTools(set); ok {
		return set.With(tools.NewSet(find))
	}
	return set
}

// refresh applies what was switched in another process.
func (t *toolset) refresh(ctx context.Context) error {
	t.switching.Lock()
	defer t.switching.Unlock()
	off, err := storedMap[bool](ctx, t.store, offSetting)
	if err != nil {
		return err
	}
	t.apply(off)
	return nil
}

func (t *toolset) apply(off map[string]bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !maps.Equal(off, t.off) {
		t.off, t.made.set = off, tools.Set{}
	}
}

// checked reports a mistake in the policies of settings that are to be put in force.
func (t *toolset) checked(c config.Config) error {
	return policiesOf(c).Check(t.own.Names(), t.serverNames())
}

// renewed makes the next call look at the policies in force.
func (t *toolset) renewed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made.set = tools.Set{}
}

// turn switches a tool on or off for everybody, for good.
func (t *toolset) turn(ctx context.Context, name string, on bool) error {
	t.switching.Lock()
	defer t.switching.Unlock()
	off, err := storedMap[bool](ctx, t.store, offSetting) // another process may have switched one
	if err != nil {
		return err
	}
	if delete(off, name); !on {
		off[name] = true
	}
	row, err := json.Marshal(off)
	if err != nil {
		return err
	}
	if err := t.store.Settings.SetSetting(ctx, offSetting, string(row)); err != nil {
		return err
	}
	t.apply(off)
	return nil
}

// status returns the state of the tool servers. One that died silently is noticed by the
// next call.
func (t *toolset) status() []mcp.Status {
	if t.servers == nil {
		return nil
	}
	t.servers.Look()
	return t.servers.Status()
}

// await waits for a tool's server while it starts.
func (t *toolset) await(ctx context.Context, tool string) bool {
	return t.servers != nil && t.servers.Await(ctx, tool)
}

func (t *toolset) close() {
	if t.stop != nil {
		t.stop()
	}
}

// watch counts and traces finished calls. Models may invent names, so only existing tools
// become a label.
func (t *toolset) watch(c tools.Call, s tools.State) {
	name := "unknown"
	if _, ok := t.offered().Lookup(c.Name); ok {
		name = c.Name
	}
	t.models.spans.Tool(c, name, s)
	if s != tools.Success && s != tools.Failed && s != tools.Timeout && s != tools.Unknown {
		return
	}
	t.counts.Tool(name, string(s))
}

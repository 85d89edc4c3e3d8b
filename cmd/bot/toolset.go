package main

import (
	"context"
	_ "embed" // descriptions
	"encoding/json"
	"strings"
	"sync"

	"parley/internal/chat"
	"parley/internal/tools"
)

// toolset is what the model may use: the built-in tools, those of servers that
// come and go, less those the owner switched off.
type toolset struct {
	all tools.Set // built in; find_tools is added on top

	mu   sync.Mutex // guards the rest
	off  map[string]bool
	made tools.Set // what now returns, made anew when something changed
}

// offSetting is the row that lists the tools switched off from the chat.
const offSetting = "tools.off"

func (a *app) newToolset(ctx context.Context) (*toolset, error) {
	list := []tools.Tool{tools.CurrentTime(a.now, a.zone), tools.SaveDecision()}
	t := &toolset{all: tools.NewSet(list...), off: map[string]bool{}}
	v, err := a.store.Setting(ctx, offSetting)
	if err != nil {
		return nil, err
	}
	if v != "" {
		if err := json.Unmarshal([]byte(v), &t.off); err != nil {
			return nil, err
		}
	}
	t.make()
	return t, nil
}

// make joins what there is now. The caller holds mu, or is alone.
func (t *toolset) make() {
	var off []string
	for name := range t.off {
		off = append(off, name)
	}
	set := t.all.Without(off...)
	if find, ok := tools.FindTools(set); ok {
		set = set.With(tools.NewSet(find))
	}
	t.made = set
}

// now is the set as it stands.
func (t *toolset) now() tools.Set {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.made
}

// turn switches a tool on or off for everybody.
func (t *toolset) turn(name string, on bool) map[string]bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if on {
		delete(t.off, name)
	} else {
		t.off[name] = true
	}
	t.make()
	out := map[string]bool{}
	for k := range t.off {
		out[k] = true
	}
	return out
}

// known says whether there is such a tool, on or off.
func (t *toolset) known(name string) bool {
	_, ok := t.all.Lookup(name)
	return ok
}

func (t *toolset) close() {}

// zone is a person's time zone, "" when unknown.
func (a *app) zone(ctx context.Context, who chat.User) string {
	p, err := a.store.Person(ctx, who.ID)
	if err != nil {
		a.log.Error("read time zone", "err", err)
	}
	return strings.TrimSpace(p.TimeZone)
}

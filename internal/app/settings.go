package app

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"parley/config"
	"parley/internal/app/platform"
	"parley/internal/app/setup"
	"parley/internal/command"
	"parley/internal/db/engine"
	"parley/internal/memory"
	"parley/internal/playbook/files"
	"parley/internal/text"
)

// tunedSetting is the row with the values set from the chat.
const tunedSetting = "config.set"

// settings owns the settings in force: those given, with the values set from the chat on
// top.
type settings struct {
	*base
	front *front // front, mind and rules follow a change
	mind  *mind
	rules *files.Books
	// put puts other agents in force; on an error the old ones stay.
	put func(ctx context.Context, next config.Config) error
	// changed is called with each change that is in force.
	changed func()

	// reloads handles SIGHUP until its context ends; nil in the terminal.
	reloads func(context.Context)

	mu    sync.Mutex // guards the rest, and putting them in force
	given config.Config
	set   map[string]string // from the chat, by path

	apart []string // paths whose values from the chat do not count, in a world apart
}

// with returns c with values on top, by path, or an error that explains why not.
func with(c config.Config, set map[string]string) (config.Config, error) {
	for path, value := range set {
		if err := c.Set(path, value); err != nil {
			return c, err
		}
	}
	return c, c.Validate(platform.Identities())
}

// read applies values set from the chat before the restart, except those the settings no
// longer allow.
func (s *settings) read(ctx context.Context) error {
	s.given = s.cfg
	var err error
	if s.set, err = s.tuned(ctx); err != nil || len(s.set) == 0 {
		return err
	}
	merged, err := with(s.given, s.set)
	if err != nil {
		merged = s.fitting()
	}
	s.cfg = merged
	s.putInForce(merged)
	return nil
}

// tuned reads the values set from the chat, by path.
func (s *settings) tuned(ctx context.Context) (map[string]string, error) {
	set, err := storedMap[string](ctx, s.store, tunedSetting)
	maps.DeleteFunc(set, func(path, _ string) bool { return slices.Contains(s.apart, path) })
	return set, err
}

// storedMap reads a row that holds a map as JSON; it is empty without the row.
func storedMap[V any](ctx context.Context, store *memory.Store, name string) (map[string]V, error) {
	m := map[string]V{}
	row, err := store.Settings.Setting(ctx, name)
	if err == nil && row != "" {
		err = json.Unmarshal([]byte(row), &m)
	}
	return m, engine.During("read "+name, err)
}

// fitting returns the settings with the values they still allow, and forgets the others.
func (s *settings) fitting() config.Config {
	merged := s.given
	for _, path := range slices.Sorted(maps.Keys(s.set)) {
		next, err := with(merged, map[string]string{path: s.set[path]})
		if err != nil {
			s.log.Warn("a value of /config set does not fit the settings any more and is left out", "err", err)
			delete(s.set, path)
			continue
		}
		merged = next
	}
	return merged
}

func (s *settings) putInForce(c config.Config) {
	if s.level != nil {
		_ = s.level.UnmarshalText([]byte(c.Log.Level)) // validated
	}
	s.inForce.Store(&c)
	if s.front.quotas != nil { // nil while the parts are built
		s.front.quotas.SetLimits(s.mind.limits(c))
	}
	s.changed()
}

// refresh applies values set in another process.
func (s *settings) refresh(ctx context.Context) error {
	s.mu.Lock() // before reading, or a value set here meanwhile could be undone
	defer s.mu.Unlock()
	set, err := s.tuned(ctx)
	if err != nil {
		return err
	}
	if !maps.Equal(set, s.set) {
		merged, err := with(s.given, set)
		if err != nil {
			return err
		}
		s.set = set
		s.putInForce(merged)
	}
	if !s.mind.roster.Several() {
		return nil
	}
	return s.mind.roster.Set(ctx, setup.Residents(*s.inForce.Load()))
}

// reload reads the settings with load and applies what may change at run time: settings
// with the tag change, agents whose routes stay, personas and playbooks. Values set from
// the chat stay. A mistake changes nothing; settings that need a restart are logged.
func (s *settings) reload(load func() (config.Config, error)) {
	const refused = "the settings have a mistake, so nothing was changed"
	next, err := load()
	if err != nil {
		s.log.Error(refused, "err", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now, given := *s.inForce.Load(), s.given
	for _, path := range config.Changing(config.ByChat, config.ByReload) {
		value, _ := next.Get(path)
		_ = given.Set(path, value) // validated by load
	}
	if config.SameRoutes(s.cfg.Agents, next.Agents) {
		given.Agents = next.Agents
	}
	given.Tools.Policy = next.Tools.Policy
	merged, err := with(given, s.set)
	if err == nil {
		err = s.front.toolset.checked(merged)
	}
	if err == nil {
		err = s.put(context.Background(), merged)
	}
	if err == nil {
		err = s.front.people.gate.Set(merged.Access.Mode, merged.Access.Owners, merged.Access.Allow)
	}
	if err != nil {
		s.log.Error(refused, "err", err)
		return
	}
	s.given = given
	s.putInForce(merged)
	s.front.toolset.renewed()
	if err := s.mind.ReloadPrompt(); err != nil {
		s.log.Error("the persona has a mistake, so the last good one stays in force", "err", err)
	}
	if err := s.rules.Reload(); err != nil {
		s.log.Error("the playbook has a mistake, so the last good one stays in force", "err", err)
	}
	s.log.Info("settings were read again", "changed", strings.Join(now.Diff(merged), ", "))
	if rest := given.Diff(next); len(rest) > 0 {
		s.log.Warn("some settings change with the next start only", "settings", strings.Join(rest, ", "))
	}
	warn(next, s.log)
}

// String implements command.Settings.
func (s *settings) String() string { return s.inForce.Load().String() }

// Tunable implements command.Settings.
func (s *settings) Tunable() []string { return config.Changing(config.ByChat) }

// Tuned implements command.Settings.
func (s *settings) Tuned() (list []command.Tuned) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.set)) {
		given, _ := s.given.Get(name)
		list = append(list, command.Tuned{Name: name, Now: s.set[name], Otherwise: given})
	}
	return list
}

// Tune implements command.Settings.
func (s *settings) Tune(ctx context.Context, path, value string) (was, now string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := maps.Clone(s.set)
	if s.fleet != nil { // another process may have changed it
		if set, err = s.tuned(ctx); err != nil {
			return "", "", err
		}
	}
	if set[path] = value; value == "default" {
		delete(set, path)
	}
	merged, err := with(s.given, set)
	if err != nil {
		return "", "", text.Tell("I changed nothing: %v.", err)
	}
	row, _ := json.Marshal(set) // strings always marshal
	if len(set) == 0 {
		row = nil
	}
	if err := s.store.Settings.SetSetting(ctx, tunedSetting, string(row)); err != nil {
		return "", "", err
	}
	was, _ = s.inForce.Load().Get(path)
	now, _ = merged.Get(path)
	s.set = set
	s.putInForce(merged)
	return was, now, nil
}

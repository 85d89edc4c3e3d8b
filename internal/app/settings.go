package app

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"parley/config"
	"parley/internal/app/setup"
	"parley/internal/command"
	"parley/internal/db/engine"
	"parley/internal/memory"
	"parley/internal/playbook/files"
	"parley/internal/text"
)

// tunable lists the settings that the owner can change from the chat; they also
// change with a reload, like those in reloadable.
var (
	tunable = []string{
		"session.idle_timeout", "session.ttl", "limits.user_per_minute", "limits.user_tokens_per_day",
		"limits.channel_tokens_per_day", "limits.tokens_per_day", "limits.user_money_per_day", "limits.channel_money_per_day",
		"limits.money_per_day", "limits.past_limit", "log.level",
	}
	reloadable = []string{"access.mode", "access.owners", "access.allow"}
)

// tunedSetting is the row of what was set from the chat.
const tunedSetting = "config.set"

// settings owns what may change while the bot runs: the settings, and on top of them
// what was set from the chat.
type settings struct {
	*base
	store *memory.Store
	front *front // it and the next two are told
	mind  *mind
	rules *files.Books
	// put makes other agents answer; on an error those there were go on.
	put func(ctx context.Context, next config.Config) error

	// reloads handles SIGHUP until its context ends; nil in the terminal.
	reloads func(context.Context)

	mu    sync.Mutex // guards the rest, and what is put in force
	given config.Config
	set   map[string]string // by path, as in the file
}

// with returns the settings with others on top, or an error that explains why not.
func with(c config.Config, set map[string]string) (config.Config, error) {
	for path, value := range set {
		if err := c.Set(path, value); err != nil {
			return c, err
		}
	}
	return c, c.Validate(Identities)
}

// read applies what was set from the chat before the restart, except what the
// settings no longer allow.
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

// tuned returns what was set from the chat, by path.
func (s *settings) tuned(ctx context.Context) (map[string]string, error) {
	set := map[string]string{}
	row, err := s.store.Settings.Setting(ctx, tunedSetting)
	if err == nil && row != "" {
		err = json.Unmarshal([]byte(row), &set)
	}
	return set, engine.During("read what was set from the chat", err)
}

// fitting returns the settings with as much of what was set as they still allow; the
// rest is forgotten.
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
		_ = s.level.UnmarshalText([]byte(c.Log.Level)) // checked by config
	}
	s.inForce.Store(&c)
}

// tune changes one of tunable permanently; "default" resets it. An invalid value is a
// text.Error.
func (s *settings) tune(ctx context.Context, path, value string) (now string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := maps.Clone(s.set)
	if s.fleet != nil { // another process may have set something
		if set, err = s.tuned(ctx); err != nil {
			return "", err
		}
	}
	if set[path] = value; value == "default" {
		delete(set, path)
	}
	merged, err := with(s.given, set)
	if err != nil {
		return "", text.Tell("I changed nothing: %v.", err)
	}
	now, _ = merged.Get(path)
	row, _ := json.Marshal(set) // texts always can
	if len(set) == 0 {
		row = nil
	}
	if err := s.store.Settings.SetSetting(ctx, tunedSetting, string(row)); err != nil {
		return "", err
	}
	s.set = set
	s.front.quotas.SetLimits(s.mind.limits(merged))
	s.putInForce(merged)
	return now, nil
}

// refresh applies what was set in another process.
func (s *settings) refresh(ctx context.Context) error {
	s.mu.Lock() // before it is read, or it may undo what is set here meanwhile
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
		s.front.quotas.SetLimits(s.mind.limits(merged))
		s.putInForce(merged)
	}
	if !s.mind.roster.Several() {
		return nil
	}
	return s.mind.roster.Set(ctx, setup.Residents(*s.inForce.Load()))
}

// reload applies what may change while the bot runs: the level of the log,
// who may speak, limits, how long conversations last, the personas, the playbooks
// and the agents, if their routes stay; what was set from the chat stays. Settings with a mistake change nothing;
// changes that need a restart are named. load reads them.
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
	for _, path := range slices.Concat(tunable, reloadable) {
		value, _ := next.Get(path)
		_ = given.Set(path, value) // as it was written
	}
	if config.SameRoutes(s.cfg.Agents, next.Agents) {
		given.Agents = next.Agents
	}
	merged, err := with(given, s.set)
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
	s.front.quotas.SetLimits(s.mind.limits(merged))
	s.putInForce(merged)
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
func (s *settings) Tunable() []string { return tunable }

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
func (s *settings) Tune(ctx context.Context, name, value string) (was, now string, err error) {
	was, _ = s.inForce.Load().Get(name)
	now, err = s.tune(ctx, name, value)
	return was, now, err
}

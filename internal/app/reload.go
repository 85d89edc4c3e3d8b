package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"parley/config"
	"parley/internal/text"
)

// tunable are the settings that the owner changes from the chat; they change
// with a reload too, as do those in reloadable.
var (
	tunable = []string{
		"session.idle_timeout", "session.ttl", "limits.user_per_minute", "limits.user_tokens_per_day",
		"limits.channel_tokens_per_day", "limits.tokens_per_day", "limits.past_limit", "log.level",
	}
	reloadable = []string{"access.mode", "access.owners", "access.allow"}
)

// tunedSetting is the row of what was set from the chat.
const tunedSetting = "config.set"

// tuned is what the settings say, and what was set from the chat on top.
type tuned struct {
	mu    sync.Mutex // guards the rest, and what is put in force
	given config.Config
	set   map[string]string // by path, as in the file
}

// with returns settings with others on top, or what is wrong with that.
func with(c config.Config, set map[string]string) (config.Config, error) {
	for path, value := range set {
		if err := c.Set(path, value); err != nil {
			return c, err
		}
	}
	return c, c.Validate(Identities)
}

// readTuned puts in force what was set from the chat in an earlier life. What
// the settings no longer allow is left out.
func (a *app) readTuned(ctx context.Context) error {
	t := &a.tuned
	t.given, t.set = a.cfg, map[string]string{}
	row, err := a.store.Setting(ctx, tunedSetting)
	if err != nil || row == "" {
		return err
	}
	if err := json.Unmarshal([]byte(row), &t.set); err != nil {
		return fmt.Errorf("read what was set from the chat: %w", err)
	}
	merged, err := with(t.given, t.set)
	if err != nil {
		merged = a.fitting()
	}
	a.cfg = merged
	a.putInForce(merged)
	return nil
}

// fitting is the settings with as much of what was set as they still allow; the
// rest is forgotten.
func (a *app) fitting() config.Config {
	t, merged := &a.tuned, a.tuned.given
	for _, path := range slices.Sorted(maps.Keys(t.set)) {
		next, err := with(merged, map[string]string{path: t.set[path]})
		if err != nil {
			a.log.Warn("a value of /config set does not fit the settings any more and is left out", "err", err)
			delete(t.set, path)
			continue
		}
		merged = next
	}
	return merged
}

func (a *app) putInForce(c config.Config) {
	if a.level != nil {
		_ = a.level.UnmarshalText([]byte(c.Log.Level)) // checked by config
	}
	a.inForce.Store(&c)
}

// tune changes one of tunable, for good; "default" takes back what was set. A
// value that does not fit is a text.Error.
func (a *app) tune(ctx context.Context, path, value string) (now string, err error) {
	t := &a.tuned
	t.mu.Lock()
	defer t.mu.Unlock()
	set := maps.Clone(t.set)
	if set[path] = value; value == "default" {
		delete(set, path)
	}
	merged, err := with(t.given, set)
	if err != nil {
		return "", text.Tell(wordsNotTuned, err)
	}
	now, _ = merged.Get(path)
	row, _ := json.Marshal(set) // texts always can
	if len(set) == 0 {
		row = nil
	}
	if err := a.store.SetSetting(ctx, tunedSetting, string(row)); err != nil {
		return "", err
	}
	t.set = set
	a.front.quotas.SetLimits(limits(merged))
	a.putInForce(merged)
	return now, nil
}

// reload takes over what may change while the bot runs: the level of the log,
// who may speak, limits, how long conversations last, the persona and the
// playbook; what was set from the chat stays. Settings with a mistake in them
// change nothing; what only a start can change is named. load reads them.
func (a *app) reload(load func() (config.Config, error)) {
	const refused = "the settings have a mistake, so nothing was changed"
	next, err := load()
	if err != nil {
		a.log.Error(refused, "err", err)
		return
	}
	t := &a.tuned
	t.mu.Lock()
	defer t.mu.Unlock()
	now, given := *a.inForce.Load(), t.given
	for _, path := range slices.Concat(tunable, reloadable) {
		value, _ := next.Get(path)
		_ = given.Set(path, value) // as it was written
	}
	merged, err := with(given, t.set)
	if err == nil {
		err = a.front.gate.Set(merged.Access.Mode, merged.Access.Owners, merged.Access.Allow)
	}
	if err != nil {
		a.log.Error(refused, "err", err)
		return
	}
	t.given = given
	a.front.quotas.SetLimits(limits(merged))
	a.putInForce(merged)
	if err := a.agent.ReloadPrompt(); err != nil {
		a.log.Error("the persona has a mistake, so the last good one stays in force", "err", err)
	}
	if a.book != nil {
		if err := a.book.Reload(); err != nil {
			a.log.Error("the playbook has a mistake, so the last good one stays in force", "err", err)
		}
	}
	a.log.Info("settings were read again", "changed", strings.Join(now.Diff(merged), ", "))
	if rest := given.Diff(next); len(rest) > 0 {
		a.log.Warn("some settings change with the next start only", "settings", strings.Join(rest, ", "))
	}
	warn(next, a.log)
}

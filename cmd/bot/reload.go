package main

import (
	"log/slog"
	"strings"

	"parley/config"
)

// reload takes over what may change while the bot runs: the level of the log,
// who may speak, limits, the persona and the playbook. Settings with a mistake
// in them change nothing; what only a start can change is named. load reads
// them.
func (a *app) reload(load func() (config.Config, error), level *slog.LevelVar) {
	next, err := load()
	if err != nil {
		a.log.Error("the settings have a mistake, so nothing was changed", "err", err)
		return
	}
	now := *a.inForce.Load()
	merged := now
	merged.Log.Level, merged.Access = next.Log.Level, next.Access
	merged.Limits.UserPerMinute = next.Limits.UserPerMinute
	merged.Limits.UserTokensPerDay, merged.Limits.ChannelTokensPerDay = next.Limits.UserTokensPerDay, next.Limits.ChannelTokensPerDay
	merged.Limits.TokensPerDay, merged.Limits.PastLimit = next.Limits.TokensPerDay, next.Limits.PastLimit
	if err := a.front.gate.Set(merged.Access.Mode, merged.Access.Owners, merged.Access.Allow); err != nil {
		a.log.Error("the settings have a mistake, so nothing was changed", "err", err)
		return
	}
	a.front.quotas.SetLimits(limits(merged))
	_ = level.UnmarshalText([]byte(merged.Log.Level)) // checked by config
	a.inForce.Store(&merged)
	if err := a.agent.ReloadPrompt(); err != nil {
		a.log.Error("the persona has a mistake, so the last good one stays in force", "err", err)
	}
	if a.book != nil {
		if err := a.book.Reload(); err != nil {
			a.log.Error("the playbook has a mistake, so the last good one stays in force", "err", err)
		}
	}
	a.log.Info("settings were read again", "changed", strings.Join(now.Diff(merged), ", "))
	if rest := merged.Diff(next); len(rest) > 0 {
		a.log.Warn("some settings change with the next start only", "settings", strings.Join(rest, ", "))
	}
	warn(next, a.log)
}

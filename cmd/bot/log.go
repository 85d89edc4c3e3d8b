package main

import (
	"io"
	"log/slog"

	"parley/config"
)

// newLogger writes to w with every secret of the settings blotted out,
// wherever in a line it turns up (promises.md C72, P10). level is set, and may
// be set anew later.
func newLogger(c config.Config, level *slog.LevelVar, w io.Writer) *slog.Logger {
	_ = level.UnmarshalText([]byte(c.Log.Level)) // checked by config
	o := &slog.HandlerOptions{Level: level}
	out := &blotter{w: w}
	out.knows(c)
	if c.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, o))
	}
	return slog.New(slog.NewTextHandler(out, o))
}

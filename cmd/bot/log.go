package main

import (
	"fmt"
	"io"
	"log/slog"

	"parley/config"
)

// takeOver makes log the place for what libraries print by themselves: it may
// quote anything, and goes through the same form and the same blotting.
func takeOver(log *slog.Logger) {
	slog.SetDefault(log) // the standard library's log package too
	slog.SetLogLoggerLevel(slog.LevelWarn)
}

// announce tells the operator what has to be seen whatever the level: as a line
// of its own, or as a record where records are asked for.
func announce(c config.Config, w io.Writer, text string) {
	if c.Log.Format == "json" {
		newLogger(c, nil, w).Info(text)
		return
	}
	_, _ = fmt.Fprintln(w, text)
}

// newLogger writes to w with every secret of the settings blotted out,
// wherever in a line it turns up (promises.md C72, P10). level is set, and may
// be set anew later; nil writes everything from info on.
func newLogger(c config.Config, level *slog.LevelVar, w io.Writer) *slog.Logger {
	if level == nil {
		level = &slog.LevelVar{}
	} else {
		_ = level.UnmarshalText([]byte(c.Log.Level)) // checked by config
	}
	o := &slog.HandlerOptions{Level: level}
	out := &blotter{w: w}
	out.knows(c)
	if c.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, o))
	}
	return slog.New(slog.NewTextHandler(out, o))
}

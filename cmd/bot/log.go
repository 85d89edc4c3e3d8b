package main

import (
	"fmt"
	"io"
	"log/slog"

	"parley/config"
	"parley/internal/text"
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
// wherever in a line it turns up. level is set, and may
// be set anew later; nil writes everything from info on.
func newLogger(c config.Config, level *slog.LevelVar, w io.Writer) *slog.Logger {
	if level == nil {
		level = &slog.LevelVar{}
	} else {
		_ = level.UnmarshalText([]byte(c.Log.Level)) // checked by config
	}
	o := &slog.HandlerOptions{Level: level}
	out := text.NewBlotter(w)
	out.Knows(newRedactor(c, shortestLogged))
	if c.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, o))
	}
	return slog.New(slog.NewTextHandler(out, o))
}

// Secrets shorter than these are not looked for: in the log, where a word too
// much hidden does no harm, and in what people and models say, where the key
// of a local server may well be "ollama".
const (
	shortestLogged = 4
	shortestSaid   = 8
)

func newRedactor(c config.Config, shortest int) text.Redactor {
	return text.NewRedactor(c.Secrets(), shortest)
}

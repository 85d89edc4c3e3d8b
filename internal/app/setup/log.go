package setup

import (
	"fmt"
	"io"
	"log/slog"

	"parley/config"
	"parley/internal/text"
)

// TakeOver makes log the place for what libraries print by themselves: it may
// quote anything, and goes through the same form and the same blotting.
func TakeOver(log *slog.Logger) {
	slog.SetDefault(log) // the standard library's log package too
	slog.SetLogLoggerLevel(slog.LevelWarn)
}

// Announce tells the operator what has to be seen whatever the level: as a line
// of its own, or as a record where records are asked for.
func Announce(c config.Config, w io.Writer, text string) {
	if c.Log.Format == "json" {
		NewLogger(c, nil, w).Info(text)
		return
	}
	_, _ = fmt.Fprintln(w, text)
}

// NewLogger writes to w with every secret of the settings blotted out,
// wherever in a line it turns up. level is set, and may
// be set anew later; nil writes everything from info on.
func NewLogger(c config.Config, level *slog.LevelVar, w io.Writer) *slog.Logger {
	if level == nil {
		level = &slog.LevelVar{}
	} else {
		_ = level.UnmarshalText([]byte(c.Log.Level)) // checked by config
	}
	o := &slog.HandlerOptions{Level: level}
	out := text.NewBlotter(w)
	out.Knows(NewRedactor(c, ShortestLogged))
	if c.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, o))
	}
	return slog.New(slog.NewTextHandler(out, o))
}

// Secrets shorter than these are not looked for: in the log, where a word too
// much hidden does no harm, and in what people and models say, where the key
// of a local server may well be "ollama".
const (
	ShortestLogged = 4
	ShortestSaid   = 8
)

// NewRedactor hides the secrets of the settings that are not shorter.
func NewRedactor(c config.Config, shortest int) text.Redactor {
	return text.NewRedactor(c.Secrets(), shortest)
}

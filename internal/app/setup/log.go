package setup

import (
	"fmt"
	"io"
	"log/slog"

	"parley/config"
	"parley/internal/text"
)

// TakeOver routes the output of libraries to log: it may quote anything, and gets the same
// format and redaction.
func TakeOver(log *slog.Logger) {
	slog.SetDefault(log) // the standard library's log package too
	slog.SetLogLoggerLevel(slog.LevelWarn)
}

// Announce writes what the operator must see at any level: as a plain line, or as a record
// if the log is JSON.
func Announce(c config.Config, w io.Writer, text string) {
	if c.Log.Format == "json" {
		NewLogger(c, nil, w).Info(text)
		return
	}
	_, _ = fmt.Fprintln(w, text)
}

// NewLogger writes to w with every secret of the settings hidden. It sets level from the
// settings; the caller may change it later. nil is info.
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

// Shorter secrets are not hidden: in the log, where hiding too much does no harm, and in
// what people and models say, where the key of a local server may be "ollama".
const (
	ShortestLogged = 4
	ShortestSaid   = 8
)

// NewRedactor hides the secrets of the settings of at least this length.
func NewRedactor(c config.Config, shortest int) text.Redactor {
	return text.NewRedactor(c.Secrets(), shortest)
}

package main

import (
	"io"
	"log/slog"
	"strings"

	"parley/config"
)

// newLogger writes to w with every secret of the settings blotted out,
// wherever in a line it turns up (promises.md C72, P10). level is set, and may
// be set anew later.
func newLogger(c config.Config, level *slog.LevelVar, w io.Writer) *slog.Logger {
	_ = level.UnmarshalText([]byte(c.Log.Level)) // checked by config
	o := &slog.HandlerOptions{Level: level}
	blot := strings.NewReplacer(pairs(secrets(c))...)
	out := blotter{w: w, blot: blot}
	if c.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, o))
	}
	return slog.New(slog.NewTextHandler(out, o))
}

// secrets are the exact values that must never be seen.
func secrets(c config.Config) []string {
	list := []string{string(c.Model.APIKey), string(c.Telegram.Token), string(c.Discord.Token), string(c.Telegram.Webhook.Secret), string(c.Web.Search.APIKey)}
	for _, server := range c.MCP.Servers {
		for _, env := range server.Env {
			if _, value, ok := strings.Cut(string(env), "="); ok {
				list = append(list, value)
			}
		}
	}
	return list
}

func pairs(secrets []string) (p []string) {
	for _, s := range secrets {
		if len(s) >= 4 {
			p = append(p, s, "(hidden)")
		}
	}
	return p
}

// blotter is a writer that hides secrets. slog writes a line per call, so none
// is cut in two.
type blotter struct {
	w    io.Writer
	blot *strings.Replacer
}

// Write implements io.Writer.
func (b blotter) Write(p []byte) (int, error) {
	if _, err := b.blot.WriteString(b.w, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

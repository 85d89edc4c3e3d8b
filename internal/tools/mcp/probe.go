package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
)

// Probe connects to one server as a Client does, counts its tools, and hangs
// up. It pins nothing; a program runs in a folder that is gone afterwards. dir
// is Options.Dir. The error wraps ErrLogin when the server wants one.
func Probe(ctx context.Context, s Server, dir string) (count int, err error) {
	if s.URL == "" {
		if dir, err = os.MkdirTemp("", "parley-mcp-*"); err != nil {
			return 0, fmt.Errorf("check tool server: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	r := newRemote(s, nil, slog.New(slog.DiscardHandler))
	if err := r.prepare(dir); err != nil {
		return 0, err
	}
	session, hangUp, err := r.greet(ctx)
	if err != nil {
		return 0, err
	}
	defer hangUp()
	defer session.Close()
	all, err := r.list(ctx, session)
	return len(all), err
}

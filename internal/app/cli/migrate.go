package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/config"
	"parley/internal/app/whatif"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
	"parley/internal/memory/transfer"
	"parley/internal/text"
)

// Migrate moves the bot's rows to another kind of database.
type Migrate struct {
	To string `required:"" env:"BOT_MIGRATE_TO" help:"Where to: the URL of an empty PostgreSQL database, or sqlite for the file in the data folder." placeholder:"URL|sqlite"`
}

// Run copies all rows, compares them, and retires the old database.
func (m Migrate) Run(ctx context.Context, cfg config.Config, s *Streams) error {
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return err
	}
	lock, err := datadir.Lock(cfg.DataDir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	move, next := m.toServer, "Set database.url to that URL, and start the bot. The file is kept, and not used any more."
	if m.To == "sqlite" {
		move, next = m.toFile,
			"Remove database.url from the settings, and start the bot. The database on the server is kept, and not used any more."
	}
	p := newProgress(s)
	c, retire, err := move(ctx, cfg, p)
	p.end()
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("nothing was moved: it was stopped before the end")
	case err != nil:
		return fmt.Errorf("nothing was moved: %w", err)
	}
	if err := retire(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("all rows were moved, but the database that they came from could not be marked as left; start no "+
			"bot with it any more: %w", err)
	}
	_, err = fmt.Fprintf(s.Out, "Moved %s of %s, compared one by one.\n%s\n", text.Many(int(c.Rows), "row"),
		text.Many(int(c.Tables), "table"), next)
	return err
}

// retire marks the old database, so that no bot uses it any more.
type retire = func(context.Context) error

// toServer moves the file in the data folder to a server.
func (m Migrate) toServer(ctx context.Context, cfg config.Config, p *progress) (c transfer.Copied, _ retire, err error) {
	path := filepath.Join(cfg.DataDir, datadir.Name)
	if _, err := os.Stat(path); err != nil {
		return c, nil, fmt.Errorf("there is no database to move: %w", err)
	}
	local, err := memory.Open(ctx, cfg.DataDir, memory.Options{}) // migrates its schema
	if err != nil {
		return c, nil, err
	}
	if err := local.Close(); err != nil {
		return c, nil, err
	}
	c, err = copyIn(ctx, path, m.To, p)
	return c, folder(cfg).Retire, err
}

// copyIn writes a migrated file into an empty database on a server, or into one that an
// earlier attempt left incomplete. Until it is complete, no bot can use it.
func copyIn(ctx context.Context, path, url string, p *progress) (c transfer.Copied, err error) {
	if err := datadir.Discard(ctx, url); err != nil {
		return c, err
	}
	there, err := memory.Open(ctx, "", memory.Options{URL: url, Alone: true})
	if err != nil {
		return c, err
	}
	if c, err = transfer.ToServer(ctx, transfer.Copy{File: path, URL: url, Seen: p.of(copying)}); err == nil {
		err = there.IndexWords(ctx, p.of(indexing))
	}
	if err == nil {
		err = datadir.Whole(ctx, url)
	}
	return c, errors.Join(err, there.Close())
}

// toFile moves the database of database.url into a file in the data folder.
func (m Migrate) toFile(ctx context.Context, cfg config.Config, p *progress) (c transfer.Copied, _ retire, err error) {
	url := string(cfg.Database.URL)
	if url == "" {
		return c, nil, errors.New("database.url names no database to move")
	}
	if err := folder(cfg).Free(); err != nil {
		return c, nil, err
	}
	there, err := memory.Open(ctx, "", memory.Options{URL: url, Alone: true}) // migrates its schema
	if err != nil {
		return c, nil, err
	}
	defer func() { err = errors.Join(err, there.Close()) }()
	left, _ := filepath.Glob(filepath.Join(cfg.DataDir, "migrate-[0-9]*")) // left by a killed process; they hold conversations
	for _, dir := range left {
		_ = os.RemoveAll(dir)
	}
	dir, err := os.MkdirTemp(cfg.DataDir, "migrate-")
	if err != nil {
		return c, nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if c, err = whatif.CopyOut(ctx, url, dir, p.of(copying)); err != nil {
		return c, nil, err
	}
	if err := folder(cfg).Replace(filepath.Join(dir, datadir.Name)); err != nil {
		return c, nil, err
	}
	return c, func(ctx context.Context) error { return datadir.RetireServed(ctx, url, "the file in "+cfg.DataDir) }, nil
}

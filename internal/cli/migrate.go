package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/config"
	"parley/internal/database"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/transfer"
)

// Migrate moves the rows of the bot to a database of another kind.
type Migrate struct {
	To string `required:"" env:"BOT_MIGRATE_TO" help:"Where to: the URL of an empty PostgreSQL database, or sqlite for the file in the data folder." placeholder:"URL|sqlite"`
}

// Run copies all rows, compares them, and retires the database they came from.
func (m Migrate) Run(ctx context.Context, f *Flags, s *Streams) error {
	cfg, err := f.Load()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return err
	}
	lock, err := database.Lock(cfg.DataDir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	move, next := m.toServer, "Set database.url to that URL, and start the bot. The file is kept, and not used any more."
	if m.To == "sqlite" {
		move, next = m.toFile, "Remove database.url from the settings, and start the bot. The database on the server is kept, and not used any more."
	}
	c, err := move(ctx, cfg)
	if err != nil {
		return fmt.Errorf("nothing was moved: %w", err)
	}
	_, err = fmt.Fprintf(s.Out, "Moved %s of %s, compared one by one.\n%s\n", text.Many(int(c.Rows), "row"), text.Many(int(c.Tables), "table"), next)
	return err
}

// toServer moves the file of the data folder to a server.
func (m Migrate) toServer(ctx context.Context, cfg config.Config) (c transfer.Copied, err error) {
	path := filepath.Join(cfg.DataDir, database.Name)
	if _, err := os.Stat(path); err != nil {
		return c, fmt.Errorf("there is no database to move: %w", err)
	}
	local, err := memory.Open(ctx, cfg.DataDir, memory.Options{}) // brings its schema up to date
	if err != nil {
		return c, err
	}
	if err := local.Close(); err != nil {
		return c, err
	}
	if c, err = copyIn(ctx, path, m.To); err != nil {
		return c, err
	}
	return c, folder(cfg).Retire(ctx)
}

// copyIn writes a file whose schema is up to date into an empty database on a server.
func copyIn(ctx context.Context, path, url string) (c transfer.Copied, err error) {
	there, err := memory.Open(ctx, "", memory.Options{URL: url, Alone: true})
	if err != nil {
		return c, err
	}
	if c, err = transfer.ToServer(ctx, path, url); err == nil {
		err = there.IndexWords(ctx)
	}
	return c, errors.Join(err, there.Close())
}

// toFile moves the database of database.url into a file of the data folder.
func (m Migrate) toFile(ctx context.Context, cfg config.Config) (c transfer.Copied, err error) {
	url := string(cfg.Database.URL)
	if url == "" {
		return c, errors.New("database.url names no database to move")
	}
	if err := folder(cfg).Free(); err != nil {
		return c, err
	}
	there, err := memory.Open(ctx, "", memory.Options{URL: url, Alone: true}) // brings its schema up to date
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, there.Close()) }()
	dir, err := os.MkdirTemp(cfg.DataDir, "migrate-")
	if err != nil {
		return c, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if c, err = copyOut(ctx, url, dir); err != nil {
		return c, err
	}
	if err := folder(cfg).Replace(filepath.Join(dir, database.Name)); err != nil {
		return c, err
	}
	return c, database.RetireServed(ctx, url, "the file in "+cfg.DataDir)
}

// copyOut writes a database on a server into a new file in a folder.
func copyOut(ctx context.Context, url, dir string) (c transfer.Copied, err error) {
	local, err := memory.Open(ctx, dir, memory.Options{})
	if err != nil {
		return c, err
	}
	if err := local.Close(); err != nil {
		return c, err
	}
	return transfer.ToFile(ctx, url, filepath.Join(dir, database.Name))
}

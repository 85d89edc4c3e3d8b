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
	"parley/internal/text"
)

// fromServer writes a snapshot of the server's database into a file like those of bots
// without a server. The file gets its name after every row was compared.
func (b Backup) fromServer(ctx context.Context, cfg config.Config, s *Streams) error {
	if _, err := os.Stat(b.File); err == nil && !b.Force {
		return text.Tell("%s exists already: name another file, or overwrite it with --force", b.File)
	}
	dir, err := os.MkdirTemp(filepath.Dir(b.File), ".backup-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p := newProgress(s)
	c, err := whatif.CopyOut(ctx, string(cfg.Database.URL), dir, p.of(copying))
	p.end()
	if err != nil {
		return text.Tell("back up the database of database.url: %w", err)
	}
	if err := os.Rename(filepath.Join(dir, datadir.Name), b.File); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Out, "%s: %s of %s, read back and found the same\n", b.File, text.Many(int(c.Rows), "row"),
		text.Many(int(c.Tables), "table"))
	return err
}

// toServer restores a copy into an empty database on the server.
func (r Restore) toServer(ctx context.Context, cfg config.Config, s *Streams) error {
	dir, err := os.MkdirTemp("", "parley-restore-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	aside := datadir.Folder{Dir: dir, Migrations: memory.Migrations()}
	if _, err := aside.Restore(ctx, r.File); err != nil { // verified, and with its own nonces
		return err
	}
	local, err := memory.Open(ctx, dir, memory.Options{}) // migrates its schema
	said := ""
	if err == nil {
		said, err = settle(ctx, local, cfg.DataDir)
		err = errors.Join(err, local.Close())
	}
	if err != nil {
		return text.Tell("nothing was restored: %w", err)
	}
	p := newProgress(s)
	c, err := copyIn(ctx, filepath.Join(dir, datadir.Name), string(cfg.Database.URL), p)
	p.end()
	if err != nil {
		return text.Tell("nothing was restored: %w", err)
	}
	_, err = fmt.Fprintf(s.Out, "%s is in place in %s: %s of %s, compared one by one\n%s", r.File, cfg.Database.Shown(),
		text.Many(int(c.Rows), "row"), text.Many(int(c.Tables), "table"), said)
	return err
}

package cli

import (
	"context"
	"fmt"

	"parley/config"
	"parley/internal/database"
	"parley/internal/memory"
	"parley/internal/text"
)

// Backup copies the database.
type Backup struct {
	File  string `arg:"" help:"The copy to write." type:"path"`
	Force bool   `help:"Overwrite a file that exists."`
}

// Run copies the database, with the bot running or not.
func (b Backup) Run(ctx context.Context, f *Flags, s *Streams) error {
	cfg, err := f.Load()
	if err != nil {
		return err
	}
	if cfg.Database.URL != "" {
		return b.fromServer(ctx, cfg, s)
	}
	c, err := folder(cfg).Backup(ctx, b.File, b.Force)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Out, "%s: %s, read back and found whole\n", b.File, copied(c))
	return err
}

// Restore replaces the database with a copy.
type Restore struct {
	File string `arg:"" help:"The copy to put in place." type:"existingfile"`
}

// Run replaces the database with a copy. The bot must be stopped.
func (r Restore) Run(ctx context.Context, f *Flags, s *Streams) error {
	cfg, err := f.Load()
	if err != nil {
		return err
	}
	if cfg.Database.URL != "" {
		return r.toServer(ctx, cfg, s)
	}
	c, err := folder(cfg).Restore(ctx, r.File)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s is in place in %s: %s\n", r.File, cfg.DataDir, copied(c))
	if c.Aside != "" {
		text += fmt.Sprintf("The database from before is kept as %s\n", c.Aside)
	}
	if c.Unsettled > 0 {
		text += "What was under way when the copy was made is taken up at the next start, so some people may be answered once more.\n"
	}
	_, err = fmt.Fprint(s.Out, text)
	return err
}

func folder(cfg config.Config) database.Folder {
	return database.Folder{Dir: cfg.DataDir, Migrations: memory.Migrations()}
}

func copied(c database.Copied) string {
	return fmt.Sprintf("%.1f MB, schema %d, %s, messages and parts of answers under way: %d", float64(c.Bytes)/(1<<20), c.Schema, text.Many(int(c.Rows), "row"), c.Unsettled)
}

package cli

import (
	"context"
	"errors"
	"fmt"

	"parley/config"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
	"parley/internal/text"
)

// Backup copies the database.
type Backup struct {
	File  string `arg:"" help:"The copy to write." type:"path"`
	Force bool   `help:"Overwrite a file that exists."`
}

// Run copies the database, with the bot running or not.
func (b Backup) Run(ctx context.Context, cfg config.Config, s *Streams) error {
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
func (r Restore) Run(ctx context.Context, cfg config.Config, s *Streams) error {
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
	said, err := afterRestore(ctx, cfg)
	if err != nil {
		return err
	}
	text += said
	if !c.Carried {
		text += "Nobody could read what was answered after the copy was made: messages that were under way then, and those on Discord " +
			"since, are taken up at the next start, so some people may be answered once more.\n"
	}
	_, err = fmt.Fprint(s.Out, text)
	return err
}

// afterRestore settles what came back with a restored copy, and reports it. A bot started
// in the meantime does this itself.
func afterRestore(ctx context.Context, cfg config.Config) (string, error) {
	lock, err := datadir.Lock(cfg.DataDir)
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }()
	s, err := memory.Open(ctx, cfg.DataDir, memory.Options{})
	if err != nil {
		return "", err
	}
	said, err := settle(ctx, s, "")
	return said, errors.Join(err, s.Close())
}

// settle runs memory.Store.AfterRestore and what must follow, and reports it.
func settle(ctx context.Context, s *memory.Store, dir string) (string, error) {
	r, ok, err := s.AfterRestore(ctx, dir)
	if err != nil || !ok {
		return "", err
	}
	if err := s.FinishForgetting(ctx, false); err != nil {
		return "", err
	}
	said := ""
	if r.Forgotten > 0 {
		who := "1 person"
		if r.Forgotten > 1 {
			who = fmt.Sprint(r.Forgotten, " people")
		}
		said += fmt.Sprintf("Deleted again: everything about %s who had it deleted (/forget-me) after the copy was made\n", who)
	}
	if !r.Known {
		said += "The data folder has no " + memory.ForgottenName +
			", so nobody knows who had everything about them deleted (/forget-me) after the copy was made: they are back. If " +
			"you have that file, put it there and restore once more; else tell them, and ask them to send /forget-me again.\n"
	}
	if r.Questions > 0 {
		said += fmt.Sprintf("%s that waited for a yes when the copy was made will not be acted on: whoever answers is told so\n",
			text.Many(r.Questions, "question"))
	}
	return said, nil
}

func folder(cfg config.Config) datadir.Folder {
	return datadir.Folder{Dir: cfg.DataDir, Migrations: memory.Migrations()}
}

func copied(c datadir.Copied) string {
	return fmt.Sprintf("%.1f MB, schema %d, %s, messages and parts of answers under way: %d", float64(c.Bytes)/(1<<20),
		c.Schema, text.Many(int(c.Rows), "row"), c.Unsettled)
}

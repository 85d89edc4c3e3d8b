package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"parley/internal/agent/playbook"
)

type playbookCmd struct {
	Check playbookCheckCmd `cmd:"" help:"Look for mistakes and for rules that can never do what they say."`
}

type playbookCheckCmd struct {
	Dir string `arg:"" optional:"" help:"The folder; playbook.dir when left out." type:"path"`
}

// Run checks a playbook without a key, a model or a data folder.
func (c playbookCheckCmd) Run(_ context.Context, f *flags, s *streams) error {
	cfg, err := f.load()
	if err != nil {
		return err
	}
	if c.Dir != "" {
		cfg.Playbook.Dir = c.Dir
	}
	if cfg.Playbook.Dir == "" {
		return errors.New("playbook.dir is not set: name the folder")
	}
	book, err := playbook.Load(cfg.Playbook.Dir, playbook.Options{})
	if err != nil {
		return err
	}
	a := &app{cfg: cfg, log: slog.New(slog.DiscardHandler), now: time.Now}
	list, err := a.builtinTools()
	if err != nil {
		return err
	}
	var names []string
	for _, t := range list {
		names = append(names, t.Spec().Name)
	}
	found := playbook.Check(book, names, nil)
	for _, finding := range found {
		if _, err := fmt.Fprintln(s.out, finding); err != nil {
			return err
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("%d findings", len(found))
	}
	_, err = fmt.Fprintln(s.out, "nothing to find fault with")
	return err
}

package cli

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/config"
	"parley/internal/app/setup"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Playbook holds the playbook commands.
type Playbook struct {
	Check  playbookCheckCmd  `cmd:"" help:"Look for mistakes and for rules that can never do what they say."`
	Replay playbookReplayCmd `cmd:"" help:"Play recorded conversations against the guards, and list which calls of tools they would have stopped."`
}

type playbookCheckCmd struct {
	Dir   string `arg:"" optional:"" help:"The folder; playbook.dir when left out." type:"path"`
	Model bool   `help:"Ask the configured model for contradictions, overlaps and rules that say the same in other words, too."`
	Days  int    `help:"Name the rules that met no message in the last days, too, as far as the data folder knows." placeholder:"N"`
}

// Run checks a playbook; without --model it needs no key, no model and no data folder.
func (c playbookCheckCmd) Run(ctx context.Context, f *Flags, cfg config.Config, s *Streams, bot *Bot) error {
	settings := true
	if c.Dir != "" {
		var err error
		if cfg, settings, err = beside(f, cfg, c.Dir); err != nil {
			return err
		}
		cfg.Playbook.Dir = c.Dir
	}
	if cfg.Playbook.Dir == "" {
		return text.Tell("playbook.dir is not set: name the folder")
	}
	known, err := bot.Tools(cfg)
	if err != nil {
		return err
	}
	book, err := playbook.Load(cfg.Playbook.Dir, playbook.Options{Schemas: known})
	if err != nil {
		return err
	}
	used, err := c.matched(ctx, cfg)
	if err != nil {
		return err
	}
	all := playbook.Known{Tools: slices.Sorted(maps.Keys(known)), Servers: []string{}, Roles: roles, Open: !settings}
	for _, s := range cfg.MCP.Servers {
		all.Servers = append(all.Servers, s.Name)
	}
	for _, id := range f.IDs {
		all.Platforms = append(all.Platforms, id.Platform)
	}
	if all.Open {
		all.Servers = nil
	}
	found := playbook.Check(book, all, used)
	if c.Model {
		more, err := compared(ctx, cfg, book)
		if err != nil {
			return err
		}
		found = append(found, more...)
	}
	for _, finding := range found {
		if _, err := fmt.Fprintln(s.Out, finding); err != nil {
			return err
		}
	}
	if len(found) > 0 {
		return text.Tell("%v", catalog.Count{N: len(found), Thing: "finding"})
	}
	_, err = fmt.Fprintln(s.Out, "nothing to find fault with")
	return err
}

// maxUp is how many folders above a playbook its settings are looked for in.
const maxUp = 3

// beside returns the settings that a playbook's folder belongs to: those that were named or
// are in the working folder, else the nearest bot.yaml in or above the folder. found is
// false if there are none: HTTP and server tools are unknown then.
func beside(f *Flags, cfg config.Config, dir string) (_ config.Config, found bool, err error) {
	if _, err := os.Stat(settingsName); f.Config != "" || err == nil {
		return cfg, true, nil
	}
	for range maxUp + 1 {
		file := filepath.Join(dir, settingsName)
		if _, err := os.Stat(file); err == nil {
			if cfg, err = config.Load(config.Options{File: file, Env: os.Environ(), IDs: f.IDs}); err != nil {
				return cfg, false, fmt.Errorf("read the settings of the playbook: %w", err)
			}
			return cfg, true, nil
		}
		dir = filepath.Dir(dir)
	}
	return cfg, false, nil
}

// settingsName is the settings file's name by default.
const settingsName = "bot.yaml"

// roles are the roles that rules may name.
var roles = []string{gate.Member.String(), gate.Admin.String(), gate.Owner.String()}

// compared asks the configured model about pairs of rules.
func compared(ctx context.Context, cfg config.Config, book *playbook.Book) ([]playbook.Finding, error) {
	e, err := setup.Connect(ctx, cfg, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	if e.List == nil {
		return nil, text.Tell("--model needs a language model: set one")
	}
	return playbook.Compare(ctx, book, e.Model)
}

// matched counts the messages each rule matched; nil if nothing was counted.
func (c playbookCheckCmd) matched(ctx context.Context, cfg config.Config) (counts map[string]int, err error) {
	if c.Days <= 0 || !stored(cfg) {
		return nil, nil
	}
	err = inStore(ctx, cfg, func(store *memory.Store) (err error) {
		counts, err = store.Decisions.Matched(ctx, time.Now().AddDate(0, 0, -c.Days))
		return err
	})
	return counts, err
}

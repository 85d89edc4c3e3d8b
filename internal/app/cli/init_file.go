package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/config"
	"parley/internal/app/platform"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// text returns the settings file with the answers only.
func (w *wizard) text() string {
	var b strings.Builder
	b.WriteString("# Written by bot init; config/bot.example.yaml has every setting.\n")
	section := func(name string, pairs ...[2]string) {
		head := name + ":\n"
		for _, p := range pairs {
			if p[1] != "" {
				value, _ := json.Marshal(p[1]) // a JSON string is valid YAML
				fmt.Fprintf(&b, "%s  %s: %s\n", head, p[0], value)
				head = ""
			}
		}
	}
	section("model", [2]string{"base_url", w.made.Model.BaseURL}, [2]string{"api_key", string(w.made.Model.APIKey)},
		[2]string{"name", w.made.Model.Name})
	for _, p := range platform.Accounts() {
		section(p.Platform, [2]string{"token", string(*p.Token(&w.made))})
	}
	if len(w.made.Access.Owners) > 0 {
		owners, _ := json.Marshal(w.made.Access.Owners)
		fmt.Fprintf(&b, "access:\n  owners: %s\n", owners)
	}
	return b.String()
}

// write writes the file, reads it back, and moves it into place. Only its owner can read
// it.
func (w *wizard) write() error { return w.put(w.text()) }

// put writes a text the same way; a file that exists keeps its mode, and a link its place.
func (w *wizard) put(words string) error {
	file, mode := w.file, os.FileMode(0o600)
	if to, err := filepath.EvalSymlinks(file); err == nil {
		file = to
	}
	if at, err := os.Stat(file); err == nil {
		mode = at.Mode().Perm()
	}
	draft := fmt.Sprintf("%s.new-%d", file, os.Getpid())
	defer func() { _ = os.Remove(draft) }()
	if err := os.WriteFile(draft, []byte(words), mode); err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	if _, err := config.Load(config.Options{File: draft, IDs: w.ids}); err != nil {
		return text.Tell("these answers do not go together: %w", err)
	}
	if err := os.Rename(draft, file); err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	return nil
}

// next explains the next steps, and starts the bot if the answer is yes. Without an answer
// it does not.
func (w *wizard) next(ctx context.Context, f *Flags, s *Streams, b *Bot) error {
	with := ""
	if w.file != config.DefaultFile {
		with = " --config " + w.file
	}
	w.say("\n%s is written; only you can read it.", w.file)
	w.say("  bot doctor%s    looks whether everything is in place", with)
	w.say("  bot%s           starts it", with)
	for _, p := range w.chosen {
		w.say("%s", p.Invite(w.accounts[p.Platform]))
	}
	said, err := w.last(ctx)
	if errors.Is(err, errEnded) || errors.Is(err, errBack) || ctx.Err() != nil {
		return nil
	}
	if err != nil || !w.yes(said) && (said != "" || w.tty == nil) {
		return err
	}
	return w.start(ctx, f, s, b)
}

// last asks whether to start; before that the page and a service may be added.
func (w *wizard) last(ctx context.Context) (said string, err error) {
	w.say("page adds a control page for your browser first, service has it start with this machine.")
	for {
		said, err = w.answer(ctx, question{name: "start", text: catalog.Words("Start it now, and wait for your first message? [yes]:"),
			help: catalog.Words("  yes starts it here, until Ctrl-C. no ends this; bot starts it later. page adds the\n  control page for your browser, service has it start with this machine.")})
		var add func(context.Context) error
		switch {
		case err != nil:
			return said, err
		case w.says(said, "page"):
			add = w.morePage
		case w.says(said, "service"):
			add = func(ctx context.Context) error { return w.service(ctx) }
		default:
			return said, nil
		}
		var told *text.Error
		switch err = add(ctx); {
		case errors.As(err, &told):
			w.say("  %v", err)
		case err != nil && !errors.Is(err, errBack):
			return said, err
		}
	}
}

// morePage adds the page to the file that was just written.
func (w *wizard) morePage(ctx context.Context) error {
	b, err := os.ReadFile(w.file)
	if err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	if w.before, err = config.Load(config.Options{File: w.file, Env: os.Environ(), IDs: w.ids}); err != nil {
		return err
	}
	changes, err := w.addPage(ctx)
	if err != nil {
		return err
	}
	return w.rewrite(ctx, string(b), changes)
}

// start runs the bot with the new settings. Without a terminal, where nobody could stop
// it, it stops after the first message.
func (w *wizard) start(ctx context.Context, f *Flags, s *Streams, b *Bot) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f.Config = w.file
	for _, p := range w.chosen {
		w.say("\nWrite to %s on %s now; I wait for the first message.", w.accounts[p.Platform].Name, p.Title)
	}
	streams := &Streams{In: w.in, Out: s.Out, Err: s.Err, Watched: s.Watched}
	if w.tty != nil {
		streams.In = w.tty
	}
	if len(w.chosen) == 0 {
		return b.Start(ctx, f, streams, nil) // the person sees the answer
	}
	return b.Start(ctx, f, streams, func(who, where string, took time.Duration) {
		if p, ok := platform.Named(where); ok && p.Hosted != nil {
			where = p.Title
		}
		w.say("\nIt works: %s wrote on %s, and was answered after %s. Ctrl-C ends it; bot starts it again.", cmp.Or(who,
			w.p.Text("somebody")), where, took.Round(time.Millisecond))
		if w.tty == nil {
			stop()
		}
	})
}

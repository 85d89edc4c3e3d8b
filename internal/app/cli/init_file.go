package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"parley/config"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// text returns the settings file: the answers and nothing else.
func (w *wizard) text() string {
	var b strings.Builder
	b.WriteString("# Written by bot init; config/bot.example.yaml has every setting.\n")
	section := func(name string, pairs ...[2]string) {
		head := name + ":\n"
		for _, p := range pairs {
			if p[1] != "" {
				value, _ := json.Marshal(p[1]) // JSON strings are YAML
				fmt.Fprintf(&b, "%s  %s: %s\n", head, p[0], value)
				head = ""
			}
		}
	}
	section("model", [2]string{"base_url", w.made.Model.BaseURL}, [2]string{"api_key", string(w.made.Model.APIKey)},
		[2]string{"name", w.made.Model.Name})
	section("telegram", [2]string{"token", string(w.made.Telegram.Token)})
	section("discord", [2]string{"token", string(w.made.Discord.Token)})
	if len(w.made.Access.Owners) > 0 {
		owners, _ := json.Marshal(w.made.Access.Owners)
		fmt.Fprintf(&b, "access:\n  owners: %s\n", owners)
	}
	return b.String()
}

// write writes the file, reads it back, and then moves it into place. Only its owner
// can read it.
func (w *wizard) write() error {
	draft := fmt.Sprintf("%s.new-%d", w.file, os.Getpid())
	defer func() { _ = os.Remove(draft) }()
	if err := os.WriteFile(draft, []byte(w.text()), 0o600); err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	if _, err := config.Load(config.Options{File: draft, IDs: w.ids}); err != nil {
		return text.Tell("these answers do not go together: %w", err)
	}
	if err := os.Rename(draft, w.file); err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	return nil
}

// next says what to do now, and starts the bot if that is wanted. Where the answers
// end before that question, it is not.
func (w *wizard) next(ctx context.Context, f *Flags, s *Streams, b *Bot) error {
	with := ""
	if w.file != config.DefaultFile {
		with = " --config " + w.file
	}
	w.say("\n%s is written; only you can read it.", w.file)
	w.say("  bot doctor%s    looks whether everything is in place", with)
	w.say("  bot%s           starts it", with)
	for _, platform := range w.chosen {
		w.invite(platform, w.accounts[platform])
	}
	said, err := w.answer(ctx, question{name: "start", text: catalog.Words("Start it now, and wait for your first message? [yes]:")})
	if errors.Is(err, errEnded) || errors.Is(err, errBack) || ctx.Err() != nil {
		return nil
	}
	if err != nil || !w.yes(said) && (said != "" || w.tty == nil) {
		return err
	}
	return w.start(ctx, f, s, b)
}

// invite says how people get to the bot.
func (w *wizard) invite(platform string, a account) {
	switch platform {
	case "discord":
		w.say("Discord: invite it with this link; choose your server, press Continue, then Authorize:\n  "+
			"https://discord.com/oauth2/authorize?client_id=%s&scope=bot+applications.commands&permissions=%d", a.id, invitePermissions)
	case "telegram":
		w.say("Telegram: to have %[1]s in a group, open the group, Add Members, %[1]s.", a.name)
	}
}

// invitePermissions are View Channel, Send Messages, Attach Files, Read Message
// History and Send Messages in Threads.
const invitePermissions = 1<<10 | 1<<11 | 1<<15 | 1<<16 | 1<<38

// start runs the bot with the settings that were written. With a pipe, where nobody
// would end it, it ends after the first message.
func (w *wizard) start(ctx context.Context, f *Flags, s *Streams, b *Bot) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f.Config = w.file
	for _, platform := range w.chosen {
		w.say("\nWrite to %s on %s now; I wait for the first message.", w.accounts[platform].name, titles[platform])
	}
	streams := &Streams{In: w.in, Out: s.Out, Err: s.Err, Watched: s.Watched}
	if w.tty != nil {
		streams.In = w.tty
	}
	if len(w.chosen) == 0 {
		return b.Start(ctx, f, streams, nil) // they see it themselves
	}
	return b.Start(ctx, f, streams, func(who, platform string, took time.Duration) {
		w.say("\nIt works: %s wrote on %s, and was answered after %s. Ctrl-C ends it; bot starts it again.", cmp.Or(who, w.p.Text("somebody")), cmp.Or(titles[platform], platform), took.Round(time.Millisecond))
		if w.tty == nil {
			stop()
		}
	})
}

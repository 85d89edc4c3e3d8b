package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley/internal/app/host"
	"parley/internal/app/platform"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
	"parley/internal/command/welcome"
	"parley/internal/memory"
	"parley/internal/text/catalog"
)

// introduced is for how long a platform is taken to show the menus that it was found to show:
// somebody may change them elsewhere, and another program may have the same token.
const introduced = 24 * time.Hour

// introduce registers the slash commands natively, in the background: a platform that is
// down must not delay startup. It does so again each day.
func (ps *platforms) introduce(ctx context.Context, f *front) {
	commands := gate.Menu(f.commands.Table())
	for _, p := range ps.adapters {
		c, ok := chat.As[chat.Commander](p)
		if !ok {
			continue
		}
		register := func() error {
			defer catalog.Borrow()()
			owners, err := f.people.gate.Owners(ctx)
			if err != nil {
				return err
			}
			shown := commands
			if len(owners) > 0 { // nobody needs /claim any more
				shown = slices.DeleteFunc(slices.Clone(commands), func(c chat.MenuCommand) bool { return c.Who == chat.Everybody })
			}
			return ps.register(ctx, p.Platform(), c, chat.Menu{Commands: shown, Owners: owners, Actions: command.Actions,
				About: command.About, Greeting: command.Greeting})
		}
		ps.background(func() {
			for {
				welcome.Insist(ctx, p.Platform(), ps.log, register)
				host.Release() // of the catalogs
				if !chat.Sleep(ctx, introduced) {
					return
				}
			}
		})
	}
}

// register makes a platform show a menu. Where this or another process found it to show the
// same one not long ago it is not asked: that takes some forty calls.
func (ps *platforms) register(ctx context.Context, name string, c chat.Commander, m chat.Menu) error {
	key, want := memory.Menus+name, ps.fingerprint(name, m)
	had, err := ps.store.Settings.Setting(ctx, key)
	if err != nil {
		return err
	}
	print, stamp, _ := strings.Cut(had, " ")
	at, err := time.Parse(time.RFC3339, stamp)
	age := ps.now().Sub(at)
	m.Known = err == nil && print == want && 0 <= age && age < introduced
	err = c.Register(ctx, m)
	switch {
	case m.Known:
		return err
	case errors.Is(err, chat.ErrUnseen):
		return ps.store.Settings.SetSetting(ctx, key, "")
	case err != nil:
		return err
	}
	return ps.store.Settings.SetSetting(ctx, key, want+" "+ps.now().UTC().Format(time.RFC3339))
}

// fingerprint is a number for what a platform shows: the menu in each language, as this
// program sends it to this account. Nobody can read a token from it.
func (ps *platforms) fingerprint(name string, m chat.Menu) string {
	sum := sha256.New()
	if p, ok := platform.Named(name); ok && p.Token != nil {
		_, _ = fmt.Fprintf(sum, "%q ", string(*p.Token(&ps.cfg)))
	}
	_, _ = fmt.Fprintf(sum, "%q %q ", ps.cfg.Discord.Guild, ps.process.Version)
	_ = json.NewEncoder(sum).Encode(m)
	for _, in := range catalog.Printers() {
		_, _ = fmt.Fprintf(sum, "%s %q %q ", in.Tag(), in.Text(m.About), in.Text(m.Greeting))
		for _, a := range m.Actions {
			_, _ = fmt.Fprintf(sum, "%q ", in.Text(a.Name))
		}
		said(sum, in, m.Commands)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// said writes the helps of commands in a language.
func said(to io.Writer, in catalog.Printer, list []chat.MenuCommand) {
	for _, c := range list {
		_, _ = fmt.Fprintf(to, "%q ", in.Text(c.Help))
		for _, o := range c.Options {
			_, _ = fmt.Fprintf(to, "%q ", in.Text(o.Help))
		}
		said(to, in, c.Verbs)
	}
}

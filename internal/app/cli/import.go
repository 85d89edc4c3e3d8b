package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/config"
	"parley/internal/adapters/terminal"
	"parley/internal/chat"
	"parley/internal/llm/wrap"
	"parley/internal/memory"
	"parley/internal/memory/importer"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

type sessionsImportCmd struct {
	File      string   `arg:"" help:"A file, archive or folder of ChatGPT, Claude, Open WebUI, WhatsApp, Discord, OpenClaw, Hermes or Telegram Desktop; or JSON lines." type:"path"`
	User      string   `help:"Whose conversations they become, such as telegram:42; a bare id means the terminal. Needed unless the file is Telegram's or JSON lines." placeholder:"ID"`
	Me        string   `help:"How that person is called in it, for WhatsApp." placeholder:"NAME"`
	Format    string   `help:"Which of these it is, where that is not seen: chatgpt, claude, openwebui, whatsapp, discord, hermes, openclaw, telegram or lines." placeholder:"NAME"`
	DryRun    bool     `help:"Only read it and say what it holds."`
	Assistant []string `help:"Whose words are an assistant's though the file does not say it, such as telegram:42; those of your own Telegram bot always are." placeholder:"ID"`
}

// Run imports older conversations.
func (c sessionsImportCmd) Run(ctx context.Context, cfg config.Config, s *Streams) error {
	x, err := importer.Open(c.File, c.Format)
	if err != nil {
		return text.Tell("import %s: nothing was imported: %w", c.File, err)
	}
	defer func() { _ = x.Close() }()
	return withMeanings(ctx, cfg, func(store *memory.Store) error {
		p := newProgress(s)
		x.Told = p.of(reading)
		older, err := c.older(ctx, cfg, store, x)
		if err != nil {
			return err
		}
		older.Stored = p.of(storing)
		done, err := store.ImportAll(ctx, older)
		p.end()
		switch {
		case err != nil && done.Messages == 0:
			return text.Tell("import %s: nothing was imported: %w", c.File, err)
		case err != nil:
			return text.Tell("import %s: it was cut short after %s; run it again for the rest: %w", c.File,
				catalog.Count{N: done.Messages, Thing: "message"}, err)
		}
		if err := c.tell(seen{s.Out}, x, older, done); err != nil || c.DryRun {
			return err
		}
		return c.makeMeanings(ctx, store, s)
	})
}

// older says what to bring in, and for whom.
func (c sessionsImportCmd) older(ctx context.Context, cfg config.Config, store *memory.Store, x *importer.Export) (memory.Older, error) {
	own, _, _ := strings.Cut(string(cfg.Telegram.Token), ":") // begins with the bot's id
	o := memory.Older{Export: x, Assistants: append(c.Assistant, "telegram:"+own), Trial: c.DryRun}
	if c.User == "" || !x.Format.Private {
		return o, nil
	}
	id := terminal.UserID(c.User)
	name, err := store.Browse.Person(ctx, id)
	if err != nil {
		return o, err
	}
	p, err := store.People.Person(ctx, id, "")
	if err != nil {
		return o, err
	}
	o.Owner = importer.Owner{User: chat.User{ID: id, Name: name}, Called: c.Me, Zone: time.Local}
	if zone, err := time.LoadLocation(p.TimeZone); err == nil && p.TimeZone != "" {
		o.Owner.Zone = zone
	}
	return o, nil
}

// tell says what came of it.
func (c sessionsImportCmd) tell(w io.Writer, x *importer.Export, o memory.Older, done memory.Imported) error {
	say := Speaks()
	var lines []string
	if c.DryRun {
		lines = append(lines, fmt.Sprintf("%s: %s in %s; nothing was imported", x.Format.Title, text.Many(done.Messages, "message"),
			text.Many(done.Sessions, "conversation")))
		if done.Messages > 0 {
			lines = append(lines, fmt.Sprintf("from %s to %s", done.From.Local().Format(time.DateOnly), done.To.Local().Format(time.DateOnly)))
		}
	} else {
		lines = append(lines, fmt.Sprintf("imported %s in %s; known already: %d", text.Many(done.Messages, "message"),
			text.Many(done.Sessions, "conversation"), done.Known))
	}
	if done.Forgotten > 0 {
		lines = append(lines, say.Say("left out: %v of people who were forgotten since, or to them", catalog.Count{N: done.Forgotten, Thing: "message"}))
	}
	for _, k := range slices.SortedFunc(maps.Keys(done.Left), func(a, b importer.Kind) int {
		return cmp.Or(cmp.Compare(done.Left[b], done.Left[a]), cmp.Compare(a, b))
	}) {
		lines = append(lines, say.Say("left out: %s: %d", say.Text(string(k)), done.Left[k]))
	}
	switch {
	case done.Proposed > 0 && c.DryRun:
		lines = append(lines, say.Say("lines of memory files that %s would be asked about: %d", o.Owner.ID, done.Proposed))
	case done.Proposed > 0:
		lines = append(lines, say.Say("lines of memory files that wait for a yes of %s, who sees them with /facts brought: %d", o.Owner.ID, done.Proposed))
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// vectorsFor limits the time an import makes vectors; the bot makes the rest.
const vectorsFor = time.Minute

// makeMeanings makes vectors of what was imported, if there is an embedding model.
func (c sessionsImportCmd) makeMeanings(ctx context.Context, store *memory.Store, s *Streams) error {
	began := time.Now()
	for more := true; more; {
		var err error
		if more, err = store.Meanings().Embed(ctx); err != nil && !errors.Is(err, wrap.ErrNoVectors) {
			return err
		}
		if err != nil || more && time.Since(began) > vectorsFor {
			_, err = fmt.Fprintln(seen{s.Out}, "vectors: the bot makes those that are missing")
			return err
		}
	}
	return nil
}

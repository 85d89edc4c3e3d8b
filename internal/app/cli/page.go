package cli

import (
	"context"
	"fmt"

	"parley/config"
	"parley/internal/app/console"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text"
)

// Page prints a link to the control page.
type Page struct{}

// Run prints a one-time link; the bot may be running.
func (Page) Run(ctx context.Context, cfg config.Config, s *Streams) error {
	if cfg.HTTP.Listen == "" {
		return text.Tell("there is no control page: set http.listen, for example to 127.0.0.1:9090, and start the bot again")
	}
	return inStore(ctx, cfg, func(store *memory.Store) error {
		base, err := console.Base(cfg.Page.URL, cfg.HTTP.Listen)
		if err != nil {
			return fmt.Errorf("address of the page: %w", err)
		}
		link, err := console.NewLink(ctx, store.Access, base, chat.User{})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.Out, link)
		return err
	})
}

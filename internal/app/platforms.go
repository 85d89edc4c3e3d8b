package app

import (
	"context"
	"fmt"

	"parley/config"
	"parley/internal/adapters/discord"
	"parley/internal/adapters/telegram"
	"parley/internal/adapters/terminal"
	"parley/internal/chat"
)

// Identities are the grammars of ids of all platforms.
var Identities = chat.Identities{telegram.Identity, discord.Identity, terminal.Identity}

// Hosted tells whether there is a platform to live on besides the terminal.
func Hosted(c config.Config) bool { return c.Telegram.Token != "" || c.Discord.Token != "" }

// platforms makes an adapter for each platform that is set up.
func (a *app) platforms() (list []chat.Adapter, err error) {
	if c := a.cfg.Telegram; c.Token != "" {
		t, err := telegram.New(telegram.Options{
			Token: string(c.Token), APIURL: c.APIURL, Mode: c.Mode, Log: a.log,
			Webhook: telegram.Webhook{Listen: c.Webhook.Listen, URL: c.Webhook.URL, Secret: string(c.Webhook.Secret)},
		})
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	if c := a.cfg.Discord; c.Token != "" {
		files, err := discordFiles(c.APIURL)
		if err != nil {
			return nil, fmt.Errorf("discord.api_url: %w", err)
		}
		d, err := discord.New(discord.Options{
			Token: string(c.Token), APIURL: c.APIURL, Guild: c.Guild, Files: files, Log: a.log,
			Private: func(ctx context.Context, m chat.Message) bool { return a.front.commands.Private(ctx, m) },
			Suggest: func(ctx context.Context, m chat.Message, option, typed string) []string {
				return a.front.commands.Suggest(ctx, m, option, typed)
			},
		})
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

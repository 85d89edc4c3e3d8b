package platform

import (
	"context"
	"net/url"
	"strings"

	"parley/config"
	"parley/internal/adapters/telegram"
	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

var telegramPlatform = Platform{Identity: telegram.Identity, Hosted: &Hosted{
	Title: "Telegram",
	Token: func(c *config.Config) *config.Secret { return &c.Telegram.Token },
	Form:  text.Pattern(`^\d+:[\w-]+$`),
	Misformed: text.Tell(
		"that is not a token of Telegram, so I have sent it nowhere: @BotFather writes it as 123456:ABC-DEF"),
	AskToken: catalog.Words(`3. Open https://t.me/BotFather in Telegram, send /newbot and choose a name; it
   answers with a token. The token (or skip):`),
	AskOwner: catalog.Words(
		"4. Who owns it? Enter: you, with a link that the start shows; or your numeric\n   Telegram id [with the link]:"),
	Invite: func(a Account) catalog.Phrase {
		return catalog.Fill("Telegram: to have %[1]s in a group, open the group, Add Members, %[1]s.", a.Name)
	},
	Account: askTelegram,
	Open:    openTelegram,
	// By webhook every process listens for what Telegram posts.
	OneAtATime:  func(c config.Config) bool { return c.Telegram.Mode != telegram.ModeWebhook },
	PrefersLoss: func(c config.Config) bool { return c.Telegram.UnknownSend != "prefer_duplicate" },
}}

func openTelegram(cfg config.Config, s Surroundings) (chat.Adapter, error) {
	c := cfg.Telegram
	return telegram.New(telegram.Options{
		Token: string(c.Token), APIURL: c.APIURL, Mode: c.Mode, Log: s.Log, Reactions: c.Reactions, Toast: s.Toast,
		Now:     s.Now,
		Webhook: telegram.Webhook{Listen: c.Webhook.Listen, URL: c.Webhook.URL, Secret: string(c.Webhook.Secret)},
	})
}

// askTelegram looks up the bot, and checks for a webhook that blocks polling or whose
// calls fail.
func askTelegram(ctx context.Context, cfg config.Config) (a Account, err error) {
	c := cfg.Telegram
	server := strings.TrimRight(c.APIURL, "/")
	base := server + "/bot" + string(c.Token) + "/"
	var me struct {
		Result struct {
			Username string
			Reads    bool `json:"can_read_all_group_messages"`
		}
	}
	if a.Date, err = get(ctx, base+"getMe", "", &me); err != nil {
		return a, explain(err, "Telegram", "copy it again from @BotFather: /mybots, the bot, API Token")
	}
	a.Name = "@" + me.Result.Username
	var hook struct {
		Result struct {
			URL     string
			Pending int    `json:"pending_update_count"`
			Failure string `json:"last_error_message"`
		}
	}
	if _, err := get(ctx, base+"getWebhookInfo", "", &hook); err != nil {
		return a, explain(err, "Telegram", "")
	}
	at := hook.Result
	switch {
	case !me.Result.Reads && (cfg.Channel.Mode == chat.Ambient || cfg.Channel.Mode == "all"):
		a.Problem = text.Tell("channel.mode is %s, but Telegram passes on nothing in groups that is not addressed to the bot: send /setprivacy "+
			"to @BotFather, choose the bot and Disable, then remove it from its groups and add it again", cfg.Channel.Mode)
	case c.Mode == telegram.ModePolling && at.URL != "":
		host := "some address" // only the part that is safe to show
		if u, err := url.Parse(at.URL); err == nil {
			host = u.Host
		}
		a.Problem = text.Tell(
			"a webhook is set at %s, so polling gets nothing: set telegram.mode webhook, or open %s/bot<token>/deleteWebhook once",
			host, server)
	case c.Mode == telegram.ModeWebhook && at.Failure != "" && at.Pending > 0:
		a.Problem = text.Tell("%d updates wait because the webhook fails: %s; check that %s leads to telegram.webhook.listen",
			at.Pending, at.Failure, c.Webhook.URL)
	}
	return a, nil
}

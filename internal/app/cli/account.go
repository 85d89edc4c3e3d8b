package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/config"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Requests of doctor and init about the bot's own account. These are single requests
// that disturb nobody: a bot that runs with the same token keeps its poll and its
// gateway.

// account is what a platform says about the bot.
type account struct {
	name    string
	id      string    // Discord's application
	date    time.Time // of the answer, by the platform's clock
	problem error     // something that would stop startup; nil for nothing
}

// maxReply bounds what is read of a platform's answer.
const maxReply = 1 << 20

// errToken: the platform does not know the token.
var errToken = text.Tell("the token is refused")

// get asks once and reads a JSON answer. Its errors show no address: Telegram's
// have the token in them.
func get(ctx context.Context, address, authorization string, into any) (date time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, doctorWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return date, text.Tell("the address cannot be used")
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return date, text.Tell("cannot be reached, check the network and any proxy: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	date, _ = http.ParseTime(resp.Header.Get("Date")) // zero when it does not say
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden, resp.StatusCode == http.StatusNotFound:
		return date, errToken
	case resp.StatusCode != http.StatusOK:
		return date, text.Tell("answered with status %d, try again later", resp.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxReply)).Decode(into); err != nil {
		return date, text.Tell("did not answer as expected, check its api_url")
	}
	return date, nil
}

// askTelegram looks up the bot, and checks for a webhook that blocks polling or
// whose calls fail.
func askTelegram(ctx context.Context, c config.Telegram) (a account, err error) {
	base := strings.TrimRight(c.APIURL, "/") + "/bot" + string(c.Token) + "/"
	var me struct {
		Result struct{ Username string }
	}
	if a.date, err = get(ctx, base+"getMe", "", &me); err != nil {
		return a, mendToken(err, "Telegram", "copy it again from @BotFather: /mybots, the bot, API Token")
	}
	a.name = "@" + me.Result.Username
	var hook struct {
		Result struct {
			URL     string
			Pending int    `json:"pending_update_count"`
			Failure string `json:"last_error_message"`
		}
	}
	if _, err := get(ctx, base+"getWebhookInfo", "", &hook); err != nil {
		return a, mendToken(err, "Telegram", "")
	}
	at := hook.Result
	switch {
	case c.Mode == "polling" && at.URL != "":
		a.problem = text.Tell(
			"a webhook is set at %s, so polling gets nothing: set telegram.mode webhook, or open %s/bot<token>/deleteWebhook once",
			host(at.URL), strings.TrimRight(c.APIURL, "/"))
	case c.Mode == "webhook" && at.Failure != "" && at.Pending > 0:
		a.problem = text.Tell("%d updates wait because the webhook fails: %s; check that %s leads to telegram.webhook.listen",
			at.Pending, at.Failure, c.Webhook.URL)
	}
	return a, nil
}

// The flags of an application that may read messages: granted, or ticked by a
// bot in few servers.
const (
	flagMessageContent        = 1 << 18
	flagMessageContentLimited = 1 << 19
)

// askDiscord looks up the bot and checks whether it may read messages.
func askDiscord(ctx context.Context, c config.Discord) (a account, err error) {
	base, auth := strings.TrimRight(c.APIURL, "/")+"/", "Bot "+string(c.Token)
	var me struct{ Username string }
	if a.date, err = get(ctx, base+"users/@me", auth, &me); err != nil {
		return a, mendToken(err, "Discord", "copy it again from the developer portal: your application, Bot, Reset Token")
	}
	a.name = me.Username
	var app struct {
		ID    string
		Flags int
	}
	if _, err := get(ctx, base+"applications/@me", auth, &app); err != nil {
		return a, mendToken(err, "Discord", "")
	}
	a.id = app.ID
	if app.Flags&(flagMessageContent|flagMessageContentLimited) == 0 {
		a.problem = text.Tell(
			"the bot may not read messages: in the developer portal, your application, Bot, Privileged Gateway Intents, tick " +
				"Message Content Intent and save")
	}
	return a, nil
}

func mendToken(err error, platform, mend string) error {
	if errors.Is(err, errToken) && mend != "" {
		return text.Tell("%s does not know this token: %s", platform, catalog.Words(mend))
	}
	return text.Tell("%s: %w", platform, err)
}

// host returns the part of an address that is safe to show.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "some address"
	}
	return u.Host
}

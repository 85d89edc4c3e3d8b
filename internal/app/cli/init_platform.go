package cli

import (
	"context"
	"slices"
	"strings"

	"parley/config"
	"parley/internal/llm/provider"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// wordsInitFirst is said in more than one place.
const wordsInitFirst = "Before you start: "

// hosted are the platforms that need a token, in the order of the menu.
var hosted = []string{"telegram", "discord"}

// titles are how platforms call themselves.
var titles = map[string]string{"telegram": "Telegram", "discord": "Discord"}

// platforms asks where people find the bot: several may be named.
func (w *wizard) platforms(ctx context.Context) error {
	w.say("2. Where shall people find it?\n   1  Telegram\n   2  Discord\n   3  in this terminal only")
	return w.until(ctx, question{name: "platforms", text: catalog.Words("   One or several, as in: 1 2 [terminal]:")},
		func(said string) error {
			w.chosen, w.made.Telegram.Token, w.made.Discord.Token, w.made.Access.Owners = nil, "", "", nil
			for _, word := range strings.FieldsFunc(strings.ToLower(said), func(r rune) bool { return strings.ContainsRune(" ,;+&", r) }) {
				switch word {
				case "telegram", "1":
					w.chosen = append(w.chosen, "telegram")
				case "discord", "2":
					w.chosen = append(w.chosen, "discord")
				case "both":
					w.chosen = append(w.chosen, hosted...)
				case "terminal", "3", "none", "and", skipped:
				default:
					return text.Tell("I know telegram, discord and terminal, not %q", word)
				}
			}
			return nil
		})
}

// token asks for a platform's token and looks up its bot.
func (w *wizard) token(platform string) func(context.Context) error {
	ask := map[string]string{"telegram": `3. Open https://t.me/BotFather in Telegram, send /newbot and choose a name; it
   answers with a token. The token (or skip):`, "discord": `3. Open https://discord.com/developers/applications, press New Application, then
   Bot, Reset Token. While you are there, tick Message Content Intent and save.
   The token (or skip):`}[platform]
	return func(ctx context.Context) error {
		if !slices.Contains(w.chosen, platform) {
			return nil
		}
		return w.until(ctx, question{name: platform + ".token", text: catalog.Words(ask), shown: dots}, func(token string) error {
			if token == skipped { // nor is one written that was refused before
				w.hold(platform, "")
				w.chosen = slices.DeleteFunc(w.chosen, func(p string) bool { return p == platform })
				w.say("  Without %s, then.", titles[platform])
				return nil
			}
			return w.tryToken(ctx, platform, token)
		})
	}
}

func (w *wizard) tryToken(ctx context.Context, platform, token string) error {
	owner := provider.Owner(token)
	switch {
	case token == "" || strings.ContainsAny(token, " \t/"):
		return text.Tell("that is not a token; copy it whole, it has no spaces")
	case owner != "" && !strings.EqualFold(owner, platform):
		return text.Tell("that is a secret of %s, not of %s, so I have sent it nowhere", owner, titles[platform])
	case platform == "telegram" && owner == "":
		return text.Tell("that is not a token of Telegram, so I have sent it nowhere: @BotFather writes it as 123456:ABC-DEF")
	}
	a, err := w.ask(ctx, platform, config.Secret(token))
	if err != nil {
		return err
	}
	w.accounts[platform] = a
	w.say("  That is the token of %s.", a.name)
	for w.tty != nil && a.problem != nil { // it can be mended now
		w.say("  %s%v.", catalog.Words(wordsInitFirst), a.problem)
		answer, err := w.answer(ctx, question{text: catalog.Words("   Enter when that is done (or skip):")})
		if err != nil || answer == skipped {
			return err
		}
		if a, err = w.ask(ctx, platform, config.Secret(token)); err != nil {
			return err
		}
		w.accounts[platform] = a
	}
	if a.problem != nil {
		w.say("  %s%v.", catalog.Words(wordsInitFirst), a.problem)
	}
	return nil
}

// ask has a platform say whose token this is.
func (w *wizard) ask(ctx context.Context, platform string, token config.Secret) (account, error) {
	telegram, discord := w.base.Telegram, w.base.Discord
	w.hold(platform, token)
	w.know(w.made)
	if platform == "telegram" {
		telegram.Token = token
		return askTelegram(ctx, telegram)
	}
	discord.Token = token
	return askDiscord(ctx, discord)
}

// hold has a platform's token written at the end; "" has none.
func (w *wizard) hold(platform string, token config.Secret) {
	if platform == "telegram" {
		w.made.Telegram.Token = token
	} else {
		w.made.Discord.Token = token
	}
}

// owner asks who owns the bot on a platform.
func (w *wizard) owner(platform string) func(context.Context) error {
	ask := map[string]string{"telegram": "4. Who owns it? Enter: you, with a link that the start shows; or your numeric\n   Telegram id [with the link]:", "discord": `4. Who owns it? Enter: you, with a code that the start shows; or your numeric
   Discord id (Developer Mode on, right-click your name, Copy User ID) [with the
   code]:`}[platform]
	return func(ctx context.Context) error {
		if !slices.Contains(w.chosen, platform) {
			return nil
		}
		w.made.Access.Owners = slices.DeleteFunc(w.made.Access.Owners, func(id string) bool { return strings.HasPrefix(id, platform+":") })
		return w.until(ctx, question{name: platform + ".owner", text: catalog.Words(ask)}, func(id string) error {
			if id == "" || id == skipped {
				return nil
			}
			c := config.Default()
			c.Access.Owners = append(slices.Clone(w.made.Access.Owners), platform+":"+strings.TrimPrefix(id, platform+":"))
			if err := c.Validate(w.ids); err != nil {
				return err
			}
			w.made.Access.Owners = c.Access.Owners
			return nil
		})
	}
}

package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"parley/config"
	"parley/internal/app/platform"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// wordsInitFirst is said in more than one place.
const wordsInitFirst = "Before you start: "

// platforms asks where people find the bot: several may be named.
func (w *wizard) platforms(ctx context.Context) error {
	hosted := platform.Accounts()
	w.say("2. Where shall people find it?")
	for i, p := range hosted {
		w.say("   %d  %s", i+1, p.Title)
	}
	w.say("   %d  in this terminal only", len(hosted)+1)
	return w.until(ctx, question{name: "platforms", text: catalog.Words("   One or several, as in: 1 2 [terminal]:"),
		help: wordsHelpPlatforms},
		func(said string) error {
			w.chosen, w.made.Access.Owners = nil, nil
			for _, p := range hosted {
				*p.Token(&w.made) = ""
			}
			for _, word := range strings.FieldsFunc(strings.ToLower(said), func(r rune) bool { return strings.ContainsRune(" ,;+&", r) }) {
				i := slices.IndexFunc(hosted, func(p platform.Platform) bool { return p.Platform == word })
				if n, err := strconv.Atoi(word); err == nil {
					i = n - 1
				}
				switch {
				case i >= 0 && i < len(hosted):
					w.chosen = append(w.chosen, hosted[i])
				case word == "both":
					w.chosen = append(w.chosen, hosted...)
				case i == len(hosted), slices.Contains([]string{"terminal", "none", "and", skipped}, word):
				default:
					return text.Tell("I know %s, not %q", strings.Join(platform.Names(), ", "), word)
				}
			}
			return nil
		})
}

// picked reports whether the bot is to be on a platform.
func (w *wizard) picked(p platform.Platform) bool {
	return slices.ContainsFunc(w.chosen, func(c platform.Platform) bool { return c.Platform == p.Platform })
}

// token asks for a platform's token and looks up its bot.
func (w *wizard) token(p platform.Platform) func(context.Context) error {
	return func(ctx context.Context) error {
		if !w.picked(p) {
			return nil
		}
		return w.until(ctx, question{name: p.Platform + ".token", text: p.AskToken, shown: dots, help: wordsHelpToken}, func(token string) error {
			if token == skipped { // nor is one written that was refused before
				*p.Token(&w.made) = ""
				w.chosen = slices.DeleteFunc(w.chosen, func(c platform.Platform) bool { return c.Platform == p.Platform })
				w.say("  Without %s, then.", p.Title)
				return nil
			}
			return w.tryToken(ctx, p, token)
		})
	}
}

func (w *wizard) tryToken(ctx context.Context, p platform.Platform, token string) error {
	owner := w.tokens.Owner(token)
	switch {
	case token == "" || strings.ContainsAny(token, " \t/"):
		return text.Tell("that is not a token; copy it whole, it has no spaces")
	case owner != "" && owner != p.Title:
		return text.Tell("that is a secret of %s, not of %s, so I have sent it nowhere", owner, p.Title)
	case owner == "" && p.Misformed != nil:
		return p.Misformed
	}
	a, err := w.ask(ctx, p, token)
	if err != nil {
		return err
	}
	w.say("  That is the token of %s.", a.Name)
	for w.tty != nil && a.Problem != nil { // it can be fixed now
		w.say("  %s%v.", catalog.Words(wordsInitFirst), a.Problem)
		answer, err := w.answer(ctx, question{text: catalog.Words("   Enter when that is done (or skip):")})
		if err != nil || answer == skipped {
			return err
		}
		if a, err = w.ask(ctx, p, token); err != nil {
			return err
		}
	}
	if a.Problem != nil {
		w.say("  %s%v.", catalog.Words(wordsInitFirst), a.Problem)
	}
	return nil
}

// ask asks a platform whose token this is.
func (w *wizard) ask(ctx context.Context, p platform.Platform, token string) (a platform.Account, err error) {
	*p.Token(&w.made) = config.Secret(token)
	w.know(w.made)
	with := w.base
	*p.Token(&with) = config.Secret(token)
	if a, err = p.Account(ctx, with); err == nil {
		w.accounts[p.Platform] = a
	}
	return a, err
}

// owner asks who owns the bot on a platform.
func (w *wizard) owner(p platform.Platform) func(context.Context) error {
	return func(ctx context.Context) error {
		if !w.picked(p) {
			return nil
		}
		prefix := p.Platform + ":"
		w.made.Access.Owners = slices.DeleteFunc(w.made.Access.Owners, func(id string) bool { return strings.HasPrefix(id, prefix) })
		return w.until(ctx, question{name: p.Platform + ".owner", text: p.AskOwner, help: wordsHelpOwner}, func(id string) error {
			if id == "" || id == skipped {
				return nil
			}
			c := config.Default()
			c.Access.Owners = append(slices.Clone(w.made.Access.Owners), prefix+strings.TrimPrefix(id, prefix))
			if err := c.Validate(w.ids); err != nil {
				return err
			}
			w.made.Access.Owners = c.Access.Owners
			return nil
		})
	}
}

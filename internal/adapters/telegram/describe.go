package telegram

import (
	"context"
	"fmt"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// The longest descriptions that Telegram takes, in characters.
const (
	maxAbout    = 120
	maxGreeting = 512
)

// description is a text that people read about the bot before they write to it.
type description struct {
	words  string // in English
	most   int    // characters
	method string // that sets it, or returns it, behind "set" and "get"
	field  string
}

// describe sets the descriptions in each language that has none: what the owner told
// @BotFather stays. Telegram allows few changes a day, so it stops at the first refusal.
func (a *Adapter) describe(ctx context.Context, m chat.Menu) error {
	for _, d := range []description{
		{m.About, maxAbout, "MyShortDescription", "short_description"}, {m.Greeting, maxGreeting, "MyDescription", "description"},
	} {
		if d.words == "" {
			continue
		}
		if err := a.describeAs(ctx, d); err != nil {
			return fmt.Errorf("set description: %w", a.outcome(target{}, err))
		}
	}
	return nil
}

func (a *Adapter) describeAs(ctx context.Context, d description) error {
	english := text.Clip(d.words, d.most)
	for _, p := range catalog.Printers() {
		params := map[string]string{}
		if p != (catalog.Printer{}) {
			params["language_code"] = p.Tag()
		}
		want := text.Clip(p.Text(d.words), d.most)
		got, err := ask[map[string]any](ctx, a.wire, "get"+d.method, params)
		has, _ := got[d.field].(string)
		switch {
		case err != nil:
			return err
		case has == want:
			continue
		case has != "" && len(params) == 0: // the owner's words, for all languages
			return nil
		case has != "" && has != english: // the owner's for this one; without any, it may have that for everybody
			continue
		}
		params[d.field] = want
		if _, err := a.wire.call(ctx, "set"+d.method, params); err != nil {
			return err
		}
	}
	return nil
}

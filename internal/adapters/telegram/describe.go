package telegram

import (
	"context"
	"fmt"

	"github.com/go-telegram/bot"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// The longest descriptions that Telegram takes, in characters.
const (
	maxAbout    = 120
	maxGreeting = 512
)

// description is one of those that people read of the bot before they write to it.
// language is "" for everybody without one of their own.
type description struct {
	words string // in English
	most  int    // characters
	get   func(ctx context.Context, language string) (string, error)
	set   func(ctx context.Context, language, words string) error
}

func (a *Adapter) descriptions(m chat.Menu) []description {
	return []description{
		{m.About, maxAbout, func(ctx context.Context, language string) (string, error) {
			has, err := a.bot.GetMyShortDescription(ctx, &bot.GetMyShortDescriptionParams{LanguageCode: language})
			return has.ShortDescription, err
		}, func(ctx context.Context, language, words string) error {
			_, err := a.bot.SetMyShortDescription(ctx, &bot.SetMyShortDescriptionParams{ShortDescription: words, LanguageCode: language})
			return err
		}},
		{m.Greeting, maxGreeting, func(ctx context.Context, language string) (string, error) {
			has, err := a.bot.GetMyDescription(ctx, &bot.GetMyDescriptionParams{LanguageCode: language})
			return has.Description, err
		}, func(ctx context.Context, language, words string) error {
			_, err := a.bot.SetMyDescription(ctx, &bot.SetMyDescriptionParams{Description: words, LanguageCode: language})
			return err
		}},
	}
}

// describe sets the descriptions in each language, where nobody has written anything:
// what the owner told @BotFather stays. Telegram lets few of them be set in a day, so
// the first that it refuses ends this for now.
func (a *Adapter) describe(ctx context.Context, m chat.Menu) error {
	for _, d := range a.descriptions(m) {
		if d.words == "" {
			continue
		}
		if err := d.describe(ctx); err != nil {
			return fmt.Errorf("set description: %w", a.outcome(target{}, err))
		}
	}
	return nil
}

func (d description) describe(ctx context.Context) error {
	english := text.Clip(d.words, d.most)
	for _, p := range catalog.Printers() {
		language := ""
		if p != (catalog.Printer{}) {
			language = p.Tag()
		}
		want := text.Clip(p.Text(d.words), d.most)
		has, err := d.get(ctx, language)
		switch {
		case err != nil:
			return err
		case has == want:
			continue
		case has != "" && language == "": // the owner's words, for all languages
			return nil
		case has != "" && has != english: // the owner's for this one; without any, it may have that for everybody
			continue
		}
		if err := d.set(ctx, language, want); err != nil {
			return err
		}
	}
	return nil
}

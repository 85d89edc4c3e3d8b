package telegram

import (
	"context"
	"fmt"

	"github.com/go-telegram/bot"

	"parley/internal/chat"
	"parley/internal/text"
)

// The longest descriptions that Telegram takes, in characters.
const (
	maxAbout    = 120
	maxGreeting = 512
)

// describe sets what people read of the bot before they write to it, where nobody
// has written anything: what the owner told @BotFather stays.
func (a *Adapter) describe(ctx context.Context, m chat.Menu) error {
	if m.About != "" {
		has, err := a.bot.GetMyShortDescription(ctx, &bot.GetMyShortDescriptionParams{})
		if err == nil && has.ShortDescription == "" {
			_, err = a.bot.SetMyShortDescription(ctx, &bot.SetMyShortDescriptionParams{ShortDescription: text.Clip(m.About, maxAbout)})
		}
		if err != nil {
			return fmt.Errorf("set description: %w", a.outcome(target{}, err))
		}
	}
	if m.Greeting == "" {
		return nil
	}
	has, err := a.bot.GetMyDescription(ctx, &bot.GetMyDescriptionParams{})
	if err == nil && has.Description == "" {
		_, err = a.bot.SetMyDescription(ctx, &bot.SetMyDescriptionParams{Description: text.Clip(m.Greeting, maxGreeting)})
	}
	if err != nil {
		return fmt.Errorf("set description: %w", a.outcome(target{}, err))
	}
	return nil
}

package gate

import (
	"context"
	"strings"

	"parley/internal/chat"
)

// Suggests reports whether an option can be completed.
func (o Option) Suggests() bool { return o.Suggest != nil || o.Offer != nil }

// suggestions completes what m's author typed of an option: values that begin so,
// and those with words that do.
func (o Option) suggestions(ctx context.Context, m chat.Message, typed string) (list []chat.Choice) {
	switch {
	case o.Suggest != nil:
		for _, v := range o.Suggest(ctx, m, typed) {
			list = append(list, chat.Choice{Value: v})
		}
	case o.Offer != nil:
		for _, c := range o.Offer(ctx, m) {
			if strings.HasPrefix(fold(c.Value), fold(typed)) || hasWord(c.Label, typed) {
				list = append(list, c)
			}
		}
	}
	return list
}

func hasWord(text, typed string) bool {
	text, typed = fold(text), fold(strings.TrimSpace(typed))
	for i := range text {
		if (i == 0 || text[i-1] == ' ') && strings.HasPrefix(text[i:], typed) {
			return true
		}
	}
	return false
}

// Suggest completes what m's author typed of one option of the command that
// m.Text names; nothing where it is not for them.
func (c *Commands) Suggest(ctx context.Context, m chat.Message, option, typed string) []chat.Choice {
	role, err := c.o.Role(ctx, m)
	if err != nil {
		return nil
	}
	cmd, _, complaint := c.find(ctx, &Request{Message: m, Role: role})
	if complaint != "" || !cmd.admits(role) {
		return nil
	}
	for _, o := range cmd.Options {
		if o.Name == option {
			return o.suggestions(ctx, m, typed)
		}
	}
	return nil
}

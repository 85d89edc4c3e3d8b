package welcome

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/chat"
)

// Leave takes the bot out of a place, by its id with the platform.
func (o Manners) Leave(ctx context.Context, place string) error {
	platform, local := chat.CutID(place)
	l, ok := chat.On(o.Adapters(), platform).(chat.Leaver)
	if !ok {
		return fmt.Errorf("leave %s: %w", place, errors.ErrUnsupported)
	}
	return l.Leave(ctx, local)
}

// Door returns the address at which people open a direct chat, "" for none.
func (o Manners) Door(platform string) string {
	c, ok := chat.On(o.Adapters(), platform).(chat.Confidant)
	if !ok {
		return ""
	}
	return c.Door()
}

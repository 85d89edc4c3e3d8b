package telegram

import (
	"errors"

	"parley/internal/chat"
)

// Renormalize implements chat.Renormalizer. A button that was pressed long ago
// is answered like any other press; its question may have expired.
func (a *Adapter) Renormalize(raw []byte) ([]chat.Message, error) {
	if a.me.Load() == nil {
		return nil, chat.ErrNotReady // what is meant for the bot in a group cannot be told
	}
	if !object(raw) {
		return nil, errors.New("not a Telegram update")
	}
	e := a.event(raw)
	switch {
	case e.dead != nil:
		return nil, errors.New(e.dead.Reason)
	case e.message.ID == "":
		return nil, nil
	}
	return []chat.Message{e.message}, nil
}

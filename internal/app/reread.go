package app

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/chat"
	"parley/internal/memory"
)

// errNoReader: this platform cannot re-read events.
var errNoReader = errors.New("this platform's events cannot be read again")

// reread passes dead letters that somebody asked to retry to their platforms again.
// One that can now be stored is answered like any message; the others stay aside with
// the reason.
func (ps *platforms) reread(ctx context.Context) error {
	list, err := ps.store.Letters.ToRetry(ctx, jobLimit)
	if err != nil {
		return err
	}
	for _, l := range list {
		adapter := chat.On(ps.adapters, l.Platform)
		if adapter == nil {
			continue // until it runs
		}
		messages, err := renormalized(adapter, l.Raw)
		switch {
		case errors.Is(err, chat.ErrNotReady):
			continue
		case err != nil:
			err = ps.store.Letters.Fail(ctx, l.ID, err.Error())
		default:
			if err = ps.hub.Deliver(ctx, chat.Batch{Platform: l.Platform, Messages: messages}); err == nil {
				err = ps.store.Letters.Drop(ctx, l.ID)
			}
		}
		if err != nil && !errors.Is(err, memory.ErrNoLetter) { // dropped meanwhile
			return err
		}
	}
	return nil
}

// renormalized reads an event again. Messages that could not be stored, and
// events that make an adapter panic, are errors.
func renormalized(adapter chat.Adapter, raw []byte) (messages []chat.Message, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	r, ok := adapter.(chat.Renormalizer)
	if !ok {
		return nil, errNoReader
	}
	messages, err = r.Renormalize(raw)
	for _, m := range messages {
		if _, serr := chat.Storable(m); serr != nil {
			err = errors.Join(err, serr)
		}
	}
	return messages, err
}

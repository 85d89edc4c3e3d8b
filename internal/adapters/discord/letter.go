package discord

import (
	"context"
	"encoding/json"
	"errors"

	"parley/internal/chat"
)

// whole returns an event as it is put aside: with its kind.
func (e event) whole() []byte {
	b, _ := json.Marshal(wholeEvent{e.kind, e.raw}) // it was read as JSON
	return b
}

type wholeEvent struct {
	Kind string          `json:"t"`
	Data json.RawMessage `json:"d"`
}

// maxRenormalize bounds what Discord may be asked about an old event.
const maxRenormalize = 4 * lookup

// Renormalize implements chat.Renormalizer.
func (a *Adapter) Renormalize(raw []byte) ([]chat.Message, error) {
	select {
	case <-a.known:
	default:
		return nil, chat.ErrNotReady
	}
	var e wholeEvent
	if err := json.Unmarshal(raw, &e); err != nil || e.Kind == "" {
		return nil, errors.New("not an event of Discord as a whole")
	}
	if e.Kind == "INTERACTION_CREATE" {
		return nil, errors.New("a command or a button can be answered for a few minutes only; use it again")
	}
	var at wireAddress
	_ = decode(e.Data, &at) // judged below
	ctx, cancel := context.WithTimeout(context.Background(), maxRenormalize)
	defer cancel()
	item := newShard(a, 0, 1).understand(ctx, string(at.ChannelID), event{kind: e.Kind, raw: e.Data})
	if item.dead != nil {
		return nil, errors.New(item.dead.Reason)
	}
	return item.messages, nil
}

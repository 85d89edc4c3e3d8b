package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Bounds of reading what a gap left out: nothing older than a
// day is answered, a page is as long as Discord makes it, and a few channels
// are read at a time.
const (
	catchUpAge  = 24 * time.Hour
	catchUpPage = 100
	catchUpSide = 8
	catchUpCall = 20 * time.Second
)

// reached notes that a message of a channel is on its way to the inbox.
func (a *Adapter) reached(channel, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.read[channel] = newerID(a.read[channel], id)
}

// catchUp reads, page by page, what was written in a channel since its newest
// message that is known. It runs in the channel's lane, so what comes meanwhile
// waits behind it. It ends when it has caught up, or when Discord refuses.
func (a *Adapter) catchUp(ctx context.Context, channel string) {
	a.mu.Lock()
	after := a.read[channel]
	a.mu.Unlock()
	if after == "" {
		return
	}
	after = newerID(after, idAt(a.o.Now().Add(-catchUpAge)))
	for try := 0; ctx.Err() == nil; {
		n, last, err := a.page(ctx, channel, after)
		switch {
		case refused(err):
			a.o.Log.Warn("discord: what was missed in a channel may not be read", "channel", channel, "err", err)
			a.stalled(channel, false)
			return
		case err != nil:
			a.o.Log.Warn("discord: read what was missed, will try again", "channel", channel, "err", err)
			a.stalled(channel, true)
			pause(ctx, a.after(err, try))
			try++
			continue
		}
		a.stalled(channel, false)
		if try, after = 0, last; n < catchUpPage || last == "" {
			return
		}
	}
}

// page reads one page of a channel's history and passes it on, oldest first. It
// returns how many messages there were, and the newest id.
func (a *Adapter) page(ctx context.Context, channel, after string) (n int, last string, err error) {
	select {
	case a.reading <- struct{}{}:
		defer func() { <-a.reading }()
	case <-ctx.Done():
		return 0, "", ctx.Err()
	}
	asking, cancel := context.WithTimeout(ctx, catchUpCall)
	defer cancel()
	where, err := a.place(asking, channel)
	if err != nil {
		return 0, "", err
	}
	var list []json.RawMessage
	path := fmt.Sprintf("/channels/%s/messages?after=%s&limit=%d", channel, after, catchUpPage)
	if err := a.call(asking, http.MethodGet, path, channel, nil, &list); err != nil {
		return 0, "", err
	}
	for i := len(list) - 1; i >= 0; i-- { // newest first as they come
		var at wireAddress
		if decode(list[i], &at) == nil && isID(at.ID) {
			last = newerID(last, string(at.ID))
		}
		a.pass(ctx, a.recall(ctx, channel, where.guild, list[i]))
	}
	return len(list), last, nil
}

// recall understands a message of the history, which does not name the server.
func (a *Adapter) recall(ctx context.Context, channel, guild string, raw json.RawMessage) arrival {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &fields) == nil && fields != nil {
		delete(fields, "guild_id")
		fields["channel_id"], _ = json.Marshal(channel) // plain data
		if guild != "" {
			fields["guild_id"], _ = json.Marshal(guild)
		}
		raw, _ = json.Marshal(fields)
	}
	return a.understand(ctx, channel, event{kind: "MESSAGE_CREATE", raw: raw})
}

// stalled notes whether the history of a channel cannot be read just now.
func (a *Adapter) stalled(channel string, is bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if is {
		a.behind[channel] = true
	} else {
		delete(a.behind, channel)
	}
}

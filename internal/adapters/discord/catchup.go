package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"parley/internal/chat"
)

// Bounds for reading what was missed in a gap: nothing older than a
// day is answered, a page is as long as Discord makes it, and a few channels
// are read at a time.
const (
	catchUpAge  = 24 * time.Hour
	catchUpPage = 100
	catchUpSide = 8
	catchUpCall = 20 * time.Second
)

// history tracks how far each channel was read, and what is still to be read.
type history struct {
	reading chan struct{} // the adapter's semaphore

	mu       sync.Mutex        // guards the rest
	read     map[string]string // channel -> newest message on its way to the inbox
	behind   map[string]bool   // channels whose history cannot be read at present
	missed   time.Time         // when the session before this one was alive
	expected map[string]bool   // servers that READY announced and that have not come yet
}

func newHistory(reading chan struct{}) history {
	return history{reading: reading, read: map[string]string{}, behind: map[string]bool{}}
}

// begin notes that a session begins, when the previous one was last alive, and
// which servers are still to come. It returns all channels that were ever read.
func (h *history) begin(since time.Time, expected map[string]bool) (channels []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.missed, h.expected = since, expected
	return slices.Collect(maps.Keys(h.read))
}

// arrived notes that an announced server has come.
func (h *history) arrived(guild string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.expected, guild)
}

// gaps counts the channels whose history cannot be read at present.
func (h *history) gaps() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.behind)
}

// newest returns the newest message of a channel on its way to the inbox; "" for none.
func (h *history) newest(channel string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.read[channel]
}

// reached notes that a message of a channel is on its way to the inbox.
func (h *history) reached(channel, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.read[channel] = newerID(h.read[channel], id)
}

// catchUp reads, page by page, what was written in a channel since its newest
// known message. It runs in the channel's lane, so new events wait behind it. It
// ends when it has caught up, or when Discord refuses.
func (sh *shard) catchUp(ctx context.Context, channel string) {
	after := sh.newest(channel)
	if after == "" {
		return
	}
	after = newerID(after, idAt(sh.now().Add(-catchUpAge)))
	for try := 0; ctx.Err() == nil; {
		n, last, err := sh.page(ctx, channel, after)
		switch {
		case refused(err):
			sh.o.Log.Warn("discord: what was missed in a channel may not be read", "channel", channel, "err", err)
			sh.stalled(channel, false)
			return
		case err != nil:
			sh.o.Log.Warn("discord: read what was missed, will try again", "channel", channel, "err", err)
			sh.stalled(channel, true)
			chat.Sleep(ctx, sh.after(err, try))
			try++
			continue
		}
		sh.stalled(channel, false)
		if try, after = 0, last; n < catchUpPage || last == "" {
			return
		}
	}
}

// page reads one page of a channel's history and passes it on, oldest first. It
// returns how many messages there were, and the newest id.
func (sh *shard) page(ctx context.Context, channel, after string) (n int, last string, err error) {
	select {
	case sh.reading <- struct{}{}:
		defer func() { <-sh.reading }()
	case <-ctx.Done():
		return 0, "", ctx.Err()
	}
	asking, cancel := context.WithTimeout(ctx, catchUpCall)
	defer cancel()
	where, err := sh.place(asking, channel)
	if err != nil || !sh.mine(channel) {
		return 0, "", err
	}
	var list []json.RawMessage
	path := fmt.Sprintf("/channels/%s/messages?after=%s&limit=%d", channel, after, catchUpPage)
	if err := sh.call(asking, http.MethodGet, path, channel, nil, &list); err != nil {
		return 0, "", err
	}
	for i := len(list) - 1; i >= 0; i-- { // newest first as they come
		var at wireAddress
		if decode(list[i], &at) == nil && isID(at.ID) {
			last = newerID(last, string(at.ID))
		}
		sh.pass(ctx, sh.recall(ctx, channel, where.guild, list[i]))
	}
	return len(list), last, nil
}

// recall decodes a message of the history, which does not name the server.
func (sh *shard) recall(ctx context.Context, channel, guild string, raw json.RawMessage) arrival {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &fields) == nil && fields != nil {
		delete(fields, "guild_id")
		fields["channel_id"], _ = json.Marshal(channel) // plain data
		if guild != "" {
			fields["guild_id"], _ = json.Marshal(guild)
		}
		raw, _ = json.Marshal(fields)
	}
	return sh.understand(ctx, channel, event{kind: "MESSAGE_CREATE", raw: raw})
}

// stalled notes whether the history of a channel cannot be read at present.
func (h *history) stalled(channel string, is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if is {
		h.behind[channel] = true
	} else {
		delete(h.behind, channel)
	}
}

// unread reports whether a channel without a cursor got messages since the last session
// was alive; if so, it sets a cursor.
func (h *history) unread(ch wireChannel, guild string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.expected[guild] || h.missed.IsZero() || h.read[string(ch.ID)] != "" || !isID(ch.Last) {
		return false
	}
	if idTime(string(ch.Last)).Before(h.missed) {
		return false
	}
	h.read[string(ch.ID)] = idAt(h.missed)
	return true
}

package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-telegram/bot"

	"parley/internal/chat"
	"parley/internal/text"
)

// allowedUpdates are the kinds asked for; all others stay at Telegram.
var allowedUpdates = bot.AllowedUpdates{
	"message", "edited_message", "channel_post", "edited_channel_post", "callback_query", "my_chat_member", "chat_member",
}

// Waits between polls that fail, and between those that are refused.
const (
	firstPoll   = 100 * time.Millisecond
	lastPoll    = 1200 * time.Millisecond
	lastRefused = 5 * time.Second
)

var errNotGiven = errors.New("telegram gives no updates")

// ackLimit bounds answering the buttons of one batch.
const ackLimit = 5 * time.Second

// polls polls until ctx ends or the token is rejected. Each update is stored before it is
// confirmed to Telegram, and after known is closed: getMe runs beside the first poll.
func (a *Adapter) polls(ctx context.Context, known <-chan struct{}) {
	for wait := firstPoll; ctx.Err() == nil && !a.wire.cred.Refused(); {
		err := a.poll(ctx, known)
		if err == nil {
			wait = firstPoll
			continue
		}
		if !chat.Sleep(ctx, max(wait, retryAfter(err))) {
			return
		}
		most := lastPoll
		if errors.Is(err, errNotGiven) {
			most = lastRefused
		}
		wait = min(2*wait, most)
	}
}

// poll makes one getUpdates call and stores what it brings, once known is closed.
func (a *Adapter) poll(ctx context.Context, known <-chan struct{}) error {
	if a.hold > 0 && !chat.Sleep(ctx, a.hold) {
		return ctx.Err()
	}
	if err := a.in.Room(ctx); err != nil {
		return fmt.Errorf("wait for room: %w", err)
	}
	q, limit := a.pollRequest()
	began := time.Now()
	r, err := a.wire.exchange(ctx, a.wire.poll, q, limit)
	for pause := (*pausedError)(nil); errors.As(err, &pause) && chat.Sleep(ctx, pause.left); {
		began = time.Now()
		r, err = a.wire.exchange(ctx, a.wire.poll, q, limit)
	}
	if err != nil {
		if ctx.Err() == nil {
			a.fail(err, false)
		}
		return err
	}
	select {
	case <-known:
	case <-ctx.Done():
		return ctx.Err()
	}
	if r.status != http.StatusOK {
		a.refused(r.status, r.description)
		return fmt.Errorf("%w: %w", errNotGiven, r.refusal(q.method))
	}
	var updates []json.RawMessage
	if err := json.Unmarshal(r.result, &updates); err != nil && len(r.result) > 0 {
		a.fail(errNoUpdates, false)
		a.rest(true, 0, time.Second)
		return fmt.Errorf("read updates: %w", err)
	}
	last, err := a.store(ctx, updates)
	if err != nil {
		return err
	}
	if last == 0 && len(updates) > 0 {
		a.rest(true, 0, time.Second)
		return errors.New("updates without an id cannot be confirmed")
	}
	if last != 0 {
		a.last = last
	}
	a.rest(len(updates) == 0, time.Since(began), limit-a.opts.Timing.Grace)
	a.received()
	return nil
}

// rest sets the pause before the next poll: none after updates, or after an empty poll that
// lasted long enough. A server that returns nothing at once is polled more and more slowly.
func (a *Adapter) rest(empty bool, took, asked time.Duration) {
	if !empty || took >= asked/10 {
		a.hold = 0
		return
	}
	a.hold = min(max(2*a.hold, a.opts.Timing.PauseMin), a.opts.Timing.PauseMax)
}

// pollRequest returns the next poll and how long it may take. The first one, and one after
// a failure, is short, so that Health recovers soon.
func (a *Adapter) pollRequest() (request, time.Duration) {
	wait := a.opts.Timing.Poll
	if !a.health.steady() {
		wait = 0
	}
	body, _ := json.Marshal(struct { // numbers and our own words
		Offset  int64              `json:"offset"`
		Timeout int                `json:"timeout"`
		Allowed bot.AllowedUpdates `json:"allowed_updates"`
	}{a.last + 1, int(wait / time.Second), allowedUpdates})
	return request{"getUpdates", jsonForm, body}, wait + a.opts.Timing.Grace
}

// refused notes a definite refusal of a poll.
func (a *Adapter) refused(status int, why string) {
	if status != http.StatusConflict {
		a.fail(fmt.Errorf("telegram getUpdates: status %d: %s", status, why), status == http.StatusNotFound)
		return
	}
	a.hold = min(max(2*a.hold, a.opts.Timing.RetryMin), a.opts.Timing.RetryMax)
	if !strings.Contains(why, "webhook is active") {
		a.fail(errConflict, true)
		return
	}
	a.fail(errWebhookSet, true)
}

// store stores updates that arrived together, then answers the buttons among
// them. It returns the last update id, 0 when none had one.
func (a *Adapter) store(ctx context.Context, raws []json.RawMessage) (last int64, err error) {
	b, last, pressed := a.batch(raws)
	if len(b.Messages)+len(b.Moved)+len(b.Dead)+len(b.Present) > 0 {
		if err := a.in.Deliver(ctx, b); err != nil {
			if ctx.Err() == nil {
				a.fail(text.Tell("%w: %w", errNotStored, err), true)
			}
			return 0, fmt.Errorf("deliver: %w", err)
		}
	}
	if len(pressed) > 0 {
		a.acks.Go(func() { a.acknowledge(context.WithoutCancel(ctx), pressed) })
	}
	return last, nil
}

// batch normalizes updates that arrived together. If a conversation moved among
// them, all of its messages get the new key.
func (a *Adapter) batch(raws []json.RawMessage) (b chat.Batch, last int64, pressed []press) {
	b.Platform = platform
	for _, raw := range raws {
		e := a.event(raw)
		if e.id != 0 {
			last = e.id
		}
		if e.query != "" {
			pressed = append(pressed, a.toast(&e.message, e.query))
		}
		if e.message.ID != "" {
			e.message.Raw = raw
			b.Messages = append(b.Messages, e.message)
		}
		if e.dead != nil {
			b.Dead = append(b.Dead, *e.dead)
			a.log.Warn("telegram: an update is put aside", "id", e.dead.ID, "reason", e.dead.Reason)
		}
		b.Present = append(b.Present, e.present...)
		if e.move != (chat.Move{}) {
			b.Moved = append(b.Moved, e.move)
		}
	}
	for _, mv := range b.Moved {
		for i := range b.Messages {
			if b.Messages[i].Key == mv.From {
				b.Messages[i].Key = mv.To
			}
		}
	}
	return b, last, pressed
}

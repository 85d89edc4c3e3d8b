package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot"

	"parley/internal/chat"
)

// allowedUpdates are the kinds asked for; all others stay at Telegram.
var allowedUpdates = bot.AllowedUpdates{
	"message", "edited_message", "channel_post", "edited_channel_post", "callback_query", "my_chat_member", "chat_member",
}

// Waits between polls that fail.
const (
	firstPoll = 100 * time.Millisecond
	lastPoll  = 1200 * time.Millisecond
)

// ackLimit bounds answering the buttons of one batch.
const ackLimit = 5 * time.Second

// poll makes one getUpdates call for the library. Updates are stored before the
// library sees an id and can confirm it. It never gets the updates themselves, so
// one that it cannot decode blocks nothing. What fails is repeated here: the library
// would wait up to five seconds.
func (a *Adapter) poll(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	resp, err := a.pollOnce(ctx, req)
	for wait := firstPoll; err != nil && a.wire.dead.Err() == nil && chat.Sleep(ctx, wait); wait = min(2*wait, lastPoll) {
		resp, err = a.pollOnce(ctx, req)
	}
	if err != nil && ctx.Err() == nil && errors.Is(err, context.Canceled) {
		err = errors.New(err.Error()) // the library would stop for good
	}
	return resp, err
}

func (a *Adapter) pollOnce(ctx context.Context, req *http.Request) (*http.Response, error) {
	if a.hold > 0 && !chat.Sleep(ctx, a.hold) {
		return nil, ctx.Err()
	}
	if err := a.in.Room(ctx); err != nil {
		return nil, fmt.Errorf("wait for room: %w", err)
	}
	out, limit, err := a.pollRequest(ctx, req)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	resp, err := a.wire.exchange(a.wire.poll, out, limit)
	for pause := (*pausedError)(nil); errors.As(err, &pause) && chat.Sleep(ctx, pause.left); {
		began = time.Now()
		resp, err = a.wire.exchange(a.wire.poll, out, limit)
	}
	if err != nil {
		if ctx.Err() == nil {
			a.fail(err, false)
		}
		return nil, err
	}
	var answer struct {
		Result      []json.RawMessage `json:"result"`
		Description string            `json:"description"`
	}
	data, _ := io.ReadAll(resp.Body) // held in memory
	if err := json.Unmarshal(data, &answer); err != nil {
		a.fail(errNoUpdates, false)
		a.rest(true, 0, time.Second)
		return nil, fmt.Errorf("read updates: %w", err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(data))
	if resp.StatusCode != http.StatusOK {
		a.refused(ctx, resp.StatusCode, answer.Description)
		return resp, nil // the library reads retry_after from it
	}
	last, err := a.store(ctx, answer.Result)
	if err != nil {
		return nil, err
	}
	if last == 0 && len(answer.Result) > 0 {
		a.rest(true, 0, time.Second)
		return nil, errors.New("updates without an id cannot be confirmed")
	}
	a.rest(len(answer.Result) == 0, time.Since(began), limit-a.opts.Timing.Grace)
	a.received()
	body := `{"ok":true,"result":[]}`
	if last != 0 {
		body = `{"ok":true,"result":[{"update_id":` + strconv.FormatInt(last, 10) + `}]}`
	}
	resp.Body = io.NopCloser(strings.NewReader(body))
	return resp, nil
}

// rest sets the wait before the next poll: none after updates, or if an empty poll
// was held as long as it should be. A server that returns nothing at once, for
// whatever reason, is polled more and more slowly.
func (a *Adapter) rest(empty bool, took, asked time.Duration) {
	if !empty || took >= asked/10 {
		a.hold = 0
		return
	}
	a.hold = min(max(2*a.hold, a.opts.Timing.PauseMin), a.opts.Timing.PauseMax)
}

// pollRequest rewrites the library's request with our own timeouts: a first poll,
// or one after a failure, is short, so that Health recovers soon.
func (a *Adapter) pollRequest(ctx context.Context, req *http.Request) (*http.Request, time.Duration, error) {
	if err := req.ParseMultipartForm(1 << 20); err != nil {
		return nil, 0, fmt.Errorf("read the library's poll: %w", err)
	}
	_, _ = io.Copy(io.Discard, req.Body) // the library's writer waits to be read to the end
	wait := a.opts.Timing.Poll
	if !a.health.steady() {
		wait = 0
	}
	form := url.Values{
		"offset":          {req.Form.Get("offset")},
		"allowed_updates": {req.Form.Get("allowed_updates")},
		"timeout":         {strconv.Itoa(int(wait / time.Second))},
	}
	out, err := http.NewRequestWithContext(ctx, http.MethodPost, req.URL.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return nil, 0, errors.New("make the poll")
	}
	out.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return out, wait + a.opts.Timing.Grace, nil
}

// refused notes a definite refusal of a poll.
func (a *Adapter) refused(ctx context.Context, status int, why string) {
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
	if a.opts.DeleteWebhook {
		if _, err := a.bot.DeleteWebhook(ctx, &bot.DeleteWebhookParams{}); err != nil {
			a.log.Warn("telegram: delete webhook", "error", err)
			return
		}
		a.hold = 0
	}
}

// store stores updates that arrived together, then answers the buttons among
// them. It returns the last update id, 0 when none had one.
func (a *Adapter) store(ctx context.Context, raws []json.RawMessage) (last int64, err error) {
	b, last, pressed := a.batch(raws)
	if len(b.Messages)+len(b.Moved)+len(b.Dead) > 0 {
		if err := a.in.Deliver(ctx, b); err != nil {
			if ctx.Err() == nil {
				a.fail(fmt.Errorf("%w: %w", errNotStored, err), true)
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
		for i := range b.Present {
			if b.Present[i].Key == mv.From {
				b.Present[i].Key = mv.To
			}
		}
	}
	return b, last, pressed
}

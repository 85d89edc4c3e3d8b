// Package telegram speaks the Telegram Bot API for chat: it receives updates
// by long polling or by webhook, turns them into chat messages, and shows
// answers. It is not a place for decisions: it stores nothing, knows no model,
// and neither retries nor judges an outcome that the hub should judge.
package telegram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"parley/internal/adapters/recent"
	"parley/internal/chat"
	"parley/internal/text"
)

// platform is the first word of every Key and User ID made here.
const platform = "telegram"

// The modes of receiving.
const (
	ModePolling = "polling"
	ModeWebhook = "webhook"
)

// Options configure the adapter. Only Token is needed.
type Options struct {
	Token  string
	APIURL string // "" means https://api.telegram.org
	Mode   string // ModePolling ("" too) or ModeWebhook
	// Webhook is used in ModeWebhook only; all its fields are needed there.
	Webhook Webhook
	// Toast returns a short notice for the person who pressed a button. It is
	// called before the press is stored; refused means that the press does
	// nothing. nil shows none.
	Toast func(ctx context.Context, m chat.Message) (text string, refused bool)
	// Reactions shows on a message that it is being answered.
	Reactions bool
	Timing    Timing
	Log       *slog.Logger     // nil logs nothing
	Now       func() time.Time // nil means time.Now
}

// Webhook configures where Telegram posts updates.
type Webhook struct {
	Listen string // local address, host:port
	URL    string // the public https address that leads to Listen
	Secret string // 1-256 characters of A-Z a-z 0-9 _ -
}

// Timing holds the waits, so that tests can shorten them; a zero field means
// its default.
type Timing struct {
	Poll     time.Duration // how long Telegram holds an empty poll: 50 s, its maximum
	Grace    time.Duration // how long past Poll an answer may take before the connection counts as dead: 10 s
	Send     time.Duration // the longest any other call may take: 30 s
	RetryMin time.Duration // first wait after a conflict or a failed start: 3 s
	RetryMax time.Duration // longest such wait: 30 s
	PauseMin time.Duration // first pause after an answer that is not the Bot API's: 1 s
	PauseMax time.Duration // longest such pause, and between polls that come back empty at once: 30 s
}

var tokenForm = text.Pattern(`^[A-Za-z0-9:_-]+$`)

// Adapter is the bot's side of Telegram. It implements chat.Adapter.
type Adapter struct {
	opts      Options
	log       *slog.Logger
	now       func() time.Time
	id        int64 // of the bot, as the token begins
	wire      *wire
	me        atomic.Pointer[models.User] // nil until Run has learned it
	in        chat.Intake                 // set by Run before anything is received
	health    health
	quiet     recent.Waits[int64]      // chats
	undrafted recent.Map[int64, bool]  // chats where drafts are refused; 0 is everywhere
	marked    recent.Map[string, bool] // messages that carry the reaction
	unmarked  recent.Map[int64, bool]  // chats that allow no reactions
	acks      sync.WaitGroup           // goroutines that answer callback queries
	// hold is the next wait after a conflict; it outlives a restarted Run, so
	// that restarting does not look like recovering. Only the poll uses it.
	hold time.Duration
	last int64 // id of the last stored update; 0 before. Only the poll uses it
}

// New makes no request: a network that is down cannot keep the process from starting. The
// caller has checked the options but for what would be unsafe.
func New(opts Options) (*Adapter, error) {
	opts.APIURL = strings.TrimRight(cmp.Or(opts.APIURL, "https://api.telegram.org"), "/")
	opts.Mode = cmp.Or(opts.Mode, ModePolling)
	opts.Timing = opts.Timing.defaults()
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	switch {
	case !tokenForm().MatchString(opts.Token): // it becomes a part of addresses
		return nil, errors.New("telegram.token: not a token as @BotFather gives them")
	case opts.Mode == ModeWebhook && opts.Webhook.Secret == "": // anybody could post
		return nil, errors.New("telegram.webhook.secret is missing")
	}
	a := &Adapter{opts: opts, log: opts.Log, now: opts.Now}
	a.undrafted.Most, a.unmarked.Most, a.marked.Most = maxKnown, maxKnown, maxMarked
	a.wire = newWire(opts)
	id, _, _ := strings.Cut(opts.Token, ":")
	a.id, _ = strconv.ParseInt(id, 10, 64)
	return a, nil
}

func (t Timing) defaults() Timing {
	return Timing{
		Poll:     cmp.Or(t.Poll, 50*time.Second),
		Grace:    cmp.Or(t.Grace, 10*time.Second),
		Send:     cmp.Or(t.Send, 30*time.Second),
		RetryMin: cmp.Or(t.RetryMin, 3*time.Second),
		RetryMax: cmp.Or(t.RetryMax, 30*time.Second),
		PauseMin: cmp.Or(t.PauseMin, time.Second),
		PauseMax: cmp.Or(t.PauseMax, 30*time.Second),
	}
}

// Platform returns "telegram".
func (a *Adapter) Platform() string { return platform }

// Run implements chat.Adapter. It returns an error when the token is rejected
// or, in webhook mode, when the address cannot be listened on.
func (a *Adapter) Run(ctx context.Context, in chat.Intake) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.wire.ends(cancel)
	defer a.wire.ends(nil)
	if !a.wire.cred.Usable(ctx) {
		return &chat.RefusedError{Err: errToken}
	}
	defer a.acks.Wait()
	a.in = in
	var err error
	if a.opts.Mode == ModeWebhook {
		err = a.serve(ctx)
	} else {
		known, learning := make(chan struct{}), sync.WaitGroup{}
		learning.Go(func() {
			if a.learnSelf(ctx) {
				close(known)
			}
		})
		a.polls(ctx, known)
		cancel()
		learning.Wait()
		a.wire.poll.CloseIdleConnections()
	}
	if a.wire.cred.Refused() {
		return &chat.RefusedError{Err: errToken}
	}
	return err
}

// learnSelf asks Telegram who the bot is until it gets an answer: without that, no
// message in a group can be understood. It returns false when ctx ended first.
func (a *Adapter) learnSelf(ctx context.Context) bool {
	return a.insist(ctx, "getMe", func(ctx context.Context) error {
		began := a.now()
		err := a.Learn(ctx, nil)
		if errors.Is(err, bot.ErrorNotFound) { // how a malformed token is refused
			a.wire.doubt(ctx, began)
		}
		return err
	})
}

// Learn implements chat.Learner.
func (a *Adapter) Learn(ctx context.Context, _ chat.Intake) error {
	me, err := ask[models.User](ctx, a.wire, "getMe", struct{}{})
	if err == nil {
		a.me.Store(&me)
	}
	return err
}

// insist repeats a call that receiving depends on until it succeeds. It returns
// false when ctx ended first.
func (a *Adapter) insist(ctx context.Context, what string, call func(context.Context) error) bool {
	for wait := a.opts.Timing.RetryMin; ; wait = min(2*wait, a.opts.Timing.RetryMax) {
		err := call(ctx)
		if err == nil {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		a.fail(fmt.Errorf("%s: %w", what, err), false)
		if !chat.Sleep(ctx, max(wait, retryAfter(err))) {
			return false
		}
	}
}

// health is the current state of receiving.
type health struct {
	mu   sync.Mutex // guards the rest
	last time.Time  // when something was last received, if only an empty answer
	down error      // why the last attempt failed; nil after a success
	deaf bool       // down is certain: Health reports it at once
}

// Health implements chat.Adapter.
func (a *Adapter) Health() error {
	h := &a.health
	h.mu.Lock()
	defer h.mu.Unlock()
	bound := a.opts.Timing.Poll + a.opts.Timing.Grace
	switch {
	case a.wire.cred.Refused():
		return errToken
	case h.last.IsZero() && h.down == nil:
		return errConnecting
	case h.last.IsZero() || h.deaf:
		return h.down
	case a.opts.Mode == ModePolling && a.now().Sub(h.last) > bound:
		return text.Tell("%w since %s: %w", errSilent, h.last.Format(time.TimeOnly), cmp.Or(h.down, errNoAnswer))
	}
	if method := a.wire.pace.troubled(); method != "" {
		return &chat.DegradedError{Err: text.Tell("telegram answers %s with pages that are not its own: it is asked again more and more slowly; "+
			"look at the network, a proxy or telegram.api_url", method)}
	}
	return nil
}

// fail notes why nothing was received. deaf means that nothing can be received
// until that changes; smaller problems do not hide it.
func (a *Adapter) fail(err error, deaf bool) {
	h := &a.health
	h.mu.Lock()
	news := h.down == nil || h.down.Error() != err.Error()
	if deaf || !h.deaf {
		h.down, h.deaf = err, deaf
	}
	h.mu.Unlock()
	if news {
		a.log.Warn("telegram: not receiving", "error", err)
	}
}

// received notes that receiving works.
func (a *Adapter) received() {
	h := &a.health
	h.mu.Lock()
	back := h.down != nil
	h.last, h.down, h.deaf = a.now(), nil, false
	h.mu.Unlock()
	if back {
		a.log.Info("telegram: receiving again")
	}
}

// steady reports whether the last attempt to receive succeeded.
func (h *health) steady() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.last.IsZero() && h.down == nil
}

// Sentences of Health, for the operator.
var (
	errToken      = text.Tell("telegram rejected the bot token: get a valid one from @BotFather, set telegram.token and restart")
	errConnecting = text.Tell("connecting to telegram")
	errSilent     = text.Tell("nothing received from telegram")
	errNoAnswer   = text.Tell("no answer, or too much waits to be answered here")
	errConflict   = text.Tell("another program is receiving with the same telegram token: stop it, or use a token of its own")
	errWebhookSet = text.Tell(
		"a webhook is set for this telegram token, so polling gets nothing: call deleteWebhook, or set telegram.mode: webhook")
	errNoUpdates = text.Tell("telegram answers polls with something that is no list of updates")
	errNotStored = text.Tell("telegram messages cannot be stored")
)

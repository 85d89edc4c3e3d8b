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
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

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
	// DeleteWebhook lets ModePolling remove a webhook that is in its way,
	// without losing the updates that wait at Telegram. Without it Health
	// explains the fix.
	DeleteWebhook bool
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

const maxSecret = 256 // characters; Bot API setWebhook

var (
	secretForm = text.Pattern(`^[A-Za-z0-9_-]+$`)
	tokenForm  = text.Pattern(`^[A-Za-z0-9:_-]+$`)
)

// Adapter is the bot's side of Telegram. It implements chat.Adapter.
type Adapter struct {
	opts      Options
	log       *slog.Logger
	now       func() time.Time
	bot       *bot.Bot
	wire      *wire
	me        atomic.Pointer[models.User] // nil until Run has learned it
	in        chat.Intake                 // set by Run before anything is received
	health    health
	quiet     quiet
	draftless draftless
	reactions reactions
	acks      sync.WaitGroup // goroutines that answer callback queries
	// hold is the next wait after a conflict; it outlives a restarted Run, so
	// that restarting does not look like recovering. Only the poll uses it.
	hold time.Duration
	last int64 // id of the last update that was stored; 0 before. Only the poll uses it
}

// New checks the options; it makes no request, so that a network that is down
// cannot keep the process from starting.
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
	case opts.Mode != ModePolling && opts.Mode != ModeWebhook:
		return nil, fmt.Errorf("telegram.mode %q: want %s or %s", opts.Mode, ModePolling, ModeWebhook)
	case opts.Mode == ModeWebhook && (opts.Webhook.Listen == "" || opts.Webhook.URL == ""):
		return nil, errors.New("telegram.webhook: listen and url are both needed")
	case opts.Mode == ModeWebhook && (len(opts.Webhook.Secret) > maxSecret || !secretForm().MatchString(opts.Webhook.Secret)):
		return nil, errors.New("telegram.webhook.secret: want 1 to 256 characters of A-Z a-z 0-9 _ -")
	case !tokenForm().MatchString(opts.Token):
		return nil, errors.New("telegram.token: not a token as @BotFather gives them")
	}
	if u, err := url.Parse(opts.APIURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("telegram.api_url %q: want an http or https address", opts.APIURL)
	}
	a := &Adapter{opts: opts, log: opts.Log, now: opts.Now}
	a.wire = newWire(opts)
	b, err := bot.New(opts.Token,
		bot.WithSkipGetMe(),
		bot.WithServerURL(opts.APIURL),
		bot.WithHTTPClient(opts.Timing.Send, a.wire),
		bot.WithErrorsHandler(func(err error) { a.log.Debug("telegram library", "error", err) }),
	)
	if err != nil {
		return nil, fmt.Errorf("telegram.token: %w", err)
	}
	a.bot = b
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
		me, err := a.bot.GetMe(ctx)
		if errors.Is(err, bot.ErrorNotFound) { // how a malformed token is refused
			a.wire.doubt(ctx, began)
		}
		if err == nil {
			a.me.Store(me)
		}
		return err
	})
}

// Learn implements chat.Learner.
func (a *Adapter) Learn(ctx context.Context, _ chat.Intake) error {
	me, err := a.bot.GetMe(ctx)
	if err == nil {
		a.me.Store(me)
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
	last time.Time  // the last time something was received, or found to be empty
	down error      // why the last attempt failed; nil after a success
	deaf bool       // down is certain: report it at once, not only after the bound
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

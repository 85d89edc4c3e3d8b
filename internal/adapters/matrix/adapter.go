// Package matrix speaks Matrix's client-server API for chat: it follows /sync, fills the gaps
// that it leaves, turns events into chat messages and shows answers. It reads no encrypted
// rooms, stores nothing, and neither retries nor judges an outcome that the hub should judge.
package matrix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/adapters/recent"
	"parley/internal/chat"
	"parley/internal/text"
)

// Options configure the adapter. Server and Token are needed.
type Options struct {
	Server, Token string
	// Welcome reports whether who invites the bot to a group may do that; nil is everybody.
	Welcome func(ctx context.Context, m chat.Message) bool
	// Command reports whether a command has this name, in lower case; nil is none.
	Command func(name string) bool
	// Unread is what the bot says, once, in a room whose messages are encrypted, in the language
	// of a member, "" if none is known; nil says nothing.
	Unread func(ctx context.Context, member string) string
	Timing Timing
	Log    *slog.Logger     // nil logs nothing
	Now    func() time.Time // nil means time.Now
}

// Timing holds the waits, so that tests can shorten them; a zero field means its default.
type Timing struct {
	Poll     time.Duration // how long the server holds an empty sync: 30 s
	Send     time.Duration // the longest any other call may take: 30 s
	First    time.Duration // the longest a sync may take that describes all rooms: 5 min
	RetryMin time.Duration // first wait after a failure: 500 ms
	RetryMax time.Duration // longest such wait: 30 s
	Edit     time.Duration // between two previews: 4 s
}

// Adapter is the bot's side of Matrix. It implements chat.Adapter.
type Adapter struct {
	*rest
	o    Options
	log  *slog.Logger
	now  func() time.Time
	born time.Time // of this process

	known  chan struct{}           // closed once we know our rooms, without which nothing can be sent
	once   sync.Once               // closes known
	me     atomic.Pointer[account] // nil until Run has learned it
	rooms  rooms
	health health
	errand errands
	seen   recent.Map[string, *ev]         // events, by room and id
	asked  recent.Map[chat.Key, *question] // the buttons that were shown last; nil for none
	spoke  recent.Map[string, string]      // the room in which a person last talked with us alone
	typing recent.Map[string, bool]        // rooms where people see that we type
	most   atomic.Int64                    // bytes of an upload; 0 is not known yet
}

// account is who the bot is.
type account struct{ id, name string }

const (
	maxSeen  = 4000
	maxPlace = 10_000
)

var (
	_ chat.Adapter = (*Adapter)(nil)
	_ chat.Named   = (*Adapter)(nil)
	_ chat.Learner = (*Adapter)(nil)
)

// New makes no request. The caller has checked the options.
func New(o Options) (*Adapter, error) {
	o.Server = strings.TrimRight(o.Server, "/")
	if o.Server == "" || o.Token == "" {
		return nil, errors.New("matrix: a server and a token are needed")
	}
	t := o.Timing
	o.Timing = Timing{
		Poll: cmp.Or(t.Poll, 30*time.Second), Send: cmp.Or(t.Send, 30*time.Second), First: cmp.Or(t.First, 5*time.Minute),
		RetryMin: cmp.Or(t.RetryMin, 500*time.Millisecond), RetryMax: cmp.Or(t.RetryMax, 30*time.Second),
		Edit: cmp.Or(t.Edit, 4*time.Second),
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &Adapter{rest: newRest(o), o: o, log: o.Log, now: o.Now, born: o.Now()}
	a.seen.Most, a.asked.Most, a.typing.Most, a.spoke.Most = maxSeen, maxPlace, maxPlace, maxPlace
	a.known = make(chan struct{})
	a.errand.wake = make(chan struct{}, 1)
	return a, nil
}

// Platform returns "matrix".
func (a *Adapter) Platform() string { return Platform }

// self returns our Matrix id, "" before it is known.
func (a *Adapter) self() string {
	if me := a.me.Load(); me != nil {
		return me.id
	}
	return ""
}

// Name implements chat.Named.
func (a *Adapter) Name() string {
	if me := a.me.Load(); me != nil {
		return me.name
	}
	return ""
}

// Learn implements chat.Learner: who we are, and in which rooms.
func (a *Adapter) Learn(ctx context.Context, _ chat.Intake) error {
	_, err := a.learn(ctx)
	return err
}

// learn returns the token of a sync that described all rooms.
func (a *Adapter) learn(ctx context.Context) (since string, err error) {
	var me struct {
		ID string `json:"user_id"`
	}
	if err := a.call(ctx, "GET", "/v3/account/whoami", nil, &me); err != nil {
		return "", fmt.Errorf("whoami: %w", err)
	}
	var profile struct {
		Name string `json:"displayname"`
	}
	if err := a.call(ctx, "GET", "/v3/profile/"+esc(me.ID)+"/displayname", nil, &profile); err != nil && statusOf(err) == 0 {
		return "", fmt.Errorf("profile: %w", err)
	}
	a.me.Store(&account{id: me.ID, name: cmp.Or(profile.Name, localpart(me.ID))})
	r, err := a.sync(ctx, syncQuery{describe: true})
	if err != nil {
		return "", fmt.Errorf("describe rooms: %w", err)
	}
	a.rooms.absorb(r)
	a.once.Do(func() { close(a.known) })
	a.invited(r)
	return r.Next, nil
}

// Run implements chat.Adapter. It returns an error when the token is rejected.
func (a *Adapter) Run(ctx context.Context, in chat.Intake) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.ends.Store(&cancel)
	defer a.ends.Store(nil)
	if !a.cred.Usable(ctx) {
		return &chat.RefusedError{Err: errToken}
	}
	var running sync.WaitGroup
	running.Go(func() { a.runErrands(ctx) })
	a.follow(ctx, in)
	cancel()
	running.Wait()
	a.http.CloseIdleConnections()
	if a.cred.Refused() {
		return &chat.RefusedError{Err: errToken}
	}
	return nil
}

// follow receives until ctx ends. What fails is tried again, more and more slowly.
func (a *Adapter) follow(ctx context.Context, in chat.Intake) {
	wait := a.o.Timing.RetryMin
	learned, now := false, ""
	for ctx.Err() == nil {
		var err error
		if !learned {
			now, err = a.learn(ctx)
			learned = err == nil
		}
		if err == nil {
			err = a.receive(ctx, in, now)
		}
		if err == nil {
			wait = a.o.Timing.RetryMin
			continue
		}
		if ctx.Err() != nil {
			return
		}
		a.health.fail(err, a.log)
		if !chat.Sleep(ctx, max(wait, waitOf(err))) {
			return
		}
		wait = min(2*wait, a.o.Timing.RetryMax)
	}
}

// health is the current state of receiving.
type health struct {
	mu   sync.Mutex // guards the rest
	last time.Time  // when something was last received, if only an empty answer
	down error      // why the last attempt failed; nil after a success
}

// Health implements chat.Adapter.
func (a *Adapter) Health() error {
	h := &a.health
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case a.cred.Refused():
		return errToken
	case h.down != nil:
		return h.down
	case h.last.IsZero():
		return errConnecting
	}
	return nil
}

func (h *health) fail(err error, log *slog.Logger) {
	h.mu.Lock()
	news := h.down == nil || h.down.Error() != err.Error()
	h.down = err
	h.mu.Unlock()
	if news {
		log.Warn("matrix: not receiving", "error", err)
	}
}

func (h *health) received(now time.Time, log *slog.Logger) {
	h.mu.Lock()
	back := h.down != nil
	h.last, h.down = now, nil
	h.mu.Unlock()
	if back {
		log.Info("matrix: receiving again")
	}
}

// Sentences of Health, for the operator.
var (
	errToken      = text.Tell("the Matrix server rejected the bot's access token: get a new one, set matrix.token and restart")
	errConnecting = text.Tell("connecting to Matrix")
)

// Package discord connects Discord to chat: it turns gateway events into messages
// and answers into posts and edits, and follows Discord's rules on order, nonces
// and rate limits. It decides nothing about what is said, and stores nothing
// except through the intake it is given.
package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/chat"
)

// Platform is the first word of every Key and User ID of this adapter.
const Platform = "discord"

// Options of New. Token is required.
type Options struct {
	Token  string // without "Bot "
	APIURL string // "" is Discord's own, version 9
	Guild  string // where slash commands are registered; "" is everywhere
	// Threads opens a thread for each conversation in a channel of a server.
	Threads bool
	// Files downloads from FileHosts and must refuse any other address; nil
	// opens no attachments.
	Files *http.Client
	// Private reports whether the answer to a command is for its author's eyes
	// only. It is asked before the command is acknowledged; nil is never.
	Private func(ctx context.Context, m chat.Message) bool
	// Suggest completes what was typed so far of an option; m.Text is the
	// command without its options. nil suggests nothing.
	Suggest func(ctx context.Context, m chat.Message, option, typed string) []chat.Choice
	// Toast explains why a pressed button does nothing, with refused; it is called
	// before the press is stored. nil never refuses.
	Toast  func(ctx context.Context, m chat.Message) (text string, refused bool)
	Timing Timing
	Log    *slog.Logger     // nil is silent
	Now    func() time.Time // nil is time.Now
}

// Timing is for tests; zeros are the real numbers.
type Timing struct {
	Open     time.Duration // to READY or RESUMED; 0 is 30 s
	RetryMin time.Duration // between connections; 0 is 1 s
	RetryMax time.Duration // 0 is 1 min
	Stable   time.Duration // after which a connection counts as good; 0 is 1 min
	Watch    time.Duration // between looks at the heartbeat; 0 is 250 ms
}

func (t Timing) defaults() Timing {
	or := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	or(&t.Open, 30*time.Second)
	or(&t.RetryMin, time.Second)
	or(&t.RetryMax, time.Minute)
	or(&t.Stable, time.Minute)
	or(&t.Watch, 250*time.Millisecond)
	return t
}

// The optional capabilities of the adapter.
var (
	_ chat.Adapter       = (*Adapter)(nil)
	_ chat.Commander     = (*Adapter)(nil)
	_ chat.Confidant     = (*Adapter)(nil)
	_ chat.Fetcher       = (*Adapter)(nil)
	_ chat.Learner       = (*Adapter)(nil)
	_ chat.Leaver        = (*Adapter)(nil)
	_ chat.MemberChecker = (*Adapter)(nil)
	_ chat.Named         = (*Adapter)(nil)
	_ chat.Renormalizer  = (*Adapter)(nil)
	_ chat.Repeater      = (*Adapter)(nil)
)

// Adapter is Discord as a chat.Adapter. Each part has its own lock.
type Adapter struct {
	o Options
	rest
	me
	atlas
	history
	posts

	queue chan arrival
	interactions
	// directs are the channels of direct chats, by person.
	directs sync.Map
	// ending counts Sessions whose connection is gone; the library takes a second
	// to end them.
	ending sync.WaitGroup

	lanes    lanes
	progress progress
	noted    chan struct{} // signals that the session has progressed

	mu      sync.Mutex // guards gateway
	gateway error      // state of the connection; nil is healthy
}

// interactions is what commands, buttons and forms need.
type interactions struct {
	acks    sync.WaitGroup        // of those being acknowledged or completed
	menus   atomic.Pointer[menus] // that are registered; nil before
	targets targets
}

// errConnecting is the health before the first connection.
var errConnecting = errors.New("Discord: connecting")

// New makes an Adapter. It does not connect.
func New(o Options) (*Adapter, error) {
	if o.Token == "" {
		return nil, errors.New("discord: no token")
	}
	if o.APIURL == "" {
		o.APIURL = "https://discord.com/api/v9/"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	hear(o.Log)
	o.Timing = o.Timing.defaults()
	return &Adapter{
		o: o, rest: newRest(o), me: newMe(), atlas: newAtlas(), history: newHistory(), posts: posts{nonces: map[string]string{}},
		queue: make(chan arrival, 256), noted: make(chan struct{}, 1), gateway: errConnecting,
		lanes: lanes{byChannel: map[string]*lane{}}, progress: progress{open: map[int64]bool{}},
	}, nil
}

// Platform implements chat.Adapter.
func (a *Adapter) Platform() string { return Platform }

// Health implements chat.Adapter.
func (a *Adapter) Health() error {
	a.mu.Lock()
	gateway := a.gateway
	a.mu.Unlock()
	switch {
	case a.unauthorized():
		return errToken
	case gateway != nil:
		return gateway
	case a.lanes.overrun():
		return errQueue
	}
	if err := a.guard.health(a.now()); err != nil {
		return err
	}
	if n := a.gaps(); n > 0 {
		return &chat.DegradedError{Err: fmt.Errorf("Discord: what was said in %d channels while there was no connection cannot be read yet", n)}
	}
	return nil
}

func (a *Adapter) setHealth(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gateway = err
}

// Sentences for the operator, with the fix.
var (
	errToken = errors.New("Discord refuses the token: make a new one in the developer portal under Bot and set discord.token")
	errQueue = errors.New("Discord: messages come faster than they can be stored")
)

func intentError(code int) error {
	return fmt.Errorf("Discord refuses the connection (close code %d): %s", code, fixes[code])
}

// fixes holds the close codes after which reconnecting is pointless, with the
// fix for each.
var fixes = map[int]string{
	4004: "the token is wrong; make a new one in the developer portal under Bot and set discord.token",
	4010: "invalid shard; this bot runs without shards",
	4011: "the bot is in too many servers for one connection",
	4012: "the gateway version is no longer served; update Parley",
	4013: "invalid intents; update Parley",
	4014: "enable Message Content Intent in the developer portal under Bot > Privileged Gateway Intents",
}

// channelOf returns where a conversation's messages are posted.
func channelOf(k chat.Key) string {
	if k.Thread != "" {
		return k.Thread
	}
	return k.Channel
}

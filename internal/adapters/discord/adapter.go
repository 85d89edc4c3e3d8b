// Package discord connects Discord to chat: it turns gateway events into messages
// and answers into posts and edits, and follows Discord's rules on order, nonces
// and rate limits. It decides nothing about what is said, and stores nothing
// except through the intake it is given.
package discord

import (
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/adapters/discord/shards"
	"parley/internal/adapters/recent"
	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Platform is the first word of every Key and User ID of this adapter.
const Platform = "discord"

// Options of New. Token is required.
type Options struct {
	Token  string       // without "Bot "
	APIURL string       // "" is Discord's own, version 9
	Guild  string       // where slash commands are registered; "" is everywhere
	Shards int          // 0 is as many as Discord recommends
	Peers  shards.Peers // other processes with this bot; nil is none
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
	Identify time.Duration // between two sessions of a bucket; 0 is 5 s
	Token    time.Duration // between checks whether a refused token is accepted again; 0 is 3 min
	Refused  time.Duration // between sessions after one was refused for good; 0 is 3 min
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
	or(&t.Identify, 5*time.Second)
	or(&t.Token, chat.RefusedRest)
	or(&t.Refused, chat.RefusedRest)
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
	_ chat.Speaker       = (*Adapter)(nil)
	_ chat.Named         = (*Adapter)(nil)
	_ chat.Renormalizer  = (*Adapter)(nil)
	_ chat.Repeater      = (*Adapter)(nil)
	_ chat.Sharded       = (*Adapter)(nil)
)

// Adapter is Discord as a chat.Adapter. Each part has its own lock.
type Adapter struct {
	o Options
	*rest
	me
	atlas
	interactions
	nonces recent.Map[string, string] // of the parts that our recent messages are, by their ids
	// directs are the channels of direct chats, by person.
	directs sync.Map
	// ending counts the goroutines that end with Run.
	ending  sync.WaitGroup
	readers chan struct{} // a semaphore: how many channels' history is read at once
	turns   *shards.Turns
	brake   brake
	roots   *x509.CertPool // trusted for the gateway; nil is the machine's

	mu     sync.Mutex // guards shards
	shards []*shard   // all, including those of other processes
}

// interactions holds the state of commands, buttons and forms.
type interactions struct {
	acks    sync.WaitGroup             // counts those being acknowledged or completed
	menus   atomic.Pointer[menus]      // as registered; nil before
	targets recent.Map[string, target] // of open forms: Discord does not send them again
}

// errConnecting is the health before the first connection.
var errConnecting = text.Tell("Discord: connecting")

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
	o.Timing = o.Timing.defaults()
	return &Adapter{
		o: o, rest: newRest(o), me: newMe(), atlas: newAtlas(), readers: make(chan struct{}, catchUpSide),
		nonces:       recent.Map[string, string]{Most: maxNonces},
		interactions: interactions{targets: recent.Map[string, target]{Most: maxTargets}},
	}, nil
}

// Platform implements chat.Adapter.
func (a *Adapter) Platform() string { return Platform }

// Health implements chat.Adapter.
func (a *Adapter) Health() error {
	if a.cred.Refused() {
		return errToken
	}
	if err := a.receives(); err != nil {
		return err
	}
	if err := a.guard.Health(a.now()); err != nil {
		return err
	}
	if n := a.unheard(); n > 0 {
		return &chat.DegradedError{Err: text.Tell("Discord: what was said in %d channels while there was no connection cannot be read yet", n)}
	}
	return nil
}

// receives returns why this process does not receive: nil if it does, a DegradedError if
// only some shards do.
func (a *Adapter) receives() error {
	var bad []chat.Shard
	list := a.Shards()
	for _, one := range list {
		if one.Err != nil {
			bad = append(bad, one)
		}
	}
	switch {
	case len(list) == 0 && (a.o.Peers == nil || a.myID() == ""):
		return errConnecting
	case len(bad) == 0:
		return nil
	case len(bad) == len(list):
		return bad[0].Err
	}
	return &chat.DegradedError{Err: text.Tell("Discord: %d of %d connections here do not receive; the first: %w", len(bad),
		len(list), bad[0].Err)}
}

// unheard counts the channels whose history cannot be read just now.
func (a *Adapter) unheard() (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, sh := range a.shards {
		n += sh.gaps()
	}
	return n
}

// Sentences for the operator, with the fix.
var (
	errToken = text.Tell("Discord refuses the token: make a new one in the developer portal under Bot and set discord.token")
	errQueue = text.Tell("Discord: messages come faster than they can be stored")
)

func intentError(code int) error {
	return text.Tell("Discord refuses the connection (close code %d): %s", code, catalog.Words(fixes[code]))
}

// channelOf returns where a conversation's messages are posted.
func channelOf(k chat.Key) string {
	if k.Thread != "" {
		return k.Thread
	}
	return k.Channel
}

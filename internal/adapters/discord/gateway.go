package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"parley/internal/chat"
)

// gatewayCursor is the cursor that holds the resumable session.
const gatewayCursor = "gateway"

// lingering is how long a Session of the library takes to end by itself after
// its connection is gone: it sleeps a second in Close (platforms.md 1.1).
const lingering = 1500 * time.Millisecond

// intents: what is read. Message content is privileged and has to be ticked in
// the developer portal.
const intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentsDirectMessages | discordgo.IntentMessageContent

// Run implements chat.Adapter. Every connection gets a Session of its own: the
// library's reconnecting deadlocks on what comes before READY, retries fatal
// close codes for ever and invalidates sessions by closing with 1000
// (platforms.md 1.1), so connections are made, watched and dropped here.
func (a *Adapter) Run(ctx context.Context, in chat.Intake) error {
	cursors, err := in.Cursors(ctx, Platform)
	if err != nil {
		return fmt.Errorf("discord: read cursors: %w", err)
	}
	a.restore(cursors)
	ctx, stop := context.WithCancel(ctx)
	stored := make(chan struct{})
	go func() { defer close(stored); a.store(ctx, in) }()
	defer func() { stop(); <-stored }()
	defer a.ending.Wait()
	defer a.acks.Wait()
	wait := a.o.Timing.RetryMin
	for ctx.Err() == nil {
		began := a.o.Now()
		err := a.connect(ctx, cursors)
		if ctx.Err() != nil {
			return nil
		}
		if code := closeCode(err); fixes[code] != "" {
			a.setHealth(intentError(code))
			return intentError(code)
		} else if code == 4007 || code == 4009 {
			a.forget()
		}
		a.mu.Lock()
		dead := a.dead
		a.mu.Unlock()
		if dead {
			return errToken
		}
		a.setHealth(fmt.Errorf("Discord: not connected: %v", err))
		a.o.Log.Warn("discord: connection ended", "err", err)
		if a.o.Now().Sub(began) > a.o.Timing.Stable {
			wait = a.o.Timing.RetryMin
		}
		if !pause(ctx, wait/2+rand.N(wait/2+1)) {
			return nil
		}
		wait = min(2*wait, a.o.Timing.RetryMax)
	}
	return nil
}

// restore takes up what an earlier process noted.
func (a *Adapter) restore(cursors map[string]string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = json.Unmarshal([]byte(cursors[gatewayCursor]), &a.session) // an unreadable note identifies anew
}

func (a *Adapter) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.session = resumable{}
}

func closeCode(err error) int {
	var ce *websocket.CloseError
	if errors.As(err, &ce) {
		return ce.Code
	}
	return 0
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// connection is one Session from Open to its end.
type connection struct {
	a       *Adapter
	s       *discordgo.Session
	ended   chan struct{} // closed when the library let go of the socket
	once    sync.Once
	mu      sync.Mutex // guards the rest
	raw     net.Conn
	closed  error // why the server closed
	resumed bool
}

// connect makes one connection and stays with it until it ends. It returns why
// it ended.
func (a *Adapter) connect(ctx context.Context, cursors map[string]string) error {
	a.mu.Lock()
	session := a.session
	a.mu.Unlock()
	if session.ID == "" {
		if err := a.mayIdentify(ctx); err != nil {
			return err
		}
	}
	c := &connection{a: a, ended: make(chan struct{})}
	if err := c.make(session); err != nil {
		return err
	}
	opened := make(chan error, 1)
	go func() { opened <- c.s.Open() }()
	timer := time.NewTimer(a.o.Timing.Open)
	defer timer.Stop()
	select {
	case err := <-opened:
		if err != nil {
			return err
		}
	case <-timer.C:
		c.drop()
		// Open may be deadlocked for good; such a Session is left behind.
		return errors.New("no READY in time")
	case <-ctx.Done():
		c.drop()
		return ctx.Err()
	}
	a.setHealth(nil)
	defer func() {
		c.drop()
		a.ending.Add(1)
		go func() { defer a.ending.Done(); c.wait() }()
	}()
	if c.fresh() {
		a.backfill(ctx, cursors)
	}
	return c.watch(ctx)
}

// make builds the Session with our dialer and our address.
func (c *connection) make(r resumable) error {
	s, err := discordgo.New("Bot " + c.a.o.Token)
	if err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	s.SyncEvents, s.ShouldReconnectOnError, s.ShouldRetryOnRateLimit, s.StateEnabled = true, false, false, false
	s.Identify.Intents = intents
	s.Client = &http.Client{Transport: &redirect{a: c.a}, Timeout: 20 * time.Second}
	s.Dialer = &websocket.Dialer{HandshakeTimeout: 20 * time.Second, NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		c.mu.Lock()
		c.raw = conn
		c.mu.Unlock()
		return conn, err
	}}
	resume(s, r)
	s.AddHandler(c.event)
	s.AddHandler(func(_ *discordgo.Session, _ *discordgo.Disconnect) { c.once.Do(func() { close(c.ended) }) })
	c.s = s
	return nil
}

// redirect sends the library's REST calls to the configured address.
type redirect struct{ a *Adapter }

// RoundTrip implements http.RoundTripper.
func (r *redirect) RoundTrip(req *http.Request) (*http.Response, error) {
	rest, ok := strings.CutPrefix(req.URL.String(), strings.TrimRight(discordgo.EndpointAPI, "/"))
	if !ok {
		return nil, errors.New("discord: unexpected address")
	}
	to, err := req.URL.Parse(r.a.api + rest)
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.URL, req.Host = to, to.Host
	return r.a.http.Do(req)
}

// drop ends the connection without a close frame: Discord keeps the session,
// as it would not after 1000 or 1001 (platforms.md A1).
func (c *connection) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.raw != nil {
		_ = c.raw.Close()
	}
}

// wait gives the library the time it takes to end.
func (c *connection) wait() {
	t := time.NewTimer(lingering)
	defer t.Stop()
	select {
	case <-c.ended:
	case <-t.C:
	}
}

func (c *connection) fresh() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.resumed
}

// watch returns when the connection has ended, or is dead: a heartbeat that
// was not answered by the time of the next one (platforms.md A1).
func (c *connection) watch(ctx context.Context) error {
	tick := time.NewTicker(c.a.o.Timing.Watch)
	defer tick.Stop()
	var sent time.Time
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.ended:
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.closed != nil {
				return c.closed
			}
			return errors.New("the connection was lost")
		case <-tick.C:
		}
		last := lastBeat(c.s)
		c.s.RLock()
		ack := c.s.LastHeartbeatAck
		c.s.RUnlock()
		if last.Equal(sent) {
			continue
		}
		if !sent.IsZero() && ack.Before(sent) {
			return errors.New("no answer to the heartbeat")
		}
		sent = last
	}
}

// mayIdentify asks how many sessions may still be begun; too many and Discord
// resets the token.
func (a *Adapter) mayIdentify(ctx context.Context) error {
	var got struct {
		Limit struct {
			Remaining  *int  `json:"remaining"`
			ResetAfter int64 `json:"reset_after"` // ms
		} `json:"session_start_limit"`
	}
	if err := a.call(ctx, http.MethodGet, "/gateway/bot", "", nil, &got); err != nil {
		return err
	}
	if r := got.Limit.Remaining; r != nil && *r < 2 {
		reset := time.Duration(got.Limit.ResetAfter) * time.Millisecond
		a.setHealth(fmt.Errorf("Discord allows no more connections today; trying again in %s", reset.Round(time.Second)))
		pause(ctx, reset)
		return errors.New("no session may be begun")
	}
	return nil
}

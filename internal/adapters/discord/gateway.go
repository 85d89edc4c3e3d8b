package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"parley/internal/chat"
)

// lingering is how long a Session of the library takes to end by itself after
// its connection is gone: it sleeps a second in Close.
const lingering = 1500 * time.Millisecond

// intents lists what we read. Message content is privileged and must be ticked in
// the developer portal.
const intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentsDirectMessages | discordgo.IntentMessageContent

// Run implements chat.Adapter. Every connection gets a Session of its own: the
// library's reconnecting deadlocks on what comes before READY, retries fatal
// close codes forever and invalidates sessions by closing with 1000,
// so connections are made, watched and dropped here.
func (a *Adapter) Run(ctx context.Context, in chat.Intake) error {
	cursors, err := in.Cursors(ctx, Platform)
	if err != nil {
		return fmt.Errorf("discord: read cursors: %w", err)
	}
	a.anew()
	a.restore(cursors)
	ctx, stop := context.WithCancel(ctx)
	stored := make(chan struct{})
	go func() { defer close(stored); a.store(ctx, in) }()
	defer func() { stop(); <-stored; a.lanes.work.Wait() }()
	defer a.ending.Wait()
	defer a.acks.Wait()
	wait := a.o.Timing.RetryMin
	for ctx.Err() == nil {
		began := a.now()
		err := a.connect(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if code := closeCode(err); fixes[code] != "" {
			a.setHealth(intentError(code))
			return intentError(code)
		} else if code == 4007 || code == 4009 {
			a.progress.forget()
		}
		if a.unauthorized() {
			return errToken
		}
		a.setHealth(fmt.Errorf("Discord: not connected: %v", err))
		a.o.Log.Warn("discord: connection ended", "err", err)
		if a.now().Sub(began) > a.o.Timing.Stable {
			wait = a.o.Timing.RetryMin
		}
		rest := wait/2 + rand.N(wait/2+1)
		var silence *chat.WaitError
		if errors.As(err, &silence) {
			rest = max(rest, silence.After)
		}
		if !chat.Sleep(ctx, rest) {
			return nil
		}
		wait = min(2*wait, a.o.Timing.RetryMax)
	}
	return nil
}

// anew forgets what an earlier Run left half done: what was not stored is heard again.
func (a *Adapter) anew() {
	for len(a.queue) > 0 {
		<-a.queue
	}
	a.lanes.clear()
	a.progress.clear()
}

// errUnknown is that nothing has told yet who the bot is.
var errUnknown = errors.New("discord: no process has connected yet")

// Learn implements chat.Learner: the process that receives has noted who we are.
func (a *Adapter) Learn(ctx context.Context, in chat.Intake) error {
	cursors, err := in.Cursors(ctx, Platform)
	if err != nil {
		return fmt.Errorf("discord: read cursors: %w", err)
	}
	var r resumable
	if json.Unmarshal([]byte(cursors[gatewayCursor]), &r) != nil || r.Self == "" {
		return errUnknown
	}
	a.introduce(r)
	a.receiving()
	return nil
}

// restore continues from what an earlier process noted.
func (a *Adapter) restore(cursors map[string]string) {
	a.progress.restore(cursors[gatewayCursor])
	for name, id := range cursors {
		if channel, ok := strings.CutPrefix(name, channelCursor); ok {
			a.reached(channel, id)
		}
	}
}

func closeCode(err error) int {
	var ce *websocket.CloseError
	if errors.As(err, &ce) {
		return ce.Code
	}
	return 0
}

// connection is one Session from Open to its end.
type connection struct {
	a      *Adapter
	ctx    context.Context // of Run: what an event begins goes on after the connection
	s      *discordgo.Session
	ended  chan struct{} // closed when the library let go of the socket
	once   sync.Once
	ready  chan struct{} // closed at READY or RESUMED
	heard  atomic.Int64  // events
	events sync.Mutex    // held while one is taken in; guards over
	over   bool          // later events belong to an earlier session
	mu     sync.Mutex    // guards the rest
	raw    net.Conn
	closed error // why the server closed
	isOpen bool  // ready is closed
}

// connect makes one connection and stays with it until it ends. It returns why
// it ended.
func (a *Adapter) connect(ctx context.Context) error {
	session := a.progress.resume()
	if session.ID == "" {
		if err := a.mayIdentify(ctx); err != nil {
			return err
		}
	} else {
		a.introduce(session) // RESUMED does not say it
		a.wake()             // also a process that dies now has tried
	}
	c := &connection{a: a, ctx: ctx, ended: make(chan struct{}), ready: make(chan struct{})}
	if err := c.make(session); err != nil {
		return err
	}
	defer c.leave()
	if err := c.open(ctx); err != nil {
		if session.ID != "" && !c.asked(err) {
			a.progress.unasked()
		}
		return err
	}
	a.receiving()
	a.setHealth(nil)
	return c.watch(ctx)
}

// open connects and returns once the session has begun or resumed. When that
// fails, nothing of the attempt is left at Discord.
func (c *connection) open(ctx context.Context) error {
	opened := make(chan error, 1)
	go func() { opened <- c.s.Open() }()
	timer := time.NewTicker(c.a.o.Timing.Open)
	defer timer.Stop()
	for heard := int64(0); ; {
		select {
		case err := <-opened:
			if err != nil {
				return err
			}
			opened = nil // it takes events from now on
		case <-c.ready:
			if opened != nil {
				continue
			}
			return nil
		case <-c.ended:
			return c.why()
		case <-timer.C:
			if n := c.heard.Load(); n != heard {
				heard = n // much is being replayed
				continue
			}
			c.drop()
			// Open may be deadlocked for good; such a Session is abandoned.
			return errSilent
		case <-ctx.Done():
			c.drop()
			return ctx.Err()
		}
	}
}

// leave stops accepting events: a late one must not advance the next session.
func (c *connection) leave() {
	c.drop()
	c.events.Lock()
	defer c.events.Unlock()
	c.over = true
}

// errSilent is returned for a connection that answers neither yes nor no.
var errSilent = errors.New("no READY in time")

// asked reports whether Discord can have seen the RESUME of an Open that failed.
func (c *connection) asked(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw != nil && !errors.Is(err, websocket.ErrBadHandshake)
}

// settled lets open return.
func (c *connection) settled() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isOpen {
		c.isOpen = true
		close(c.ready)
	}
}

// why returns the reason why a connection ended.
func (c *connection) why() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed != nil {
		return c.closed
	}
	return errors.New("the connection was lost")
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
		return &patient{Conn: conn, c: c}, err
	}}
	resume(s, r)
	s.AddHandler(c.event)
	s.AddHandler(func(_ *discordgo.Session, _ *discordgo.Disconnect) { c.once.Do(func() { close(c.ended) }) })
	c.s = s
	return nil
}

// maxUnsettled is how much may be written to a gateway that has not begun the
// session: the upgrade, RESUME, IDENTIFY and some heartbeats.
const maxUnsettled = 8

// patient is a connection on which the library cannot identify over and over. The
// library answers each op 9 at once, and a thousand a day invalidate the token.
type patient struct {
	net.Conn
	c       *connection
	written int // until the session began
}

// Write implements net.Conn.
func (p *patient) Write(b []byte) (int, error) {
	select {
	case <-p.c.ready:
	default:
		if p.written++; p.written > maxUnsettled {
			_ = p.Close()
			return 0, errors.New("discord: refused too often")
		}
	}
	return p.Conn.Write(b)
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
	resp, answer, err := r.a.exchange(req)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	return resp, nil
}

// drop ends the connection without a close frame: Discord keeps the session,
// as it would not after 1000 or 1001.
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

// watch returns when the connection has ended, or is dead: a heartbeat that
// was not answered by the time of the next one.
func (c *connection) watch(ctx context.Context) error {
	defer func() {
		c.drop()
		c.a.ending.Add(1)
		go func() { defer c.a.ending.Done(); c.wait() }()
	}()
	tick := time.NewTicker(c.a.o.Timing.Watch)
	defer tick.Stop()
	var sent time.Time
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.ended:
			return c.why()
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

// mayIdentify asks how many sessions may still be begun: after too many, Discord
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
		chat.Sleep(ctx, reset)
		return errors.New("no session may be begun")
	}
	return nil
}

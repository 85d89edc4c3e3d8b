package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"parley/internal/chat"
	"parley/internal/text"
)

// lingering is how long a Session of the library takes to end by itself after
// its connection is gone: it sleeps a second in Close.
const lingering = 1500 * time.Millisecond

// intents lists what we read. Message content is privileged and must be ticked in
// the developer portal.
const intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentsDirectMessages | discordgo.IntentMessageContent

// run connects until ctx ends or Discord refuses for good. Every connection gets a
// Session of its own: the library's reconnecting deadlocks on what comes before READY,
// retries fatal close codes forever and invalidates sessions by closing with 1000, so
// connections are made, watched and dropped here.
func (sh *shard) run(ctx context.Context, in chat.Intake) error {
	cursors, err := in.Cursors(ctx, Platform)
	if err != nil {
		return fmt.Errorf("discord: read cursors: %w", err)
	}
	sh.anew()
	sh.restore(cursors)
	sh.here(true)
	defer sh.here(false)
	ctx, stop := context.WithCancel(ctx)
	stored := make(chan struct{})
	go func() { defer close(stored); sh.store(ctx, in) }()
	defer func() { stop(); <-stored; sh.lanes.work.Wait() }()
	wait := sh.o.Timing.RetryMin
	for ctx.Err() == nil {
		began := sh.now()
		err := sh.connect(ctx, in)
		if code := closeCode(err); fixes[code] != "" && !sh.renumbers(code) {
			sh.stop(ctx, in, code)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err := sh.hopeless(err); err != nil {
			return err
		}
		sh.setHealth(text.Tell("Discord: not connected: %v", err))
		sh.o.Log.Warn("discord: connection ended", "shard", sh.name(), "err", err)
		if sh.now().Sub(began) > sh.o.Timing.Stable {
			wait = sh.o.Timing.RetryMin
		}
		rest := wait/2 + rand.N(wait/2+1)
		var silence *chat.WaitError
		if errors.As(err, &silence) {
			rest = max(rest, silence.After)
		}
		if errors.Is(err, errGone) { // the next session waits for its turn anyway
			rest = min(rest, sh.o.Timing.RetryMin)
		} else {
			wait = min(2*wait, sh.o.Timing.RetryMax)
		}
		if !chat.Sleep(ctx, rest) {
			return nil
		}
	}
	return nil
}

// hopeless returns why it is pointless to connect again after an error, nil for not.
func (sh *shard) hopeless(err error) error {
	switch code := closeCode(err); {
	case sh.renumbers(code):
		return errNumber
	case fixes[code] != "":
		sh.setHealth(intentError(code))
		return &chat.RefusedError{Err: intentError(code)}
	case code == 4007 || code == 4009:
		sh.progress.forget()
	}
	switch {
	case errors.Is(err, errNumber):
		return err
	case sh.cred.Refused():
		return &chat.RefusedError{Err: errToken}
	}
	return nil
}

// renumbers reports whether after a close code another number of shards helps.
func (sh *shard) renumbers(code int) bool {
	return (code == 4010 || code == 4011) && sh.o.Shards == 0
}

// anew forgets what an earlier Run left half done: what was not stored is heard again.
func (sh *shard) anew() {
	for len(sh.queue) > 0 {
		<-sh.queue
	}
	sh.lanes.clear()
	sh.progress.clear()
}

// errUnknown is that nothing has told yet who the bot is.
var errUnknown = errors.New("discord: no process has connected yet")

// Learn implements chat.Learner: the process that receives has noted who we are.
func (a *Adapter) Learn(ctx context.Context, in chat.Intake) error {
	cursors, err := in.Cursors(ctx, Platform)
	if err != nil {
		return fmt.Errorf("discord: read cursors: %w", err)
	}
	for name, note := range cursors {
		var r resumable
		if strings.HasPrefix(name, gatewayCursor) && json.Unmarshal([]byte(note), &r) == nil && r.Self != "" {
			a.introduce(r)
			a.receiving()
			return nil
		}
	}
	return errUnknown
}

// restore continues from what an earlier process noted.
func (sh *shard) restore(cursors map[string]string) {
	sh.begun = slices.ContainsFunc(slices.Collect(maps.Keys(cursors)), func(name string) bool { return sh.resumes(name, cursors[name]) })
	sh.progress.restore(cursors[sh.cursor()], lastAlive(cursors, sh.of))
	for name, id := range cursors {
		if channel, ok := strings.CutPrefix(name, channelCursor); ok {
			sh.reached(channel, id)
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
	a      *shard
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
	// dropped is that nothing is to connect any more.
	dropped bool
	// refused is that the server answered op 9: there is no such session, or it is too
	// early for another.
	refused bool
}

// connect makes one connection and stays with it until it ends. It returns why
// it ended.
func (sh *shard) connect(ctx context.Context, in chat.Intake) error {
	session := sh.progress.resume()
	bucket := 0
	if session.ID == "" {
		side, err := sh.mayIdentify(ctx)
		if err != nil {
			return err
		}
		bucket = sh.id % side
		if err := sh.hold(ctx, in); err != nil {
			return err
		}
	} else {
		sh.introduce(session) // RESUMED does not say it
		sh.wake()             // also a process that dies now has tried
	}
	c := &connection{a: sh, ctx: ctx, ended: make(chan struct{}), ready: make(chan struct{})}
	if err := c.make(session); err != nil {
		return err
	}
	defer c.leave()
	open := func() error { return c.open(ctx) }
	var err error
	if session.ID == "" {
		err = sh.turns.In(ctx, bucket, &sh.ending, open)
	} else if err = open(); err != nil && !c.asked(err) {
		sh.progress.unasked()
	}
	if err != nil {
		return c.judged(err)
	}
	sh.release(ctx, in)
	sh.begun = true
	sh.receiving()
	sh.setHealth(nil)
	return c.judged(c.watch(ctx))
}

// judged returns why a connection ended. A session that Discord took back is forgotten.
func (c *connection) judged(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused && c.a.progress.forget() {
		return errGone
	} else if c.refused {
		return errRefused
	}
	return err
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
	s.Client = &http.Client{Transport: &redirect{a: c.a.Adapter}, Timeout: 20 * time.Second}
	s.Dialer = c.dialer()
	if c.a.of > 1 {
		s.ShardID, s.ShardCount = c.a.id, c.a.of
	}
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
	c.dropped = true
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

package discord

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// What a packet of the gateway is, by its op.
const (
	opDispatch  = 0
	opHeartbeat = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opAck       = 11
)

const (
	// dialTime bounds how long it may take to reach the gateway.
	dialTime = 20 * time.Second
	// maxPacket bounds one packet, also unpacked. The largest are servers with all their
	// channels, a few megabytes.
	maxPacket = 64 << 20
)

// Why a connection ended.
var (
	errSilent    = errors.New("no READY in time")
	errDead      = errors.New("no answer to the heartbeat")
	errReconnect = errors.New("Discord asked for another connection")
	errLost      = errors.New("the connection was lost")
	// What op 9 says: that no session begins, or that the one before cannot go on, or not yet.
	errRefused = errors.New("no session may begin just now")
	errAgain   = errors.New("the session cannot go on just now")
	errGone    = errors.New("the session cannot go on")
)

// connection is one connection to the gateway, from dialing to its end. It is never closed
// with a close frame: after 1000 or 1001 Discord would forget the session.
type connection struct {
	a       *shard
	ctx     context.Context // Run's: the work on an event outlives the connection
	session resumable       // to continue; without an ID one begins
	ready   chan struct{}   // closed at READY or RESUMED
	ended   chan struct{}   // closed when nothing is read any more
	heard   atomic.Int64    // events
	seq     atomic.Int64    // the newest of them
	work    sync.WaitGroup  // its goroutines

	writing sync.Mutex // serializes writes to ws
	ws      *websocket.Conn

	mu      sync.Mutex // guards the rest
	raw     net.Conn
	cause   error // why it ended, the first reason
	isOpen  bool  // ready is closed
	dropped bool  // dialing must not go on
	called  bool  // IDENTIFY or RESUME was written
	beating bool  // a heartbeat is unanswered
}

func newConnection(ctx context.Context, sh *shard, session resumable) *connection {
	c := &connection{a: sh, ctx: ctx, session: session, ready: make(chan struct{}), ended: make(chan struct{})}
	c.seq.Store(session.Seq)
	return c
}

// open connects and returns once the session has begun or resumed. When that
// fails, nothing of the attempt is left at Discord.
func (c *connection) open(ctx context.Context) error {
	if err := c.connect(ctx); err != nil {
		return err
	}
	c.work.Go(c.read)
	timer := time.NewTicker(c.a.o.Timing.Open)
	defer timer.Stop()
	for heard := int64(0); ; {
		select {
		case <-c.ready:
			return nil
		case <-c.ended:
			return c.why()
		case <-timer.C:
			if n := c.heard.Load(); n != heard {
				heard = n // much is being replayed
				continue
			}
			c.end(errSilent)
			return errSilent
		case <-ctx.Done():
			c.drop()
			return ctx.Err()
		}
	}
}

// connect asks where the gateway is and dials it.
func (c *connection) connect(ctx context.Context) error {
	var at struct {
		URL string `json:"url"`
	}
	if err := c.a.call(ctx, http.MethodGet, "/gateway", "", nil, &at); err != nil {
		return err
	}
	d := websocket.Dialer{HandshakeTimeout: dialTime, NetDialContext: c.dial, TLSClientConfig: &tls.Config{RootCAs: c.a.roots,
		NextProtos: []string{"http/1.1"}}}
	ws, resp, err := d.DialContext(ctx, at.URL+"?v="+discordgo.APIVersion+"&encoding=json", http.Header{"Accept-Encoding": {"zlib"}})
	if resp != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return fmt.Errorf("discord: connect to the gateway: %w", err)
	}
	ws.SetReadLimit(maxPacket)
	ws.SetCloseHandler(func(int, string) error { return nil }) // not answered, see above
	c.ws = ws
	return nil
}

// dial keeps the connection for drop; after drop it fails.
func (c *connection) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dropped {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	c.raw = conn
	return conn, nil
}

// read takes what Discord sends, in order, until the connection ends.
func (c *connection) read() {
	defer close(c.ended)
	for {
		kind, packet, err := c.ws.ReadMessage()
		if err != nil {
			c.end(lostWith(err))
			return
		}
		e, err := unpack(kind, packet)
		if err != nil {
			c.a.o.Log.Warn("discord: unreadable packet from the gateway", "shard", c.a.name(), "err", err)
			continue
		}
		c.take(e)
	}
}

// lostWith returns why reading failed: the server's own reason, where it gave one. The
// network's words would say no more than that the connection was lost.
func lostWith(err error) error {
	var closed *websocket.CloseError
	if errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure {
		return closed
	}
	return errLost
}

// unpack reads a packet; binary ones are compressed.
func unpack(kind int, packet []byte) (e discordgo.Event, err error) {
	if kind == websocket.BinaryMessage {
		z, err := zlib.NewReader(bytes.NewReader(packet))
		if err != nil {
			return e, fmt.Errorf("unpack: %w", err)
		}
		if packet, err = io.ReadAll(io.LimitReader(z, maxPacket)); err != nil {
			return e, fmt.Errorf("unpack: %w", err)
		}
	}
	return e, json.Unmarshal(packet, &e)
}

// take does what a packet asks for. It must not block.
func (c *connection) take(e discordgo.Event) {
	switch e.Operation {
	case opDispatch:
		c.seq.Store(max(c.seq.Load(), e.Sequence))
		c.event(&e)
	case opHeartbeat:
		c.beat()
	case opReconnect:
		c.end(errReconnect)
	case opInvalid:
		var again bool
		_ = json.Unmarshal(e.RawData, &again) // anything else is no
		if again && c.a.progress.id() != "" {
			c.end(errAgain)
			return
		}
		c.end(errRefused)
	case opHello:
		c.hello(e.RawData)
	case opAck:
		c.mu.Lock()
		c.beating = false
		c.mu.Unlock()
	}
}

// hello identifies or resumes, and starts the heartbeats.
func (c *connection) hello(data json.RawMessage) {
	if c.asked() { // a thousand IDENTIFYs a day invalidate the token
		return
	}
	var h struct {
		Interval int64 `json:"heartbeat_interval"` // ms
	}
	if err := json.Unmarshal(data, &h); err != nil || h.Interval <= 0 {
		c.end(fmt.Errorf("HELLO without an interval: %.100s", data))
		return
	}
	c.mu.Lock()
	c.called = true
	c.mu.Unlock()
	c.work.Go(func() { c.keepAlive(time.Duration(h.Interval) * time.Millisecond) })
	if c.session.ID != "" {
		c.write(opResume, map[string]any{"token": c.token(), "session_id": c.session.ID, "seq": c.session.Seq})
		return
	}
	me := discordgo.Identify{Token: c.token(), Compress: true, LargeThreshold: 250, Intents: intents,
		Properties: discordgo.IdentifyProperties{OS: runtime.GOOS, Browser: "parley", Device: "parley"}}
	if c.a.of > 1 {
		me.Shard = &[2]int{c.a.id, c.a.of}
	}
	c.write(opIdentify, me)
}

func (c *connection) token() string { return "Bot " + c.a.o.Token }

// keepAlive sends a heartbeat each interval, the first one somewhere within it, as Discord
// asks for. One that is not answered by the time of the next ends the connection: a write
// that succeeds is no sign of life.
func (c *connection) keepAlive(interval time.Duration) {
	next := time.NewTimer(rand.N(interval))
	defer next.Stop()
	for {
		select {
		case <-c.ended:
			return
		case <-next.C:
		}
		c.mu.Lock()
		dead := c.beating
		c.beating = true
		c.mu.Unlock()
		if dead {
			c.end(errDead)
			return
		}
		c.beat()
		next.Reset(interval)
	}
}

func (c *connection) beat() {
	seq := c.seq.Load()
	if seq == 0 { // nothing was heard yet
		c.write(opHeartbeat, nil)
		return
	}
	c.write(opHeartbeat, seq)
}

// write sends a packet. One that cannot be written ends the connection.
func (c *connection) write(op int, data any) {
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.ws.SetWriteDeadline(time.Now().Add(dialTime)) // fails only where writing does
	if c.ws.WriteJSON(map[string]any{"op": op, "d": data}) != nil {
		c.end(errLost)
	}
}

// last waits until the connection ends, and returns why.
func (c *connection) last(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ended:
		return c.why()
	}
}

// leave waits until no more events are taken: a late one must not advance the next session.
func (c *connection) leave() {
	c.drop()
	c.work.Wait()
}

// asked reports whether Discord can have seen the RESUME or IDENTIFY.
func (c *connection) asked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.called
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
	return cmp.Or(c.cause, errLost)
}

// end drops the connection for a reason; the first one counts.
func (c *connection) end(why error) {
	c.mu.Lock()
	if c.cause == nil {
		c.cause = why
	}
	c.mu.Unlock()
	c.drop()
}

// drop cuts the connection without a close frame.
func (c *connection) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropped = true
	if c.raw != nil {
		_ = c.raw.Close()
	}
}

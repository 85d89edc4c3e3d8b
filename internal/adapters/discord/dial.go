package discord

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/gorilla/websocket"
)

// dialTime bounds how long it may take to reach the gateway.
const dialTime = 20 * time.Second

// dialer connects the library. It does TLS itself, so that what is written can be told
// apart below.
func (c *connection) dialer() *websocket.Dialer {
	return &websocket.Dialer{HandshakeTimeout: dialTime,
		NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := c.dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &once{Conn: conn, c: c}, nil
		},
		NetDialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := c.dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			host, _, _ := net.SplitHostPort(address) // it was dialed
			secure := tls.Client(conn, &tls.Config{ServerName: host, RootCAs: c.a.roots, NextProtos: []string{"http/1.1"}})
			return &once{Conn: secure, c: c}, secure.HandshakeContext(ctx)
		}}
}

// dial keeps the connection, so that it can be cut. Once it was to be cut there is none: the
// library knows no other way to be told while it connects, and would go on for good.
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

// longestBeat is more than a heartbeat takes, and less than IDENTIFY and RESUME do.
const longestBeat = 64

// once is a connection on which the library says once who it is. It answers each op 9
// with IDENTIFY at once; but that needs its turn, and a thousand a day invalidate the
// token.
type once struct {
	net.Conn
	c             *connection
	asked, called bool // for a websocket; IDENTIFY or RESUME was written
}

// What op 9 says: that no session begins, or that the one before cannot go on.
var (
	errRefused = errors.New("no session may begin just now")
	errGone    = errors.New("the session cannot go on")
)

// Write implements net.Conn.
func (o *once) Write(b []byte) (int, error) {
	switch {
	case !o.asked:
		o.asked = true
	case len(b) <= longestBeat:
	case !o.called:
		o.called = true
	default:
		o.c.mu.Lock()
		o.c.refused = true
		o.c.mu.Unlock()
		_ = o.Close()
		return 0, errRefused
	}
	return o.Conn.Write(b)
}

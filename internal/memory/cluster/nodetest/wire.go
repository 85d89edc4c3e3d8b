// Package nodetest is the trouble that nodes meet: a wire to the database that can be
// cut, and that can swallow what is sent. It is no database.
package nodetest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Wire is the way to a server.
type Wire struct {
	URL string // by this way

	network, to string // where the server listens

	mu    sync.Mutex // guards the rest
	conns []net.Conn
	cut   bool          // connections are refused
	open  chan struct{} // closed while what is sent gets through
}

// NewWire lays a wire to the server at an address.
func NewWire(t testing.TB, server string) *Wire {
	t.Helper()
	cfg, err := pgx.ParseConfig(server)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{open: make(chan struct{})}
	close(w.open)
	w.network, w.to = pgconn.NetworkAddress(cfg.Host, cfg.Port)
	u := url.URL{Scheme: "postgres", User: url.UserPassword(cfg.User, cfg.Password), Host: l.Addr().String(),
		Path: "/" + cfg.Database, RawQuery: "sslmode=disable"}
	w.URL = u.String()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.carry(c)
		}
	}()
	t.Cleanup(func() { _ = l.Close(); w.Cut() })
	return w
}

// Cut ends all connections and refuses new ones.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	w.hangUp()
}

// Stall swallows all, as a network does that lost its way: nothing ends.
func (w *Wire) Stall() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.open:
		w.open = make(chan struct{})
	default:
	}
}

// Mend ends the trouble. Connections that were stalled are gone.
func (w *Wire) Mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = false
	select {
	case <-w.open:
	default:
		w.hangUp()
		close(w.open)
	}
}

// hangUp ends all connections. The caller holds mu.
func (w *Wire) hangUp() {
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.conns = nil
}

func (w *Wire) carry(c net.Conn) {
	w.mu.Lock()
	if w.cut {
		w.mu.Unlock()
		_ = c.Close()
		return
	}
	w.conns = append(w.conns, c)
	w.mu.Unlock()
	w.passing()
	s, err := net.Dial(w.network, w.to)
	if err != nil {
		_ = c.Close()
		return
	}
	w.mu.Lock()
	w.conns = append(w.conns, s)
	w.mu.Unlock()
	go w.copy(s, c)
	w.copy(c, s)
}

// copy carries one direction until its end.
func (w *Wire) copy(to io.WriteCloser, from io.Reader) {
	defer func() { _ = to.Close() }()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		w.passing()
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}

// passing waits until what is sent gets through.
func (w *Wire) passing() {
	w.mu.Lock()
	open := w.open
	w.mu.Unlock()
	<-open
}

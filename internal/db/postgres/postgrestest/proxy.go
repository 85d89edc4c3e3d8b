package postgrestest

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy stands between a program and the server, and cuts connections.
type Proxy struct {
	l      net.Listener
	server string // the server's socket

	// Swallow cuts a connection in the place of the next answer that says that a
	// transaction was committed; it counts down.
	Swallow atomic.Int32
	// Refuse cuts the next connection once so many of its requests went through; 0 does
	// nothing.
	Refuse atomic.Int32
	// Late cuts a client once it has sent so many requests, and keeps the last of them on its
	// way: the server gets it when Arrive says so. 0 does nothing.
	Late atomic.Int32
	// Trips counts what clients sent at once and waited for.
	Trips atomic.Int64
	// Away is how far away the server is: a request and its answer take so many nanoseconds
	// longer, whatever else is under way.
	Away atomic.Int64
	// Watch is told of each trip; nil of none. It must not block, nor be set anew meanwhile.
	Watch func(Trip)

	conns atomic.Int64 // so far

	mu    sync.Mutex // guards what follows
	open  []net.Conn
	down  bool
	late  []chan struct{} // closed to let what is late arrive
	over  chan struct{}   // closed with the proxy
	ended sync.WaitGroup
}

// NewProxy returns a proxy to this process' server, and the URL through it of a
// database. It ends with the test.
func NewProxy(t testing.TB, database string) (*Proxy, string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil || u.Query().Get("host") == "" {
		t.Skip("the server is not this process' own")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{l: l, server: u.Query().Get("host") + "/.s.PGSQL.5432", over: make(chan struct{})}
	p.ended.Go(p.accept)
	t.Cleanup(func() { _ = l.Close(); close(p.over); p.Cut(); p.ended.Wait() })
	return p, "postgres://parley@" + l.Addr().String() + "/" + strings.Trim(u.Path, "/") + "?sslmode=disable"
}

// Down refuses new connections and cuts those there are; with false it lets them pass
// again.
func (p *Proxy) Down(down bool) {
	p.mu.Lock()
	p.down = down
	p.mu.Unlock()
	if down {
		p.Cut()
	}
}

// Cut ends all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		_ = c.Close()
	}
	p.open = nil
}

// Arrive lets the server have what is late, and returns once it has done with it, if it is
// there to do so.
func (p *Proxy) Arrive() {
	p.mu.Lock()
	late := p.late
	p.late = nil
	p.mu.Unlock()
	for _, arrives := range late {
		arrives <- struct{}{}
		<-arrives
	}
}

// Delayed reports whether something is late.
func (p *Proxy) Delayed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.late) > 0
}

// delay keeps a request back whose client is gone.
func (p *Proxy) delay(server, client net.Conn, request []byte, answered <-chan struct{}) {
	buf := make([]byte, 1<<16)
	for !bytes.HasSuffix(request, synced) && request[0] != 'Q' {
		n, err := client.Read(buf)
		if request = append(request, buf[:n]...); err != nil {
			break
		}
	}
	arrives := make(chan struct{})
	p.mu.Lock()
	p.late = append(p.late, arrives)
	p.mu.Unlock()
	_ = client.Close()
	select {
	case <-arrives:
	case <-p.over:
		return
	}
	if _, err := server.Write(request); err == nil {
		_ = server.(*net.UnixConn).CloseWrite() // it does what it was asked, and ends
		<-answered
	}
	close(arrives)
}

// synced is the end of a request.
var synced = []byte{'S', 0, 0, 0, 4}

func (p *Proxy) accept() {
	for {
		client, err := p.l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", p.server)
		p.mu.Lock()
		if err != nil || p.down {
			_ = client.Close()
			if err == nil {
				_ = server.Close()
			}
			p.mu.Unlock()
			continue
		}
		p.open = append(p.open, client, server)
		p.mu.Unlock()
		end := func() { _ = client.Close(); _ = server.Close() }
		answered := make(chan struct{}) // closed when the server says nothing more
		p.ended.Go(func() {
			defer end()
			r := &reader{conn: int(p.conns.Add(1)), known: map[string]string{}}
			p.pass(server, client, func(request []byte) bool {
				if p.Watch != nil {
					r.read(request, p.Watch)
				}
				if p.Late.Load() > 0 && p.Late.Add(-1) == 0 {
					p.delay(server, client, bytes.Clone(request), answered)
					return true
				}
				return p.refuses(request)
			})
		})
		p.ended.Go(func() {
			defer close(answered)
			p.pass(client, server, p.swallows)
			_ = client.Close()
			_, _ = io.Copy(io.Discard, server)
		})
	}
}

func (p *Proxy) swallows(answer []byte) bool {
	return bytes.Contains(answer, []byte("COMMIT\x00")) && p.Swallow.Load() > 0 && p.Swallow.Add(-1) >= 0
}

func (p *Proxy) refuses([]byte) bool {
	p.Trips.Add(1)
	return p.Refuse.Load() > 0 && p.Refuse.Add(-1) == 0
}

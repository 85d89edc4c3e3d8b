package discordtest

import (
	"io"
	"net"
	"sync"
)

// Line is a TCP connection's way to a server that can go dead: what was
// connected stays so, and nothing comes through any more.
type Line struct {
	listener net.Listener
	to       string

	mu    sync.Mutex // guards the rest
	conns []net.Conn
	dead  []*bool // one for each pair of conns
}

// NewLine leads to the server's gateway. The caller closes it.
func (s *Server) NewLine() *Line {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // no loopback, no tests
	}
	line := &Line{listener: l, to: s.addr}
	go line.accept()
	return line
}

// Address returns where the line begins.
func (l *Line) Address() string { return l.listener.Addr().String() }

// Cut makes every connection there is deaf and mute, without ending it.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, dead := range l.dead {
		*dead = true
	}
}

// Close ends the line and what goes through it.
func (l *Line) Close() {
	_ = l.listener.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		_ = c.Close()
	}
}

func (l *Line) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", l.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		dead := new(bool)
		l.mu.Lock()
		l.conns, l.dead = append(l.conns, near, far), append(l.dead, dead)
		l.mu.Unlock()
		go l.pass(near, far, dead)
		go l.pass(far, near, dead)
	}
}

// pass copies until the line is dead; then it only swallows.
func (l *Line) pass(from, to net.Conn, dead *bool) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		l.mu.Lock()
		gone := *dead
		l.mu.Unlock()
		if gone {
			if err != nil {
				return
			}
			continue
		}
		if n > 0 {
			if _, werr := to.Write(buf[:n]); werr != nil && err == nil {
				err = io.ErrClosedPipe
			}
		}
		if err != nil {
			_ = to.Close()
			return
		}
	}
}

package discordtest

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
)

// Fault makes matching requests fail. Method and Path are prefixes to match;
// "" is any.
type Fault struct {
	Method, Path string
	Status       int
	Code         int
	RetryAfter   float64 // with Status 429
	Times        int     // 0 is once
	After        bool    // do the work, then fail: the answer is lost
	Page         bool    // answer with a page of HTML instead of JSON, without Retry-After
	Bare         bool    // with Status 429: do not say for how long
	Field        string  // with Code 50035: the field that is refused, where it is sent
	Cut          bool    // close the connection instead of answering
	// Late keeps back the answer, true as it was when it was asked for, until it
	// is closed; nothing else goes wrong then.
	Late <-chan struct{}
}

// Fail adds a fault.
func (s *Server) Fail(f Fault) {
	if f.Times == 0 {
		f.Times = 1
	}
	s.with(func() { s.faults = append(s.faults, &f) })
}

// hold keeps an answer back until it may go, or nobody waits for it any more.
func (f *Fault) hold(ctx context.Context) {
	if f == nil || f.Late == nil {
		return
	}
	select {
	case <-f.Late:
	case <-ctx.Done():
	}
}

// Heal takes all faults back.
func (s *Server) Heal() { s.with(func() { s.faults = nil }) }

// fault takes a matching fault. mu is held.
func (s *Server) fault(method, path string, body []byte) *Fault {
	for i, f := range s.faults {
		if strings.HasPrefix(method, f.Method) && strings.HasPrefix(path, f.Path) && bytes.Contains(body, []byte(f.Field)) {
			if f.Times--; f.Times <= 0 {
				s.faults = append(s.faults[:i], s.faults[i+1:]...)
			}
			return f
		}
	}
	return nil
}

// stall holds up the requests to one place.
type stall struct {
	method, path string
	over         chan struct{}
}

// Stall makes requests whose method and path begin so hang, and no others,
// until lift is called.
func (s *Server) Stall(method, path string) (lift func()) {
	st := &stall{method, path, make(chan struct{})}
	s.with(func() { s.stalled = append(s.stalled, st) })
	return sync.OnceFunc(func() { close(st.over) })
}

// hang waits while a request's place is stalled; false means that nobody waits
// for an answer any more.
func (s *Server) hang(r *http.Request, path string) bool {
	var list []*stall
	s.with(func() { list = append(list, s.stalled...) })
	for _, st := range list {
		if !strings.HasPrefix(r.Method, st.method) || !strings.HasPrefix(path, st.path) {
			continue
		}
		select {
		case <-st.over:
		case <-r.Context().Done():
			return false
		}
	}
	return true
}

package telegramtest

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"time"
)

// Call is one request as it arrived.
type Call struct {
	Method string
	Chat   int64 // 0 for methods without a chat
	Fields map[string]string
	At     time.Time
	Status int  // what was answered; 0 while it is under way or when nothing was
	Wasted bool // made inside a retry_after of its chat
	Page   bool // it was answered with something else than the Bot API's JSON
	Lost   bool // it had its effect, and its answer was lost or bad
}

// Calls returns the calls of a method so far, in order; "" means all.
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Call
	for _, c := range s.calls {
		if method == "" || c.Method == method {
			list = append(list, c)
		}
	}
	return list
}

// Wasted counts the calls made inside a retry_after.
func (s *Server) Wasted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wasted
}

// Wait blocks until ok holds. ok is asked, without the server's lock, after
// every call and every change. It returns ctx's error when that ends first.
func (s *Server) Wait(ctx context.Context, ok func() bool) error {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})
	defer stop()
	for {
		s.mu.Lock()
		seen := s.version
		s.mu.Unlock()
		if ok() {
			return nil
		}
		s.mu.Lock()
		for seen == s.version && ctx.Err() == nil {
			s.changed.Wait()
		}
		s.mu.Unlock()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// touch tells those who wait that something changed. s.mu is held.
func (s *Server) touch() {
	s.version++
	s.changed.Broadcast()
}

// WaitSent blocks until n messages are visible and returns them.
func (s *Server) WaitSent(ctx context.Context, n int) ([]SentMessage, error) {
	s.mu.Lock()
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})
	for len(s.sent) < n && ctx.Err() == nil {
		s.changed.Wait()
	}
	s.mu.Unlock()
	stop()
	list := s.Sent()
	if len(list) < n {
		return list, ctx.Err()
	}
	return list, nil
}

// WaitCalls blocks until a method was called n times and returns those calls.
func (s *Server) WaitCalls(ctx context.Context, method string, n int) ([]Call, error) {
	err := s.Wait(ctx, func() bool { return len(s.Calls(method)) >= n })
	return s.Calls(method), err
}

// Fault is what some calls meet instead of, or after, their effect.
type Fault struct {
	Method string // "" means any
	Chat   int64  // 0 means any
	Skip   int    // matching calls that pass first
	Times  int    // matching calls that meet it; 0 means all

	Status      int    // the answer's status
	Description string // "" means what Telegram says with Status
	RetryAfter  int    // seconds, with 429; further calls of the chat are counted as wasted
	MigrateTo   int64
	Body        string // raw body instead of the Bot API's JSON
	Empty       bool   // no body at all
	Hang        bool   // no answer until the client goes away
	Drop        bool   // the connection is cut
	After       bool   // the call has its effect first: only its answer is lost or bad
	// Echo are fields, as JSON, that the result of a call carries as well, which
	// has its effect: what a newer server says of a message.
	Echo  string
	Delay time.Duration // before the answer; alone, the call then succeeds
}

// Fail adds a fault and returns what lifts it. Of several the first that
// matches counts.
func (s *Server) Fail(f Fault) (lift func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		f.Times, f.Skip = -1, 0
	}
}

// meets reports whether this call meets f, and counts it. s.mu is held.
func (f *Fault) meets(method string, chat int64) bool {
	if f.Times < 0 || f.Method != "" && f.Method != method || f.Chat != 0 && f.Chat != chat {
		return false
	}
	if f.Skip > 0 {
		f.Skip--
		return false
	}
	if f.Times > 0 {
		if f.Times--; f.Times == 0 {
			f.Times = -1
		}
	}
	return true
}

// echo adds the fault's fields to a result that has fields; an Echo that is no
// list of fields takes its place.
func (f *Fault) echo(result any) any {
	if !strings.HasPrefix(f.Echo, `"`) || !strings.Contains(f.Echo, `":`) {
		return json.RawMessage(f.Echo)
	}
	raw, _ := json.Marshal(result)
	if object, ok := strings.CutSuffix(string(raw), "}"); ok {
		return json.RawMessage(object + "," + f.Echo + "}")
	}
	return result
}

// inject answers in the fault's way; false lets the call go on.
func (f *Fault) inject(s *Server, w http.ResponseWriter, r *http.Request) bool {
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-r.Context().Done():
		case <-s.closing:
		}
	}
	switch {
	case f.Hang:
		select {
		case <-r.Context().Done():
		case <-s.closing:
		}
	case f.Drop:
		cut(w)
	case f.Empty:
		w.WriteHeader(f.Status)
	case f.Body != "":
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.Status)
		_, _ = w.Write([]byte(f.Body))
	case f.Status != 0:
		answer(w, nil, &problem{code: f.Status, text: f.words(), retryAfter: f.RetryAfter, migrateTo: f.MigrateTo})
	default:
		return false
	}
	return true
}

func (f *Fault) words() string {
	if f.Description != "" {
		return f.Description
	}
	switch f.Status {
	case http.StatusConflict:
		return "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
	case http.StatusTooManyRequests:
		return "Too Many Requests: retry later"
	case http.StatusInternalServerError:
		return "Internal Server Error: restart"
	}
	return strings.TrimSpace(http.StatusText(f.Status))
}

// cut resets the connection without an answer.
func cut(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

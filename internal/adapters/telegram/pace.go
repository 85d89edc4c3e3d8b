package telegram

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// maxSilence is the longest pause we accept from Telegram.
const maxSilence = 24 * time.Hour

// pausedError: the request was not made, because the last answers did not come from the Bot
// API, and more requests would only get the address banned.
type pausedError struct{ left time.Duration }

func (e *pausedError) Error() string {
	return fmt.Sprintf("telegram answers with pages that are not its own: nothing is asked for %s", e.left.Round(time.Millisecond))
}

// pace delays requests while the server, or a proxy in front of it, answers with pages
// instead of JSON. All requests pause, longer each time, until any answer is good again.
// The method that got the page also has a pause of its own, which grows until that method
// gets a good answer.
type pace struct {
	min, max time.Duration
	now      func() time.Time

	mu     sync.Mutex // guards the rest
	all    hold
	routes map[string]*hold
}

// hopeful is after how many pages of a broken server the pause begins to grow.
const hopeful = 20

// hold is the pause of one method, or of all.
type hold struct {
	wait  time.Duration // 0 while all is well
	pages int           // since all was well
	until time.Time
	since time.Time // when wait grew last
}

func (h *hold) grow(p *pace, now time.Time, least time.Duration, broken bool) {
	low, high := p.min, p.max
	if h.pages++; broken && h.pages <= hopeful {
		low, high = p.min/5, p.min
	}
	h.wait = max(min(max(2*h.wait, low), high), least)
	h.until, h.since = now.Add(h.wait), now
}

// admit returns how long to wait before a request; 0 admits it, and delays others until its
// answer is known.
func (p *pace) admit(method string) time.Duration {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	route := p.routes[method]
	left := p.all.until.Sub(now)
	if route != nil {
		left = max(left, route.until.Sub(now))
	}
	if left > 0 {
		return left
	}
	if p.all.wait > 0 {
		p.all.until = now.Add(p.all.wait)
	}
	if route != nil {
		route.until = now.Add(route.wait)
	}
	return 0
}

// bad notes a page in answer to a request that began at began. A request that was under
// way when the last page came does not count. A broken server (5xx) bans nobody and may
// soon work again.
func (p *pace) bad(method string, began time.Time, least time.Duration, broken bool) {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	route := p.routes[method]
	if route == nil {
		if p.routes == nil {
			p.routes = map[string]*hold{}
		}
		route = &hold{}
		p.routes[method] = route
	}
	if route.since.IsZero() || began.After(route.since) {
		route.grow(p, now, least, broken)
	}
	if p.all.since.IsZero() || began.After(p.all.since) {
		p.all.grow(p, now, least, broken)
	}
}

// good notes an answer of the Bot API, whatever its content.
func (p *pace) good(method string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = hold{since: p.all.since}
	delete(p.routes, method)
}

// troubled returns a method that gets pages at present; "" for none. A method that was not
// called for a while no longer counts.
func (p *pace) troubled() string {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, method := range slices.Sorted(maps.Keys(p.routes)) {
		if r := p.routes[method]; now.Sub(r.until) < forgetPages {
			return method
		}
	}
	return ""
}

// forgetPages is how long Health mentions a page when no request follows it.
const forgetPages = 10 * time.Minute

// asked returns the pause that a header asks for.
func asked(h http.Header) time.Duration {
	seconds, _ := strconv.ParseInt(h.Get("Retry-After"), 10, 64)
	return silence(seconds)
}

// silence turns seconds into a pause within bounds.
func silence(seconds int64) time.Duration {
	return time.Duration(min(max(seconds, 0), int64(maxSilence/time.Second))) * time.Second
}

// Package restraint delays requests that Discord does not want, so that it does not ban
// this address. It makes no request and reads no clock.
package restraint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/text"
)

// Bounds of retries when a page from a proxy comes instead of an answer of
// Discord's API: the pause doubles, starting at the floor.
const (
	pageFloor = 2 * time.Second
	PageMost  = 5 * time.Minute
)

// Discord bans an address after 10,000 refused requests in ten minutes. A tenth
// of that is far more than an honest bot needs.
const (
	MaxInvalid    = 1000
	invalidWindow = 10 // minutes
)

// Guard delays requests after pages. A page does not say which requests are still welcome,
// so it delays all of them, and its own route longer each time. One whose status is about
// its request, such as 404, delays its route alone, unless such pages come on all routes.
// After a pause one request goes first.
type Guard struct {
	mu      sync.Mutex // guards the rest
	all     penalty
	routes  map[string]*penalty
	strange map[string]bool // routes with pages about their requests, since the last answer of the API
	invalid [invalidWindow + 1]tally
	status  int // of the last page
}

// penalty is the pause of one route, or of all, after pages.
type penalty struct {
	fails  int
	paged  time.Time // when the last page came
	until  time.Time
	asking bool // one request finds out
}

// tally counts the refused requests of a minute.
type tally struct {
	minute int64
	n      int
}

// Answer says what an answer means for later requests.
type Answer struct {
	status  int
	page    bool
	alone   bool // the page is about this request: others are welcome
	refused bool // counts towards a ban
	wait    time.Duration
}

// Verdict distinguishes an answer of the API from a page.
func Verdict(resp *http.Response, answer []byte) (k Answer) {
	status := resp.StatusCode
	k.status = status
	body := bytes.TrimSpace(answer)
	isJSON := json.Valid(body)
	header, _ := strconv.ParseFloat(resp.Header.Get("Retry-After"), 64)
	k.wait = time.Duration(min(max(header, 0), 86400) * float64(time.Second))
	switch {
	case status < 300 || status >= 500:
		k.page = len(body) > 0 && !isJSON
	case status == http.StatusRequestEntityTooLarge: // a no to this one request
	case status >= 400:
		k.page = !isJSON
	}
	k.alone = status >= 400 && status < 500 && status != http.StatusUnauthorized && status != http.StatusForbidden &&
		status != http.StatusTooManyRequests
	if status == http.StatusTooManyRequests && isJSON {
		k.page = header == 0 && !bytes.Contains(body, []byte(`"retry_after"`))
	}
	k.refused = (status == 401 || status == 403 || status == 429) && resp.Header.Get("X-RateLimit-Scope") != "shared"
	return k
}

// Route names the route of a request: requests of one route share their limits.
func Route(req *http.Request) string {
	part := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	for i, p := range part {
		if p == "channels" || p == "webhooks" || p == "users" || p == "guilds" || p == "applications" || p == "interactions" || p == "gateway" {
			part = part[i:]
			break
		}
	}
	return req.Method + " " + strings.Join(part[:min(len(part), 3)], "/")
}

// OwnToken reports whether a request carries a token in its address, as those of
// interactions do for 15 minutes. A 401 then says nothing about the bot's token.
func OwnToken(req *http.Request) bool {
	_, place, _ := strings.Cut(Route(req), " ")
	return strings.HasPrefix(place, "webhooks/") || strings.HasPrefix(place, "interactions/")
}

// Enter returns how long a request has to wait, and why; 0 lets it go, and then
// the caller must call Leave or Unanswered.
func (g *Guard) Enter(route string, now time.Time) (time.Duration, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refusedLately(now) >= MaxInvalid {
		return time.Minute, fmt.Errorf("discord: %d requests were refused in %d minutes", MaxInvalid, invalidWindow)
	}
	why := fmt.Errorf("discord: paused after a page instead of an answer, status %d", g.status)
	mine := g.routes[route]
	for _, p := range []*penalty{&g.all, mine} {
		if p == nil || p.fails == 0 {
			continue
		}
		if wait := p.until.Sub(now); wait > 0 {
			return wait, why
		}
		if p.asking {
			return pageFloor, why
		}
	}
	g.all.asking = g.all.fails > 0
	if mine != nil {
		mine.asking = true
	}
	return 0, nil
}

// Unanswered ends a request that brought no answer.
func (g *Guard) Unanswered(route string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range []*penalty{&g.all, g.routes[route]} {
		if p != nil {
			p.unanswered(now)
		}
	}
}

// unanswered ends a request that was to find out, and did not.
func (p *penalty) unanswered(now time.Time) {
	if p.asking {
		p.asking, p.until = false, now.Add(pageFloor)
	}
}

// Leave ends a request by its answer. It returns how long to wait after a page.
func (g *Guard) Leave(route string, k Answer, began, now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if k.refused {
		t := &g.invalid[now.Unix()/60%(invalidWindow+1)]
		if minute := now.Unix() / 60; t.minute != minute {
			*t = tally{minute: minute}
		}
		t.n++
	}
	if !k.page {
		clear(g.strange)
		delete(g.routes, route)
		if !began.Before(g.all.paged) {
			g.all = penalty{}
		}
		return 0
	}
	g.status = k.status
	if g.routes == nil {
		g.routes = map[string]*penalty{}
	}
	if g.routes[route] == nil {
		g.forgetOld(now)
		g.routes[route] = &penalty{}
	}
	g.routes[route].add(k, began, now, 2*pageFloor) // others go first
	if k.alone && !g.everywhere(route) {
		g.all.unanswered(now)
		return g.routes[route].until.Sub(now)
	}
	g.all.add(k, began, now, pageFloor)
	return max(g.all.until.Sub(now), g.routes[route].until.Sub(now))
}

// manyRoutes is how many routes must answer with pages about their requests, and none
// otherwise, until these count as pages about all.
const manyRoutes = 3

// everywhere notes a page about a request, and reports whether there are such pages
// wherever one asks.
func (g *Guard) everywhere(route string) bool {
	if g.strange == nil {
		g.strange = map[string]bool{}
	}
	g.strange[route] = true
	return len(g.strange) >= manyRoutes
}

// add counts one more page. A request that began before the last page came does
// not count again.
func (p *penalty) add(k Answer, began, now time.Time, floor time.Duration) {
	p.asking = false
	if p.fails > 0 && began.Before(p.paged) {
		return
	}
	wait := max(min(floor<<min(p.fails, 20), PageMost), k.wait)
	p.fails, p.paged, p.until = p.fails+1, now, now.Add(wait)
}

// forgetOld keeps the list of routes short.
func (g *Guard) forgetOld(now time.Time) {
	for name, p := range g.routes {
		if now.Sub(p.until) > time.Hour {
			delete(g.routes, name)
		}
	}
}

func (g *Guard) refusedLately(now time.Time) (n int) {
	for _, t := range g.invalid {
		if now.Unix()/60-t.minute <= invalidWindow {
			n += t.n
		}
	}
	return n
}

// Health returns why requests wait; nil when they do not.
func (g *Guard) Health(now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := g.refusedLately(now); n >= MaxInvalid {
		return text.Tell("Discord: %d requests were refused in %d minutes, so none is made for now; see whether the bot may "+
			"write where it is asked", n, invalidWindow)
	}
	if g.all.fails > 0 && now.Sub(g.all.until) < stale {
		return text.Tell("Discord answers with a page, status %d: all requests wait and are tried again; if it lasts, this address may be blocked", g.status)
	}
	for route, p := range g.routes {
		if now.Sub(p.until) < stale {
			return &chat.DegradedError{Err: text.Tell("Discord answers %s with a page, status %d: it is tried again", public(route), g.status)}
		}
	}
	return nil
}

// stale is how long after a pause nobody has asked again: nothing waits.
const stale = time.Minute

// public returns a route without its secret parts.
func public(route string) string {
	part := strings.Split(route, "/")
	return strings.Join(part[:min(len(part), 2)], "/")
}

// Package wrap stands around models: it asks them in order until one answers
// (Route), lets one rest that failed (Breaker), holds each to limits of tokens
// and money (Meter), learns how its tokens count (Gauge) and how many it takes
// (Window), hides secrets from it (Discreet), shows where time went (Traced) and
// remembers vectors (Embedder). Nothing in it knows an endpoint or writes a
// prompt.
package wrap

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"parley/internal/llm"
)

// Leg is one model of a Route.
type Leg struct {
	llm.Model
	Name    string   // the owner's, by which requests choose it
	Breaker *Breaker // shared by all routes that the model is on
	Gauge   *Gauge   // likewise
	Window  *Window  // likewise
	Blind   bool     // it takes no pictures
}

// Route asks its models in order until one answers. One that failed rests, and
// is passed by while another is there. When nobody answered, those that may be
// back soon are waited for.
//
// A request is done once: what a model answered is never asked for again, so no
// tool is called twice for it. Text that a failed model had begun is taken back
// with llm.RetryText before the next one speaks.
type Route struct {
	Legs []Leg // at least one
	// Free lets a request name any model of the first leg's endpoint; otherwise
	// what is no leg's name chooses nothing.
	Free     bool
	Patience time.Duration // all waiting for one message together; 0 waits for nobody
	Tries    int           // requests for one message that may fail in a row; 0 is no bound
	Total    time.Duration // of a request whose context has no deadline; 0 is no bound
	Log      *slog.Logger
}

// Back-off between rounds: longer each time, within a third more or less, so that
// clients that failed together do not come back together. Six requests take some 16 s.
const (
	firstPause = 250 * time.Millisecond
	mostPause  = 10 * time.Second
)

// Complete implements llm.Model.
func (r Route) Complete(ctx context.Context, req llm.Request, onText func(string)) (llm.Response, error) {
	if _, ok := ctx.Deadline(); !ok && r.Total > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, r.Total)
		defer stop()
	}
	call := &routed{Route: r, req: req, onText: onText, lasting: map[string]bool{}, endure: llm.EnduranceOf(ctx)}
	legs := r.order(req.Model)
	if err := call.hopeless(legs); err != nil {
		return llm.Response{}, err
	}
	// Where somebody has waited for all of them in vain, one look is enough.
	inVain := r.Tries > 0 && !slices.ContainsFunc(legs, func(l Leg) bool { return l.Breaker.failures() < r.Tries })
	pause, err := call.endure.Resume(ctx, firstPause)
	if err != nil {
		return llm.Response{}, err
	}
	for ; ; pause = min(pause*5/2, mostPause) {
		resp, err := call.round(ctx, legs)
		if err == nil || call.over {
			return resp, err
		}
		failed, waited := call.endure.Spent()
		left := r.Patience - waited
		wait := max(min(pause*2/3+rand.N(pause*2/3), left), call.tip)
		if !call.soon || left <= 0 || wait > left || r.Tries > 0 && failed >= r.Tries {
			return llm.Response{}, err
		}
		if inVain && errors.Is(err, llm.ErrUnavailable) {
			return llm.Response{}, err
		}
		r.Log.Warn("no model answers, trying again", "wait", wait.Round(time.Millisecond), "err", err)
		call.endure.Wait(wait, err)
		if err := llm.Pause(ctx, wait); err != nil {
			return llm.Response{}, err
		}
	}
}

// hopeless returns why none of these models is asked again for this message: each failed,
// and earlier calls for it have tried as often, or as long, as they may. One failure is no
// reason, where nothing is tried twice: it may have been about a call that matters less. Nil is
// hope.
func (c *routed) hopeless(legs []Leg) (why error) {
	failed, waited := c.endure.Spent()
	if (c.Tries <= 0 || failed < max(c.Tries, 2)) && (c.Patience <= 0 || waited < c.Patience) {
		return nil
	}
	for _, leg := range legs {
		err := c.endure.Why(leg.Name)
		if err == nil {
			return nil
		}
		if why == nil {
			why = err
		}
	}
	return why
}

// order returns the legs with the one that is asked for first.
func (r Route) order(name string) []Leg {
	i := slices.IndexFunc(r.Legs, func(l Leg) bool { return l.Name == name })
	if i <= 0 {
		return r.Legs
	}
	return slices.Concat(r.Legs[i:i+1], r.Legs[:i], r.Legs[i+1:])
}

// Estimate returns the size of a request in tokens of the model that would get it.
func (r Route) Estimate(req llm.Request) int { return r.Next(req.Model).Gauge.Estimate(req) }

// Space returns how many tokens a request may have at the model that would get it; 0
// is not known.
func (r Route) Space(model string) int { return r.Next(model).Window.Space() }

// Next returns the leg that a request for this model would be sent to now.
func (r Route) Next(name string) Leg {
	legs := r.order(name)
	for _, l := range legs {
		if _, why := l.Breaker.Resting(); why == nil {
			return l
		}
	}
	return legs[0]
}

// routed is one request on its way.
type routed struct {
	Route
	req     llm.Request
	onText  func(string)
	lasting map[string]bool // legs that a wait does not help, by name
	endure  *llm.Endurance
	begun   bool // a failed model's text is shown
	over    bool // the request has ended, whatever the legs
	soon    bool // somebody may be back
	tip     time.Duration
	lost    llm.Usage // of legs that failed
}

// round asks each leg once: those that do not rest first and then, because
// nobody else is left, the others.
func (c *routed) round(ctx context.Context, legs []Leg) (llm.Response, error) {
	c.soon, c.tip = false, 0
	var failed []failure
	asked := map[string]bool{}
	for _, rested := range []bool{true, false} {
		for _, leg := range legs {
			if asked[leg.Name] || c.lasting[leg.Name] || rested && !leg.Breaker.enter() {
				continue
			}
			asked[leg.Name] = true
			resp, err := c.ask(ctx, leg)
			leg.Breaker.leave(ctx, err)
			if err == nil {
				c.endure.Worked()
				resp.By = leg.Name
				resp.Usage = resp.Usage.Add(c.lost)
				return resp, nil
			}
			e, ok := errors.AsType[*llm.Error](err)
			if ctx.Err() != nil || !ok || errors.Is(err, llm.ErrLimit) {
				c.over = true
				return llm.Response{}, err
			}
			c.heed(leg, e)
			failed = append(failed, failure{leg.Name, e})
		}
	}
	return llm.Response{}, c.worst(failed)
}

// ask asks one leg, in its own terms.
func (c *routed) ask(ctx context.Context, leg Leg) (llm.Response, error) {
	req := c.req
	if req.Model == leg.Name || !c.Free || leg.Name != c.Legs[0].Name {
		req.Model = ""
	}
	if leg.Blind {
		req.Messages = unseen(req.Messages)
	}
	if c.begun && c.onText != nil {
		c.onText(llm.RetryText)
	}
	c.begun = false
	var show func(string)
	if c.onText != nil {
		show = func(delta string) {
			c.begun = delta != llm.RetryText
			c.onText(delta)
		}
	}
	return leg.Complete(ctx, req, show)
}

// heed notes what a failure means for the next round.
func (c *routed) heed(leg Leg, e *llm.Error) {
	if len(c.Legs) > 1 {
		c.Log.Warn("a model failed", "model", leg.Name, "err", e)
	}
	c.lost = c.lost.Add(e.Usage)
	if restFor(e) > 0 { // it is about the model, not about the request
		why := *e
		why.Usage = llm.Usage{} // it was paid once
		c.endure.Failed(leg.Name, &why)
	}
	if !errors.Is(e, llm.ErrUnavailable) && !errors.Is(e, llm.ErrRateLimited) {
		c.lasting[leg.Name] = true
		return
	}
	if !c.soon || e.RetryAfter < c.tip {
		c.tip = e.RetryAfter
	}
	c.soon = true
}

// failure is why a leg did not answer.
type failure struct {
	name string
	err  *llm.Error
}

// worst returns the error of a failed round: the first failure, unless one says that a
// shorter request would do.
func (c *routed) worst(failed []failure) error {
	if len(failed) == 0 {
		return &llm.Error{Class: llm.ErrUnavailable, Detail: "no model is left to ask"}
	}
	told := *failed[0].err
	if i := slices.IndexFunc(failed, func(f failure) bool { return errors.Is(f.err, llm.ErrContextOverflow) }); i >= 0 {
		told = *failed[i].err
	}
	if len(failed) > 1 {
		var details []string
		for _, f := range failed {
			details = append(details, f.name+": "+f.err.Detail)
		}
		told.Detail = strings.Join(details, "; ")
	}
	told.Usage = c.lost
	return &told
}

// unseen returns the messages without pictures.
func unseen(ms []llm.Message) []llm.Message {
	return replaced(ms, llm.Message.Pictured, func(m llm.Message) llm.Message {
		m.Images = nil
		m.Content += "\n(There is a picture here that you cannot see. Say so if it matters.)"
		return m
	})
}

// replaced returns list with others in place of those that are found; list itself, which
// is not changed, where none is.
func replaced[T any](list []T, found func(T) bool, other func(T) T) []T {
	if !slices.ContainsFunc(list, found) {
		return list
	}
	list = slices.Clone(list)
	for i, one := range list {
		if found(one) {
			list[i] = other(one)
		}
	}
	return list
}

package mcp

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text"
	"parley/internal/tools"
)

// ongoing is a call that a server works on. It lives as long as the call of our
// tool that began it, and longer while a person is asked something for it.
type ongoing struct {
	tool   tool
	token  string // the server's progress names it
	person tools.Person
	cancel context.CancelFunc
	over   <-chan struct{} // closed when it has ended or was cancelled
	asked  chan inquiry    // what the server wants to know, one at a time
	done   chan answered
	asks   atomic.Bool // somebody is asked something for it
	one    sync.Mutex  // held while they are

	dismissed chan struct{} // closed by dismiss
	dismiss   func()        // nobody will answer any more
}

// ongoingKey is the context key of the call that a request of ours belongs to. A server
// without a session asks in its answer, and so it is clear for which call.
type ongoingKey struct{}

// answered is how a call of a server ended.
type answered struct {
	result *sdk.CallToolResult
	err    error
}

// calls are those under way at one server. The zero calls is ready.
type calls struct {
	asks bool // the server may ask people something; fixed before the first call

	all sync.WaitGroup // one for each call under way

	mu   sync.Mutex // guards list
	list []*ongoing
}

// start begins a call. Somebody must wait for it, or cancel it.
func (r *remote) start(ctx context.Context, session *sdk.ClientSession, t tool, c tools.Call) *ongoing {
	free, cancel := context.WithCancel(context.WithoutCancel(ctx))
	o := &ongoing{tool: t, token: rand.Text(), person: tools.PersonOf(ctx), cancel: cancel, over: free.Done(),
		asked: make(chan inquiry), done: make(chan answered, 1)}
	o.dismissed = make(chan struct{})
	o.dismiss = sync.OnceFunc(func() { close(o.dismissed) })
	params := &sdk.CallToolParams{Name: t.name, Arguments: c.Args}
	if o.person.Status != nil {
		params.SetProgressToken(o.token)
	}
	r.calls.add(o)
	free = context.WithValue(free, ongoingKey{}, o)
	end := r.begin(free)
	r.calls.all.Go(func() {
		defer cancel()
		defer end()
		result, err := session.CallTool(free, params)
		if err != nil && o.sentAway(free, err) {
			result, err = session.CallTool(free, params)
		}
		r.calls.remove(o)
		o.done <- answered{result, err}
	})
	return o
}

func (c *calls) add(o *ongoing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, o)
}

func (c *calls) remove(o *ongoing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = slices.DeleteFunc(c.list, func(other *ongoing) bool { return other == o })
}

// end ends all calls: their session is over. A server that waits for a person
// hears that nobody answers, and has a moment to finish.
func (c *calls) end() {
	c.mu.Lock()
	list := slices.Clone(c.list)
	c.mu.Unlock()
	limit := time.NewTimer(goodbye)
	defer limit.Stop()
	for _, o := range list {
		if o.dismiss(); !o.asks.Load() {
			o.cancel()
		}
	}
	for _, o := range list {
		select {
		case <-o.over:
		case <-limit.C:
			limit.Reset(0)
		}
		o.cancel()
	}
}

// named is the call whose progress has this token; nil for none.
func (c *calls) named(token any) *ongoing {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.list {
		if token == o.token {
			return o
		}
	}
	return nil
}

// asker is the call for which the server asks somebody something. A server does
// not say which: where several are under way, or one whose person cannot be
// asked, it is nil, and nobody is asked what is meant for somebody else.
func (c *calls) asker() *ongoing {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.list) != 1 || !c.list[0].person.Asks {
		return nil
	}
	return c.list[0]
}

// wait is how the call stands when it ends, or when the server wants to know
// something first. Whoever gives up, by ctx, ends it.
func (o *ongoing) wait(ctx context.Context) (tools.Result, error) {
	select {
	case a := <-o.done:
		return o.tool.ended(ctx, a)
	case q := <-o.asked:
		q.Go = func(reply tools.Reply) tools.Tool { return continued{o, q.reply, reply} }
		return tools.Result{Data: q.Inquiry, Untrusted: true}, nil
	case <-ctx.Done():
		o.cancel()
		return tools.Result{}, ctx.Err()
	}
}

// progress shows whoever waits for a call how far its server says to be. What
// reports of no call, or too late, is ignored.
func (r *remote) progress(_ context.Context, n *sdk.ProgressNotificationClientRequest) {
	if o := r.calls.named(n.Params.ProgressToken); o != nil && o.person.Status != nil {
		o.person.Status(fmt.Sprintf("_%s:_ %s", text.Literal(r.server.Name), howFar(n.Params)))
	}
}

// howFar is a server's report in a line.
func howFar(p *sdk.ProgressNotificationParams) string {
	share := ""
	if p.Total > 0 && p.Progress >= 0 && p.Progress <= p.Total {
		share = fmt.Sprintf("%.0f %%", math.Floor(100*p.Progress/p.Total))
	}
	said := text.Literal(text.Shorten(p.Message, 200))
	switch {
	case said == "" && share == "":
		return fmt.Sprintf("step %v", p.Progress)
	case said == "":
		return share
	case share == "":
		return said
	}
	return said + " (" + share + ")"
}

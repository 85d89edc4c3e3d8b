package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text"
	"parley/internal/tools"
	"parley/internal/tools/elicit/fields"
)

const (
	// personTimeout is how long a server waits for a person at most, whatever they
	// are asked.
	personTimeout = 15 * time.Minute
	maxFields     = 20
	maxOptions    = 50
	maxSaid       = 1000 // bytes of what a server says in a question
	maxURL        = 1000 // bytes
	maxPages      = 3    // that one call wants opened
)

// What a server cannot ask people.
var (
	errForm = errors.New("the form is too long")
	errPage = errors.New("not an address that people can be sent to")
)

// inquiry is a server's question to a person, and the way back.
type inquiry struct {
	tools.Inquiry
	reply chan tools.Reply // holds one
}

// elicit asks the person of the call that is under way. Where that is not clear,
// or what is asked cannot be, the server hears that nobody answered.
func (r *remote) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	never := &sdk.ElicitResult{Action: string(tools.Cancel)}
	o, _ := ctx.Value(ongoingKey{}).(*ongoing)
	if o == nil && !modern(req.Session) {
		o = r.calls.asker()
	}
	if o == nil || !o.person.Asks {
		r.log.WarnContext(ctx, "a tool server asks something, and it is not clear whom")
		return never, nil
	}
	q, err := r.inquire(req.Params)
	if err != nil {
		r.log.WarnContext(ctx, "a tool server asks what cannot be asked in a chat", "err", err)
		return never, nil
	}
	reply := o.put(ctx, q)
	return &sdk.ElicitResult{Action: string(reply.Action), Content: reply.Values}, nil
}

// put asks the person of a call and waits for the answer; without one the reply
// is Cancel.
func (o *ongoing) put(ctx context.Context, q inquiry) tools.Reply {
	o.one.Lock() // of several questions, one after the other
	defer o.one.Unlock()
	o.asks.Store(true)
	defer o.asks.Store(false)
	limit := time.NewTimer(personTimeout)
	defer limit.Stop()
	asked, never := o.asked, tools.Reply{Action: tools.Cancel}
	for {
		select {
		case asked <- q:
			asked = nil
		case reply := <-q.reply:
			return reply
		case <-ctx.Done():
			return never
		case <-o.dismissed:
			return never
		case <-o.over:
			return never
		case <-limit.C:
			o.cancel() // nobody waits for what comes of it
		}
	}
}

// sentAway puts the pages to the person that a server wants opened before it
// does anything, and says whether they agree to all of them.
func (o *ongoing) sentAway(ctx context.Context, failure error) bool {
	wire, ok := errors.AsType[*jsonrpc.Error](failure)
	if !o.person.Asks || !ok || wire.Code != sdk.CodeURLElicitationRequired {
		return false
	}
	var wanted struct{ Elicitations []*sdk.ElicitParams }
	if json.Unmarshal(wire.Data, &wanted) != nil || len(wanted.Elicitations) == 0 || len(wanted.Elicitations) > maxPages {
		return false
	}
	for _, p := range wanted.Elicitations {
		q, err := o.tool.remote.inquire(p)
		if err != nil || q.URL == "" || o.put(ctx, q).Action != tools.Accept {
			return false
		}
	}
	return true
}

// inquire reads what a server asks. All texts are clipped, and data.
func (r *remote) inquire(p *sdk.ElicitParams) (q inquiry, err error) {
	q = inquiry{tools.Inquiry{Server: r.server.Name, Message: limited(p.Message, maxSaid), URL: p.URL}, make(chan tools.Reply, 1)}
	if p.URL != "" {
		return q, checkPage(p.URL)
	}
	data, err := json.Marshal(p.RequestedSchema)
	if err != nil {
		return q, err
	}
	var asked struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(data, &asked); err != nil {
		return q, err
	}
	if len(asked.Properties) > maxFields {
		return q, errForm
	}
	for _, name := range inOrder(asked.Properties, asked.Required) {
		f, err := fields.Of(name, slices.Contains(asked.Required, name), asked.Properties[name])
		if err != nil {
			return q, err
		}
		if len(f.Options) > maxOptions {
			return q, errForm
		}
		f.Title, f.About = limited(f.Title, 200), limited(f.About, 500)
		q.Fields = append(q.Fields, f)
	}
	return q, nil
}

// inOrder are the names of properties: what is required as the server lists it,
// then the others by name. The library loses their own order.
func inOrder(properties map[string]json.RawMessage, required []string) (names []string) {
	for _, name := range append(slices.Clone(required), slices.Sorted(maps.Keys(properties))...) {
		if _, ok := properties[name]; ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// checkPage refuses addresses that people cannot be sent to with a good
// conscience.
func checkPage(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || len(address) > maxURL {
		return errPage
	}
	if clean, _ := text.Strip(address); clean != address {
		return errPage
	}
	return nil
}

// continued resumes a call whose person was asked. It is called once.
type continued struct {
	o     *ongoing
	way   chan<- tools.Reply
	reply tools.Reply
}

// Spec asks for no yes: the call was let pass when it began, and what its person answers now
// decides nothing about the tool.
func (c continued) Spec() tools.Spec {
	s := c.o.tool.Spec()
	s.Asking = tools.AskNever
	return s
}

func (c continued) Call(ctx context.Context, _ tools.Call) (tools.Result, error) {
	c.way <- c.reply
	return c.o.wait(ctx)
}

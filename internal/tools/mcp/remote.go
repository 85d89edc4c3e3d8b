package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text"
	"parley/internal/tools"
)

const (
	listTimeout = 10 * time.Second
	listPause   = time.Second // between two looks at a server's tools
	minBackOff  = time.Second
	maxBackOff  = time.Minute
	stable      = time.Minute // a connection that lasted this long resets the back-off
	// newsTime is how often the tools of a server without a session are looked at, besides
	// when it says that they changed: the stream in which it does may break unseen.
	newsTime = 5 * time.Minute
)

// dialer reaches a server. close ends everything that dialling began and waits
// for it; it is called once, after the session has ended or to end it.
type dialer func(ctx context.Context) (t sdk.Transport, close func(), err error)

// remote is one server's life: connected, lost, connected again.
type remote struct {
	server Server
	pins   *pins
	log    *slog.Logger
	dial   dialer
	login  *login        // nil where none is possible
	look   chan struct{} // asks for a look at the server's tools; holds one
	again  chan struct{} // asks to connect now; holds one
	busy   busy
	tasks  taskOnly
	calls  calls
	starts starts // shared by the programs; nil for a server with an address
	era    era

	mu      sync.Mutex // guards what follows
	started func()     // the server has started, or failed to
	queued  bool       // it waits for its turn to start
	session *sdk.ClientSession
	all     []definition // its tools
	set     tools.Set    // those that may be used
	pending []Change
	err     string
	barred  bool          // it wants a login
	away    time.Time     // since when there is no session, or the first try to have one began
	changed chan struct{} // closed when the server has come, or a try has failed
}

func newRemote(s Server, p *pins, log *slog.Logger) *remote {
	return &remote{server: s, pins: p, log: log.With("server", s.Name), look: make(chan struct{}, 1), again: make(chan struct{}, 1),
		away: time.Now(), changed: make(chan struct{}), queued: true, started: func() {}}
}

// keep connects and reconnects until ctx ends.
func (r *remote) keep(ctx context.Context) {
	delay := minBackOff
	defer r.calls.all.Wait() // the session is gone, and so is what they wait for
	if r.login != nil {
		defer r.login.give(nil)
	}
	for {
		r.enter(ctx)
		start := time.Now()
		err := r.connect(ctx)
		if ctx.Err() != nil {
			r.lost(nil)
			return
		}
		r.lost(err)
		if time.Since(start) > stable {
			delay = minBackOff
		}
		pause := uneven(delay)
		r.log.WarnContext(ctx, "tool server lost", "err", err, "again_in", pause)
		select {
		case <-time.After(pause):
		case <-r.again:
		case <-ctx.Done():
			return
		}
		delay = min(2*delay, maxBackOff)
	}
}

// enter waits for the server's turn to start. If ctx ends first, nothing that is begun with
// it lasts.
func (r *remote) enter(ctx context.Context) {
	done, _ := r.starts.turn(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.started = done; r.queued {
		r.queued, r.away = false, time.Now()
	}
}

func (r *remote) lost(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.moved()
	r.started()
	if r.session != nil {
		r.away, r.queued = time.Now(), true
	}
	r.session, r.all, r.set, r.pending, r.err = nil, nil, tools.Set{}, nil, ""
	if r.barred = errors.Is(err, ErrLogin); err != nil {
		r.err = err.Error()
	}
}

// nudge sends to a channel that holds one; a full one asks already.
func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// connect lives through one connection; its error says how it ended.
func (r *remote) connect(ctx context.Context) error {
	session, hangUp, err := r.greet(ctx)
	if err != nil {
		return err
	}
	return r.attend(ctx, session, hangUp)
}

// greet dials a server and shakes hands. hangUp ends everything that dialling
// began and may be called twice.
func (r *remote) greet(ctx context.Context) (session *sdk.ClientSession, hangUp func(), err error) {
	transport, hangUp, err := r.dial(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("start: %w", err)
	}
	hangUp = sync.OnceFunc(hangUp)
	client := sdk.NewClient(&sdk.Implementation{Name: "parley", Version: "1"}, r.manners())
	client.AddSendingMiddleware(fresh)
	greeting, cancel := context.WithTimeout(ctx, r.server.startTime())
	defer cancel() // the session has a life of its own
	r.login.greeting()
	session, err = client.Connect(greeting, transport, &sdk.ClientSessionOptions{ProtocolVersion: r.era.protocol()})
	err = r.login.wanted(err)
	if !errors.Is(err, ErrLogin) {
		r.era.met(err == nil, err == nil && !modern(session))
	}
	if err != nil {
		hangUp()
		if greeting.Err() != nil && ctx.Err() == nil {
			return nil, nil, text.Tell("it was not ready within %s; start in mcp.servers gives it longer", r.server.startTime())
		}
		return nil, nil, fmt.Errorf("connect: %w", err)
	}
	return session, hangUp, nil
}

// manners limit what a server may do with us: without roots and sampling it gets nothing
// of ours. It may ask people where somebody can be asked.
func (r *remote) manners() *sdk.ClientOptions {
	o := &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { r.wake() },

		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { r.wake() },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { r.wake() },
		ProgressNotificationHandler: r.progress,
	}
	if r.calls.asks {
		o.ElicitationHandler = r.elicit
		o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{},
			URL: &sdk.URLElicitationCapabilities{}}
	}
	return o
}

// news ticks while the tools of a server without a session are looked at now and then; nil for
// other servers. quiet ends it.
func (r *remote) news(session *sdk.ClientSession) (ticks <-chan time.Time, quiet func()) {
	if !modern(session) || r.server.URL == "" {
		return nil, func() {}
	}
	t := time.NewTicker(newsTime)
	return t.C, t.Stop
}

// attend watches a session until it or ctx ends.
func (r *remote) attend(ctx context.Context, session *sdk.ClientSession, hangUp func()) error {
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	over := false
	var looked chan error // of the look that is under way
	defer func() {
		r.calls.end() // what people are asked would be waited for
		impatient := time.AfterFunc(goodbye, hangUp)
		session.Close() // what it says of a dead peer is of no use
		impatient.Stop()
		hangUp()
		if !over {
			<-ended
		}
		if looked != nil {
			<-looked // whatever it waited for has hung up
		}
	}()
	r.wake()
	look := r.look
	news, quiet := r.news(session)
	defer quiet()
	var rested <-chan time.Time // however often a server says that its tools changed
	var patience time.Duration  // of the look
	var overdue <-chan time.Time
	for {
		select {
		case err := <-ended:
			over = true
			if err == nil {
				err = errors.New("the server hung up")
			}
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-rested:
			look = r.look
		case <-news:
			r.wake()
		case <-look:
			if r.postpone() {
				continue
			}
			done := make(chan error, 1)
			patience = r.patience()
			go func() { done <- r.refresh(ctx, session, patience) }()
			look, looked, overdue = nil, done, time.After(patience+listPause)
		case err := <-looked:
			looked, overdue = nil, nil
			if err != nil && !r.excused(patience) {
				return err
			}
			rested = time.After(listPause)
		case <-overdue: // not even our question is read
			if overdue = time.After(callTimeout); !r.excused(patience) {
				return errors.New("list tools: the server does not read")
			}
		}
	}
}

// wake asks for a look at the server's tools, which also finds out whether it
// still answers. It never blocks, and the look waits for calls under way.
func (r *remote) wake() { nudge(r.look) }

// refresh reads the server's tools and offers those that are approved.
func (r *remote) refresh(ctx context.Context, session *sdk.ClientSession, patience time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	all, err := r.list(limited, session)
	if err != nil {
		return err
	}
	r.answered()
	return r.offer(ctx, session, all, r.extras(limited, session))
}

// list asks a server for its tools, every page of them.
func (r *remote) list(ctx context.Context, session *sdk.ClientSession) (all []definition, err error) {
	if offers(session).Tools == nil {
		return nil, nil
	}
	count := 0
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list tools: %w", err)
		}
		if count++; count > maxTools {
			r.log.WarnContext(ctx, "tool server has too many tools", "used", maxTools)
			break
		}
		if r.tasks.has(t.Name) {
			continue
		}
		d, err := define(r.server, t)
		if err == nil && slices.ContainsFunc(all, func(o definition) bool { return o.Name == d.Name }) {
			err = fmt.Errorf("%s: its name is taken", d.Name)
		}
		if err != nil {
			r.log.WarnContext(ctx, "tool refused", "err", err)
			continue
		}
		all = append(all, d)
	}
	return all, nil
}

func (r *remote) offer(ctx context.Context, session *sdk.ClientSession, all []definition, extras []tools.Tool) error {
	approved, pending, err := r.pins.compare(r.server.Name, all)
	if err != nil {
		return err
	}
	var ours []tools.Tool
	for _, d := range approved {
		if d.claims {
			c := claim{d, r}
			d.Claim, d.ReadOnly, d.SideEffect = c, c.Taken(), !c.Taken()
		}
		ours = append(ours, tool{d, r})
	}
	set := tools.NewSet(ours...).With(tools.NewSet(extras...)) // the server's own win a name
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session != session || set.Len() != r.set.Len() || len(pending) != len(r.pending) {
		r.log.InfoContext(ctx, "tool server connected", "tools", len(approved), "pending", len(pending))
	}
	if r.session != session {
		defer r.moved()
	}
	r.session, r.all, r.set, r.pending, r.err, r.barred = session, all, set, pending, "", false
	r.started()
	return nil
}

func (r *remote) status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Status{Server: r.server.Name, Connected: r.session != nil, Err: r.err, Login: r.barred || r.login.short(),
		Pending: slices.Clone(r.pending)}
	for _, t := range r.set.All() {
		s.Tools = append(s.Tools, t.Name)
		if c, ok := t.Claim.(claim); ok && !c.Taken() {
			s.Claims = append(s.Claims, Change{Tool: c.name, Description: c.Description, Parameters: string(c.Parameters),
				Hints: c.Hints, Hash: c.id()})
		}
	}
	return s
}

func (r *remote) approve(name, hash string) error {
	r.mu.Lock()
	all := r.all
	r.mu.Unlock()
	i := slices.IndexFunc(all, func(d definition) bool { return d.name == name && d.id() == hash })
	if i < 0 {
		return fmt.Errorf("mcp: tool %q of server %s: %w", name, r.server.Name, ErrChanged)
	}
	if err := r.pins.approve(r.server.Name, all[i]); err != nil {
		return err
	}
	r.wake()
	return nil
}

func (r *remote) current() *sdk.ClientSession {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
}

// awaitLimit is how long a call waits for a server that may take longer.
const awaitLimit = 40 * time.Second

// Await waits until the server of a tool is connected, while it starts: as long as it may
// take, counted from its turn or from its loss, but no longer than awaitLimit. It reports
// whether the server is there; it may be so at once, if it came after the caller had looked.
func (c *Client) Await(ctx context.Context, tool string) bool {
	server, _, _ := strings.Cut(tool, "__")
	r := c.find(server)
	return r != nil && r.await(ctx)
}

// await waits for the connection that is about to be made.
func (r *remote) await(ctx context.Context) bool {
	r.mu.Lock()
	left := r.server.startTime()
	if !r.queued {
		left -= time.Since(r.away)
	}
	r.mu.Unlock()
	limit, cancel := context.WithTimeout(ctx, min(left, awaitLimit))
	defer cancel()
	again := time.NewTicker(minBackOff)
	defer again.Stop()
	for {
		r.mu.Lock()
		up, barred, changed := r.session != nil, r.barred, r.changed
		r.mu.Unlock()
		if up || barred {
			return up
		}
		select {
		case <-changed:
		case <-again.C:
			nudge(r.again)
		case <-limit.Done():
			return false
		}
	}
}

// moved wakes those who wait: the server has come, or a try has failed. mu must be held.
func (r *remote) moved() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// busy tracks a server's work for us. One that works on a call need not answer anything
// else meanwhile: nobody asks whether it lives, and it is never ended for being slow.
type busy struct {
	mu        sync.Mutex // guards what follows
	calls     int        // under way
	abandoned bool       // it may still work on a call that nobody waits for
	postponed bool       // a look was wanted meanwhile
}

// begin notes a call; what it returns is called when the call is over. Whoever
// gives up waiting, by ctx, leaves the server at work.
func (r *remote) begin(ctx context.Context) (end func()) {
	r.busy.mu.Lock()
	r.busy.calls++
	r.busy.mu.Unlock()
	leave := sync.OnceFunc(func() {
		r.busy.mu.Lock()
		defer r.busy.mu.Unlock()
		if ctx.Err() != nil {
			r.busy.abandoned, r.busy.postponed = true, true // is it slow or dead?
		}
		if r.busy.calls--; r.busy.calls == 0 && r.busy.postponed {
			r.busy.postponed = false
			r.wake()
		}
	})
	stop := context.AfterFunc(ctx, leave)
	return func() { stop(); leave() }
}

// postpone puts a look off to the end of the calls that are under way, if there
// are any.
func (r *remote) postpone() bool {
	r.busy.mu.Lock()
	defer r.busy.mu.Unlock()
	r.busy.postponed = r.busy.calls > 0
	return r.busy.postponed
}

// patience returns how long a list of tools may take now: a server that starts has its time
// for that, and one who gave up on a call does not know how long the server is at it.
func (r *remote) patience() time.Duration {
	if r.current() == nil {
		return r.server.startTime()
	}
	r.busy.mu.Lock()
	defer r.busy.mu.Unlock()
	if r.busy.abandoned {
		return callTimeout
	}
	return listTimeout
}

// excused reports whether a look which took that long may have failed because the
// server was at work; then there will be another.
func (r *remote) excused(patience time.Duration) bool {
	if r.postpone() {
		return true
	}
	if r.patience() <= patience {
		return false
	}
	r.wake()
	return true
}

// answered notes that the server has caught up.
func (r *remote) answered() {
	r.busy.mu.Lock()
	defer r.busy.mu.Unlock()
	r.busy.abandoned = false
}

// Package mcp makes the tools of Model Context Protocol servers ours, and ours
// theirs: a Client keeps servers connected and offers what they have as a
// tools.Set, Serve answers other clients. It trusts no server: what one says
// of its tools counts only as pinned, what a tool returns is text from outside,
// and a server that dies, floods or talks junk takes only its own tools away.
// It does not decide who may use a tool.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/internal/text"
	"parley/internal/tools"
	"parley/internal/tools/netguard"
)

// Server is one tool server as an operator configured it: Command or URL.
type Server struct {
	// Name is the prefix of its tools: ^[a-z][a-z0-9_]{0,19}$ without "__" and
	// without "_" at its end.
	Name string
	// Command is the program and its arguments, run without a shell, in a
	// folder of its own.
	Command []string
	// Env adds to the few harmless variables of the program's environment: NAME hands
	// one on, NAME=value sets one.
	Env []string
	URL string // of a streamable HTTP server
	// Headers go with every request to URL's host, and nowhere else.
	Headers map[string]string
	Login   Login // to URL, when it asks for one
	// ReadOnly is the operator's word that no tool of it changes anything. Else
	// those do that are not said to be read-only by their hints, and of these
	// the owner decides.
	ReadOnly bool
	// Public is the operator's word that what its tools return is no secret.
	Public  bool
	Timeout time.Duration // of one call, 1-300 s; 0 is a minute
	Start   time.Duration // to start, to connect and to list its tools; 0 is 90 s
}

// Login holds an operator's settings for logging in to a server.
type Login struct {
	ClientID     string // "" registers a client
	ClientSecret string
	Scopes       []string // none are those the server names
}

// Options are a Client's parts.
type Options struct {
	Servers []Server
	// Dir holds the pins and the servers' folders; it is made when missing.
	Dir string
	// Asks lets servers ask people something during a call; somebody must put
	// a tools.Inquiry to them.
	Asks bool
	// AtOnce is how many programs may start at once; 0 is one more than there are
	// processors.
	AtOnce int
	Log    *slog.Logger // nil is silent
}

// Client keeps servers connected. Its methods may be called from many
// goroutines.
type Client struct{ remotes []*remote }

// Status is how a server stands.
type Status struct {
	Server    string
	Connected bool
	Err       string   // why it is not connected; "" before the first try
	Login     bool     // it waits for a login, or for one with further rights; see Client.Login
	Tools     []string // offered, by our names
	Pending   []Change // what the server has beyond what was approved
	Claims    []Change // approved tools that are said to only read, which nobody has decided on
}

// Change is a tool that is disabled until somebody approves it. Its texts are
// the server's own: data to look at.
type Change struct {
	Tool        string // the server's name of it
	New         bool   // else it is not what was approved
	Titled      bool   // of what was approved, only the title is new, or was not kept
	Description string
	Before      string // the description that was approved
	Parameters  string // JSON Schema
	Hints       *tools.Hints
	Hash        string // of all this, for Approve
}

var serverName = text.Pattern(`^[a-z]([a-z0-9]|_[a-z0-9]){0,19}$`)

// Open reads the pins and checks the servers; Run connects them.
func Open(o Options) (*Client, error) {
	c := &Client{}
	log := cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	pins, err := openPins(filepath.Join(o.Dir, "pins.json"))
	if err != nil {
		return nil, err
	}
	programs := newStarts(o.AtOnce)
	for _, s := range o.Servers {
		switch {
		case !serverName().MatchString(s.Name):
			return nil, fmt.Errorf("mcp: server name %q must match %s", s.Name, serverName())
		case c.find(s.Name) != nil:
			return nil, fmt.Errorf("mcp: two servers are named %s", s.Name)
		case (len(s.Command) == 0) == (s.URL == ""):
			return nil, fmt.Errorf("mcp: server %s needs a command or an address", s.Name)
		}
		r := newRemote(s, pins, log)
		r.calls.asks = o.Asks
		if s.URL == "" {
			r.starts = programs
		}
		if err := r.prepare(o.Dir); err != nil {
			return nil, err
		}
		c.remotes = append(c.remotes, r)
	}
	return c, nil
}

// prepare says how the server is reached.
func (r *remote) prepare(dir string) error {
	s := r.server
	if s.URL == "" {
		r.dial = r.overPipes(filepath.Join(dir, s.Name))
		return nil
	}
	guard, err := netguard.Guard{}.Trusting(s.URL)
	if err != nil {
		return fmt.Errorf("mcp: server %s: %w", s.Name, err)
	}
	if s.Headers["Authorization"] == "" {
		r.login = newLogin(s, guard, filepath.Join(dir, "login-"+s.Name+".json"))
	}
	r.dial = r.overHTTP(guard)
	return nil
}

// Run keeps every server connected until ctx ends, then ends them and returns
// when the last is gone. It is called once.
func (c *Client) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, r := range c.remotes {
		all.Go(func() { r.keep(ctx) })
	}
	all.Wait()
}

// Set returns what the servers offer right now, in the order they were configured.
func (c *Client) Set() tools.Set {
	var set tools.Set
	for _, r := range c.remotes {
		r.mu.Lock()
		set = set.With(r.set)
		r.mu.Unlock()
	}
	return set
}

// Look asks every connected server for its tools again, which also finds out
// whether it still answers. It does not wait.
func (c *Client) Look() {
	for _, r := range c.remotes {
		r.wake()
	}
}

// Status returns how every server stands, in the order they were configured.
func (c *Client) Status() []Status {
	out := make([]Status, len(c.remotes))
	for i, r := range c.remotes {
		out[i] = r.status()
	}
	return out
}

// ErrChanged is returned by Approve when a tool is not what was looked at.
var ErrChanged = errors.New("not what was shown any more")

// Approve pins a pending tool, or takes the server's word that an approved one only
// reads. hash is that of the Change a person looked at: if the server has changed it
// since, Approve returns ErrChanged and approves nothing.
func (c *Client) Approve(server, tool, hash string) error {
	if r := c.find(server); r != nil {
		return r.approve(tool, hash)
	}
	return fmt.Errorf("mcp: there is no server %q", server)
}

// find returns the server of that name, nil for none.
func (c *Client) find(server string) *remote {
	i := slices.IndexFunc(c.remotes, func(r *remote) bool { return r.server.Name == server })
	if i < 0 {
		return nil
	}
	return c.remotes[i]
}

// loginTo returns what logs in to a server; nil where it wants none, or is none.
func (c *Client) loginTo(server string) *login {
	if r := c.find(server); r != nil {
		return r.login
	}
	return nil
}

// Login starts a login to a server and returns the address that a person opens
// in a browser; FinishLogin ends it. Errors are ErrNoNeed, or say what failed.
func (c *Client) Login(ctx context.Context, server string) (address string, err error) {
	if l := c.loginTo(server); l != nil {
		return l.begin(ctx)
	}
	return "", fmt.Errorf("mcp: %s: %w", server, ErrNoNeed)
}

// FinishLogin takes the address that the browser was sent to and connects.
// Errors are ErrNoLogin, ErrAddress and ErrDeclined, or say what failed.
func (c *Client) FinishLogin(ctx context.Context, server, address string) error {
	l := c.loginTo(server)
	if l == nil {
		return ErrNoLogin
	}
	if err := l.finish(ctx, address); err != nil {
		return err
	}
	nudge(c.find(server).again)
	return nil
}

// Logout forgets a login and says whether there was one.
func (c *Client) Logout(server string) (bool, error) {
	l := c.loginTo(server)
	if l == nil {
		return false, nil
	}
	had, err := l.tokens.forget()
	l.note(nil)
	c.find(server).wake()
	return had, err
}

// Probe connects to one server as a Client does, counts its tools, and hangs
// up. It pins nothing; a program runs in a folder that is gone afterwards. dir
// is Options.Dir. The error wraps ErrLogin when the server wants one.
func probe(ctx context.Context, s Server, dir string) (count int, err error) {
	if s.URL == "" {
		if dir, err = os.MkdirTemp("", "parley-mcp-*"); err != nil {
			return 0, fmt.Errorf("check tool server: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	r := newRemote(s, nil, slog.New(slog.DiscardHandler))
	if err := r.prepare(dir); err != nil {
		return 0, err
	}
	began := time.Now()
	session, hangUp, err := r.greet(ctx)
	if err != nil && !errors.Is(err, ErrLogin) && time.Since(began) < probeTime/2 { // it may be an older one
		session, hangUp, err = r.greet(ctx)
	}
	if err != nil {
		return 0, err
	}
	defer hangUp()
	defer session.Close()
	limited, cancel := context.WithTimeout(ctx, s.startTime())
	defer cancel()
	all, err := r.list(limited, session)
	return len(all), err
}

// Probe connects to all servers as a Client does, as many at once, and counts their tools.
// It pins nothing. One error wraps ErrLogin when its server wants one. done is called as
// each is over, from one goroutine at a time.
func Probe(ctx context.Context, o Options, done func(server int)) (counts []int, errs []error) {
	counts, errs = make([]int, len(o.Servers)), make([]error, len(o.Servers))
	programs := newStarts(o.AtOnce)
	var all sync.WaitGroup
	var told sync.Mutex
	for i, s := range o.Servers {
		all.Go(func() {
			queue := programs
			if s.URL != "" {
				queue = nil
			}
			started, _ := queue.turn(ctx)
			counts[i], errs[i] = probe(ctx, s, o.Dir)
			started()
			told.Lock()
			defer told.Unlock()
			done(i)
		})
	}
	all.Wait()
	return counts, errs
}

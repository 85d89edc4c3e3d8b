package mcp

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// stateless is the first version of the protocol without a handshake, and handshake the
	// last one with it.
	stateless = "2026-07-28"
	handshake = "2025-11-25"
	// probeTime is how long a server has at most to say that it knows the newest version. An
	// older one need not answer at all; then the handshake follows, in the same connection.
	probeTime = 30 * time.Second
	discover  = "server/discover" // the question
)

// era is how a server is greeted.
type era struct {
	older  bool        // the way with a handshake comes first; of the goroutine that connects
	proven bool        // a handshake went well; of it, too
	vain   int         // greetings in vain since; of it, too
	silent atomic.Bool // the server did not answer the probe in time
	slow   atomic.Bool // it answered afterwards
}

// protocol returns the version that a server is asked for first.
func (e *era) protocol() string {
	if e.silent.Store(false); e.older {
		return handshake
	}
	return stateless
}

// patience returns how long the answer to the probe may take of the time for a start.
func (e *era) patience(start time.Duration) time.Duration {
	if e.slow.Load() {
		return start
	}
	return min(probeTime, start/2)
}

// trust is how many greetings in vain a server that once shook hands is asked for nothing newer:
// it may just not be up, and the question may end an older server.
const trust = 5

// met notes how a greeting went, and whether with a handshake. A way that went well is kept;
// after one in vain the other way follows, as being asked for the newest version may have ended
// an older server.
func (e *era) met(well, shook bool) {
	switch {
	case well:
		e.older, e.proven, e.vain = shook, shook, 0
	case e.proven && e.vain < trust:
		e.vain++
	default:
		e.older, e.proven = !e.older && !e.slow.Load(), false
	}
}

// modern reports whether a session is one without a handshake.
func modern(session *sdk.ClientSession) bool {
	return session.InitializeResult().ProtocolVersion >= stateless
}

// offers returns what a server says that it has.
func offers(session *sdk.ClientSession) sdk.ServerCapabilities {
	if c := session.InitializeResult().Capabilities; c != nil {
		return *c
	}
	return sdk.ServerCapabilities{}
}

// fresh has the library keep no list, whatever its server says: a look at a server's tools
// also finds out whether it still answers.
func fresh(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		switch v := result.(type) {
		case *sdk.ListToolsResult:
			v.TTLMs = 0
		case *sdk.ListResourcesResult:
			v.TTLMs = 0
		case *sdk.ListResourceTemplatesResult:
			v.TTLMs = 0
		case *sdk.ListPromptsResult:
			v.TTLMs = 0
		case *sdk.ReadResourceResult:
			v.TTLMs = 0
		}
		return result, err
	}
}

// probing is a transport over pipes that answers a probe in place of a server that does not.
type probing struct {
	sdk.Transport
	era      *era
	patience time.Duration
}

// Connect implements sdk.Transport.
func (p probing) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &probed{Connection: c, era: p.era, until: time.Now().Add(p.patience)}, nil
}

type probed struct {
	sdk.Connection
	era   *era
	until time.Time
	over  bool // the server said something, or it was answered for; of the one goroutine that reads
	asked atomic.Pointer[jsonrpc.ID]
}

// Write implements sdk.Connection.
func (p *probed) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Request); ok && r.Method == discover {
		p.asked.Store(&r.ID)
	}
	return p.Connection.Write(ctx, m)
}

// Read implements sdk.Connection. What a server says to the probe too late belongs to no
// question any more.
func (p *probed) Read(ctx context.Context) (jsonrpc.Message, error) {
	if p.over {
		m, err := p.Connection.Read(ctx)
		id := p.asked.Load()
		if r, ok := m.(*jsonrpc.Response); ok && id != nil && p.era.silent.Load() && r.ID == *id && r.Error == nil {
			p.era.slow.Store(true)
		}
		return m, err
	}
	limit, cancel := context.WithDeadline(ctx, p.until)
	defer cancel()
	m, err := p.Connection.Read(limit)
	if p.over = true; err == nil || limit.Err() == nil || ctx.Err() != nil {
		return m, err
	}
	if id := p.asked.Load(); id != nil {
		p.era.silent.Store(true)
		return &jsonrpc.Response{ID: *id, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no answer"}}, nil
	}
	return p.Connection.Read(ctx)
}

// sendProbe sends the probe by next; a server that does not begin to answer in time has refused it.
func (e *era) sendProbe(next http.RoundTripper, r *http.Request, patience time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	var late atomic.Bool
	timer := time.AfterFunc(patience, func() { late.Store(true); cancel() })
	resp, err := next.RoundTrip(r.WithContext(ctx))
	timer.Stop()
	switch {
	case late.Load() && r.Context().Err() == nil:
		if err == nil {
			resp.Body.Close()
		}
		cancel()
		e.silent.Store(true)
		return &http.Response{Status: "404 Not Found", StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
	case err != nil:
		cancel()
		return nil, err
	}
	resp.Body = body{resp.Body, closing{resp.Body, cancel}}
	return resp, nil
}

// closing also calls a function.
type closing struct {
	io.Closer
	then func()
}

// Close implements io.Closer.
func (c closing) Close() error {
	defer c.then()
	return c.Closer.Close()
}

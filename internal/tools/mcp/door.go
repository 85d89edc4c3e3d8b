package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text/inbound"
	"parley/internal/tools"
)

// Pattern is what a Door serves.
const Pattern = "/mcp"

// Bounds of what programs send, and of how much they have done at once.
const (
	maxRequest    = 1 << 20 // bytes of a body
	atOnce        = 32      // requests
	atOnceEach    = 8       // of one person
	maxRepetition = 200     // bytes of an Idempotency-Key
	answerTime    = 5 * time.Minute
)

// ErrBarred is returned by DoorOptions.Guest for somebody who may not use the assistant now.
var ErrBarred = errors.New("whose token this is may not use the assistant")

// LaterError is returned by DoorOptions.Guest for somebody whose programs ask too much.
type LaterError struct{ After time.Duration }

// Error implements error.
func (*LaterError) Error() string { return "too many at once" }

// Guest is what a person's programs may do.
type Guest struct {
	As  tools.Call // the identity that every call runs under, as for Serve
	Set tools.Set
}

// DoorOptions are a Door's parts.
type DoorOptions struct {
	// Bearer returns whose a token is; ok is false for nobody's. It is asked for every
	// request, and again before what a call found is given away.
	Bearer func(ctx context.Context, token string) (person string, ok bool, err error)
	// Guest returns what a person's programs may do now, ErrBarred or a LaterError.
	Guest func(ctx context.Context, person string) (Guest, error)
	// Runner runs the calls.
	Runner func() *tools.Runner
	Log    *slog.Logger
	// Failpoint is called once a call was made and before it is answered; tests kill the
	// process there. nil does nothing; all others are required.
	Failpoint func(point string)
}

// Door answers MCP clients over HTTP, each request by itself: who sends one proves by a token
// whose program it is, and may do what that person's programs may. There are no sessions that
// could outlive a token, and nothing is kept between requests.
type Door struct {
	o    DoorOptions
	http *sdk.StreamableHTTPHandler

	mu       sync.Mutex // guards what follows
	closed   bool
	count    int            // requests under way
	each     map[string]int // of a person
	expelled map[string]int // people, by how often
	left     chan struct{}  // closed when a request is over
}

// visitor is who sent a request.
type visitor struct {
	Guest
	person, token string
	server        *sdk.Server // made for the request; nil at first
}

type visitorKey struct{}

// NewDoor opens nothing.
func NewDoor(o DoorOptions) *Door {
	d := &Door{o: o, each: map[string]int{}, expelled: map[string]int{}, left: make(chan struct{})}
	d.http = sdk.NewStreamableHTTPHandler(d.server, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxRequest, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // whoever serves the door knows its own names
	})
	return d
}

// turnedAway is an answer that does nothing.
type turnedAway struct {
	status int
	why    string
	after  time.Duration // when to try again; 0 says nothing
}

// nobody learns nothing from it but that.
var nobody = &turnedAway{status: http.StatusUnauthorized, why: "a valid bearer token is needed"}

func (t *turnedAway) Error() string { return t.why }

// ServeHTTP implements http.Handler. Nothing of a request but its headers is read before its
// token is known.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v, err := d.admit(r)
	if err == nil {
		defer d.leave(v.person)
		r, err = d.read(w, r)
	}
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{}) // it was read; what cannot be set is bounded by whoever serves
	_ = c.SetWriteDeadline(time.Now().Add(answerTime))
	d.http.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), visitorKey{}, v)))
}

// refuse answers a request that is not served.
func (d *Door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var no *turnedAway
	if !errors.As(err, &no) {
		if r.Context().Err() == nil {
			d.o.Log.Error("an MCP client was not served", "err", err)
		}
		no = &turnedAway{http.StatusServiceUnavailable, "not now", 30 * time.Second}
	}
	if no.after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((no.after+time.Second-1)/time.Second)))
	}
	switch {
	case no.status == http.StatusUnauthorized && r.Header.Get("Authorization") == "":
		w.Header().Set("WWW-Authenticate", `Bearer realm="parley"`)
	case no.status == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="parley", error="invalid_token"`)
	case no.status == http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	}
	d.o.Log.Warn("an MCP client was refused", "status", no.status, "why", no.why)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(no.status)
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": nil, // the client is gone
		"error": map[string]any{"code": jsonrpc.CodeInvalidRequest, "message": no.why}})
}

// admit returns who sent a request, and counts it until leave.
func (d *Door) admit(r *http.Request) (*visitor, error) {
	token := inbound.Bearer(r.Header)
	if token == "" {
		return nil, nobody
	}
	person, ok, err := d.o.Bearer(r.Context(), token)
	switch {
	case err != nil:
		return nil, fmt.Errorf("whose token: %w", err)
	case !ok:
		return nil, nobody
	case r.Method != http.MethodPost:
		return nil, &turnedAway{status: http.StatusMethodNotAllowed, why: "only POST is served"}
	}
	if err := d.enter(person); err != nil {
		return nil, err
	}
	guest, err := d.o.Guest(r.Context(), person)
	if err != nil {
		d.leave(person)
		var later *LaterError
		switch {
		case errors.Is(err, ErrBarred):
			return nil, &turnedAway{status: http.StatusForbidden, why: err.Error()}
		case errors.As(err, &later):
			return nil, &turnedAway{http.StatusTooManyRequests, err.Error(), later.After}
		}
		return nil, fmt.Errorf("what a person's programs may do: %w", err)
	}
	return &visitor{Guest: guest, person: person, token: token}, nil
}

// enter counts a request of a person.
func (d *Door) enter(person string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return &turnedAway{http.StatusServiceUnavailable, "it is stopping", 30 * time.Second}
	case d.expelled[person] > 0:
		return nobody
	case d.count >= atOnce:
		return &turnedAway{http.StatusServiceUnavailable, "too many at once", 5 * time.Second}
	case d.each[person] >= atOnceEach:
		return &turnedAway{http.StatusTooManyRequests, "too many at once", time.Second}
	}
	d.count++
	d.each[person]++
	return nil
}

// leave takes it off the count.
func (d *Door) leave(person string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count--
	if d.each[person]--; d.each[person] == 0 {
		delete(d.each, person)
	}
	close(d.left)
	d.left = make(chan struct{})
}

// Close refuses what comes from now on and waits for what is under way, until ctx ends. A nil
// Door has nothing to close.
func (d *Door) Close(ctx context.Context) {
	if d == nil {
		return
	}
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.wait(ctx, func() bool { return d.count == 0 })
}

// Expel refuses a person's programs and waits for what they have under way, until ctx ends.
// over ends it.
func (d *Door) Expel(ctx context.Context, person string) (over func()) {
	expel := func(n int) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.expelled[person] += n; d.expelled[person] == 0 {
			delete(d.expelled, person)
		}
	}
	expel(1)
	d.wait(ctx, func() bool { return d.each[person] == 0 })
	return func() { expel(-1) }
}

// wait waits until done, which is called with mu held, or until ctx ends.
func (d *Door) wait(ctx context.Context, done func() bool) {
	for {
		d.mu.Lock()
		over, left := done(), d.left
		d.mu.Unlock()
		if over {
			return
		}
		select {
		case <-left:
		case <-ctx.Done():
			return
		}
	}
}

// read reads a body, which is one message. The server bounds the time.
func (d *Door) read(w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	raw, err := inbound.Body(w, r, maxRequest)
	var no *inbound.BodyError
	switch {
	case errors.As(err, &no):
		return r, &turnedAway{status: no.Status, why: no.Error()}
	case bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("[")):
		return r, &turnedAway{status: http.StatusBadRequest, why: "batches are not supported; send one message a request"}
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	return r, nil
}

// server returns what answers a request: the tools of who sent it.
func (d *Door) server(r *http.Request) *sdk.Server {
	v, _ := r.Context().Value(visitorKey{}).(*visitor)
	if v == nil {
		return nil
	}
	if v.server == nil {
		v.server = newServer(v.Set, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return d.call(ctx, v, r)
		})
	}
	return v.server
}

var errRevoked = errors.New("the token is not valid any more; what was asked for may be done")

// call runs a call. Of two with the same Idempotency-Key one does nothing, if the tool can
// tell: what adds something does.
func (d *Door) call(ctx context.Context, v *visitor, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	as := v.As
	if said := r.Extra.Header.Get("Idempotency-Key"); said != "" && len(said) <= maxRepetition {
		sum := sha256.Sum256([]byte(strings.Join([]string{v.person, r.Params.Name, string(r.Params.Arguments), said}, "\x00")))
		as.Key = "mcp:" + hex.EncodeToString(sum[:])
	}
	result := answer(ctx, d.o.Runner(), v.Set, as, r)
	if d.o.Failpoint != nil {
		d.o.Failpoint("after_mcp_call")
	}
	person, ok, err := d.o.Bearer(ctx, v.token)
	if err != nil || !ok || person != v.person {
		return nil, errRevoked
	}
	return result, nil
}

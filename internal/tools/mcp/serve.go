package mcp

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/tools"
)

// Serve answers one MCP client over in and out, line by line, until in ends or
// ctx does. The client may call the tools of set and nothing else. as is the
// identity every call runs under (Who, Where, Session, Agent, Confirmed, Taint);
// its other fields are filled per call. Closing in and out is Serve's task.
func Serve(ctx context.Context, set tools.Set, as tools.Call, in io.ReadCloser, out io.WriteCloser) error {
	runner := &tools.Runner{}
	server := newServer(set, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return answer(ctx, runner, set, as, r), nil
	})
	t := newTransport(ctx, in, out)
	err := server.Run(ctx, &sdk.IOTransport{Reader: t, Writer: t, MaxLineLength: maxMessage})
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if waited := runner.Wait(patience); err == nil {
		err = waited
	}
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return fmt.Errorf("serve mcp: %w", err)
	}
	return nil
}

// newServer returns a server of the protocol that has the tools of set.
func newServer(set tools.Set, call sdk.ToolHandler) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "parley", Version: "1"}, &sdk.ServerOptions{
		Instructions: "Tools of a Parley assistant: its person's memory, notes and tasks.",
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		// What somebody may use is theirs, and may change at any time.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.TTLMs, c.CacheScope = 0, "private" },
	})
	for _, spec := range set.All() {
		server.AddTool(&sdk.Tool{Name: spec.Name, Description: spec.Description, InputSchema: spec.Parameters,
			Annotations: annotations(spec)}, call)
	}
	return server
}

// answer runs a call that a client asks for, under the identity c; without a Key it has one
// of its own.
func answer(ctx context.Context, runner *tools.Runner, set tools.Set, c tools.Call, r *sdk.CallToolRequest) *sdk.CallToolResult {
	if c.ID = rand.Text(); c.Key == "" {
		c.Key = "mcp:" + c.ID
	}
	c.Name, c.Args = r.Params.Name, r.Params.Arguments
	if len(c.Args) == 0 || string(c.Args) == "null" { // clients may leave them out
		c.Args = json.RawMessage("{}")
	}
	o := runner.Run(ctx, set, c)
	return &sdk.CallToolResult{ // a model reads it
		Content: []sdk.Content{&sdk.TextContent{Text: tools.ForModel(c.Name, o.Result.Note, o.Result.Content, o.Result.Untrusted)}},
		IsError: o.Class != "",
	}
}

// annotations returns a tool's hints. One that says nothing about itself may do
// anything, as the protocol assumes; every call has a key of its own, so what
// our tools do once for each key they do again here.
func annotations(s tools.Spec) *sdk.ToolAnnotations {
	h := tools.Hints{Destructive: !s.ReadOnly, Idempotent: s.ReadOnly}
	if s.Hints != nil {
		h = *s.Hints
	}
	return &sdk.ToolAnnotations{Title: h.Title, ReadOnlyHint: s.ReadOnly, DestructiveHint: &h.Destructive,
		IdempotentHint: h.Idempotent, OpenWorldHint: &h.OpenWorld}
}

// lastAnswers is how long the server waits for answers after a client has closed its
// end: many write all their questions, and then close.
const lastAnswers = 30 * time.Second

// transport stands between a client and the protocol's library, which ends at the
// first line that it cannot read. It refuses such a line, as JSON-RPC says, and goes
// on with the next. One goroutine calls Read, one Close.
type transport struct {
	lineReader
	ctx   context.Context
	from  *bufio.Reader
	out   io.WriteCloser
	close func() error

	mu      sync.Mutex      // guards what follows, and writing
	waiting map[string]bool // questions without an answer, by id
	settled chan struct{}   // closed when there are none
}

func newTransport(ctx context.Context, in io.ReadCloser, out io.WriteCloser) *transport {
	t := &transport{ctx: ctx, from: bufio.NewReaderSize(in, 64<<10), out: out, waiting: map[string]bool{}, settled: make(chan struct{})}
	t.next = t.admitted
	close(t.settled)
	t.close = sync.OnceValue(func() error { return errors.Join(in.Close(), out.Close()) })
	return t
}

// admitted returns the next line if it is a request or a notification.
func (t *transport) admitted() ([]byte, error) {
	line, err := t.line()
	if len(line) > 0 && t.admit(line) {
		return line, nil
	}
	if err != nil {
		t.settle()
	}
	return nil, err
}

// line returns the next line with its end; one that is too long is refused here and
// comes back as nothing.
func (t *transport) line() ([]byte, error) {
	var all []byte
	for long := false; ; {
		piece, err := t.from.ReadSlice('\n')
		if long = long || len(all)+len(piece) > maxMessage; !long {
			all = append(all, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			t.refuse(nil, jsonrpc.CodeParseError, "Parse error: the line is too long")
			return nil, err
		}
		return all, err
	}
}

// admit reports whether a line is for the library, and refuses it otherwise.
func (t *transport) admit(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return false
	}
	if !json.Valid(line) {
		t.refuse(nil, jsonrpc.CodeParseError, "Parse error: the line is not JSON")
		return false
	}
	if line[0] == '[' {
		t.refuse(nil, jsonrpc.CodeInvalidRequest, "Invalid request: batches are not supported; send one message a line")
		return false
	}
	var head envelope
	_, broken := jsonrpc.DecodeMessage(line)
	if json.Unmarshal(line, &head) != nil || head.JSONRPC != "2.0" || broken != nil {
		t.refuse(head.id(), jsonrpc.CodeInvalidRequest, "Invalid request: the line is no JSON-RPC 2.0 message")
		return false
	}
	if !t.expect(head) {
		t.refuse(head.id(), jsonrpc.CodeInvalidRequest, "Invalid request: another request with this id has no answer yet")
		return false
	}
	return true
}

// expect notes a question that will be answered. It is false for an id that
// another one has, which the library would never answer.
func (t *transport) expect(head envelope) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case head.Method == "notifications/cancelled":
		t.answered(head.Params.RequestID)
	case head.Method != "" && head.id() != nil:
		if t.waiting[string(head.ID)] {
			return false
		}
		if len(t.waiting) == 0 {
			t.settled = make(chan struct{})
		}
		t.waiting[string(head.ID)] = true
	}
	return true
}

// envelope holds the parts of a message that decide where it goes.
type envelope struct {
	JSONRPC string
	Method  string
	ID      json.RawMessage
	Params  struct{ RequestID json.RawMessage }
}

// id returns the id of a request: a text or a number. nil for none, or no valid one.
func (e envelope) id() json.RawMessage {
	if len(e.ID) == 0 || bytes.ContainsAny(e.ID[:1], "{[ntf") {
		return nil
	}
	return e.ID
}

// answered notes that nobody waits for the answer with this id. The caller
// holds mu.
func (t *transport) answered(id json.RawMessage) {
	if !t.waiting[string(id)] {
		return
	}
	delete(t.waiting, string(id))
	if len(t.waiting) == 0 {
		close(t.settled)
	}
}

// settle waits until every question has its answer.
func (t *transport) settle() {
	t.mu.Lock()
	settled := t.settled
	t.mu.Unlock()
	select {
	case <-settled:
	case <-t.ctx.Done():
	case <-time.After(lastAnswers):
	}
}

// refuse answers what the library will not see. Failing to write is for the
// library to find out.
func (t *transport) refuse(id json.RawMessage, code int, why string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.out.Write(append(answer, '\n'))
}

// Write implements io.Writer; the library writes a message a call.
func (t *transport) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := t.out.Write(p)
	var head envelope
	if json.Unmarshal(p, &head) == nil && head.Method == "" {
		t.answered(head.ID)
	}
	return n, err
}

// Close implements io.Closer, for both ends; the library closes each.
func (t *transport) Close() error { return t.close() }

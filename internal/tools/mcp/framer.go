package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lastAnswers is how long answers are waited for after a client has closed its
// end: many write all they want to know, and then close.
const lastAnswers = 30 * time.Second

// framer stands between a client and the protocol's library, which ends at the
// first line that it cannot read: such a line is refused, as JSON-RPC says, and
// the next one counts. Read and Close are called by one goroutine each.
type framer struct {
	ctx  context.Context
	from *bufio.Reader
	out  io.WriteCloser
	rest []byte // of the line that is passed on

	close func() error

	mu      sync.Mutex      // guards what follows, and writing
	waiting map[string]bool // questions without an answer, by id
	settled chan struct{}   // closed when there are none
}

func newFramer(ctx context.Context, in io.ReadCloser, out io.WriteCloser) *framer {
	d := &framer{ctx: ctx, from: bufio.NewReaderSize(in, 64<<10), out: out, waiting: map[string]bool{}, settled: make(chan struct{})}
	close(d.settled)
	d.close = sync.OnceValue(func() error { return errors.Join(in.Close(), out.Close()) })
	return d
}

// Read implements io.Reader with the lines that are requests or notifications.
func (d *framer) Read(p []byte) (int, error) {
	for len(d.rest) == 0 {
		line, err := d.line()
		if len(line) > 0 && d.admit(line) {
			d.rest = line
			break
		}
		if err != nil {
			d.settle()
			return 0, err
		}
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// line returns the next line with its end; one that is too long is refused here and
// comes back as nothing.
func (d *framer) line() ([]byte, error) {
	var all []byte
	for long := false; ; {
		piece, err := d.from.ReadSlice('\n')
		if long = long || len(all)+len(piece) > maxMessage; !long {
			all = append(all, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			d.refuse(nil, jsonrpc.CodeParseError, "Parse error: the line is too long")
			return nil, err
		}
		return all, err
	}
}

// admit reports whether a line is for the library, and refuses it otherwise.
func (d *framer) admit(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return false
	}
	if !json.Valid(line) {
		d.refuse(nil, jsonrpc.CodeParseError, "Parse error: the line is not JSON")
		return false
	}
	if line[0] == '[' {
		d.refuse(nil, jsonrpc.CodeInvalidRequest, "Invalid request: batches are not supported; send one message a line")
		return false
	}
	var head envelope
	_, broken := jsonrpc.DecodeMessage(line)
	if json.Unmarshal(line, &head) != nil || head.JSONRPC != "2.0" || broken != nil {
		d.refuse(head.id(), jsonrpc.CodeInvalidRequest, "Invalid request: the line is no JSON-RPC 2.0 message")
		return false
	}
	if !d.expect(head) {
		d.refuse(head.id(), jsonrpc.CodeInvalidRequest, "Invalid request: another request with this id has no answer yet")
		return false
	}
	return true
}

// expect notes a question that will be answered. It is false for an id that
// another one has, which the library would never answer.
func (d *framer) expect(head envelope) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case head.Method == "notifications/cancelled":
		d.answered(head.Params.RequestID)
	case head.Method != "" && head.id() != nil:
		if d.waiting[string(head.ID)] {
			return false
		}
		if len(d.waiting) == 0 {
			d.settled = make(chan struct{})
		}
		d.waiting[string(head.ID)] = true
	}
	return true
}

// envelope is what of a message decides where it goes.
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
func (d *framer) answered(id json.RawMessage) {
	if !d.waiting[string(id)] {
		return
	}
	delete(d.waiting, string(id))
	if len(d.waiting) == 0 {
		close(d.settled)
	}
}

// settle waits until every question has its answer.
func (d *framer) settle() {
	d.mu.Lock()
	settled := d.settled
	d.mu.Unlock()
	select {
	case <-settled:
	case <-d.ctx.Done():
	case <-time.After(lastAnswers):
	}
}

// refuse answers what the library will not see. Failing to write is for the
// library to find out.
func (d *framer) refuse(id json.RawMessage, code int, why string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _ = d.out.Write(append(answer, '\n'))
}

// Write implements io.Writer; the library writes a message a call.
func (d *framer) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.out.Write(p)
	var head envelope
	if json.Unmarshal(p, &head) == nil && head.Method == "" {
		d.answered(head.ID)
	}
	return n, err
}

// Close implements io.Closer, for both ends; the library closes each.
func (d *framer) Close() error { return d.close() }

package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"parley/internal/llm"
	"parley/internal/text/urls"
)

// exchange travels with a request's context: what has to be written into it
// beyond the library's form, and what came back beyond it.
type exchange struct {
	messages []byte   // the list of them
	tools    [][]byte // nil for none
	members  [][]byte // further ones of the request; nil ones are left out
	marks    bool     // the provider caches what is marked

	sent  []byte    // the body as it goes over the wire
	raw   []byte    // the whole body, when it is not a stream
	body  io.Reader // of the answer, when it is one
	touch func()    // told when more of a body has come; nil for nobody
	room  int64     // bytes of the answer that are read
}

type exchangeKey struct{}

// doer sends the library's requests. It turns failures into llm.Error before the
// library can lose their headers and bodies.
type doer struct {
	client *http.Client
	secret string
}

// Do implements the library's HTTPDoer.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	ex, _ := req.Context().Value(exchangeKey{}).(*exchange)
	if ex != nil {
		if err := ex.complete(req); err != nil {
			return nil, err
		}
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, d.unreachable(err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // half a body still says something
		return nil, &llm.Error{
			Class: class(resp.StatusCode, string(body)), Status: resp.StatusCode,
			RetryAfter: retryAfter(resp.Header, time.Now()), Detail: hide(words(body), d.secret),
		}
	}
	body := &capped{ReadCloser: resp.Body, left: maxBody, start: true, stream: strings.HasPrefix(resp.Header.Get("Content-Type"),
		"text/event-stream")}
	resp.Body = body
	if ex == nil {
		return resp, nil
	}
	body.left, ex.body = ex.room, body
	if !body.stream {
		return d.whole(resp, ex)
	}
	return resp, nil
}

// crowdedWait is the time between two tries to open a connection where no file is left.
const crowdedWait = 200 * time.Millisecond

// dialing opens a connection.
type dialing = func(ctx context.Context, network, address string) (net.Conn, error)

// patient returns a way to dial that waits while this process, or the machine, has no file
// left to open: that says nothing about the server, and is over soon.
func patient(dial dialing) dialing {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		for {
			conn, err := dial(ctx, network, address)
			if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) || llm.Pause(ctx, crowdedWait) != nil {
				return conn, err
			}
		}
	}
}

// whole keeps a body that is not a stream for our own decoder. A server that
// answers a streaming request in one piece is read all the same.
func (d *doer) whole(resp *http.Response, ex *exchange) (*http.Response, error) {
	body, err := io.ReadAll(&growing{resp.Body, ex.touch})
	_ = resp.Body.Close()
	switch {
	case errors.Is(err, errOverlong):
		return nil, &llm.Error{Class: llm.ErrInvalidOutput, Detail: err.Error()}
	case err != nil:
		return nil, d.unreachable(err)
	}
	ex.raw = body
	if resp.Request.Header.Get("Accept") == "text/event-stream" {
		body = append(append([]byte("data: "), bytes.ReplaceAll(body, []byte("\n"), nil)...), "\n\ndata: [DONE]\n\n"...)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	ex.body = resp.Body
	return resp, nil
}

// growing reports each piece of a body that is more than blanks, which some servers
// send to keep the connection while nothing comes.
type growing struct {
	io.Reader
	touch func()
}

func (g *growing) Read(p []byte) (int, error) {
	n, err := g.Reader.Read(p)
	if g.touch != nil && len(bytes.TrimSpace(p[:n])) > 0 {
		g.touch()
	}
	return n, err
}

// unreachable describes a failure without an answer. The URL stays out of it:
// it may carry a key.
func (d *doer) unreachable(err error) error {
	err = urls.Bare(err)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &llm.Error{Class: llm.ErrUnavailable, Detail: hide(err.Error(), d.secret)}
}

// complete adds to a request what the library leaves out or cannot say: the temperature,
// tools and messages. The last two come after everything that never changes, so that
// nearly all of a request is byte for byte the beginning of the next one, as provider
// caches need.
func (ex *exchange) complete(req *http.Request) error {
	body, err := io.ReadAll(req.Body) // a few settings
	if err != nil {
		return err
	}
	before, after, ok := bytes.Cut(body, []byte(noMessages))
	if !ok {
		return errors.New("rewrite request: the library has no place for messages")
	}
	ms := ex.messages
	if ex.marks {
		if ms, err = markCache(ms); err != nil {
			return fmt.Errorf("rewrite request: %w", err)
		}
	}
	size := len(body) + len(ms) + len(toolsKey) + len(messagesKey) + 5
	for _, t := range slices.Concat(ex.tools, ex.members) {
		size += len(t) + 1
	}
	out := append(make([]byte, 0, size), before...)
	out = append(out, bytes.TrimPrefix(after[:len(after)-1], []byte(","))...)
	begin := func(member string) {
		if last := out[len(out)-1]; last != '{' && last != ',' {
			out = append(out, ',')
		}
		out = append(out, member...)
	}
	for _, member := range ex.members {
		if len(member) > 0 {
			begin(string(member))
		}
	}
	if len(ex.tools) > 0 {
		begin(toolsKey)
		for i, t := range ex.tools {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, t...)
		}
		out = append(out, ']')
	}
	begin(messagesKey)
	out = append(append(out, ms...), '}')
	ex.sent = out
	req.ContentLength = int64(len(out))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out)), nil }
	req.Body, _ = req.GetBody()
	return nil
}

// Members of a request. Within a text of it their quotes would have backslashes before
// them.
const (
	messagesKey = `"messages":`
	noMessages  = messagesKey + `[]`
	toolsKey    = `"tools":[`
)

// words returns the message of an error body, in any provider's format.
func words(body []byte) string {
	var form struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	list := []json.RawMessage{body}
	_ = json.Unmarshal(body, &list) // Gemini wraps its error in an array
	if len(list) > 0 && json.Unmarshal(list[0], &form) == nil {
		var inner struct {
			Message string          `json:"message"`
			Code    json.RawMessage `json:"code"`
		}
		var text string
		switch {
		case json.Unmarshal(form.Error, &text) == nil:
			return text
		case json.Unmarshal(form.Error, &inner) == nil && inner.Message != "":
			return strings.TrimSpace(inner.Message + " " + strings.Trim(string(inner.Code), `"`))
		case form.Message != "":
			return form.Message
		}
	}
	text := strings.TrimSpace(string(body))
	return text[:min(len(text), 300)]
}

// class maps a status and a body to an error class.
func class(status int, body string) error {
	low := strings.ToLower(body)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) })
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return llm.ErrAuth
	case status == http.StatusPaymentRequired:
		return llm.ErrQuota
	case status == http.StatusTooManyRequests && has("insufficient_quota", "billing", "credits"):
		return llm.ErrQuota
	case status == http.StatusTooManyRequests:
		return llm.ErrRateLimited
	case has("increase the physical batch size"): // llama.cpp's status for it is 500
		return llm.ErrContextOverflow
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusTooEarly:
		return llm.ErrUnavailable
	case status == http.StatusRequestEntityTooLarge,
		has("context_length_exceeded", "maximum context length", "context length", "context size", "context window",
			"too many tokens", "prompt is too long"):
		return llm.ErrContextOverflow
	case has("content_filter", "content_policy", "content management policy", "safety"):
		return llm.ErrFiltered
	case status == http.StatusNotFound, has("model_not_found") || (has("model") && has("not found", "does not exist", "invalid model")):
		return llm.ErrModelNotFound
	}
	return llm.ErrBadRequest
}

// retryAfter reads the forms providers use: milliseconds, seconds with or
// without a fraction, or a date. 0 when there is none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	const most = 24 * time.Hour // more is nonsense, and would overflow
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(min(ms, float64(most/time.Millisecond)) * float64(time.Millisecond))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 {
			return time.Duration(min(s, most.Seconds()) * float64(time.Second))
		}
		return 0
	}
	if t, err := http.ParseTime(v); err == nil {
		return min(max(t.Sub(now), 0), most)
	}
	return 0
}

// hide keeps a key out of an error, should a server echo it.
func hide(text, secret string) string {
	if secret == "" {
		return text
	}
	return strings.ReplaceAll(text, secret, "(hidden)")
}

// classify turns the error that ended an attempt into an llm.Error. The caller has
// checked that its own context is still alive. a is what came of an answer until then,
// nil for none.
func (c *Client) classify(ctx context.Context, err error, a *answer) error {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		e = &llm.Error{Class: llm.ErrUnavailable, Detail: cmp.Or(context.Cause(ctx), err).Error()}
	}
	e.Detail, e.Partial, e.Usage = hide(e.Detail, c.o.APIKey), "", llm.Usage{}
	if a != nil {
		e.Partial, e.Usage = a.text.String(), a.usage
	}
	return e
}

// watch ends an attempt that makes no progress. Only calls of touch count as
// progress, so keep-alive comments do not.
type watch struct {
	idle   time.Duration
	cancel context.CancelCauseFunc
	total  *time.Timer

	mu    sync.Mutex // guards timer against a late touch
	timer *time.Timer
}

var (
	errIdle  = errors.New("the model stopped answering")
	errTotal = errors.New("the model took too long")
)

func watched(ctx context.Context, idle, total time.Duration) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{idle: idle, cancel: cancel}
	w.timer = time.AfterFunc(idle, func() { cancel(errIdle) })
	w.total = time.AfterFunc(total, func() { cancel(errTotal) })
	return ctx, w
}

// touch notes progress.
func (w *watch) touch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Reset(w.idle)
}

// afterEnd is how long the rest of a stream is waited for, the usage, once the
// answer is whole.
const afterEnd = 2 * time.Second

// hurry notes that the answer is whole.
func (w *watch) hurry() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = min(w.idle, afterEnd)
	w.timer.Reset(w.idle)
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.total.Stop()
	w.cancel(nil)
}

// Bounds of what is read of an answer, streamed or not, overhead included.
const (
	maxAnswer = 4 << 20
	maxBody   = 16 << 20  // of one that may be as long as many tokens are on the wire
	maxLine   = 1 << 20   // of a stream
	maxBeside = 256 << 10 // of a stream's lines that are no data: comments, errors
	maxError  = 64 << 10  // of an answer with an error status
)

// perToken is the size of a streamed token on the wire with everything around it.
const perToken = 512

// errOverlong means that the answer is longer than may be read.
var errOverlong = errors.New("the answer is too large to be one")

// capped is a body that ends in errOverlong when it is larger than left. The
// library holds a stream's lines whole, and all that are no data together, so
// these have bounds of their own.
type capped struct {
	io.ReadCloser
	left   int64
	stream bool
	start  bool // a line begins
	data   bool // this line is data
	line   int  // bytes of this line
	beside int  // bytes of all lines that are none
}

// Read implements io.Reader.
func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errOverlong
	}
	n, err := c.ReadCloser.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	if !c.stream {
		return n, err
	}
	for _, b := range p[:n] {
		if c.start {
			c.data, c.line = b == 'd', 0
		}
		if c.start = b == '\n'; c.start {
			continue
		}
		c.line++
		if !c.data {
			c.beside++
		}
		if c.line > maxLine || c.beside > maxBeside {
			return 0, errOverlong
		}
	}
	return n, err
}

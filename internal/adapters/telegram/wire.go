package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/chat"
	"parley/internal/text/urls"
)

// maxAnswer bounds an answer of the Bot API: 100 updates fit many times over.
const maxAnswer = 32 << 20

// wire calls the Bot API; it is the only code that touches the network. The library
// supplies the types: it would decode a whole answer, and refuse one for a field that
// nobody reads.
// It keeps the token out of errors, distinguishes requests that were written from
// those that were not, and stops when the token is rejected.
type wire struct {
	poll, send *http.Client // separate, so that a stuck poll never delays an answer
	base       string       // address of all methods; it has the token in it
	files      string       // address of all files; so has this
	limit      time.Duration
	cred       *chat.Credential
	pace       pace
	now        func() time.Time

	mu   sync.Mutex // guards stop
	stop func()     // ends the Run that is under way; nil for none
}

func newWire(opts Options) *wire {
	w := &wire{poll: newClient(1), send: newClient(maxConns), base: opts.APIURL + "/bot" + opts.Token + "/",
		files: opts.APIURL + "/file/bot" + opts.Token + "/", limit: opts.Timing.Send, now: opts.Now}
	w.pace = pace{min: opts.Timing.PauseMin, max: opts.Timing.PauseMax, now: opts.Now}
	w.cred = chat.NewCredential(w.taken, opts.Now)
	return w
}

// ends sets what is called once the token is rejected; nil for nothing.
func (w *wire) ends(stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop = stop
}

// doubt finds out whether the token is rejected, after a call begun at began was.
func (w *wire) doubt(ctx context.Context, began time.Time) {
	w.cred.Doubt(ctx, began)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil && w.cred.Refused() {
		w.stop()
	}
}

// taken reports whether Telegram accepts the token. A malformed one gets a 404.
func (w *wire) taken(ctx context.Context) (bool, error) {
	r, err := w.round(ctx, w.send, request{"getMe", jsonForm, []byte("{}")}, w.limit)
	if err != nil || r.ok {
		return r.ok, err
	}
	if r.code == http.StatusUnauthorized || r.code == http.StatusNotFound {
		return false, nil
	}
	return false, r.refusal("getMe")
}

// maxConns is how many requests to Telegram run at once, not counting the poll:
// Telegram takes 30 messages a second, and a process may have few file
// descriptors.
const maxConns = 24

// newClient speaks HTTP/1.1 only: a connection carries one request, so giving up on one
// that hangs also gives up its half-open connection.
func newClient(idle int) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second,
			Protocols:           protocols,
			MaxIdleConnsPerHost: idle,
			MaxConnsPerHost:     maxConns,
			IdleConnTimeout:     30 * time.Second, // below the server's, which would make outcomes unknown
		},
	}
}

// callError is a call that got no definite answer, or one that is not the Bot
// API's. It never holds the URL, which has the token in it.
type callError struct {
	method  string
	written bool // the request was written whole and may have had its effect
	status  int  // 0 when no answer came
	err     error
}

func (e *callError) Error() string {
	if e.status != 0 {
		return fmt.Sprintf("telegram %s: status %d: %v", e.method, e.status, e.err)
	}
	return fmt.Sprintf("telegram %s: %v", e.method, e.err)
}

func (e *callError) Unwrap() error { return e.err }

var (
	errNotAPI  = errors.New("the answer is not the Bot API's")
	errRefused = errors.New("not done") // the Bot API itself says so
)

// request is a call of a method. It can be sent again after an idle connection died.
type request struct {
	method string
	form   string // of the body, as a media type
	body   []byte
}

// call calls a method; params marshal to JSON. Besides the errors of exchange it returns
// the library's for what the Bot API refused.
func (w *wire) call(ctx context.Context, method string, params any) (reply, error) {
	body, err := json.Marshal(params)
	if err != nil {
		return reply{}, &callError{method: method, err: err}
	}
	return w.post(ctx, request{method, jsonForm, body})
}

// ask is call for a method whose result matters.
func ask[T any](ctx context.Context, w *wire, method string, params any) (result T, err error) {
	r, err := w.call(ctx, method, params)
	if err != nil || len(r.result) == 0 {
		return result, err
	}
	if err := json.Unmarshal(r.result, &result); err != nil {
		return result, fmt.Errorf("telegram %s: read the result: %w", method, err)
	}
	return result, nil
}

// upload is call with a file, which the Bot API takes as a form: each parameter becomes
// a field.
func (w *wire) upload(ctx context.Context, method string, params any, field string, f chat.File) (reply, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	var fields map[string]json.RawMessage
	data, err := json.Marshal(params)
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	for name, value := range fields {
		text := string(value)
		if text == "null" {
			continue
		}
		_ = json.Unmarshal(value, &text) // strings go without quotes
		err = errors.Join(err, form.WriteField(name, text))
	}
	file, e := form.CreateFormFile(field, f.Name)
	if e == nil {
		_, e = file.Write(f.Data)
	}
	if err = errors.Join(err, e, form.Close()); err != nil {
		return reply{}, &callError{method: method, err: err}
	}
	return w.post(ctx, request{method, form.FormDataContentType(), body.Bytes()})
}

// post makes a call that is not a poll.
func (w *wire) post(ctx context.Context, q request) (reply, error) {
	r, err := w.exchange(ctx, w.send, q, w.limit)
	if err == nil {
		err = r.refusal(q.method)
	}
	return r, err
}

const jsonForm = "application/json"

// exchange makes one request and reads the whole answer. Its errors are
// callErrors, pausedErrors, or errToken.
func (w *wire) exchange(ctx context.Context, c *http.Client, q request, limit time.Duration) (reply, error) {
	if !w.cred.Usable(ctx) {
		return reply{}, errToken
	}
	began := w.now()
	r, err := w.round(ctx, c, q, limit)
	if err == nil && !r.ok && r.code == http.StatusUnauthorized {
		w.doubt(ctx, began)
	}
	return r, err
}

// round is exchange without checking the token.
func (w *wire) round(ctx context.Context, c *http.Client, q request, limit time.Duration) (reply, error) {
	fault := &callError{method: q.method}
	if left := w.pace.admit(q.method); left > 0 {
		return reply{}, &pausedError{left}
	}
	began := w.now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var written atomic.Bool
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { written.Store(false) },
		WroteRequest: func(i httptrace.WroteRequestInfo) { written.Store(i.Err == nil) },
	}), http.MethodPost, w.base+q.method, bytes.NewReader(q.body))
	if err != nil {
		fault.err = errors.New("make the request")
		return reply{}, fault
	}
	req.Header.Set("Content-Type", q.form)
	resp, err := c.Do(req)
	var r reply
	if err == nil {
		fault.status = resp.StatusCode
		r, err = w.read(resp, q.method, began)
	}
	if err != nil {
		fault.written = written.Load() && !errors.Is(err, errRefused) && !unprocessed(fault.status)
		fault.err = urls.Bare(err)
		return reply{}, fault
	}
	return r, nil
}

// read reads the whole answer. It returns an error unless this is a definite answer of
// the Bot API.
func (w *wire) read(resp *http.Response, method string, began time.Time) (r reply, err error) {
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return r, err
	}
	r, ok := readReply(resp.StatusCode, data)
	switch {
	case !ok && wasted(resp.StatusCode):
		return r, errNotAPI
	case !ok:
		w.pace.bad(method, began, asked(resp.Header), resp.StatusCode >= 500)
		return r, errNotAPI
	}
	w.pace.good(method)
	if resp.StatusCode >= 500 && !r.ok {
		return r, fmt.Errorf("%w: %s", errRefused, http.StatusText(resp.StatusCode))
	}
	if r.code == http.StatusTooManyRequests && r.retryAfter <= 0 {
		r.retryAfter = int64(asked(resp.Header) / time.Second)
	}
	return r, nil
}

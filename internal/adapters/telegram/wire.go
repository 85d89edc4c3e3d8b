package telegram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"path"
	"sync/atomic"
	"time"
)

// maxAnswer bounds an answer of the Bot API: 100 updates fit many times over.
const maxAnswer = 32 << 20

// wire is the library's HttpClient and the only code that touches the network.
// It keeps the token out of errors, distinguishes requests that were written from
// those that were not, and stops for good when the token is rejected.
type wire struct {
	poll, send *http.Client // separate, so that a stuck poll never delays an answer
	limit      time.Duration
	onPoll     func(*http.Request) (*http.Response, error)
	dead       context.Context // ends when the token is rejected
	kill       context.CancelFunc
	pace       pace
	now        func() time.Time
}

func newWire(opts Options, onPoll func(*http.Request) (*http.Response, error)) *wire {
	w := &wire{poll: newClient(1), send: newClient(maxConns), limit: opts.Timing.Send, onPoll: onPoll, now: opts.Now}
	w.pace = pace{min: opts.Timing.PauseMin, max: opts.Timing.PauseMax, now: opts.Now}
	w.dead, w.kill = context.WithCancel(context.Background())
	return w
}

// maxConns is how many requests to Telegram run at once, not counting the poll:
// Telegram takes 30 messages a second, and a process may have few file
// descriptors.
const maxConns = 24

// newClient speaks HTTP/1.1 only: one connection is one request, so giving up
// on a request that hangs also gives up the half-open connection under it.
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

// Do implements the library's HttpClient.
func (w *wire) Do(req *http.Request) (*http.Response, error) {
	if path.Base(req.URL.Path) == "getUpdates" {
		return w.onPoll(req)
	}
	return w.exchange(w.send, req, w.limit)
}

// exchange makes one request and reads the whole answer. Its errors are
// callErrors, pausedErrors, or errToken.
func (w *wire) exchange(c *http.Client, req *http.Request, limit time.Duration) (*http.Response, error) {
	fault := &callError{method: path.Base(req.URL.Path)}
	if w.dead.Err() != nil {
		return nil, errToken
	}
	if left := w.pace.admit(fault.method); left > 0 {
		return nil, &pausedError{left}
	}
	began := w.now()
	ctx, cancel := context.WithTimeout(req.Context(), limit)
	defer cancel()
	var written atomic.Bool
	out, err := replayable(req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { written.Store(false) },
		WroteRequest: func(i httptrace.WroteRequestInfo) { written.Store(i.Err == nil) },
	})))
	if err != nil {
		fault.err = err
		return nil, fault
	}
	resp, err := c.Do(out)
	if err == nil {
		fault.status = resp.StatusCode
		err = w.read(resp, fault.method, began)
	}
	if err != nil {
		fault.written = written.Load() && !errors.Is(err, errRefused) && !unprocessed(fault.status)
		fault.err = bare(err)
		return nil, fault
	}
	return resp, nil
}

// read reads the whole answer and replaces it with what the library can decode. It
// returns an error unless this is a definite answer of the Bot API.
func (w *wire) read(resp *http.Response, method string, began time.Time) error {
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusUnauthorized {
		w.kill()
	}
	r, ok := readReply(resp.StatusCode, data)
	switch {
	case !ok && wasted(resp.StatusCode):
		return errNotAPI
	case !ok:
		w.pace.bad(method, began, asked(resp.Header), resp.StatusCode >= 500)
		return errNotAPI
	}
	w.pace.good(method)
	if resp.StatusCode >= 500 && !r.ok {
		return fmt.Errorf("%w: %s", errRefused, http.StatusText(resp.StatusCode))
	}
	if r.code == http.StatusTooManyRequests && r.retryAfter <= 0 {
		r.retryAfter = int64(asked(resp.Header) / time.Second)
	}
	resp.Body = bodyOf{bytes.NewReader(r.encode(method))}
	return nil
}

// replayable gives the request a body that can be sent again, so that a
// connection that died while idle costs nothing.
func replayable(req *http.Request) (*http.Request, error) {
	if req.Body == nil {
		return req, nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, err = req.GetBody()
	return req, err
}

// bare strips the URL, and with it the token, from what net/http returned.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

package matrix

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"parley/internal/adapters/recent"
	"parley/internal/chat"
	"parley/internal/text/urls"
)

// maxAnswer bounds what is read of an answer, in bytes: a first sync describes all rooms.
const maxAnswer = 256 << 20

// rest is the client of the server's API. mautrix's own waits through a rate limit and sends
// again by itself, which is the hub's to decide.
type rest struct {
	server, token string
	http          *http.Client
	limit         time.Duration // of a call
	now           func() time.Time
	cred          *chat.Credential
	ends          atomic.Pointer[context.CancelFunc] // ends Run
	quiet         recent.Waits[string]               // what the server asked to leave alone
}

func newRest(o Options) *rest {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	r := &rest{server: o.Server, token: o.Token, http: &http.Client{Transport: transport}, limit: o.Timing.Send, now: o.Now}
	r.cred = chat.NewCredential(r.taken, o.Now)
	return r
}

// refusal is a definite no.
type refusal struct {
	Status  int    `json:"-"`
	Code    string `json:"errcode"`
	Message string `json:"error"`
	After   int64  `json:"retry_after_ms"`
}

// Error implements error.
func (e *refusal) Error() string {
	return fmt.Sprintf("matrix: status %d, %s: %s", e.Status, e.Code, e.Message)
}

// statusOf returns the status of a definite no, 0 for any other error.
func statusOf(err error) int {
	var no *refusal
	if errors.As(err, &no) {
		return no.Status
	}
	return 0
}

// waitOf returns how long an error asks us to wait, 0 if it does not.
func waitOf(err error) time.Duration {
	var wait *chat.WaitError
	if errors.As(err, &wait) {
		return wait.After
	}
	return 0
}

// esc escapes a part of a path.
func esc(s string) string { return url.PathEscape(s) }

// upload is a body that is not JSON.
type upload struct {
	mime string
	data []byte
}

// call makes one request to a path below /_matrix/client. in nil sends no body; out nil
// ignores the answer. Its errors are those that chat.Outlet.Send promises, or a refusal.
func (r *rest) call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	answer, err := r.exchange(ctx, method, "/_matrix/client"+path, in)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("matrix: %w: unreadable answer", chat.ErrUnknownOutcome)
	}
	return nil
}

// exchange makes one request if the token is accepted. After a 401 it checks the token.
func (r *rest) exchange(ctx context.Context, method, path string, in any) ([]byte, error) {
	if !r.cred.Usable(ctx) {
		return nil, errToken
	}
	began := r.now()
	answer, err := r.once(ctx, method, path, in)
	if statusOf(err) == http.StatusUnauthorized {
		r.cred.Doubt(ctx, began)
		if end := r.ends.Load(); end != nil && r.cred.Refused() {
			(*end)()
		}
	}
	return answer, err
}

// taken reports whether the server accepts the token.
func (r *rest) taken(ctx context.Context) (bool, error) {
	_, err := r.once(ctx, http.MethodGet, "/_matrix/client/v3/account/whoami", nil)
	if statusOf(err) == http.StatusUnauthorized {
		return false, nil
	}
	return true, err
}

// once makes one request.
func (r *rest) once(ctx context.Context, method, path string, in any) ([]byte, error) {
	up, raw := in.(upload)
	if !raw && in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("matrix: encode: %w", err)
		}
		up = upload{"application/json", data}
	}
	var wrote atomic.Bool
	traced := httptrace.WithClientTrace(ctx,
		&httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) { wrote.Store(i.Err == nil) }})
	req, err := http.NewRequestWithContext(traced, method, r.server+path, bytes.NewReader(up.data))
	if err != nil {
		return nil, errors.New("matrix: the server's address cannot be used")
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	if up.mime != "" {
		req.Header.Set("Content-Type", up.mime)
	}
	resp, err := r.http.Do(req)
	if err != nil {
		return nil, lost(err, wrote.Load())
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, lost(err, true)
	}
	return answer, judge(resp, answer)
}

// lost returns the error of a request without an answer.
func lost(err error, wrote bool) error {
	err = urls.Bare(err)
	if wrote {
		return fmt.Errorf("matrix: %w: %v", chat.ErrUnknownOutcome, err)
	}
	return fmt.Errorf("matrix: %w", err)
}

// judge reads an answer's status. What stands before the server answers without a code, and
// says nothing for good.
func judge(resp *http.Response, answer []byte) error {
	if resp.StatusCode < 300 {
		return nil
	}
	e := &refusal{Status: resp.StatusCode}
	_ = json.Unmarshal(answer, e) // the status alone will do
	switch {
	case resp.StatusCode == http.StatusTooManyRequests || e.Code == "M_LIMIT_EXCEEDED":
		wait := time.Duration(e.After) * time.Millisecond
		if wait <= 0 {
			seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
			wait = time.Duration(seconds) * time.Second
		}
		return &chat.WaitError{After: min(max(wait, 100*time.Millisecond), time.Hour), Err: errLimited}
	case resp.StatusCode >= 500:
		return fmt.Errorf("matrix: %w: status %d", chat.ErrUnknownOutcome, resp.StatusCode)
	case e.Code == "":
		return fmt.Errorf("matrix: a page instead of an answer, status %d", resp.StatusCode)
	}
	return e
}

var errLimited = errors.New("matrix: rate limited")

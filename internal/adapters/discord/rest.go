package discord

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"parley/internal/adapters/discord/restraint"
	"parley/internal/adapters/recent"
	"parley/internal/chat"
	"parley/internal/text/urls"
)

// discordgo's own calls sleep through a rate limit without looking at the
// context, queue behind a mutex and know no nonce, so posts
// and edits go through here.

// rest is the client of Discord's API. It handles the
// token, its rate limits, and proxies that answer in Discord's place.
type rest struct {
	token string
	api   string // without a trailing slash
	http  *http.Client
	now   func() time.Time
	guard restraint.Guard
	cred  *chat.Credential
	skew  atomic.Int64         // how far Discord's clock is ahead, in ns
	quiet recent.Waits[string] // routes, and everywhere
}

func newRest(o Options) *rest {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	r := &rest{token: o.Token, api: strings.TrimRight(o.APIURL, "/"), http: &http.Client{Transport: transport}, now: o.Now}
	r.cred = chat.NewCredential(r.taken, func() time.Time { return r.now() })
	return r
}

// everywhere is what a global limit silences.
const everywhere = "*"

// maxAnswer bounds what is read of an answer.
const maxAnswer = 8 << 20

// restError is a definite no.
type restError struct {
	Status  int    `json:"-"`
	Code    int    `json:"code"`
	Message string `json:"message"`
	// Errors are the fields that were refused, by name.
	Errors map[string]json.RawMessage `json:"errors"`
}

// Error implements error.
func (e *restError) Error() string {
	return fmt.Sprintf("discord: status %d, code %d: %s", e.Status, e.Code, e.Message)
}

// codeOf returns the code of a definite no, 0 for any other error.
func codeOf(err error) int {
	var no *restError
	if !errors.As(err, &no) {
		return 0
	}
	return no.Code
}

// call makes one request. in nil sends no body; out nil ignores the answer.
// channel is what a rate limit silences.
func (r *rest) call(ctx context.Context, method, path, channel string, in, out any) error {
	var body []byte
	contentType := "application/json"
	switch in := in.(type) {
	case nil:
	case upload:
		body, contentType = in.body, in.contentType
	default:
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("discord: encode: %w", err)
		}
	}
	req, err := r.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	quiet := cmp.Or(channel, restraint.Route(req))
	if d := r.quiet.Left(r.now(), quiet, everywhere); d > 0 {
		return &chat.WaitError{After: d, Err: errLimited}
	}
	if body != nil {
		req.Header.Set("Content-Type", contentType)
	}
	resp, answer, err := r.exchange(req)
	if err != nil {
		return err
	}
	return r.judge(resp, answer, quiet, out)
}

// request makes a request of ours. body nil sends none.
func (r *rest) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.api+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	req.Header.Set("Authorization", "Bot "+r.token)
	req.Header.Set("User-Agent", "DiscordBot (https://parley.invalid, 1)")
	return req, nil
}

// exchange makes one request if the token is accepted. After a 401 it checks the token.
func (r *rest) exchange(req *http.Request) (*http.Response, []byte, error) {
	if !r.cred.Usable(req.Context()) {
		return nil, nil, errToken
	}
	began := r.now()
	resp, answer, err := r.send(req)
	if err == nil && resp.StatusCode == http.StatusUnauthorized && !restraint.OwnToken(req) {
		r.cred.Doubt(req.Context(), began)
	}
	return resp, answer, err
}

// taken reports whether Discord accepts the token: it asks who we are.
func (r *rest) taken(ctx context.Context) (bool, error) {
	req, err := r.request(ctx, http.MethodGet, "/users/@me", nil)
	if err != nil {
		return false, err
	}
	resp, answer, err := r.send(req)
	if err != nil {
		return false, err
	}
	if resp.StatusCode == http.StatusUnauthorized {
		return false, nil
	}
	return true, r.judge(resp, answer, restraint.Route(req), nil)
}

// send makes one request. An answer that does not come from Discord's API delays all
// requests.
func (r *rest) send(req *http.Request) (*http.Response, []byte, error) {
	route, began := restraint.Route(req), r.now()
	if wait, why := r.guard.Enter(route, began); wait > 0 {
		return nil, nil, &chat.WaitError{After: wait, Err: why}
	}
	var wrote atomic.Bool
	ctx := httptrace.WithClientTrace(req.Context(),
		&httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) { wrote.Store(i.Err == nil) }})
	resp, err := r.http.Do(req.WithContext(ctx))
	if err != nil {
		r.guard.Unanswered(route, r.now())
		return nil, nil, lost(err, wrote.Load())
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		r.guard.Unanswered(route, r.now())
		return nil, nil, lost(err, true)
	}
	r.dated(resp)
	if wait := r.guard.Leave(route, restraint.Verdict(resp, answer), began, r.now()); wait > 0 {
		why := fmt.Errorf("discord: a page instead of an answer, status %d", resp.StatusCode)
		if resp.StatusCode < 400 || resp.StatusCode >= 500 { // what stands behind it may have done it
			return nil, nil, fmt.Errorf("%w: %w", chat.ErrUnknownOutcome, why)
		}
		return nil, nil, &chat.WaitError{After: wait, Err: why}
	}
	return resp, answer, nil
}

// dated takes note of Discord's clock, by which its ids are made.
func (r *rest) dated(resp *http.Response) {
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		r.skew.Store(int64(at.Sub(r.now())))
	}
}

// upload is an encoded body.
type upload struct {
	body        []byte
	contentType string
}

// lost returns the error of a request without an answer, without its URL: those of
// interactions hold a token.
func lost(err error, wrote bool) error {
	err = urls.Bare(err)
	if wrote {
		return fmt.Errorf("discord: %w: %v", chat.ErrUnknownOutcome, err)
	}
	return fmt.Errorf("discord: %w", err)
}

// judge reads an answer's status. quiet is what a rate limit silences.
func (r *rest) judge(resp *http.Response, answer []byte, quiet string, out any) error {
	switch {
	case resp.StatusCode < 300:
		if out == nil || len(answer) == 0 || resp.StatusCode == http.StatusNoContent {
			return nil
		}
		if err := decode(answer, out); err != nil {
			return fmt.Errorf("discord: %w: unreadable answer: %v", chat.ErrUnknownOutcome, err)
		}
		return nil
	case resp.StatusCode == http.StatusTooManyRequests:
		return r.limited(resp, answer, quiet)
	case resp.StatusCode >= 500:
		return fmt.Errorf("discord: %w: status %d", chat.ErrUnknownOutcome, resp.StatusCode)
	}
	e := &restError{Status: resp.StatusCode}
	_ = decode(answer, e) // the status alone will do
	return e
}

// limited turns a 429 into the wait it asks for.
func (r *rest) limited(resp *http.Response, answer []byte, quiet string) error {
	var body struct {
		RetryAfter float64 `json:"retry_after"`
		Global     bool    `json:"global"`
	}
	_ = json.Unmarshal(answer, &body) // the header says it too
	if body.RetryAfter == 0 {
		body.RetryAfter, _ = strconv.ParseFloat(resp.Header.Get("Retry-After"), 64)
	}
	wait := time.Duration(min(max(body.RetryAfter, 0.1), 86400) * float64(time.Second))
	if body.Global {
		quiet = everywhere
	}
	r.quiet.Keep(quiet, wait, r.now())
	return &chat.WaitError{After: wait, Err: errLimited}
}

var errLimited = errors.New("discord: rate limited")

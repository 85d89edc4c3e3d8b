package discord

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

	"parley/internal/chat"
)

// The library's own calls sleep through a rate limit without looking at the
// context, queue behind a mutex and know no nonce (platforms.md 1.1), so posts
// and edits go through here.

// maxAnswer bounds what is read of an answer.
const maxAnswer = 8 << 20

// restError is a definite no.
type restError struct {
	Status  int    `json:"-"`
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *restError) Error() string {
	return fmt.Sprintf("discord: status %d, code %d: %s", e.Status, e.Code, e.Message)
}

// call makes one request. in nil sends no body; out nil ignores the answer.
// channel is what a rate limit silences.
func (a *Adapter) call(ctx context.Context, method, path, channel string, in, out any) error {
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
	a.mu.Lock()
	dead := a.dead
	a.mu.Unlock()
	if dead {
		return errToken
	}
	var wrote atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) { wrote.Store(i.Err == nil) }})
	req, err := http.NewRequestWithContext(ctx, method, a.api+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	req.Header.Set("Authorization", "Bot "+a.o.Token)
	req.Header.Set("User-Agent", "DiscordBot (https://parley.invalid, 1)")
	if body != nil {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return lost(err, wrote.Load())
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return lost(err, true)
	}
	return a.judge(resp, answer, channel, out)
}

// upload is a body that is made already.
type upload struct {
	body        []byte
	contentType string
}

// lost is a request without an answer. Interaction URLs carry a token, so the
// URL stays out of it.
func lost(err error, wrote bool) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	if wrote {
		return fmt.Errorf("discord: %w: %v", chat.ErrUnknownOutcome, err)
	}
	return fmt.Errorf("discord: %w", err)
}

// judge reads an answer's status.
func (a *Adapter) judge(resp *http.Response, answer []byte, channel string, out any) error {
	switch {
	case resp.StatusCode < 300:
		if out == nil || len(answer) == 0 {
			return nil
		}
		if err := json.Unmarshal(answer, out); err != nil {
			return fmt.Errorf("discord: %w: unreadable answer: %v", chat.ErrUnknownOutcome, err)
		}
		return nil
	case resp.StatusCode == http.StatusTooManyRequests:
		return a.limited(resp, answer, channel)
	case resp.StatusCode >= 500:
		return fmt.Errorf("discord: %w: status %d", chat.ErrUnknownOutcome, resp.StatusCode)
	}
	e := &restError{Status: resp.StatusCode}
	_ = json.Unmarshal(answer, e) // the status alone will do
	if resp.StatusCode == http.StatusUnauthorized {
		a.kill()
	}
	return e
}

// limited turns a 429 into the wait it asks for.
func (a *Adapter) limited(resp *http.Response, answer []byte, channel string) error {
	var body struct {
		RetryAfter float64 `json:"retry_after"`
		Global     bool    `json:"global"`
	}
	_ = json.Unmarshal(answer, &body) // the header says it too
	if body.RetryAfter == 0 {
		body.RetryAfter, _ = strconv.ParseFloat(resp.Header.Get("Retry-After"), 64)
	}
	wait := time.Duration(min(max(body.RetryAfter, 0.1), 86400) * float64(time.Second))
	if body.Global || channel == "" {
		channel = "*"
	}
	a.hush(channel, wait)
	return &chat.WaitError{After: wait, Err: errors.New("discord: rate limited")}
}

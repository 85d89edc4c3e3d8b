package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

const (
	// Redirect is where a browser is sent after a login. In a chat nobody
	// listens there: the person copies the address that the browser was sent to.
	Redirect     = "http://127.0.0.1:8765/callback"
	loginTimeout = 15 * time.Minute // for a person to agree
	askTimeout   = 30 * time.Second // for a server's part of a login
)

// Errors of logins.
var (
	ErrLogin    = errors.New("it wants a login")
	errScope    = fmt.Errorf("%w with further rights", ErrLogin)
	ErrNoLogin  = errors.New("no login is under way; ask for a new one")
	ErrNoNeed   = errors.New("the server does not ask for a login")
	ErrAddress  = errors.New("that is not the address the browser was sent to after you agreed")
	ErrDeclined = errors.New("the login was declined")
)

// login is how a server is logged in to: it holds the token and gets a new one
// with a person's help. It is the library's OAuthHandler for the connection,
// which never waits for a person.
type login struct {
	server Server
	tokens *tokens

	flow    *flow          // what a person is asked to do; under tokens.mu
	refused *http.Response // how the server refused what it was sent since the last login, without its body; under tokens.mu
}

// flow is one login under way.
type flow struct {
	came   chan *auth.AuthorizationResult // the browser's address; holds one
	ended  chan error                     // holds one
	done   chan struct{}                  // closed when nothing of it runs
	cancel context.CancelFunc
}

var _ auth.OAuthHandler = (*login)(nil)

// TokenSource implements auth.OAuthHandler; nil before the first login.
func (l *login) TokenSource(context.Context) (oauth2.TokenSource, error) {
	t := l.tokens
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.load(); err != nil || t.held == nil {
		return nil, err
	}
	return t, nil
}

// Authorize implements auth.OAuthHandler: the server refused what it was sent.
// nil says that there is a newer token to try.
func (l *login) Authorize(_ context.Context, req *http.Request, resp *http.Response) error {
	defer resp.Body.Close()
	used, _ := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	short := wantsMore(resp)
	if l.tokens.renew(used, !short) {
		l.note(nil)
		return nil
	}
	if l.note(resp); short {
		return errScope
	}
	return ErrLogin
}

// wantsMore reports whether a server refused a login that is good, for rights that it lacks.
func wantsMore(resp *http.Response) bool {
	if resp == nil || resp.StatusCode != http.StatusForbidden {
		return false
	}
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	return err == nil && slices.ContainsFunc(challenges, func(c oauthex.Challenge) bool { return c.Params["error"] == "insufficient_scope" })
}

// note keeps how the server refused; nil that there was a login.
func (l *login) note(resp *http.Response) {
	l.tokens.mu.Lock()
	defer l.tokens.mu.Unlock()
	if l.refused = nil; resp != nil {
		l.refused = &http.Response{Status: resp.Status, StatusCode: resp.StatusCode, Header: resp.Header}
	}
}

// refusal returns what note kept, to be read once more; nil for none.
func (l *login) refusal() *http.Response {
	l.tokens.mu.Lock()
	defer l.tokens.mu.Unlock()
	if l.refused == nil {
		return nil
	}
	resp := *l.refused
	resp.Body = http.NoBody
	return &resp
}

// greeting forgets that the server refused somebody who was not logged in: it is asked again.
func (l *login) greeting() {
	if l != nil && !l.short() {
		l.note(nil)
	}
}

// wanted returns why a greeting failed: an older greeting which follows a refused one may have
// failed by itself.
func (l *login) wanted(err error) error {
	if err == nil || l == nil || errors.Is(err, ErrLogin) || l.refusal() == nil {
		return err
	}
	return fmt.Errorf("%w (%w)", ErrLogin, err)
}

// short reports whether the server wants a login with further rights. A nil login never does.
func (l *login) short() bool { return l != nil && wantsMore(l.refusal()) }

// begin starts a login and returns the address that a person opens in a
// browser. A login that was under way is given up.
func (l *login) begin(ctx context.Context) (address string, err error) {
	asked, cancelAsk := context.WithTimeout(ctx, askTimeout)
	defer cancelAsk()
	request, refusal, err := l.knock(asked)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loginTimeout)
	f := &flow{came: make(chan *auth.AuthorizationResult, 1), ended: make(chan error, 1), done: make(chan struct{}), cancel: cancel}
	open := make(chan string, 1)
	handler, err := auth.NewAuthorizationCodeHandler(l.settings(f, open))
	if err != nil {
		cancel()
		refusal.Body.Close()
		return "", fmt.Errorf("log in to %s: %w", l.server.Name, err)
	}
	l.give(f)
	go func() {
		defer close(f.done)
		defer cancel()
		f.ended <- handler.Authorize(ctx, request, refusal)
	}()
	select {
	case address = <-open:
		return address, nil
	case err = <-f.ended:
	case <-asked.Done():
		cancel()
		err = asked.Err()
	}
	l.give(nil)
	return "", fmt.Errorf("log in to %s: %w", l.server.Name, plain(err))
}

// give makes f the login that is under way, nil for none, and waits for the end
// of the one before.
func (l *login) give(f *flow) {
	l.tokens.mu.Lock()
	before := l.flow
	l.flow = f
	l.tokens.mu.Unlock()
	if before != nil {
		before.cancel()
		<-before.done
	}
}

func (l *login) settings(f *flow, open chan<- string) *auth.AuthorizationCodeHandlerConfig {
	c := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: Redirect, Client: l.tokens.client, RequestRefreshToken: true, AcceptUnadvertisedIss: true,
		AuthorizationCodeFetcher: func(ctx context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			open <- a.URL
			select {
			case came := <-f.came:
				return came, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
		NewTokenSource: func(_ context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			l.note(nil)
			return oauth2.StaticTokenSource(t), l.tokens.store(c, t)
		},
	}
	switch {
	case len(l.server.Login.Scopes) > 0:
		c.ScopeFilter = func([]string) []string { return l.server.Login.Scopes }
	case l.short(): // what there was must not get lost
		c.ScopeFilter = l.tokens.scopesWith
	}
	if l.server.Login.ClientID != "" {
		c.PreregisteredClient = &oauthex.ClientCredentials{ClientID: l.server.Login.ClientID}
		if secret := l.server.Login.ClientSecret; secret != "" {
			c.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: secret}
		}
		return c
	}
	c.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
		ClientName: "Parley", RedirectURIs: []string{Redirect}, TokenEndpointAuthMethod: "none",
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}}}
	return c
}

// knock asks the server without a token, to be told where to log in.
func (l *login) knock(ctx context.Context) (*http.Request, *http.Response, error) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + handshake +
		`","capabilities":{},"clientInfo":{"name":"parley","version":"1"}}}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.server.URL, bytes.NewBufferString(hello))
	if err != nil {
		return nil, nil, fmt.Errorf("log in to %s: %w", l.server.Name, err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := l.tokens.client.Do(r)
	if err != nil {
		return nil, nil, fmt.Errorf("log in to %s: %w", l.server.Name, err)
	}
	resp.Body.Close()
	resp.Body = http.NoBody
	switch known := l.refusal(); {
	case known != nil && (resp.StatusCode != http.StatusUnauthorized || wantsMore(known)):
		resp = known // it greets everybody
	case resp.StatusCode != http.StatusUnauthorized:
		return nil, nil, fmt.Errorf("log in to %s: %w: it answered %s", l.server.Name, ErrNoNeed, resp.Status)
	}
	return r, resp, nil
}

// finish ends the login that is under way with the address the browser was
// sent to, and waits for the token.
func (l *login) finish(ctx context.Context, address string) error {
	l.tokens.mu.Lock()
	f := l.flow
	l.tokens.mu.Unlock()
	if f == nil {
		return ErrNoLogin
	}
	u, err := url.Parse(strings.Trim(strings.TrimSpace(address), "<>"))
	if err != nil {
		return ErrAddress
	}
	q := u.Query()
	if why := q.Get("error"); why != "" {
		l.give(nil)
		return fmt.Errorf("%w: %.100q", ErrDeclined, why)
	}
	if q.Get("code") == "" || q.Get("state") == "" {
		return ErrAddress
	}
	l.tokens.mu.Lock()
	mine := l.flow == f
	l.flow = nil // a code counts once
	l.tokens.mu.Unlock()
	if !mine {
		return ErrNoLogin
	}
	f.came <- &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}
	select {
	case err = <-f.ended:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		f.cancel()
		return fmt.Errorf("log in to %s: %w", l.server.Name, plain(err))
	}
	return nil
}

// plain is err without what a token endpoint answered, which may hold secrets.
func plain(err error) error {
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		status := ""
		if e.Response != nil {
			status = e.Response.Status
		}
		return fmt.Errorf("the login server refused: %s %.100s", status, e.ErrorCode)
	}
	return err
}

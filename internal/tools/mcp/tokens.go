package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"parley/internal/text"
)

// tokens holds the login to one server, in a file that only this user can read. Another
// process may write it, too: bot mcp login.
type tokens struct {
	path   string
	client *http.Client // guarded

	mu   sync.Mutex // guards what follows, and the login that is under way
	read time.Time  // the file's, when it was read last
	held *held      // nil for none
}

// held is a token and how to get the next one.
type held struct {
	Config oauth2.Config `json:"config"`
	Token  *oauth2.Token `json:"token"`
}

// load reads the file if it has changed. The caller holds mu.
func (t *tokens) load() error {
	info, err := os.Stat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		t.held, t.read = nil, time.Time{}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read login: %w", err)
	}
	if info.ModTime().Equal(t.read) {
		return nil
	}
	data, err := os.ReadFile(t.path)
	if err != nil {
		return fmt.Errorf("read login: %w", err)
	}
	var h held
	if err := json.Unmarshal(data, &h); err != nil || h.Token == nil {
		return fmt.Errorf("%s is broken; log in again", filepath.Base(t.path)) // its content is secret
	}
	t.held, t.read = &h, info.ModTime()
	return nil
}

// store keeps what a login gave.
func (t *tokens) store(c *oauth2.Config, token *oauth2.Token) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.save(&held{*c, token})
}

// save writes the file. The caller holds mu.
func (t *tokens) save(h *held) error {
	data, err := json.Marshal(h)
	if err == nil {
		err = text.WriteFile(t.path, data, 0o600, nil)
	}
	if err != nil {
		return fmt.Errorf("keep login: %w", err)
	}
	t.held, t.read = h, time.Time{}
	if info, err := os.Stat(t.path); err == nil {
		t.read = info.ModTime()
	}
	return nil
}

// forget deletes the login, and what a killed process left of one. It says whether there was one.
func (t *tokens) forget() (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = nil
	text.SweepDrafts(t.path)
	err := os.Remove(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Token implements oauth2.TokenSource: it renews and stores a token that has run out.
// Callers queue: a refresh token may count only once.
func (t *tokens) Token() (*oauth2.Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held == nil {
		return nil, ErrLogin
	}
	return t.fresh(t.held.Token)
}

// scopesWith returns the rights that the login has, and others.
func (t *tokens) scopesWith(others []string) (all []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held != nil {
		all = slices.Clone(t.held.Config.Scopes)
	}
	for _, scope := range others {
		if !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

// renew reports whether there is a token other than the one that was refused; with refresh
// it gets one if it can.
func (t *tokens) renew(refused string, refresh bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.load(); err != nil || t.held == nil {
		return false
	}
	if t.held.Token.AccessToken != refused {
		return true
	}
	if !refresh {
		return false
	}
	stale := *t.held.Token
	stale.Expiry = time.Unix(1, 0)
	_, err := t.fresh(&stale)
	return err == nil
}

// fresh returns a token that has not run out, kept when it is a new one. The caller
// holds mu.
func (t *tokens) fresh(old *oauth2.Token) (*oauth2.Token, error) {
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), oauth2.HTTPClient, t.client), askTimeout)
	defer cancel()
	token, err := t.held.Config.TokenSource(ctx, old).Token()
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok && e.ErrorCode == "invalid_grant" {
		return nil, &oauth2.RetrieveError{ErrorCode: e.ErrorCode} // the library asks without one
	}
	if err != nil {
		return nil, plain(err)
	}
	if token.AccessToken != t.held.Token.AccessToken {
		if err := t.save(&held{t.held.Config, token}); err != nil {
			return nil, err
		}
	}
	return token, nil
}

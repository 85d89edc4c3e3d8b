// Package mcptest has tool servers that are as nasty as real ones. It does not
// check what a client does.
package mcptest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Gate is a tool server behind a login, at URL, with a login server that is
// strict: codes, refresh tokens and verifiers count once, and refusals quote
// what was sent. Secrets begin with CANARY. The client "known" is registered.
type Gate struct {
	URL string

	web *httptest.Server

	mu        sync.Mutex // guards what follows
	clients   map[string]bool
	codes     map[string]url.Values // by code: what was asked for
	access    map[string]bool
	refresh   map[string]bool
	refreshed int
	lifetime  int // of an access token, in seconds
	n         int
}

// NewGate stands before inner until the test ends.
func NewGate(t *testing.T, inner http.Handler) *Gate {
	g := &Gate{clients: map[string]bool{"known": true}, codes: map[string]url.Values{}, access: map[string]bool{},
		refresh: map[string]bool{}, lifetime: 3600}
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		g.mu.Lock()
		ok := g.access[token]
		g.mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+g.web.URL+`/.well-known/oauth-protected-resource/mcp", scope="read"`)
			http.Error(w, "no: "+token, http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"resource": g.web.URL + "/mcp", "authorization_servers": []string{g.web.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"issuer": g.web.URL, "authorization_endpoint": g.web.URL + "/authorize", "token_endpoint": g.web.URL + "/token",
			"registration_endpoint": g.web.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
			"response_types_supported": []string{"code"}})
	})
	mux.HandleFunc("/register", g.register)
	mux.HandleFunc("/token", g.token)
	g.web = httptest.NewServer(mux)
	g.URL = g.web.URL + "/mcp"
	t.Cleanup(func() {
		g.web.CloseClientConnections()
		g.web.Close()
	})
	return g
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (g *Gate) register(w http.ResponseWriter, r *http.Request) {
	var asked map[string]any
	if json.NewDecoder(r.Body).Decode(&asked) != nil || len(fmt.Sprint(asked["redirect_uris"])) < 3 {
		http.Error(w, "bad client", http.StatusBadRequest)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n++
	id := fmt.Sprintf("client-%d", g.n)
	g.clients[id] = true
	asked["client_id"] = id
	w.WriteHeader(http.StatusCreated)
	answer(w, asked)
}

// Agree returns a person in a browser: it returns the address the browser is sent to.
func (g *Gate) Agree(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.clients[q.Get("client_id")] || q.Get("code_challenge_method") != "S256" || q.Get("resource") != g.web.URL+"/mcp" ||
		!strings.HasPrefix(q.Get("redirect_uri"), "http://127.0.0.1:") || q.Get("state") == "" {
		t.Fatalf("asked with %v", q)
	}
	g.n++
	code := fmt.Sprintf("CANARY-code-%d", g.n)
	g.codes[code] = q
	return q.Get("redirect_uri") + "?code=" + code + "&state=" + url.QueryEscape(q.Get("state"))
}

func (g *Gate) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	g.mu.Lock()
	defer g.mu.Unlock()
	ok := false
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		asked := g.codes[r.Form.Get("code")]
		delete(g.codes, r.Form.Get("code"))
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		ok = asked != nil && base64.RawURLEncoding.EncodeToString(sum[:]) == asked.Get("code_challenge")
	case "refresh_token":
		ok = g.refresh[r.Form.Get("refresh_token")]
		delete(g.refresh, r.Form.Get("refresh_token"))
		clear(g.access)
		g.refreshed++
	}
	if !ok {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":"invalid_grant","error_description":%q}`, r.Form.Encode())
		return
	}
	g.n++
	access, refresh := fmt.Sprintf("CANARY-access-%d", g.n), fmt.Sprintf("CANARY-refresh-%d", g.n)
	g.access[access], g.refresh[refresh] = true, true
	answer(w, map[string]any{"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": g.lifetime})
}

// Lifetime sets how long tokens live from now on, in seconds.
func (g *Gate) Lifetime(seconds int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lifetime = seconds
}

// Refreshed counts tokens that were refreshed, or asked to be.
func (g *Gate) Refreshed() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refreshed
}

// Revoke takes all tokens back before their time, and with login the right to
// new ones.
func (g *Gate) Revoke(login bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.access)
	if login {
		clear(g.refresh)
	}
}

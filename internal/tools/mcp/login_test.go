package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/tools"
	"parley/internal/waittest"
)

// gated is a server behind a login, with a login server that is strict: codes,
// refresh tokens and verifiers count once, and refusals quote what was sent.
type gated struct {
	web  *httptest.Server
	fake *fake

	mu        sync.Mutex // guards what follows
	clients   map[string]bool
	codes     map[string]url.Values // by code: what was asked for
	access    map[string]bool
	refresh   map[string]bool
	refreshed int
	lifetime  int // of an access token, in seconds
	n         int
}

func newGated(t *testing.T) *gated {
	g := &gated{fake: newFake(), clients: map[string]bool{"known": true}, codes: map[string]url.Values{}, access: map[string]bool{}, refresh: map[string]bool{}, lifetime: 3600}
	g.fake.add("echo", "says", says("behind the gate"))
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return g.fake.server }, nil)
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
			"registration_endpoint": g.web.URL + "/register", "code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"}})
	})
	mux.HandleFunc("/register", g.register)
	mux.HandleFunc("/token", g.token)
	g.web = httptest.NewServer(mux)
	t.Cleanup(func() {
		for session := range g.fake.server.Sessions() {
			session.Close()
		}
		g.web.CloseClientConnections()
		g.web.Close()
	})
	return g
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (g *gated) register(w http.ResponseWriter, r *http.Request) {
	var asked map[string]any
	if json.NewDecoder(r.Body).Decode(&asked) != nil || fmt.Sprint(asked["redirect_uris"]) != "["+Redirect+"]" {
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

// agree is a person in a browser: it returns the address the browser is sent to.
func (g *gated) agree(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.clients[q.Get("client_id")] || q.Get("code_challenge_method") != "S256" || q.Get("resource") != g.web.URL+"/mcp" || q.Get("redirect_uri") != Redirect || q.Get("state") == "" {
		t.Fatalf("asked with %v", q)
	}
	g.n++
	code := fmt.Sprintf("CANARY-code-%d", g.n)
	g.codes[code] = q
	return Redirect + "?code=" + code + "&state=" + url.QueryEscape(q.Get("state"))
}

func (g *gated) token(w http.ResponseWriter, r *http.Request) {
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

func (g *gated) server() Server { return Server{Name: "gate", URL: g.web.URL + "/mcp"} }

func TestLogin(t *testing.T) {
	g := newGated(t)
	dir := t.TempDir()
	c, stop := live(t, Options{Dir: dir, Servers: []Server{g.server()}})
	waittest.Until(t, "a login is asked for", func() bool { return c.Status()[0].Login })
	if err := c.FinishLogin(t.Context(), "gate", Redirect+"?code=x&state=y"); !errors.Is(err, ErrNoLogin) {
		t.Errorf("before it began: %v", err)
	}
	address, err := c.Login(t.Context(), "gate")
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{"", "hello", "http://127.0.0.1:8765/callback", address} {
		if err := c.FinishLogin(t.Context(), "gate", wrong); !errors.Is(err, ErrAddress) {
			t.Errorf("%.60q: %v", wrong, err)
		}
	}
	back := g.agree(t, address)
	if err := c.FinishLogin(t.Context(), "gate", " <"+back+"> "); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "connected", func() bool { return offered(c) == "gate__echo" })
	if err := c.FinishLogin(t.Context(), "gate", back); !errors.Is(err, ErrNoLogin) {
		t.Errorf("twice: %v", err)
	}
	if o := run(t, c, "gate__echo", `{}`); !strings.Contains(o.Result.Content, "behind the gate") {
		t.Errorf("%+v", o)
	}
	stop()
	file := filepath.Join(dir, "login-gate.json")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	d, stop := live(t, Options{Dir: dir, Servers: []Server{g.server()}}) // the next start
	waittest.Until(t, "connected again", func() bool { return offered(d) == "gate__echo" })
	if had, err := d.Logout("gate"); !had || err != nil {
		t.Errorf("logout: %v %v", had, err)
	}
	waittest.Until(t, "locked out", func() bool { return d.Status()[0].Login && offered(d) == "" })
	stop()
}

func TestLoginIsRefreshed(t *testing.T) {
	g := newGated(t)
	g.lifetime = 1 // always about to run out, until it is longer
	dir := t.TempDir()
	c, stop := live(t, Options{Dir: dir, Servers: []Server{g.server()}})
	logIn(t, g, c)
	waittest.Until(t, "connected", func() bool { return offered(c) == "gate__echo" })
	if o := run(t, c, "gate__echo", `{}`); o.Class != "" {
		t.Errorf("%s %s", o.Class, o.Result.Content)
	}
	g.mu.Lock()
	g.lifetime = 3600
	n := g.refreshed
	g.mu.Unlock()
	if n < 3 {
		t.Errorf("refreshed %d times", n)
	}
	run(t, c, "gate__echo", `{}`)
	g.mu.Lock()
	clear(g.access) // taken back before its time
	n = g.refreshed
	g.mu.Unlock()
	done := make(chan tools.Outcome)
	for range 4 {
		go func() { done <- run(t, c, "gate__echo", `{}`) }()
	}
	for range 4 {
		if o := <-done; o.Class != "" {
			t.Errorf("%s %s", o.Class, o.Result.Content)
		}
	}
	stop()
	g.mu.Lock()
	if g.refreshed != n+1 {
		t.Errorf("refreshed %d times for one token that was taken back", g.refreshed-n)
	}
	clear(g.refresh) // the login is taken back
	clear(g.access)
	g.mu.Unlock()
	d, stop := live(t, Options{Dir: dir, Servers: []Server{g.server()}})
	waittest.Until(t, "a login is asked for", func() bool { return d.Status()[0].Login })
	if s := d.Status()[0]; strings.Contains(s.Err, "CANARY") {
		t.Errorf("shown: %s", s.Err)
	}
	stop()
}

func logIn(t *testing.T, g *gated, c *Client) {
	t.Helper()
	waittest.Until(t, "a login is asked for", func() bool { return c.Status()[0].Login })
	address, err := c.Login(t.Context(), "gate")
	if err == nil {
		err = c.FinishLogin(t.Context(), "gate", g.agree(t, address))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestLoginsThatFail(t *testing.T) {
	g := newGated(t)
	open := newFake()
	open.add("a", "open to all", says("x"))
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return open.server }, nil))
	defer func() {
		for session := range open.server.Sessions() {
			session.Close()
		}
		web.Close()
	}()
	known := g.server()
	known.Name, known.Login = "known", Login{ClientID: "known", ClientSecret: "CANARY-secret", Scopes: []string{"one", "two"}}
	keyed := g.server()
	keyed.Name, keyed.Headers = "keyed", map[string]string{"Authorization": "Bearer CANARY-wrong"}
	c, stop := live(t, Options{Dir: t.TempDir(), Servers: []Server{g.server(), {Name: "open", URL: web.URL}, known, keyed}})
	defer stop()
	waittest.Until(t, "settled", func() bool {
		s := c.Status()
		return s[0].Login && s[1].Connected && s[2].Login && s[3].Err != ""
	})
	if s := c.Status()[3]; s.Login || strings.Contains(s.Err, "CANARY") {
		t.Errorf("a wrong token: %+v", s)
	}
	for name, want := range map[string]error{"open": ErrNoNeed, "keyed": ErrNoNeed, "nobody": ErrNoNeed} {
		if _, err := c.Login(t.Context(), name); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	address, err := c.Login(t.Context(), "known")
	if err != nil || !strings.Contains(address, "one") || !strings.Contains(address, "two") || strings.Contains(address, "CANARY") {
		t.Errorf("%s, %v", address, err)
	}
	if err := c.FinishLogin(t.Context(), "known", Redirect+"?error=access_denied&state=x"); !errors.Is(err, ErrDeclined) {
		t.Errorf("declined: %v", err)
	}
	_, err = c.Login(t.Context(), "gate")
	if err == nil {
		err = c.FinishLogin(t.Context(), "gate", Redirect+"?code=CANARY-stolen&state=other")
	}
	if err == nil || strings.Contains(err.Error(), "CANARY") {
		t.Errorf("another's login: %v", err)
	}
	address, err = c.Login(t.Context(), "gate")
	if err != nil {
		t.Fatal(err)
	}
	state := strings.SplitAfter(g.agree(t, address), "state=")[1]
	err = c.FinishLogin(t.Context(), "gate", Redirect+"?code=CANARY-wrong&state="+state)
	if err == nil || strings.Contains(err.Error(), "CANARY") {
		t.Errorf("a wrong code: %v", err)
	}
}

func TestHeaders(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]string{}
	f := newFake()
	f.add("a", "first", says("1"))
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return f.server }, nil)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen["elsewhere"] += r.Header.Get("X-Key")
	}))
	defer elsewhere.Close()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Method] = r.Header.Get("X-Key") + r.Header.Get("Authorization")
		mu.Unlock()
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	defer web.Close()
	headers := map[string]string{"X-Key": "k", "Authorization": "Bearer b"}
	c, stop := live(t, Options{Dir: t.TempDir(), Servers: []Server{{Name: "web", URL: web.URL, Headers: headers}, {Name: "moved", URL: web.URL + "/moved", Headers: headers}}})
	waittest.Until(t, "connected", func() bool { return offered(c) == "web__a" && c.Status()[1].Err != "" })
	stop()
	for session := range f.server.Sessions() {
		session.Close()
	}
	mu.Lock()
	defer mu.Unlock()
	if seen["POST"] != "kBearer b" || seen["GET"] != "kBearer b" || seen["elsewhere"] != "" {
		t.Errorf("sent %q", seen)
	}
}

package mcp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/internal/text/waittest"
	"parley/internal/tools"
	"parley/internal/tools/mcp/mcptest"
)

// behindGate returns a server with the tool echo behind a login.
func behindGate(t *testing.T) *mcptest.Gate {
	f := newFake()
	f.add("echo", "says", says("behind the gate"))
	t.Cleanup(f.hangUp)
	return mcptest.NewGate(t, f.handler())
}

func gateServer(g *mcptest.Gate) Server { return Server{Name: "gate", URL: g.URL} }

func TestLogin(t *testing.T) {
	g := behindGate(t)
	dir := t.TempDir()
	c, stop := live(t, Options{Dir: dir, Servers: []Server{gateServer(g)}})
	waittest.Until(t, "a login is asked for", func() bool { return c.Status()[0].Login })
	if err := c.FinishLogin(t.Context(), "gate", Redirect+"?code=x&state=y"); !errors.Is(err, ErrNoLogin) {
		t.Errorf("before it began: %v", err)
	}
	address, err := c.Login(t.Context(), "gate")
	must(t, err)
	for _, wrong := range []string{"", "hello", "http://127.0.0.1:8765/callback", address} {
		if err := c.FinishLogin(t.Context(), "gate", wrong); !errors.Is(err, ErrAddress) {
			t.Errorf("%.60q: %v", wrong, err)
		}
	}
	back := g.Agree(t, address)
	must(t, c.FinishLogin(t.Context(), "gate", " <"+back+"> "))
	waittest.Until(t, "connected", func() bool { return offered(c) == "gate__echo" && !c.Status()[0].Login })
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
	d, stop := live(t, Options{Dir: dir, Servers: []Server{gateServer(g)}}) // the next start
	waittest.Until(t, "connected again", func() bool { return offered(d) == "gate__echo" })
	if had, err := d.Logout("gate"); !had || err != nil {
		t.Errorf("logout: %v %v", had, err)
	}
	waittest.Until(t, "locked out", func() bool { return d.Status()[0].Login && offered(d) == "" })
	stop()
}

func TestLoginIsRefreshed(t *testing.T) {
	g := behindGate(t)
	g.Lifetime(1) // always about to run out, until it is longer
	dir := t.TempDir()
	c, stop := live(t, Options{Dir: dir, Servers: []Server{gateServer(g)}})
	logIn(t, g, c)
	waittest.Until(t, "connected", func() bool { return offered(c) == "gate__echo" && !c.Status()[0].Login })
	if o := run(t, c, "gate__echo", `{}`); o.Class != "" {
		t.Errorf("%s %s", o.Class, o.Result.Content)
	}
	g.Lifetime(3600)
	if n := g.Refreshed(); n < 3 {
		t.Errorf("refreshed %d times", n)
	}
	run(t, c, "gate__echo", `{}`)
	n := g.Refreshed()
	g.Revoke(false)
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
	if g.Refreshed() != n+1 {
		t.Errorf("refreshed %d times for one token that was taken back", g.Refreshed()-n)
	}
	g.Revoke(true)
	d, stop := live(t, Options{Dir: dir, Servers: []Server{gateServer(g)}})
	waittest.Until(t, "a login is asked for", func() bool { return d.Status()[0].Login })
	if s := d.Status()[0]; strings.Contains(s.Err, "CANARY") {
		t.Errorf("shown: %s", s.Err)
	}
	stop()
}

func logIn(t *testing.T, g *mcptest.Gate, c *Client) {
	t.Helper()
	waittest.Until(t, "a login is asked for", func() bool { return c.Status()[0].Login })
	address, err := c.Login(t.Context(), "gate")
	if err == nil {
		err = c.FinishLogin(t.Context(), "gate", g.Agree(t, address))
	}
	must(t, err)
}

// A call that needs rights which the login lacks was not made: it says so, and the next login
// asks for them besides those that there are.
func TestLoginWithFurtherRights(t *testing.T) {
	f := newFake()
	f.add("echo", "says", says("behind the gate"))
	t.Cleanup(f.hangUp)
	inner := f.handler()
	var g *mcptest.Gate
	g = mcptest.NewGate(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(said))
		if bytes.Contains(said, []byte("tools/call")) {
			about := strings.TrimSuffix(g.URL, "/mcp") + "/.well-known/oauth-protected-resource/mcp"
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="write", resource_metadata="`+about+`"`)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	c, stop := live(t, Options{Dir: t.TempDir(), Servers: []Server{gateServer(g)}})
	defer stop()
	logIn(t, g, c)
	waittest.Until(t, "connected", func() bool { return offered(c) == "gate__echo" && !c.Status()[0].Login })
	n := g.Refreshed()
	o := run(t, c, "gate__echo", `{}`)
	if o.Class != tools.Broken || !strings.Contains(o.Result.Content, "further rights") || g.Refreshed() != n {
		t.Errorf("%s %s, refreshed %d times", o.Class, o.Result.Content, g.Refreshed()-n)
	}
	if s := c.Status()[0]; !s.Login || !s.Connected {
		t.Errorf("%+v", s)
	}
	address, err := c.Login(t.Context(), "gate")
	if err != nil || !strings.Contains(address, "scope=read+write") && !strings.Contains(address, "scope=write+read") {
		t.Errorf("%s, %v", address, err)
	}
	must(t, c.FinishLogin(t.Context(), "gate", g.Agree(t, address)))
	waittest.Until(t, "the login counts", func() bool { return !c.Status()[0].Login })
}

func TestLoginsThatFail(t *testing.T) {
	g := behindGate(t)
	open := newFake()
	open.add("a", "open to all", says("x"))
	web := httptest.NewServer(open.handler())
	defer web.Close()
	defer open.hangUp()
	known := gateServer(g)
	known.Name, known.Login = "known", Login{ClientID: "known", ClientSecret: "CANARY-secret", Scopes: []string{"one", "two"}}
	keyed := gateServer(g)
	keyed.Name, keyed.Headers = "keyed", map[string]string{"Authorization": "Bearer CANARY-wrong"}
	c, stop := live(t, Options{Dir: t.TempDir(), Servers: []Server{gateServer(g), {Name: "open", URL: web.URL}, known, keyed}})
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
	must(t, err)
	state := strings.SplitAfter(g.Agree(t, address), "state=")[1]
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
	inner := f.handler()
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
	c, stop := live(t, Options{Dir: t.TempDir(), Servers: []Server{{Name: "web", URL: web.URL, Headers: headers},
		{Name: "moved", URL: web.URL + "/moved", Headers: headers}}})
	waittest.Until(t, "connected", func() bool { return offered(c) == "web__a" && c.Status()[1].Err != "" })
	stop()
	f.hangUp()
	mu.Lock()
	defer mu.Unlock()
	if seen["POST"] != "kBearer b" || seen["GET"] != "kBearer b" || seen["elsewhere"] != "" {
		t.Errorf("sent %q", seen)
	}
}

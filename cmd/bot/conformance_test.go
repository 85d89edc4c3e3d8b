package main

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// withDoor is a bot that MCP clients may use; it returns the address of its port.
func withDoor(t testing.TB, w *world) string {
	t.Helper()
	base := w.withPort(t)
	w.env = append(w.env, "BOT_HTTP_MCP=true")
	return base
}

// withBearer is an address at which a server is asked with a token; who asked, and from where,
// stays as it was.
func withBearer(t *testing.T, to, token string) string {
	t.Helper()
	u, err := url.Parse(to)
	must(t, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(u)
		if r.Out.Host = r.In.Host; strings.HasPrefix(r.In.Host, "127.0.0.1:") || strings.HasPrefix(r.In.Host, "localhost:") {
			r.Out.Host = u.Host
		}
		if origin := r.In.Header.Get("Origin"); origin == "http://"+r.In.Host {
			r.Out.Header.Set("Origin", "http://"+u.Host)
		}
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}})
	t.Cleanup(proxy.Close)
	return proxy.URL + "/mcp"
}

// TestConformance: the public suite against the whole program. The tools that it would call
// stand in internal/tools/mcp.
func TestConformance(t *testing.T) {
	suite := strings.Fields(os.Getenv("PARLEY_CONFORMANCE"))
	if len(suite) == 0 {
		t.Skip("needs the public suite: make conformance")
	}
	w := newWorld(t, "BOT_HTTP_MCP_PER_MINUTE=0")
	base := withDoor(t, w)
	w.run(t)
	at := withBearer(t, base, w.token(t, 7))
	for version, scenarios := range map[string][]string{
		"2025-11-25": {"server-initialize", "ping", "tools-list", "dns-rebinding-protection"},
		"2026-07-28": {"tools-list", "dns-rebinding-protection", "caching", "http-header-validation"},
	} {
		for _, scenario := range scenarios {
			t.Run(version+" "+scenario, func(t *testing.T) {
				cmd := exec.CommandContext(t.Context(), suite[0], slices.Concat(suite[1:],
					[]string{"server", "--url", at, "--scenario", scenario, "--spec-version", version})...)
				cmd.Dir = t.TempDir()
				out, err := cmd.CombinedOutput()
				if t.Logf("%s", out); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

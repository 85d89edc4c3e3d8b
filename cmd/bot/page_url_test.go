package main

import (
	"net/http"
	"strings"
	"testing"
)

// TestPageURL: with page.url every link that the bot gives leads there, and the bot admits
// that host, while /metrics stays for the machine.
func TestPageURL(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := w.withPort(t)
	w.env = append(w.env, "BOT_PAGE_URL=https://home.example/parley", "BOT_PAGE_PROXIES=10.0.0.0/8")
	w.run(t)
	const there = "https://home.example/parley/"
	if told := w.saying(t, 1, 1, "/page"); !strings.HasPrefix(told, there+"login?code=") || strings.Contains(told, "ssh -L") {
		t.Errorf("/page says %q", told)
	}
	w.saying(t, 1, 1, "hello")
	if told := w.saying(t, 1, 1, "/trace"); strings.Contains(told, "http://127.0.0.1") {
		t.Errorf("/trace says %q", told)
	}
	for _, tt := range []struct {
		host, forwarded, path string
		want                  int
	}{
		{"home.example", "", "/parley/login", http.StatusOK}, {"home.example", "", "/metrics", http.StatusSeeOther},
		{"", "", "/metrics", http.StatusOK}, {"evil.example", "home.example", "/login", http.StatusMisdirectedRequest},
	} {
		r, err := http.NewRequest(http.MethodGet, base+tt.path, nil)
		must(t, err)
		if r.Header.Set("X-Forwarded-Host", tt.forwarded); tt.host != "" {
			r.Host = tt.host
		}
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := client.Do(r)
		must(t, err)
		_ = resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s %s: %s", tt.host, tt.path, resp.Status)
		}
	}
	client := http.DefaultClient
	client.CloseIdleConnections()
}

// TestPageURLFromTheShell: bot page gives it, too.
func TestPageURLFromTheShell(t *testing.T) {
	w := newWorld(t)
	w.withPort(t)
	w.env = append(w.env, "BOT_PAGE_URL=https://home.example/parley/")
	w.setenv(t)
	if out, code := typed("", "page"); code != 0 || !strings.HasPrefix(out, "https://home.example/parley/login?code=") {
		t.Errorf("exit %d: %q", code, out)
	}
	t.Setenv("BOT_PAGE_URL", "https://home.example/parley?x=1")
	if out, code := typed("", "page"); code == 0 || !strings.Contains(out, "only scheme, host and path") {
		t.Errorf("exit %d: %q", code, out)
	}
}

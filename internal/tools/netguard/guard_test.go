package netguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// resolver answers from a list, one entry a lookup; the last one stays.
type resolver struct {
	answers []string
	asked   int
}

func (r *resolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	answer := r.answers[min(r.asked, len(r.answers)-1)]
	r.asked++
	return []netip.Addr{netip.MustParseAddr(answer)}, nil
}

func TestPublic(t *testing.T) {
	for _, s := range []string{"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.1.1.1",
		"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "::ffff:a9fe:a9fe", "100.64.0.1",
		"100.100.100.200", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "224.0.0.1", "255.255.255.255", "ff02::1",
		"64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001::1", "::127.0.0.1", "::ffff:0:7f00:1", "198.18.0.1", "192.0.0.192",
		"192.0.2.1", "240.0.0.1", "2001:db8::1"} {
		if Public(netip.MustParseAddr(s)) {
			t.Errorf("%s counts as public", s)
		}
	}
	for _, s := range []string{"1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1", "::ffff:1.1.1.1"} {
		if !Public(netip.MustParseAddr(s)) {
			t.Errorf("%s does not count as public", s)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address counts as public")
	}
}

func TestCheckURL(t *testing.T) {
	for _, s := range []string{"http://127.0.0.1/", "http://localhost/", "http://LOCALHOST/", "http://localhost./",
		"http://[::1]/", "http://0.0.0.0/",
		"http://[::]/", "http://[::ffff:127.0.0.1]/", "http://169.254.169.254/latest", "http://[::ffff:a9fe:a9fe]/", "http://100.100.100.200/",
		"http://[fd00:ec2::254]/", "http://metadata.google.internal/", "http://printer.local/", "http://2130706433/", "http://0x7f000001/",
		"http://0177.0.0.1/", "http://127.1/", "http://0x7f.1/", "http://[fe80::1%25eth0]/", "gopher://example.org/", "ftp://example.org/",
		"data:text/html,x", "javascript:alert(1)", "file:///etc/passwd", "jar:http://example.org!/", "http://good@127.0.0.1/",
		"http://user:pw@example.org/",
		"http://example.org:22/", "http://example.org:25/", "http://example.org:6379/", "http:///path", "http:example.org",
		"//example.org/", "http://./"} {
		u, err := url.Parse(s)
		if err != nil {
			continue
		}
		if err := (Guard{}).CheckURL(u); !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: %v", s, err)
		}
	}
	for _, s := range []string{"http://example.org/", "https://example.org:8443/a?b=c", "http://example.org:8080",
		"https://1.1.1.1/", "http://a.com#@127.0.0.1"} {
		u, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := (Guard{}).CheckURL(u); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	u, _ := url.Parse("https://example.org/")
	if err := (Guard{AllowHosts: []string{"other.org"}}).CheckURL(u); !errors.Is(err, ErrForbidden) {
		t.Errorf("host off the list: %v", err)
	}
}

// TestDialChecksTheAddressDialled covers names that lead inside: a listener
// counts who got through.
func TestDialChecksTheAddressDialled(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var accepted atomic.Int32
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted.Add(1)
			c.Close()
		}
	}()
	defer func() {
		l.Close()
		<-done
		if n := accepted.Load(); n != 0 {
			t.Errorf("%d connections reached the listener", n)
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, ip := range []string{"127.0.0.1", "::ffff:127.0.0.1", "0.0.0.0", "::1", "::", "64:ff9b::7f00:1", "169.254.169.254"} {
		g := Guard{Resolver: &resolver{answers: []string{ip}}}
		for _, host := range []string{"evil.example", ip} {
			conn, err := g.dial(t.Context(), "tcp", net.JoinHostPort(host, port))
			if !errors.Is(err, ErrForbidden) {
				t.Errorf("%s as %s: %v, %v", host, ip, conn, err)
			}
			if err != nil && strings.Contains(err.Error(), ip) && host != ip {
				t.Errorf("the error tells the inner address: %v", err)
			}
		}
	}
}

func TestDialLooksUpOnce(t *testing.T) {
	r := &resolver{answers: []string{"1.1.1.1", "127.0.0.1"}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nothing leaves this machine
	if _, err := (Guard{Resolver: r}).dial(ctx, "tcp", "rebind.example:80"); err == nil || errors.Is(err, ErrForbidden) {
		t.Errorf("dial: %v", err)
	}
	if r.asked != 1 {
		t.Errorf("%d lookups, want 1", r.asked)
	}
}

// hostOfServer returns the host:port of a test server.
func hostOfServer(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }

func TestRedirects(t *testing.T) {
	var inner atomic.Int32
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inner.Add(1) }))
	defer secret.Close()
	var hops atomic.Int32
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/loop" {
			hops.Add(1)
		}
		to := map[string]string{"/inner": secret.URL + "/admin", "/file": "file:///etc/passwd", "/loop": "/loop",
			"/meta": "http://169.254.169.254/", "/user": "http://a:b@example.org/"}[r.URL.Path]
		http.Redirect(w, r, to, http.StatusFound)
	}))
	defer outer.Close()
	client := Guard{AllowPrivate: []string{hostOfServer(outer)}}.Client()
	defer client.CloseIdleConnections()
	for _, path := range []string{"/inner", "/file", "/loop", "/meta", "/user"} {
		resp, err := client.Get(outer.URL + path)
		if err == nil {
			resp.Body.Close()
		}
		if !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if inner.Load() != 0 {
		t.Error("the inner server was asked")
	}
	if hops.Load() != 1+maxRedirects {
		t.Errorf("%d requests in a loop", hops.Load())
	}
	last, next := request(t, "https://example.org/"), request(t, "http://example.org/")
	if err := checkRedirect(next, []*http.Request{last}); !errors.Is(err, ErrForbidden) {
		t.Errorf("https to http: %v", err)
	}
	post := request(t, "https://other.org/")
	post.Method = http.MethodPost
	if err := checkRedirect(post, []*http.Request{last}); !errors.Is(err, ErrForbidden) {
		t.Errorf("POST to another host: %v", err)
	}
}

func request(t *testing.T, address string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRedirectForwardsNoCredentials(t *testing.T) {
	var got http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusFound)
	}))
	defer first.Close()
	client := Guard{AllowPrivate: []string{hostOfServer(first), hostOfServer(other)}}.Client()
	defer client.CloseIdleConnections()
	r := request(t, first.URL+"/?secret=1")
	for _, h := range []string{"Authorization", "Cookie", "X-Subscription-Token", "Mcp-Session-Id"} {
		r.Header.Set(h, "canary")
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if all := fmt.Sprint(got); strings.Contains(all, "canary") || strings.Contains(all, "secret") {
		t.Errorf("forwarded: %v", got)
	}
}

func TestNoProxyFromTheEnvironment(t *testing.T) {
	var proxied atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { proxied.Add(1) }))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	t.Setenv("NO_PROXY", "")
	client := Guard{Resolver: &resolver{answers: []string{"127.0.0.1"}}}.Client()
	if resp, err := client.Get("http://example.org/"); !errors.Is(err, ErrForbidden) {
		t.Errorf("%v, %v", resp, err)
	}
	if proxied.Load() != 0 {
		t.Error("the proxy was asked")
	}
}

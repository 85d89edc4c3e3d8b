package console_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/app/console"
	"parley/internal/text/waittest"
)

// at puts the page under an address behind a proxy.
func at(address string, proxies ...string) func(*console.Options) {
	return func(o *console.Options) {
		o.URL = address
		for _, p := range proxies {
			o.Proxies = append(o.Proxies, netip.MustParsePrefix(p))
		}
	}
}

// TestDoor: what a page behind a proxy admits, and what a stranger may claim.
func TestDoor(t *testing.T) {
	const home = "https://home.example/parley/"
	type headers = map[string]string
	for name, tt := range map[string]struct {
		page   func(*console.Options)
		path   string
		send   headers // Host among them
		status int
		leads  string
	}{
		"the proxy takes the path off": {at(home), "/login", headers{"Host": "home.example"}, 200, ""},
		"the proxy leaves it on":       {at(home), "/parley/login", headers{"Host": "home.example"}, 200, ""},
		"with the scheme's port":       {at(home), "/login", headers{"Host": "HOME.example:443"}, 200, ""},
		"without the slash":            {at(home), "/parley", headers{"Host": "home.example"}, 308, "parley/"},
		"logged out":                   {at(home), "/parley/turns/x", headers{"Host": "home.example"}, 303, "../login"},
		"directly":                     {at(home), "/login", headers{}, 200, ""},
		"another host":                 {at(home), "/login", headers{"Host": "evil.example"}, 421, ""},
		"another port":                 {at(home), "/login", headers{"Host": "home.example:8443"}, 421, ""},
		"a longer host":                {at(home), "/login", headers{"Host": "home.example.evil.example"}, 421, ""},
		"no address, a host":           {at(""), "/login", headers{"Host": "home.example"}, 421, ""},

		"a forwarded host from the proxy": {at(home, "127.0.0.0/8"), "/parley/", headers{"X-Forwarded-Host": "home.example"}, 303,
			"./login"},
		"a forged one before the proxy's": {at(home, "127.0.0.0/8"), "/login",
			headers{"X-Forwarded-Host": "home.example, evil.example"}, 421, ""},
		"another forwarded host": {at(home, "127.0.0.0/8"), "/login", headers{"X-Forwarded-Host": "evil.example"}, 421, ""},
		"a forwarded host from anybody": {at(home), "/login", headers{"Host": "evil.example", "X-Forwarded-Host": "home.example"},
			421, ""},
		"from a neighbour of the proxy": {at(home, "10.0.0.0/8"), "/login", headers{"Host": "evil.example",
			"X-Forwarded-Host": "home.example"}, 421, ""},
		"dots":                        {at(home), "/parley/../login", headers{"Host": "home.example"}, 404, ""},
		"escaped dots":                {at(home), "/parley/%2e%2e/login", headers{"Host": "home.example"}, 404, ""},
		"two slashes":                 {at(home), "/parley//evil.example/", headers{"Host": "home.example"}, 404, ""},
		"a backslash":                 {at(home), "/parley/%5cevil.example", headers{"Host": "home.example"}, 404, ""},
		"the path of another":         {at(home), "/parleys/login", headers{"Host": "home.example"}, 303, "../login"},
		"metrics for everybody":       {at(home), "/parley/metrics", headers{"Host": "home.example"}, 303, "./login"},
		"metrics, the path taken off": {at(home), "/metrics", headers{"Host": "home.example"}, 303, "./login"},
		"metrics by a forwarded host": {at(home, "127.0.0.0/8"), "/metrics", headers{"X-Forwarded-Host": "home.example"}, 303,
			"./login"},
		"metrics on the machine":                {at(home), "/metrics", headers{}, 204, ""},
		"metrics, and a stranger's other host":  {at(home), "/metrics", headers{"Host": "evil.example"}, 421, ""},
		"metrics of a site that frames another": {at(home), "/metrics", headers{"Sec-Fetch-Site": "cross-site"}, 403, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, console.Views{}, echo, tt.page)
			s.page.Beside("GET /metrics", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }))
			s.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			resp, body := s.request(http.MethodGet, tt.path, nil, func(r *http.Request) {
				for k, v := range tt.send {
					r.Header.Set(k, v)
				}
				if h := tt.send["Host"]; h != "" {
					r.Host = h
				}
			})
			if resp.StatusCode != tt.status || resp.Header.Get("Location") != tt.leads {
				t.Errorf("%d to %q\n%s", resp.StatusCode, resp.Header.Get("Location"), body)
			}
		})
	}
}

// TestDoorKeepsItsCookie: a login through the proxy is for https and the page's path
// alone, and neither another origin nor a cookie that came in the clear counts there.
func TestDoorKeepsItsCookie(t *testing.T) {
	s := newSite(t, console.Views{}, echo, at("https://home.example/parley/", "127.0.0.1/32"))
	s.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.http.Jar = nil
	from := func(origin string, cookie *http.Cookie) func(*http.Request) {
		return func(r *http.Request) {
			r.Host = "home.example"
			r.Header.Set("Origin", origin)
			r.Header.Set("X-Forwarded-For", "6.6.6.6, 203.0.113.9")
			if cookie != nil {
				r.AddCookie(cookie)
			}
		}
	}
	for _, bad := range []string{"https://evil.example", "http://home.example", "https://home.example:8443",
		"https://home.example.evil.example", s.url} {
		form := url.Values{"code": {code(s.link())}}
		if resp, body := s.request(http.MethodPost, "/login", form, from(bad, nil)); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s logged in: %s\n%s", bad, resp.Status, body)
		}
	}
	resp, _ := s.request(http.MethodPost, "/login", url.Values{"code": {code(s.link())}}, from("https://home.example", nil))
	var got *http.Cookie
	for _, c := range resp.Cookies() {
		got = c
	}
	if got == nil || !got.Secure || !got.HttpOnly || got.Path != "/parley/" || got.SameSite != http.SameSiteStrictMode || got.Domain != "" ||
		!strings.HasPrefix(got.Name, "__Secure-") {
		t.Fatalf("%s sets %v", resp.Status, got)
	}
	if log := s.log.take(); !strings.Contains(log, "from=203.0.113.9") || strings.Contains(log, "6.6.6.6") {
		t.Errorf("the log says %s", log)
	}
	clear := &http.Cookie{Name: strings.TrimPrefix(got.Name, "__Secure-"), Value: got.Value}
	for c, want := range map[*http.Cookie]int{got: http.StatusOK, clear: http.StatusSeeOther} {
		if resp, _ := s.request(http.MethodGet, "/parley/", nil, from("https://home.example", c)); resp.StatusCode != want {
			t.Errorf("the cookie %s gives %s", c.Name, resp.Status)
		}
	}
}

// TestManifest: the page can be installed as an app, under whatever path.
func TestManifest(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	resp, body := s.request(http.MethodGet, "/page.webmanifest", nil, nil)
	if resp.Header.Get("Content-Type") != "application/manifest+json" || !strings.Contains(body, `"start_url":"./"`) ||
		strings.Contains(body, `"/`) {
		t.Error(body)
	}
	for _, icon := range []string{"/icon-192.png", "/icon-512.png"} {
		if resp, body := s.request(http.MethodGet, icon, nil, nil); resp.StatusCode != 200 || !strings.HasPrefix(body, "\x89PNG") {
			t.Errorf("%s: %s", icon, resp.Status)
		}
	}
}

// proxies are real servers, and their settings as docs/install.md has them.
var proxies = map[string]struct {
	file string
	args func(file string) []string
}{
	"caddy": {"Caddyfile", func(file string) []string { return []string{"run", "--adapter", "caddyfile", "--config", file} }},
	"nginx": {"nginx.conf", func(file string) []string { return []string{"-e", "stderr", "-c", file, "-g", "daemon off;"} }},
}

// documented returns the block of docs/install.md for a proxy.
func documented(t *testing.T, proxy string) string {
	doc, err := os.ReadFile("../../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(doc), "```"+proxy+"\n")
	block, _, end := strings.Cut(block, "```")
	if !ok || !end {
		t.Fatal("docs/install.md has no block for " + proxy)
	}
	return block
}

// TestRealProxies: the settings in the documentation work in the servers themselves: a
// login, a page, a form and the stream of events. Skipped where they are not installed.
func TestRealProxies(t *testing.T) {
	for name, p := range proxies {
		t.Run(name, func(t *testing.T) {
			program, err := exec.LookPath(name)
			if err != nil {
				t.Skip(name + " is not installed")
			}
			front := freePort(t)
			address := fmt.Sprintf("http://127.0.0.1:%d/parley/", front)
			s := newSite(t, console.Views{}, echo, at(address, "127.0.0.1/32"))
			block := strings.NewReplacer("127.0.0.1:9090", strings.TrimPrefix(s.url, "http://"),
				"home.example {", fmt.Sprintf("http://127.0.0.1:%d {", front)).Replace(documented(t, name))
			dir := t.TempDir()
			if name == "caddy" {
				block = "{\nadmin off\nauto_https off\n}\n" + block
			} else {
				block = fmt.Sprintf("pid %s/pid; events {} http { access_log off; client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; "+
					"fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e; server { listen 127.0.0.1:%d;\n%s}}", dir, front, block)
			}
			file := filepath.Join(dir, p.file)
			if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
				t.Fatal(err)
			}
			run(t, program, dir, p.args(file))
			throughProxy(t, s, address)
		})
	}
}

// TestCaddyOfTheComposeFile: the Caddyfile that stands beside it serves the page.
func TestCaddyOfTheComposeFile(t *testing.T) {
	program, err := exec.LookPath("caddy")
	if err != nil {
		t.Skip("caddy is not installed")
	}
	file, err := filepath.Abs("../../../deploy/Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("http://127.0.0.1:%d/", freePort(t))
	s := newSite(t, console.Views{}, echo, at(address, "127.0.0.1/32"))
	t.Setenv("PARLEY_HOST", strings.TrimSuffix(address, "/"))
	t.Setenv("PARLEY_UPSTREAM", strings.TrimPrefix(s.url, "http://"))
	run(t, program, t.TempDir(), proxies["caddy"].args(file))
	throughProxy(t, s, address)
}

// TestTailscale: the documented mount works behind a proxy that treats requests as
// tailscale serve does (ipn/ipnlocal/serve.go of 1.104): it takes the mount off, puts the
// target's path before what is left, and says whom it speaks for.
func TestTailscale(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`tailscale serve --bg --set-path (/\S+) http://127.0.0.1:9090(\S*)\n`).FindSubmatch(doc)
	if m == nil {
		t.Fatal("docs/install.md has no block for it")
	}
	mount := string(m[1])
	var to *url.URL
	front := httptest.NewServer(http.StripPrefix(mount, &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		mounted := r.Out.URL.Path == ""
		r.SetURL(to)
		if mounted {
			r.Out.URL.Path = to.Path
		}
		r.Out.Host = r.In.Host
		r.Out.Header.Set("X-Forwarded-Host", r.In.Host)
		r.Out.Header.Set("X-Forwarded-Proto", "https")
		r.Out.Header.Set("X-Forwarded-For", "100.64.0.7")
		r.Out.Header.Set("Tailscale-User-Login", "ann@example.org")
	}}))
	t.Cleanup(front.Close)
	address := front.URL + mount + "/"
	s := newSite(t, console.Views{}, echo, at(address, "127.0.0.1/32"))
	to, _ = url.Parse(s.url + string(m[2]))
	throughProxy(t, s, address)
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// run runs a server until the test ends.
func run(t *testing.T, program, dir string, args []string) {
	t.Helper()
	var log record
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stderr, cmd.Stdout = dir, &log, &log
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log.take())
		}
	})
}

// throughProxy logs in, talks and follows the events at an address.
func throughProxy(t *testing.T, s *site, address string) {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	if !waittest.Within(time.Minute, func() bool {
		resp, err := client.Get(address + "login")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	}) {
		t.Fatal("the page never came through")
	}
	post := func(path string, form url.Values) string {
		t.Helper()
		r, _ := http.NewRequest(http.MethodPost, address+path, strings.NewReader(form.Encode()))
		u, _ := url.Parse(address)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", u.Scheme+"://"+u.Host)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s\n%s", path, resp.Status, body)
		}
		return string(body)
	}
	if body := post("login", url.Values{"code": {code(s.link())}}); !strings.Contains(body, "<h1>Overview") {
		t.Fatal(body)
	}
	if bare := strings.TrimSuffix(address, "/"); strings.Count(bare, "/") > 2 { // a path, without the slash, too
		resp, err := client.Get(bare)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK || resp.Request.URL.String() != address {
			t.Errorf("without the slash: %s at %s", resp.Status, resp.Request.URL)
		}
	}
	events, err := client.Get(address + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = events.Body.Close() }()
	s.page.Changed()
	var seen strings.Builder
	for buffer := make([]byte, 256); !strings.Contains(seen.String(), "event: news"); {
		n, err := events.Body.Read(buffer)
		if seen.Write(buffer[:n]); err != nil {
			t.Fatalf("the stream ended after %q: %v", seen.String(), err)
		}
	}
}

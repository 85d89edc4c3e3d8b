package console_test

import (
	"bufio"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/internal/app/console"
	"parley/internal/chat"
)

func TestLinkWorksOnce(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	link := s.link()
	if len(code(link)) < 26 { // 5 bits each
		t.Errorf("the code of %s is short", link)
	}
	if body := s.get("/"); !strings.Contains(body, "bot page") {
		t.Errorf("without a login:\n%s", body)
	}
	path := strings.TrimPrefix(link, s.url)
	for range 3 { // looking at the link does not use it up
		if body := s.get(path); !strings.Contains(body, "Open the control page") {
			t.Fatalf("the link shows:\n%s", body)
		}
	}
	s.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, _ := s.request(http.MethodPost, "/login", url.Values{"code": {code(link)}}, nil)
	if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
		t.Fatalf("log in: %s, %v", resp.Status, resp.Cookies())
	}
	if c := resp.Cookies()[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || len(c.Value) < 50 {
		t.Errorf("the cookie is %v", c)
	}
	s.get("/")
	s.http.Jar.SetCookies(mustURL(t, s.url), []*http.Cookie{{Name: resp.Cookies()[0].Name, MaxAge: -1}})
	s.posts("/login", url.Values{"code": {code(link)}}, http.StatusForbidden, "used before")
	if strings.Contains(s.log.take(), code(link)) {
		t.Error("the log has the code")
	}
}

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestNewerLinkReplacesOlder(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	old, fresh := s.link(), s.link()
	s.posts("/login", url.Values{"code": {code(old)}}, http.StatusForbidden, "used before")
	s.posts("/login", url.Values{"code": {code(fresh)}}, http.StatusOK, "Overview")
}

func TestGuessingLocksOut(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	link := s.link()
	counts := map[int]int{}
	for range 25 {
		resp, _ := s.request(http.MethodPost, "/login", url.Values{"code": {"AAAAAAAAAAAAAAAAAAAAAAAAAA"}}, nil)
		counts[resp.StatusCode]++
	}
	if counts[http.StatusForbidden] != 10 || counts[http.StatusTooManyRequests] != 15 {
		t.Errorf("guesses ended as %v", counts)
	}
	s.posts("/login", url.Values{"code": {code(link)}}, http.StatusTooManyRequests, "Too many wrong links")
	if n := strings.Count(s.log.take(), "refused"); n != 26 {
		t.Errorf("%d of 26 refusals are in the log", n)
	}
}

func TestForeignRequestsChangeNothing(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	s.logIn()
	good := s.form("hello")
	with := func(name, value string) url.Values {
		f := url.Values{}
		for k := range good {
			f.Set(k, good.Get(k))
		}
		f.Set(name, value)
		return f
	}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	port := mustURL(t, s.url).Port()
	for name, tt := range map[string]struct {
		form   url.Values
		change func(*http.Request)
		status int
		words  string
	}{
		"another site":      {good, header("Sec-Fetch-Site", "cross-site"), 403, "another site"},
		"another port":      {good, header("Sec-Fetch-Site", "same-site"), 403, "another site"},
		"another origin":    {good, header("Origin", "http://evil.example"), 403, "another site"},
		"https of the same": {good, header("Origin", strings.Replace(s.url, "http", "https", 1)), 403, "another site"},
		"no origin, no word": {good, func(r *http.Request) { r.Header.Del("Origin"); r.Header.Del("Sec-Fetch-Site") },
			403, "another site"},
		"null origin, no word": {good, func(r *http.Request) { r.Header.Set("Origin", "null"); r.Header.Del("Sec-Fetch-Site") },
			403, "another site"},
		"forged host":     {good, func(r *http.Request) { r.Host = "evil.example:" + port }, 421, "only under the address"},
		"rebound host":    {good, func(r *http.Request) { r.Host = "127.0.0.1.evil.example" }, 421, "only under the address"},
		"wrong port":      {good, func(r *http.Request) { r.Host = "127.0.0.1:1" }, 421, "only under the address"},
		"no token":        {with("csrf", ""), nil, 403, "older login"},
		"another's token": {with("csrf", "AAAAAAAAAAAAAAAAAAAAAAAAAA"), nil, 403, "older login"},
		"no cookie":       {good, header("Cookie", ""), 401, "login has ended"},
		"a choice never given": {url.Values{"csrf": good["csrf"], "id": good["id"], "on": {"x"}, "choice": {"1"}},
			nil, 409, "not open any more"},
		"an id of its own making":   {with("id", "../../x"), nil, 400, "nothing to send"},
		"nothing":                   {with("text", "  "), nil, 400, "nothing to send"},
		"more than a form may have": {with("text", strings.Repeat("x", 70<<10)), nil, 403, "older login"},
	} {
		t.Run(name, func(t *testing.T) {
			jar := s.http.Jar
			if name == "no cookie" {
				s.http.Jar = nil
			}
			defer func() { s.http.Jar = jar }()
			s.log.take()
			resp, body := s.request(http.MethodPost, "/chat", tt.form, tt.change)
			if resp.StatusCode != tt.status || !strings.Contains(body, tt.words) {
				t.Errorf("%s\n%s", resp.Status, body)
			}
			if log := s.log.take(); !strings.Contains(log, "refused") {
				t.Errorf("the log has only %q", log)
			}
		})
	}
	if body := s.get("/chat"); strings.Contains(body, "hello") {
		t.Error("a refused message was said")
	}
	for _, host := range []string{"localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port, "LOCALHOST:" + port} {
		resp, _ := s.request(http.MethodGet, "/login", nil, func(r *http.Request) { r.Host = host })
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", host, resp.Status)
		}
	}
}

func TestLoginEnds(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	s.logIn()
	s.clock.shift(11 * time.Hour)
	if body := s.get("/"); !strings.Contains(body, "<h1>Overview") {
		t.Error("a login ended within twelve hours")
	}
	s.clock.shift(24 * time.Hour)
	if body := s.get("/"); !strings.Contains(body, "<h1>Log in") {
		t.Error("a login outlived twelve idle hours")
	}
	s.clock.shift(0)
	s.logIn()
	f := s.form("late")
	kept := s.http.Jar.Cookies(mustURL(t, s.url))
	s.posts("/logout", f, http.StatusOK, "<h1>Log in")
	for _, cookies := range [][]*http.Cookie{nil, kept} { // a stolen cookie ends with its login
		s.http.Jar.SetCookies(mustURL(t, s.url), cookies)
		s.posts("/chat", f, http.StatusUnauthorized, "login has ended")
	}
}

func TestChatGoesThroughTheHub(t *testing.T) {
	var asked []chat.Message
	s := newSite(t, console.Views{}, func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		asked = append(asked, m) // one lane, and until has seen its answer
		if m.Kind == chat.KindButton {
			return chat.Answer{Text: "It is " + m.Text}, nil
		}
		if m.Text == "/choose" {
			return chat.Answer{Text: "Which?", Buttons: [][]chat.Button{{{Label: "The first", Data: "1"}, {Label: "The second", Data: "2"}}}}, nil
		}
		return echo(ctx, m, w)
	})
	s.logIn()
	f := s.form("what is **this**?")
	for range 2 { // a form that is sent twice is one message
		s.posts("/chat", f, http.StatusOK, "")
	}
	if body := s.until("/chat", "You said: what is <strong>this</strong>?"); strings.Count(body, `class="said user"`) != 1 {
		t.Errorf("one message is shown as:\n%s", body)
	}
	if len(asked) != 1 || asked[0].From.ID != "page:owner" || !asked[0].Direct || asked[0].Kind != chat.KindText {
		t.Fatalf("the bot was asked %+v", asked)
	}
	s.request(http.MethodPost, "/chat", s.form("/choose"), nil)
	body := s.until("/chat", "The second")
	on := regexp.MustCompile(`name="on" value="(\w+)"`).FindStringSubmatch(body)[1]
	choice := s.form("")
	choice.Set("on", on)
	choice.Set("choice", "3")
	s.posts("/chat", choice, http.StatusConflict, "not open any more") // never offered
	choice.Set("choice", "2")
	s.posts("/chat", choice, http.StatusOK, "")
	s.until("/chat", "It is 2")
	if m := asked[len(asked)-1]; m.Kind != chat.KindButton || m.ReplyTo != on {
		t.Errorf("the choice came as %+v", m)
	}
	again := s.form("")
	again.Set("on", on)
	again.Set("choice", "2")
	s.posts("/chat", again, http.StatusConflict, "not open any more")
}

func TestChangesAreStreamed(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	s.logIn()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/events", nil)
	resp, err := s.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	lines.Scan() // the stream is open
	s.request(http.MethodPost, "/chat", s.form("hello"), nil)
	want := map[string]bool{"event: chat": true, "event: news": true}
	for len(want) > 0 && lines.Scan() {
		delete(want, lines.Text())
	}
	if len(want) > 0 {
		t.Errorf("never came: %v", want)
	}
}

// TestMetricsBesideThePage: metrics need no login, but foreign names and other sites' pages are
// rejected.
func TestMetricsBesideThePage(t *testing.T) {
	for _, tt := range []struct {
		listen, host, site string
		want               int
	}{
		{"127.0.0.1:9090", "127.0.0.1:9090", "", 200},
		{"127.0.0.1:9090", "LOCALHOST:9090", "none", 200},
		{"[::1]:9090", "[::1]:9090", "", 200},
		{"127.0.0.1:9090", "rebound.example:9090", "", 421},
		{"127.0.0.1:9090", "127.0.0.1:9091", "", 421},
		{"127.0.0.1:9090", "", "", 421},
		{"127.0.0.1:9090", "127.0.0.1:9090", "cross-site", 403},
		{"0.0.0.0:9090", "parley.internal:9090", "", 200},
		{"[::]:9090", "10.0.0.7:9090", "", 200},
		{"0.0.0.0:9090", "parley.internal:9090", "cross-site", 403},
	} {
		page := console.New(console.Options{Listen: tt.listen, Log: slog.New(slog.DiscardHandler)})
		page.Beside("GET /metrics", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.Host = tt.host
		if tt.site != "" {
			r.Header.Set("Sec-Fetch-Site", tt.site)
		}
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("%+v: %d", tt, w.Code)
		}
	}
}

// TestUnsentIsKept: what was typed when the login had ended is asked for again after the
// next one, and sent by nobody but the person.
func TestUnsentIsKept(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	s.logIn()
	f := s.form("a long letter & <b>more</b>")
	s.clock.shift(24 * time.Hour)
	const shown = "a long letter &amp; &lt;b&gt;more&lt;/b&gt;</textarea>"
	if body := s.posts("/chat", f, http.StatusUnauthorized, shown); !strings.Contains(body, "nothing was sent") {
		t.Errorf("told %s", body)
	}
	f.Set("code", "AAAAAAAAAAAAAAAAAAAAAAAAAA")
	s.posts("/login", f, http.StatusForbidden, "used before")
	s.clock.shift(0)
	s.http.Jar.SetCookies(mustURL(t, s.url), []*http.Cookie{{Name: "parley_" + mustURL(t, s.url).Port(), MaxAge: -1}})
	f.Set("code", code(s.link()))
	s.posts("/login", f, http.StatusOK, shown)
	if body := s.get("/chat"); strings.Contains(body, "a long letter") {
		t.Error("it was sent")
	}
	s.posts("/chat", s.form(f.Get("text")), http.StatusOK, "")
	s.until("/chat", "You said: a long letter")
}

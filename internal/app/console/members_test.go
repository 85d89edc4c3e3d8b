package console_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/text/waittest"
)

// TestMembersReachTheirChatAlone: no route of the owner's answers to a member's cookie, under
// any name, and none of the members' to the owner's.
func TestMembersReachTheirChatAlone(t *testing.T) {
	c := newClub(t, echo)
	c.s.fill()
	c.s.logIn()
	m := c.enters("42")
	m.says("hello", "You said: hello")
	at, _ := url.Parse(c.s.url + "/me/")
	cookies := m.http.Jar.Cookies(at)
	owners, members := c.s.page.Patterns()
	if len(owners) < 25 || len(members) < 10 || len(cookies) != 1 {
		t.Fatalf("%d and %d routes, %d cookies", len(owners), len(members), len(cookies))
	}
	open := []string{"/page.css", "/page.js", "/icon.svg", "/icon-192.png", "/icon-512.png", "/page.webmanifest", "/login", "/language"}
	mine := cookies[0]
	theirs := strings.TrimSuffix(mine.Name, "_me")
	csrf := m.form("")["csrf"]
	for _, pattern := range owners {
		method, path := filled(pattern)
		if slices.Contains(open, path) {
			continue
		}
		for _, name := range []string{mine.Name, theirs} {
			status, body := m.with(method, path, csrf, &http.Cookie{Name: name, Value: mine.Value})
			if status < 300 || strings.Contains(body, "Alice") || status >= 500 {
				t.Errorf("%s as %s: %d", pattern, name, status)
			}
		}
	}
	owner := c.s.http.Jar.Cookies(at)[0]
	for _, pattern := range members {
		method, path := filled(pattern)
		if path == "/me/login" || path == "/me/page.webmanifest" {
			continue
		}
		for _, name := range []string{mine.Name, theirs} {
			status, body := m.with(method, path, csrf, &http.Cookie{Name: name, Value: owner.Value})
			if status < 300 || strings.Contains(body, "hello") {
				t.Errorf("%s for the owner as %s: %d", pattern, name, status)
			}
		}
	}
}

// with sends a request with one cookie alone.
func (m *member) with(method, path string, csrf []string, cookie *http.Cookie) (status int, body string) {
	m.t.Helper()
	r, _ := http.NewRequest(method, m.s.url+path, strings.NewReader(url.Values{"csrf": csrf, "text": {"x"}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.AddCookie(cookie)
	bare := *m
	bare.http = &http.Client{Transport: m.http.Transport, CheckRedirect: m.http.CheckRedirect}
	return bare.do(r, nil)
}

// TestMembersLinks: a link works once, for minutes, for its person, and looking at it does
// not use it up; guesses end soon.
func TestMembersLinks(t *testing.T) {
	c := newClub(t, echo)
	m := c.browser("42")
	link := m.link()
	for range 3 { // a preview, and a careful one
		if status, body := m.get("/" + link); status != http.StatusOK || !strings.Contains(body, "Open the chat") {
			t.Fatalf("the form: %d %s", status, body)
		}
	}
	use := func(code string, change func(*http.Request)) int {
		status, _ := c.browser("42").post("/me/login", url.Values{"code": {code}}, change)
		return status
	}
	origin := func(o string) func(*http.Request) { return func(r *http.Request) { r.Header.Set("Origin", o) } }
	for _, o := range []string{"", "null", "https://evil.example", c.s.url + ".evil.example"} {
		if got := use(code(link), origin(o)); got != http.StatusForbidden {
			t.Errorf("from %q: %d", o, got)
		}
	}
	if got := use(code(link), nil); got != http.StatusSeeOther {
		t.Errorf("the link: %d", got)
	}
	if got := use(code(link), nil); got != http.StatusForbidden {
		t.Errorf("used again: %d", got)
	}
	old := m.link()
	if m.link(); use(code(old), nil) != http.StatusForbidden {
		t.Error("an earlier link works")
	}
	late := m.link()
	c.s.clock.shift(6 * time.Minute)
	if use(code(late), nil) != http.StatusForbidden {
		t.Error("an expired link works")
	}
	fresh := m.link()
	if _, _, err := c.s.page.Members.Link(t.Context(), chat.Message{Key: m.key, From: chat.User{ID: m.id}}); err == nil {
		t.Error("any number of links")
	}
	for range 20 {
		use("AAAAAAAAAAAAAAAAAAAAAAAAAA", nil)
	}
	if got := use(code(fresh), nil); got != http.StatusTooManyRequests {
		t.Errorf("after many guesses: %d", got)
	}
	// The owner's codes are others.
	if got := use(code(c.s.link()), nil); got == http.StatusSeeOther {
		t.Error("the owner's link lets a member in")
	}
	if status, _ := m.post("/login", url.Values{"code": {code(fresh)}}, nil); status == http.StatusSeeOther {
		t.Error("a member's link opens the control page")
	}
}

// TestMembersForms: nothing is done without this login's own form, and one that is sent
// twice counts once.
func TestMembersForms(t *testing.T) {
	c := newClub(t, echo)
	m, other := c.enters("42"), c.enters("43")
	form := m.form("transfer everything")
	for name, change := range map[string]func(*http.Request){
		"no origin": func(r *http.Request) { r.Header.Del("Origin") },
		"evil":      func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"cross":     func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"sibling":   func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
	} {
		if got, _ := m.post("/me/say", form, change); got != http.StatusForbidden {
			t.Errorf("%s: %d", name, got)
		}
	}
	if got, _ := m.post("/me/say", form, func(r *http.Request) { r.Host = "evil.example" }); got != http.StatusMisdirectedRequest {
		t.Errorf("another host: %d", got)
	}
	if got, _ := other.post("/me/say", form, nil); got != http.StatusForbidden {
		t.Errorf("somebody else's form: %d", got)
	}
	wrong := maps.Clone(form)
	wrong["csrf"] = nil
	for _, path := range []string{"/me/say", "/me/end", "/me/logout"} {
		if got, _ := m.post(path, wrong, nil); got != http.StatusForbidden {
			t.Errorf("%s without the token: %d", path, got)
		}
	}
	for _, id := range []string{"", "x", "' OR 1=1", strings.Repeat("A", 27)} {
		wrong := maps.Clone(form)
		wrong["id"] = []string{id}
		if got, _ := m.post("/me/say", wrong, nil); got != http.StatusBadRequest {
			t.Errorf("the id %q: %d", id, got)
		}
	}
	for range 3 {
		m.post("/me/say", form, nil)
	}
	if page := m.until("You said: transfer everything"); strings.Count(page, "transfer everything") != 2 {
		t.Errorf("said more than once: %s", page)
	}
	if _, page := other.get("/me/"); strings.Contains(page, "transfer") {
		t.Error("others read it")
	}
}

// TestMembersLogins: people see and end their logins, and nobody else's.
func TestMembersLogins(t *testing.T) {
	c := newClub(t, echo)
	m, second, other := c.enters("42"), c.enters("42"), c.enters("43")
	_, page := other.get("/me/logins")
	id := regexp.MustCompile(`name="id" value="([A-Z2-7]{26})"`).FindStringSubmatch(page)[1]
	form := m.form("")
	form.Set("id", id)
	m.post("/me/end", form, nil)
	if got, _ := other.get("/me/"); got != http.StatusOK {
		t.Errorf("somebody else was logged out: %d", got)
	}
	if _, page = m.get("/me/logins"); strings.Count(page, `<li class="card">`) != 2 || strings.Contains(page, id) {
		t.Errorf("the list: %s", page)
	}
	form.Set("id", "others")
	m.post("/me/end", form, nil)
	if got, _ := second.get("/me/"); got != http.StatusSeeOther {
		t.Errorf("still logged in elsewhere: %d", got)
	}
	m.post("/me/logout", m.form(""), nil)
	if got, _ := m.get("/me/"); got != http.StatusSeeOther {
		t.Errorf("still logged in: %d", got)
	}
	idle := c.enters("44")
	c.s.clock.shift(8 * 24 * time.Hour)
	if got, _ := idle.get("/me/"); got != http.StatusSeeOther {
		t.Errorf("logged in for ever: %d", got)
	}
}

// hostile is what people call themselves and their files, and what they write.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) <b>`

// TestMembersMarkup: nothing that anybody writes becomes markup.
func TestMembersMarkup(t *testing.T) {
	c := newClub(t, func(ctx context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
		return chat.Answer{Text: hostile, Files: []chat.File{{Name: hostile, Data: []byte("<script>alert(1)</script>")}},
			Buttons: [][]chat.Button{{{Label: hostile, Data: hostile[:20]}, {Label: "x", URL: "javascript:alert(1)"}}}, Record: turn(m, "x")}, nil
	})
	m := c.enters("42")
	page := m.says(hostile, "me/files/")
	for _, bad := range []string{"<script>alert", "<img src=x", `href="javascript:`, "<b> "} {
		if strings.Contains(page, bad) {
			t.Errorf("%s in %s", bad, page)
		}
	}
	path := fileLink.FindStringSubmatch(page)[1]
	r, _ := http.NewRequest(http.MethodGet, c.s.url+"/"+path, nil)
	resp, err := m.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if h := resp.Header; h.Get("Content-Type") != "application/octet-stream" ||
		!strings.HasPrefix(h.Get("Content-Disposition"), "attachment") ||
		h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("a file comes as %v", h)
	}
	if status, body := c.enters("43").get("/" + path); status != http.StatusNotFound {
		t.Errorf("somebody else's file: %d %s", status, body)
	}
}

// uploading makes a form with files.
func uploading(form url.Values, files map[string][]byte) (body *bytes.Buffer, kind string) {
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for name := range form {
		_ = w.WriteField(name, form.Get(name))
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		part, _ := w.CreateFormFile("files", name)
		_, _ = part.Write(files[name])
	}
	_ = w.Close()
	return body, w.FormDataContentType()
}

// TestMembersFiles: files go up, stay their person's, and are bounded.
func TestMembersFiles(t *testing.T) {
	var c *club
	c = newClub(t, func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		told := ""
		for _, f := range m.Files {
			data, ours, err := c.s.page.Members.Fetch(ctx, m, f)
			stolen := m
			stolen.From.ID = "telegram:43"
			_, _, theft := c.s.page.Members.Fetch(ctx, stolen, f)
			told += fmt.Sprintf("%s %d %s %v %v %v; ", f.Name, len(data), f.MIME, ours, err, theft)
		}
		m.Text = told
		return echo(ctx, m, w)
	})
	m := c.enters("42")
	send := func(files map[string][]byte) int {
		form := m.form("look")
		body, kind := uploading(form, files)
		r, _ := http.NewRequest(http.MethodPost, c.s.url+"/me/say", body)
		r.Header.Set("Content-Type", kind)
		status, _ := m.do(r, nil)
		return status
	}
	if got := send(map[string][]byte{"a.txt": []byte("hello"), `..\..\b.txt`: []byte("x")}); got != http.StatusSeeOther {
		t.Fatalf("two files: %d", got)
	}
	page := m.until("a.txt 5 ")
	if !strings.Contains(page, "true &lt;nil&gt; the file is no longer there") ||
		!strings.Contains(page, "b.txt 1") || strings.Contains(page, `..\`) {
		t.Errorf("the files: %s", page)
	}
	if got := send(map[string][]byte{"1": nil, "2": nil, "3": nil, "4": nil, "5": nil}); got != http.StatusRequestEntityTooLarge {
		t.Errorf("five files: %d", got)
	}
	if got := send(map[string][]byte{"big": make([]byte, 11<<20)}); got != http.StatusRequestEntityTooLarge {
		t.Errorf("a large file: %d", got)
	}
	half := make([]byte, 9<<20)
	a, b, d := send(map[string][]byte{"1": half}), send(map[string][]byte{"2": half}), send(map[string][]byte{"3": half})
	if a != http.StatusSeeOther || b != http.StatusSeeOther || d != http.StatusRequestEntityTooLarge {
		t.Errorf("more than are kept: %d %d %d", a, b, d)
	}
}

// listens counts the events of an open page; over is closed when they end.
func (m *member) listens() (events func() int, over chan struct{}) {
	m.t.Helper()
	r, _ := http.NewRequest(http.MethodGet, m.s.url+"/me/events", nil)
	resp, err := m.http.Do(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		m.t.Fatal(err, resp)
	}
	var mu sync.Mutex
	var got bytes.Buffer
	over = make(chan struct{})
	go func() {
		defer close(over)
		defer func() { _ = resp.Body.Close() }()
		for b := make([]byte, 1000); ; {
			n, err := resp.Body.Read(b)
			mu.Lock()
			got.Write(b[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return func() int { mu.Lock(); defer mu.Unlock(); return strings.Count(got.String(), "event: chat") }, over
}

// TestMembersStreaming: an answer grows in each tab; who is put out meanwhile sees no more of
// it, and neither does anybody else.
func TestMembersStreaming(t *testing.T) {
	step := make(chan string)
	c := newClub(t, func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		all := ""
		for more := range step {
			if more == "" {
				break
			}
			all += more
			w.Text(more)
		}
		return chat.Answer{Text: all, Record: turn(m, all)}, nil
	})
	m, other := c.enters("42"), c.enters("43")
	first, over := m.listens()
	second, over2 := m.listens()
	foreign, _ := other.listens()
	m.post("/me/say", m.form("tell me a story"), nil)
	step <- "Once upon a time "
	m.until(`id="growing"`)
	step <- "there was a bot"
	m.until("there was a bot")
	waittest.Until(t, "both tabs hear of it", func() bool { return first() > 0 && second() > 0 })
	if n := foreign(); n != 0 {
		t.Errorf("somebody else hears of it %d times", n)
	}
	if _, page := other.get("/me/"); strings.Contains(page, "story") || strings.Contains(page, "Once") {
		t.Error("somebody else sees it")
	}
	c.with(func() { c.out[m.id] = true })
	for _, o := range []chan struct{}{over, over2} {
		waittest.Until(t, "the stream ends", func() bool {
			select {
			case <-o:
				return true
			default:
				return false
			}
		})
	}
	if got, body := m.get("/me/"); got != http.StatusSeeOther || strings.Contains(body, "Once") {
		t.Errorf("who is put out gets %d %s", got, body)
	}
	step <- ""
	c.with(func() { delete(c.out, m.id) })
	if got, _ := m.get("/me/"); got != http.StatusSeeOther {
		t.Errorf("the login is back: %d", got)
	}
	again := c.enters("42")
	if page := again.until("Once upon a time there was a bot"); strings.Count(page, "Once") != 1 {
		t.Errorf("the story: %s", page)
	}
}

// TestMembersButtons: a button is pressed once, by whom it was shown to, while it is shown.
func TestMembersButtons(t *testing.T) {
	var mu sync.Mutex
	pressed := 0
	c := newClub(t, func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Kind == chat.KindButton {
			mu.Lock()
			defer mu.Unlock()
			pressed++
			return chat.Answer{Text: "You chose " + m.Text, Record: chat.End{Outcome: chat.Answered}}, nil
		}
		left := [][]chat.Button{{{Label: "Left", Data: "go left"}}}
		return chat.Answer{Text: "Choose", Buttons: left, Record: chat.End{Outcome: chat.Asked}}, nil
	})
	m, other := c.enters("42"), c.enters("43")
	m.says("/where", `value="go left"`)
	form := m.form("")
	form.Set("choice", "go right")
	if got, _ := m.post("/me/say", form, nil); got != http.StatusConflict {
		t.Errorf("a button that never was: %d", got)
	}
	foreign := other.form("")
	foreign.Set("choice", "go left")
	if got, _ := other.post("/me/say", foreign, nil); got != http.StatusConflict {
		t.Errorf("somebody else's button: %d", got)
	}
	form.Set("choice", "go left")
	m.post("/me/say", form, nil)
	m.until("You chose go left")
	if got, _ := m.post("/me/say", form, nil); got != http.StatusConflict {
		t.Errorf("pressed again: %d", got)
	}
	c.with(func() { c.ask[m.id] = [][]chat.Button{{{Label: "Yes", Data: "yes:1"}}} })
	form = m.form("")
	form.Set("choice", "yes:1")
	m.post("/me/say", form, nil)
	m.until("You chose yes:1")
	mu.Lock()
	defer mu.Unlock()
	if pressed != 2 {
		t.Errorf("pressed %d times", pressed)
	}
}

// TestMembersBehindProxy: the cookie goes to members' pages alone, and every address is
// relative.
func TestMembersBehindProxy(t *testing.T) {
	c := newClub(t, echo, at("https://home.example/parley"))
	m := c.browser("42")
	r, _ := http.NewRequest(http.MethodPost, c.s.url+"/parley/me/login", strings.NewReader(url.Values{"code": {code(m.link())}}.Encode()))
	r.Host = "home.example"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "https://home.example")
	resp, err := m.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	set := resp.Header.Get("Set-Cookie")
	for _, want := range []string{"__Secure-parley_", "_me=", "Path=/parley/me/", "HttpOnly", "Secure", "SameSite=Strict"} {
		if !strings.Contains(set, want) {
			t.Errorf("the cookie %q lacks %s", set, want)
		}
	}
	if to := resp.Header.Get("Location"); to != "../me/" {
		t.Errorf("leads to %q", to)
	}
	name, value, _ := strings.Cut(set[:strings.IndexByte(set, ';')], "=")
	r, _ = http.NewRequest(http.MethodGet, c.s.url+"/me/logins", nil) // the proxy took the path off
	r.Host = "home.example"
	r.AddCookie(&http.Cookie{Name: name, Value: value})
	status, page := m.do(r, nil)
	if status != http.StatusOK || regexp.MustCompile(`(?:href|src|action)="/`).MatchString(page) {
		t.Errorf("%d: %s", status, page)
	}
	r, _ = http.NewRequest(http.MethodGet, c.s.url+"/me/", nil) // by another door it is another cookie
	r.AddCookie(&http.Cookie{Name: name, Value: value})
	if status, _ := m.do(r, nil); status != http.StatusSeeOther {
		t.Errorf("through the port itself: %d", status)
	}
}

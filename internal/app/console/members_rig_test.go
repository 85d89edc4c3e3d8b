package console_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/app/console"
	"parley/internal/chat"
	"parley/internal/text/waittest"
)

// club is who may open their chat in a browser.
type club struct {
	s   *site
	mu  sync.Mutex // guards the rest
	off bool
	out map[string]bool
	ask map[string][][]chat.Button
}

func (c *club) with(do func()) { c.mu.Lock(); defer c.mu.Unlock(); do() }

// direct is a platform with direct chats.
type direct struct{}

func (direct) Platform() string                                { return "telegram" }
func (direct) Run(ctx context.Context, _ chat.Intake) error    { <-ctx.Done(); return nil }
func (direct) Health() error                                   { return nil }
func (direct) Split(text string) []string                      { return []string{text} }
func (direct) Typing(context.Context, chat.Message) error      { return nil }
func (direct) Send(context.Context, chat.Part) (string, error) { return "1", nil }
func (direct) Preview(context.Context, chat.Message, string, string) (string, time.Duration, error) {
	return "", time.Second, nil
}

// joined gives a hub what chats of members need.
func (s *site) joined(o *chat.HubOptions) {
	feeds := s.page.Members.Feeds
	o.Handler, o.Adapters, o.Sent = feeds.Wrap(o.Handler), append(o.Adapters, direct{}), feeds.Sent
	o.Observe = func(e chat.Event) {
		s.page.Changed()
		if e.Outcome != "" {
			feeds.Stored(e.Key)
		}
	}
}

// newClub is a site with members.
func newClub(t testing.TB, handle answer, change ...func(*console.Options)) *club {
	t.Helper()
	c := &club{out: map[string]bool{}, ask: map[string][][]chat.Button{}}
	views := &console.MemberViews{
		On: func() (on bool) { c.with(func() { on = !c.off }); return on },
		Admits: func(_ context.Context, m chat.Message) (ok bool, err error) {
			c.with(func() { ok = !c.out[m.From.ID] })
			return ok, nil
		},
		Intake: func() chat.Intake { return c.s.hub },
		Open: func(_ context.Context, m chat.Message) (asked string, rows [][]chat.Button, err error) {
			c.with(func() { rows = c.ask[m.From.ID] })
			return "Shall I?", rows, nil
		},
	}
	c.s = newSite(t, wholeViews(), handle, append(change, func(o *console.Options) { o.Members = views })...)
	return c
}

// member is somebody's browser.
type member struct {
	t    testing.TB
	s    *site
	key  chat.Key
	id   string
	http *http.Client
}

func (c *club) browser(id string) *member {
	jar, _ := cookiejar.New(nil)
	m := &member{c.s.t, c.s, chat.Key{Platform: "telegram", Channel: id}, "telegram:" + id,
		&http.Client{Jar: jar, Transport: &http.Transport{}, CheckRedirect: stays}}
	m.t.Cleanup(m.http.CloseIdleConnections)
	return m
}

// stays follows no redirect.
func stays(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// link is a fresh one, its path.
func (m *member) link() string {
	m.t.Helper()
	link, _, err := m.s.page.Members.Link(context.Background(), chat.Message{Key: m.key, From: chat.User{ID: m.id}, Direct: true})
	if err != nil {
		m.t.Fatal(err)
	}
	return link[strings.Index(link, "me/login"):]
}

// enters logs a member in.
func (c *club) enters(id string) *member {
	c.s.t.Helper()
	m := c.browser(id)
	if status, _ := m.post("/me/login", url.Values{"code": {code(m.link())}}, nil); status != http.StatusSeeOther {
		c.s.t.Fatalf("login: %d", status)
	}
	return m
}

func (m *member) do(r *http.Request, change func(*http.Request)) (status int, body string) {
	m.t.Helper()
	r.Header.Set("Origin", m.s.url)
	if change != nil {
		change(r)
	}
	resp, err := m.http.Do(r)
	if err != nil {
		m.t.Fatal(err)
	}
	b, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, string(b)
}

func (m *member) get(path string) (status int, body string) {
	m.t.Helper()
	r, _ := http.NewRequest(http.MethodGet, m.s.url+path, nil)
	return m.do(r, nil)
}

func (m *member) post(path string, form url.Values, change func(*http.Request)) (status int, body string) {
	m.t.Helper()
	r, _ := http.NewRequest(http.MethodPost, m.s.url+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return m.do(r, change)
}

var (
	formToken = regexp.MustCompile(`name="csrf" value="([^"]+)"`)
	formID    = regexp.MustCompile(`(?s)id="say".*?name="id" value="([^"]+)"`)
	fileLink  = regexp.MustCompile(`href="(me/files/[^"]+)"`)
)

// form returns what a form of the chat needs.
func (m *member) form(text string) url.Values {
	m.t.Helper()
	_, page := m.get("/me/")
	csrf, id := formToken.FindStringSubmatch(page), formID.FindStringSubmatch(page)
	if csrf == nil || id == nil {
		m.t.Fatalf("no form: %s", page)
	}
	return url.Values{"csrf": {csrf[1]}, "id": {id[1]}, "text": {text}}
}

// until waits until the chat shows something.
func (m *member) until(want string) (page string) {
	m.t.Helper()
	if !waittest.Within(time.Minute, func() bool { _, page = m.get("/me/"); return strings.Contains(page, want) }) {
		m.t.Fatalf("never shown: %s\n%s", want, page)
	}
	return page
}

// says writes a message and waits for what follows.
func (m *member) says(text, want string) string {
	m.t.Helper()
	if status, body := m.post("/me/say", m.form(text), nil); status != http.StatusSeeOther {
		m.t.Fatalf("%q: %d %s", text, status, body)
	}
	return m.until(want)
}

// filled is the path of a pattern with something in its gaps.
func filled(pattern string) (method, path string) {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		method, path = http.MethodGet, method
	}
	return method, regexp.MustCompile(`\{[^}]*\}`).ReplaceAllStringFunc(path, func(gap string) string {
		if gap == "{$}" {
			return ""
		}
		return "1"
	})
}

package console_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/app/console"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/memory/modellog"
	"parley/internal/playbook/files"
	"parley/internal/text/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a page on a real port, with a real store and hub.
type site struct {
	data  string // the data folder
	t     testing.TB
	store *memory.Store
	tape  *modellog.Tape
	rules *files.Folder
	page  *console.Page
	hub   *chat.Hub
	url   string
	http  *http.Client
	log   record
	clock clock
	n     int // exchanges stored
}

// record is a log that can be read while it is written.
type record struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *record) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.text.Reset()
	return r.text.String()
}

// clock is the real time with an offset.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time         { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) shift(by time.Duration) { c.ahead.Store(int64(by)) }

// answer is the bot's handler.
type answer = func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error)

func echo(_ context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
	return chat.Answer{Text: "You said: " + m.Text, Record: turn(m, "You said: "+m.Text)}, nil
}

func newSite(t testing.TB, views console.Views, handle answer, change ...func(*console.Options)) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{t: t, rules: &files.Folder{Dir: t.TempDir()}, data: filepath.Join(dir, "data")}
	store, err := memorytest.Try(t, s.data, memory.Options{Now: s.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	s.store = store
	s.tape, err = modellog.Open(context.Background(), modellog.Options{File: filepath.Join(dir, "traces.db"), Keep: time.Hour,
		MaxSize: 10 << 20, Witness: store.Witness()})
	if err != nil {
		t.Fatal(err)
	}
	if views.Status == nil {
		views.Status = func(context.Context) []console.Line { return []console.Line{{Name: "model", State: "ok"}} }
	}
	if views.Settings == nil {
		views.Settings = func() string { return "data_dir: data" }
	}
	views.Files = func(*console.Agent) *files.Folder { return s.rules }
	server := httptest.NewUnstartedServer(nil)
	o := console.Options{Currency: "EUR",
		Listen: server.Listener.Addr().String(), Name: "Parley", Store: store, Views: views, Calls: s.tape,
		Now: s.clock.now, Log: slog.New(slog.NewTextHandler(&s.log, nil)),
	}
	for _, f := range change {
		f(&o)
	}
	s.page = console.New(o)
	server.Config.Handler = s.page
	server.Start()
	s.url = server.URL
	h := chat.HubOptions{
		Inbox: store, Outbox: store, Handler: chat.HandlerFunc(handle), Adapters: []chat.Adapter{s.page.Chat},
		Observe: func(chat.Event) { s.page.Changed() },
	}
	if s.page.Members != nil {
		s.joined(&h)
	}
	s.hub = chat.NewHub(h)
	ctx, stop := context.WithCancel(context.Background())
	ran := make(chan struct{})
	go func() { _ = s.page.Chat.Run(ctx, s.hub); close(ran) }()
	jar, _ := cookiejar.New(nil)
	s.http = &http.Client{Jar: jar, Transport: &http.Transport{}}
	t.Cleanup(func() {
		stop()
		<-ran
		s.http.CloseIdleConnections()
		server.CloseClientConnections()
		server.Close()
		s.hub.Drain(context.Background())
		if err := errors.Join(s.tape.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// link makes a one-time link.
func (s *site) link() string {
	s.t.Helper()
	l, err := console.NewLink(context.Background(), s.store.Access, s.url+"/", chat.User{})
	if err != nil {
		s.t.Fatal(err)
	}
	return l
}

func code(link string) string { return link[strings.Index(link, "code=")+5:] }

// request sends a request like a browser on our own page, also to a link on it; change may spoil it.
func (s *site) request(method, path string, form url.Values, change func(*http.Request)) (*http.Response, string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+"/"+strings.TrimPrefix(path, "/"), strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", s.url)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if change != nil {
		change(r)
	}
	resp, err := s.http.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp, string(b)
}

func (s *site) get(path string) string {
	s.t.Helper()
	resp, body := s.request(http.MethodGet, path, nil, nil)
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("GET %s: %s", path, resp.Status)
	}
	return body
}

// shows checks that a page shows some texts.
func (s *site) shows(path string, wants ...string) {
	s.t.Helper()
	body := s.get(path)
	for _, want := range wants {
		if !strings.Contains(body, want) {
			s.t.Errorf("%s does not show %q:\n%s", path, want, body)
		}
	}
}

// missing checks that there is nothing at some paths.
func (s *site) missing(paths ...string) {
	s.t.Helper()
	for _, path := range paths {
		if resp, _ := s.request(http.MethodGet, path, nil, nil); resp.StatusCode != http.StatusNotFound {
			s.t.Errorf("%s: %s", path, resp.Status)
		}
	}
}

// posts checks how a form is answered, and returns the page.
func (s *site) posts(path string, form url.Values, status int, words string) string {
	s.t.Helper()
	resp, body := s.request(http.MethodPost, path, form, nil)
	if resp.StatusCode != status || !strings.Contains(body, words) {
		s.t.Errorf("%s %v: %s, without %q\n%s", path, form, resp.Status, words, body)
	}
	return body
}

// logIn lets this site's browser in.
func (s *site) logIn() {
	s.t.Helper()
	s.posts("/login", url.Values{"code": {code(s.link())}}, http.StatusOK, "Overview")
}

// form reads the hidden fields of the chat's form.
func (s *site) form(text string) url.Values {
	s.t.Helper()
	body := s.get("/chat")
	body = body[strings.Index(body, `<form id="say"`):]
	f := url.Values{"text": {text}}
	for _, m := range regexp.MustCompile(`type="hidden" name="(\w+)" value="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		f.Set(m[1], m[2])
	}
	return f
}

// until waits for the page to show something.
func (s *site) until(path, want string) string {
	s.t.Helper()
	var body string
	if !waittest.Within(time.Minute, func() bool {
		body = s.get(path)
		return strings.Contains(body, want)
	}) {
		s.t.Fatalf("%s never shows %q:\n%s", path, want, body)
	}
	return body
}

// sessionOf returns the session of messages in a place.
func sessionOf(k chat.Key, at time.Time) *memory.Session {
	return &memory.Session{
		ID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", len(k.String())*7919+int(k.Channel[len(k.Channel)-1])), Key: k, Status: memory.Active,
		Created: at, LastActivity: at, Expires: at.Add(time.Hour), TokensUsed: 812,
	}
}

// turn returns what an answered message leaves behind.
func turn(m chat.Message, text string) *memory.Turn {
	at := m.At
	se := sessionOf(m.Key, at)
	return &memory.Turn{
		Session: se,
		Entries: []memory.Entry{
			{MessageID: m.ID, Role: "user", User: m.From.ID, Name: m.From.Name, Content: m.Text, At: at},
			{Role: "assistant", User: m.From.ID, Content: text, At: at},
		},
		Decision: memory.Decision{Session: se.ID, End: chat.End{Outcome: chat.Answered}, Model: "test", Calls: 1, Took: 40 * time.Millisecond},
	}
}

// finish stores a finished message.
func (s *site) finish(m chat.Message, record any) {
	s.t.Helper()
	ctx := context.Background()
	fresh, err := s.store.Accept(ctx, chat.Batch{Platform: m.Key.Platform, Messages: []chat.Message{m}})
	if err != nil || len(fresh) != 1 {
		s.t.Fatal(len(fresh), err)
	}
	if err := s.store.Finish(ctx, fresh[0], nil, record); err != nil {
		s.t.Fatal(err)
	}
}

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/chat"
	"parley/internal/tools"
)

// office is a door with two people: ann and bo, whose tokens are their names, and eve, who is
// barred. Its tool "note" notes who calls, once for each key.
type office struct {
	*Door
	web    *httptest.Server
	runner tools.Runner
	hold   chan struct{} // what "wait" waits for
	held   chan struct{} // told when it waits

	mu     sync.Mutex // guards what follows
	tokens map[string]string
	noted  map[string]string // by key: by whom
	busy   bool
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{tokens: map[string]string{"ann": "ann", "bo": "bo", "eve": "eve"}, noted: map[string]string{},
		hold: make(chan struct{}), held: make(chan struct{}, 10)}
	meta := func(name string) tools.Meta { return tools.Meta{Name: name, Description: name, Category: tools.Web} }
	set := tools.NewSet(tools.Func(meta("note"), func(_ context.Context, c tools.Call, _ struct {
		Text string `json:"text,omitempty"`
	}) (tools.Result, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.noted[c.Key] = c.Who.ID
		return tools.Result{Content: "noted for " + c.Who.ID}, nil
	}), tools.Func(meta("wait"), func(ctx context.Context, c tools.Call, _ struct{}) (tools.Result, error) {
		o.held <- struct{}{}
		select {
		case <-o.hold:
		case <-ctx.Done():
			return tools.Result{}, ctx.Err()
		}
		return tools.Result{Content: "the secret of " + c.Who.ID}, nil
	}))
	o.Door = NewDoor(DoorOptions{Log: slog.New(slog.DiscardHandler), Runner: func() *tools.Runner { return &o.runner },
		Bearer: func(_ context.Context, token string) (string, bool, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			if token == "broken" {
				return "", false, errors.New("no database")
			}
			person, ok := o.tokens[token]
			return person, ok, nil
		},
		Guest: func(_ context.Context, person string) (Guest, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			switch {
			case person == "eve":
				return Guest{}, ErrBarred
			case o.busy:
				return Guest{}, &LaterError{1500 * time.Millisecond}
			}
			return Guest{As: tools.Call{Who: chat.User{ID: person}}, Set: set}, nil
		}})
	o.web = httptest.NewUnstartedServer(o.Door)
	o.web.Config.ReadTimeout = time.Second
	o.web.Start()
	t.Cleanup(o.web.Close)
	return o
}

func (o *office) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.noted)
}

func (o *office) revoke(token string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.tokens, token)
}

// bearer adds a token to requests, and other headers.
type bearer map[string]string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for k, v := range b {
		r.Header.Set(k, v)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// client is the library's client with a token, which asks for a version first.
func (o *office) client(t *testing.T, token, version string) *sdk.ClientSession {
	t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: o.web.URL, MaxRetries: -1,
		HTTPClient: &http.Client{Transport: bearer{"Authorization": "Bearer " + token}}}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

const noting = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note","arguments":{}}}`

// post sends a body with headers, of which Authorization may be left to be ann's.
func (o *office) post(t *testing.T, body string, head map[string]string) (status int, header http.Header, said string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, o.web.URL, strings.NewReader(body))
	must(t, err)
	r.Header.Set("Authorization", "Bearer ann")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range head {
		if r.Header.Set(k, v); v == "" {
			r.Header.Del(k)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp.StatusCode, resp.Header, string(raw)
}

// Clients of every version are served, each as the person of its token.
func TestDoorServesEveryVersion(t *testing.T) {
	o := newOffice(t)
	for version, want := range map[string]string{"": stateless, stateless: stateless, "2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18",
		"2025-03-26": "2025-03-26", "2024-11-05": "2024-11-05"} {
		for _, who := range []string{"ann", "bo"} {
			s := o.client(t, who, version)
			if got := s.InitializeResult().ProtocolVersion; got != want {
				t.Errorf("%q: %s", version, got)
			}
			list, err := s.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) != 2 || want == stateless && (list.CacheScope != "private" || list.TTLMs != 0) {
				t.Errorf("%q: %+v %v", version, list, err)
			}
			got, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "note"})
			if err != nil || got.IsError || got.Content[0].(*sdk.TextContent).Text != "noted for "+who {
				t.Errorf("%q: %+v %v", version, got, err)
			}
		}
	}
}

func TestDoorRefuses(t *testing.T) {
	o := newOffice(t)
	long := strings.Replace(noting, "{}}", `{"text":"`+strings.Repeat("x", maxRequest)+`"}}`, 1)
	for name, tt := range map[string]struct {
		body   string
		head   map[string]string
		status int
	}{
		"unsigned":         {noting, map[string]string{"Authorization": ""}, 401},
		"another scheme":   {noting, map[string]string{"Authorization": "Basic YW5uOmFubg=="}, 401},
		"no token":         {noting, map[string]string{"Authorization": "Bearer "}, 401},
		"a wrong one":      {noting, map[string]string{"Authorization": "Bearer ann2"}, 401},
		"a long one":       {noting, map[string]string{"Authorization": "Bearer " + strings.Repeat("a", 600)}, 401},
		"barred":           {noting, map[string]string{"Authorization": "Bearer eve"}, 403},
		"without database": {noting, map[string]string{"Authorization": "Bearer broken"}, 503},
		"oversized":        {long, nil, 413},
		"unsigned, too":    {long, map[string]string{"Authorization": ""}, 401},
		"a batch":          {" [" + noting + "]", nil, 400},
		"no JSON":          {"hello", nil, 400},
		"nothing":          {"", nil, 400},
		"deep":             {strings.Repeat("[", 100_000), nil, 400},
		"no params":        {`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, 400},
		"null params":      {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, nil, 200}, // with an error
		"a form":           {noting, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 415},
		"a newer version":  {noting, map[string]string{"Mcp-Protocol-Version": "2099-01-01"}, 400},
		"another's header": {strings.Replace(noting, `{"name"`, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
			`"io.modelcontextprotocol/clientCapabilities":{}},"name"`, 1), map[string]string{"Mcp-Protocol-Version": stateless,
			"Mcp-Method": "tools/list", "Mcp-Name": "note"}, 400},
	} {
		status, header, said := o.post(t, tt.body, tt.head)
		if status != tt.status ||
			(status == 401) != strings.HasPrefix(header.Get("WWW-Authenticate"), "Bearer ") || strings.Contains(said, "ann2") {
			t.Errorf("%s: %d %q %s", name, status, header.Get("WWW-Authenticate"), said)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		r, _ := http.NewRequestWithContext(t.Context(), method, o.web.URL, nil)
		resp, err := http.DefaultClient.Do(r)
		must(t, err)
		_ = resp.Body.Close()
		r.Header.Set("Authorization", "Bearer ann")
		again, err := http.DefaultClient.Do(r)
		must(t, err)
		_ = again.Body.Close()
		if resp.StatusCode != 401 || again.StatusCode != 405 || again.Header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, %d", method, resp.StatusCode, again.StatusCode)
		}
	}
	o.mu.Lock()
	o.busy = true
	o.mu.Unlock()
	if status, header, _ := o.post(t, noting, nil); status != 429 || header.Get("Retry-After") != "2" {
		t.Errorf("too many: %d %v", status, header)
	}
	if n := o.count(); n != 0 {
		t.Errorf("%d calls were run", n)
	}
}

// A body that does not come is not waited for, and is no call.
func TestDoorAndASlowBody(t *testing.T) {
	o := newOffice(t)
	c, err := net.Dial("tcp", o.web.Listener.Addr().String())
	must(t, err)
	defer func() { _ = c.Close() }()
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ann\r\nContent-Type: application/json\r\nAccept: */*\r\n"+
		"Content-Length: %d\r\n\r\n%s", len(noting), noting[:len(noting)-5])
	got, err := io.ReadAll(c) // ends when the server gives up
	if err != nil || !bytes.HasPrefix(got, []byte("HTTP/1.1 408")) || o.count() != 0 {
		t.Errorf("%s %v, %d calls", got, err, o.count())
	}
}

// A request that is sent again under its name has the key of the first, of its person alone.
func TestDoorAndRepetition(t *testing.T) {
	o := newOffice(t)
	named := map[string]string{"Idempotency-Key": "k1"}
	for range 3 {
		if status, _, said := o.post(t, noting, named); status != 200 || !strings.Contains(said, "noted for ann") {
			t.Errorf("%d %s", status, said)
		}
	}
	if n := o.count(); n != 1 {
		t.Errorf("one key, %d times", n)
	}
	o.post(t, noting, map[string]string{"Idempotency-Key": "k1", "Authorization": "Bearer bo"})
	o.post(t, strings.Replace(noting, "{}}", `{"text":"other"}}`, 1), named)
	o.post(t, noting, nil)
	o.post(t, noting, nil)
	if n := o.count(); n != 5 {
		t.Errorf("%d keys, not 5", n)
	}
}

// waiting has a client wait for a call, and returns what came of it.
func (o *office) waiting(t *testing.T, token, version string) <-chan string {
	t.Helper()
	s := o.client(t, token, version)
	said := make(chan string, 1)
	go func() {
		got, err := s.CallTool(context.WithoutCancel(t.Context()), &sdk.CallToolParams{Name: "wait"})
		b, _ := json.Marshal(got)
		said <- fmt.Sprint(string(b), err)
	}()
	<-o.held
	return said
}

// What was asked for with a token is not given away once it is revoked, and the next request
// is refused.
func TestDoorAndARevokedToken(t *testing.T) {
	for _, version := range []string{stateless, handshake} {
		o := newOffice(t)
		said := o.waiting(t, "ann", version)
		o.revoke("ann")
		close(o.hold)
		if got := <-said; strings.Contains(got, "the secret of ann") || !strings.Contains(got, "not valid any more") {
			t.Errorf("%s: %s", version, got)
		}
		if status, _, _ := o.post(t, noting, nil); status != 401 {
			t.Errorf("%s: %d", version, status)
		}
	}
}

// Whoever is expelled has nothing under way afterwards, and begins nothing; others may.
func TestDoorExpels(t *testing.T) {
	o := newOffice(t)
	said := o.waiting(t, "ann", "")
	short, cancel := context.WithCancel(t.Context())
	cancel()
	over := o.Expel(short, "ann")
	if status, _, _ := o.post(t, noting, nil); status != 401 {
		t.Errorf("expelled: %d", status)
	}
	if status, _, _ := o.post(t, noting, map[string]string{"Authorization": "Bearer bo"}); status != 200 {
		t.Errorf("another: %d", status)
	}
	gone := make(chan func(), 1)
	go func() { gone <- o.Expel(context.WithoutCancel(t.Context()), "ann") }()
	close(o.hold)
	again := <-gone
	if got := <-said; !strings.Contains(got, "the secret of ann") {
		t.Error(got)
	}
	over()
	if status, _, _ := o.post(t, noting, nil); status != 401 {
		t.Errorf("expelled twice, let in once: %d", status)
	}
	again()
	if status, _, _ := o.post(t, noting, nil); status != 200 {
		t.Errorf("let in again: %d", status)
	}
}

// One person's programs cannot take all places, and a door that closes waits for what is
// under way and takes nothing more.
func TestDoorIsFullAndCloses(t *testing.T) {
	o := newOffice(t)
	var all []<-chan string
	for range atOnceEach {
		all = append(all, o.waiting(t, "ann", handshake))
	}
	if status, header, _ := o.post(t, noting, nil); status != 429 || header.Get("Retry-After") == "" {
		t.Errorf("one more: %d", status)
	}
	if status, _, _ := o.post(t, noting, map[string]string{"Authorization": "Bearer bo"}); status != 200 {
		t.Errorf("another: %d", status)
	}
	short, cancel := context.WithCancel(t.Context())
	cancel()
	o.Close(short)
	if status, _, _ := o.post(t, noting, map[string]string{"Authorization": "Bearer bo"}); status != 503 {
		t.Errorf("closing: %d", status)
	}
	close(o.hold)
	o.Close(t.Context())
	for _, said := range all {
		if got := <-said; !strings.Contains(got, "the secret of ann") {
			t.Error(got)
		}
	}
}

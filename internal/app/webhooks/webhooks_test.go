package webhooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/hooks"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

const key = "0123456789abcdef-key"

var room = chat.Key{Platform: "telegram", Channel: "-100"}

// rig is webhooks before a real store and a hub whose handler notes what comes.
type rig struct {
	*Hooks
	store *memory.Store
	url   string

	mu   sync.Mutex
	came []chat.Message
	now  time.Time
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newRig(t *testing.T, templates ...string) *rig {
	t.Helper()
	r := &rig{now: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)}
	clock := func() time.Time { r.mu.Lock(); defer r.mu.Unlock(); return r.now }
	store := memorytest.Open(t, memory.Options{Now: clock})
	r.store = store
	handler := chat.HandlerFunc(func(_ context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.came = append(r.came, m)
		return chat.Answer{Record: chat.End{Outcome: chat.Overheard}}, nil
	})
	hub := chat.NewHub(chat.HubOptions{Inbox: store, Outbox: store, Handler: handler})
	t.Cleanup(func() { hub.Drain(t.Context()) })
	var list []hooks.Hook
	for i, template := range append(templates, "{{body.say}}") {
		list = append(list, hooks.Hook{Name: fmt.Sprintf("h%d", i), Secret: key, Place: room, Does: chat.HookSay, Template: template})
	}
	r.Hooks = New(Options{Settings: list, Store: store, Hub: func() *chat.Hub { return hub },
		Runs:      func(p string) bool { return p == "telegram" },
		PerMinute: func() int { return 10 }, Now: clock, Log: slog.New(slog.DiscardHandler)})
	mux := http.NewServeMux()
	mux.Handle(Pattern, r)
	server := httptest.NewUnstartedServer(mux)
	server.Config.ReadTimeout = 2 * time.Second
	server.Start()
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *rig) later(by time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(by)
}

func sum(secret string, parts ...string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(strings.Join(parts, "")))
	return hex.EncodeToString(mac.Sum(nil))
}

// send sends a body and returns the status and the answer.
func (r *rig) send(t *testing.T, hook, body string, headers ...string) (int, string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/hooks/"+hook, strings.NewReader(body))
	must(t, err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		q.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(q)
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	said, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(said)
}

func (r *rig) said(t *testing.T, n int) (words []string) {
	t.Helper()
	waittest.Until(t, fmt.Sprintf("%d messages come", n), func() bool { r.mu.Lock(); defer r.mu.Unlock(); return len(r.came) >= n })
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.came {
		words = append(words, m.Text)
	}
	return words
}

func (r *rig) letters(t *testing.T) (reasons []string) {
	t.Helper()
	list, err := r.store.Letters.List(t.Context(), 0, 100)
	must(t, err)
	for _, l := range list {
		reasons = append(reasons, l.Reason)
	}
	return reasons
}

// senders are published senders: the headers that each sends with a body of its shape.
var senders = []struct {
	name, template, want string
	headers              func(body string, now time.Time) []string
}{
	{"github", "{{event}} · [{{body.workflow_run.name}}]({{body.workflow_run.html_url}}) on `{{body.workflow_run.head_branch}}`: {{body.workflow_run.conclusion}}\n{{body.workflow_run.head_commit.message}}",
		"workflow\\_run · [build\\_and\\_test](<https://github.com/acme/rocket/actions/runs/9001>) on `fix_*parser*`: failure\nparser: take ＠everyone out ⏎ It was loud.",
		func(body string, _ time.Time) []string {
			return []string{"X-GitHub-Event: workflow_run", "X-GitHub-Delivery: 7a9e-1", "X-Hub-Signature-256: sha256=" + sum(key, body)}
		}},
	{"gitea", "{{body.pusher.login}}: {{len(body.commits)}} commits, {{join(map(body.commits, trim(.message)), \", \")}}",
		"bo: 2 commits, valve: close it, valve: test it",
		func(body string, _ time.Time) []string {
			return []string{"X-Gitea-Event: push", "X-Gitea-Delivery: 51c4-1", "X-Gitea-Signature: " + sum(key, body)}
		}},
	{"grafana", "{{body.title}}: {{join(map(filter(body.alerts, .status == \"firing\"), .annotations.summary), \"; \")}}",
		"\\[FIRING:1, RESOLVED:1\\] TankLow: The tank is nearly empty",
		func(string, time.Time) []string { return []string{"Authorization: Bearer " + key} }},
	{"alertmanager", "{{body.status}} {{body.commonLabels.alertname}} on {{body.alerts[0].labels.instance}}", "firing DiskFull on db\\_1:9100",
		func(string, time.Time) []string { return []string{"Authorization: Bearer " + key} }},
	{"homeassistant", "{{body.to == \"on\" ? body.name + \" was opened\" : \"\"}}", "Front door was opened",
		func(string, time.Time) []string { return []string{"Authorization: Bearer " + key} }},
	{"stripe", "{{body.type}}: {{body.data.object.amount_due / 100}} {{upper(body.data.object.currency)}} from {{body.data.object.customer_email}}",
		"invoice.payment\\_failed: 42 CHF from cleo@acme.example",
		func(body string, now time.Time) []string {
			at := fmt.Sprint(now.Unix())
			return []string{"Stripe-Signature: t=" + at + ",v1=" + sum(key, at, ".", body) + ",v0=00"}
		}},
}

// TestSenders: a delivery in the shape of each sender is said once, whatever its sender
// repeats, and the repetition is answered the same.
func TestSenders(t *testing.T) {
	t.Parallel()
	var templates []string
	for _, s := range senders {
		templates = append(templates, s.template)
	}
	r := newRig(t, templates...)
	for i, s := range senders {
		body, err := os.ReadFile("testdata/" + s.name + ".json")
		must(t, err)
		hook := fmt.Sprint("h", i)
		status, said := r.send(t, hook, string(body), s.headers(string(body), r.now)...)
		again, same := r.send(t, hook, string(body), s.headers(string(body), r.now.Add(time.Second))...)
		if status != 200 || again != 200 || said != same {
			t.Errorf("%s: %d %s, then %d %s", s.name, status, said, again, same)
		}
		if got := r.said(t, i+1)[i]; got != s.want {
			t.Errorf("%s says %q, want %q", s.name, got, s.want)
		}
	}
	if got := r.said(t, len(senders)); len(got) != len(senders) || len(r.letters(t)) > 0 {
		t.Errorf("said %d times, aside %v", len(got), r.letters(t))
	}
}

// TestForm: GitHub may put its JSON into a form; what is signed is the form.
func TestForm(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	body := url.Values{"payload": {`{"say":"in a form"}`}}.Encode()
	if status, said := r.send(t, "h0", body, "Content-Type: application/x-www-form-urlencoded", "X-Hub-Signature-256: sha256="+sum(key, body)); status != 200 {
		t.Fatal(status, said)
	}
	if got := r.said(t, 1); got[0] != "in a form" {
		t.Error(got)
	}
}

// TestAttacks: what is not the sender's is refused, what cannot be read is refused, and
// nothing of either is stored.
func TestAttacks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const fine = `{"say":"x"}`
	signed := func(body string) string { return "X-Hub-Signature-256: sha256=" + sum(key, body) }
	old := fmt.Sprint(r.now.Add(-time.Hour).Unix())
	for name, try := range map[string]struct {
		hook, body string
		headers    []string
		want       int
	}{
		"unsigned":            {"h0", fine, nil, 401},
		"wrong key":           {"h0", fine, []string{"X-Hub-Signature-256: sha256=" + sum("another", fine)}, 401},
		"another body":        {"h0", fine, []string{signed(`{"say":"y"}`)}, 401},
		"no hex":              {"h0", fine, []string{"X-Hub-Signature-256: sha256=zz"}, 401},
		"empty signature":     {"h0", fine, []string{"X-Hub-Signature-256: sha256="}, 401},
		"sha1":                {"h0", fine, []string{"X-Hub-Signature: sha1=00"}, 401},
		"wrong token":         {"h0", fine, []string{"Authorization: Bearer nope"}, 401},
		"empty token":         {"h0", fine, []string{"Authorization: Bearer "}, 401},
		"basic":               {"h0", fine, []string{"Authorization: Basic " + key}, 401},
		"somebody else's":     {"nobody", fine, []string{signed(fine)}, 401},
		"token of none":       {"nobody", fine, []string{"Authorization: Bearer " + key}, 401},
		"an old stamp":        {"h0", fine, []string{"Stripe-Signature: t=" + old + ",v1=" + sum(key, old, ".", fine)}, 401},
		"a stamp unsigned":    {"h0", fine, []string{fmt.Sprintf("Stripe-Signature: t=%d,v1=%s", r.now.Unix(), sum(key, fine))}, 401},
		"oversized":           {"h0", strings.Repeat(" ", maxBody+1), []string{"Authorization: Bearer " + key}, 413},
		"deep":                {"h0", strings.Repeat("[", 100) + strings.Repeat("]", 100), []string{"Authorization: Bearer " + key}, 400},
		"deeper than a stack": {"h0", strings.Repeat("[", maxBody), []string{"Authorization: Bearer " + key}, 400},
		"no UTF-8":            {"h0", "{\"say\":\"\xff\"}", []string{"Authorization: Bearer " + key}, 400},
		"no JSON":             {"h0", `{"say":`, []string{"Authorization: Bearer " + key}, 400},
		"two values":          {"h0", `{} }`, []string{"Authorization: Bearer " + key}, 400},
	} {
		r.later(time.Minute / 2) // within the rate
		if status, said := r.send(t, try.hook, try.body, try.headers...); status != try.want || strings.Contains(said, key) {
			t.Errorf("%s: %d %s, want %d", name, status, said, try.want)
		}
	}
	if status, _ := r.send(t, "h0", fine, signed(fine)); status != 200 {
		t.Error("the sender itself is refused")
	}
	if got := r.said(t, 1); len(got) != 1 || len(r.letters(t)) > 0 {
		t.Errorf("said %v, aside %v", got, r.letters(t))
	}
}

// TestReplayed: signed bytes that somebody caught are known under any name. A bearer sends
// what it likes, and without a name the same bytes are another delivery after a while.
func TestReplayed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const body = `{"say":"once"}`
	signature, bearer := "X-Hub-Signature-256: sha256="+sum(key, body), "Authorization: Bearer "+key
	for i, try := range []struct {
		headers []string
		by      time.Duration
		want    int
	}{
		{[]string{signature, "X-GitHub-Delivery: a"}, 0, 1}, {[]string{signature, "X-GitHub-Delivery: a"}, time.Hour, 1},
		{[]string{signature, "X-GitHub-Delivery: b"}, 24 * time.Hour, 1}, {[]string{signature, "X-GitHub-Delivery: b"}, 8 * 24 * time.Hour, 1},
		{[]string{bearer, "Idempotency-Key: c"}, time.Minute, 2}, {[]string{bearer, "Idempotency-Key: c"}, time.Minute, 2},
		{[]string{bearer, "Idempotency-Key: d"}, time.Minute, 3},
		{[]string{bearer}, 2 * time.Hour, 4}, {[]string{bearer}, time.Minute, 4}, {[]string{bearer}, 2 * time.Hour, 5},
	} {
		r.later(try.by)
		if status, said := r.send(t, "h0", body, try.headers...); status != 200 {
			t.Fatal(i, status, said)
		}
		if got := r.said(t, try.want); len(got) != try.want {
			t.Fatalf("%d: said %d times, want %d", i, len(got), try.want)
		}
	}
}

// TestSlow: a body that never ends is cut off, and holds nobody else up.
func TestSlow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	must(t, err)
	defer func() { _ = c.Close() }()
	_, err = fmt.Fprintf(c, "POST /hooks/h0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 1000\r\n\r\n{", key)
	must(t, err)
	if status, _ := r.send(t, "h0", `{"say":"quick"}`, "Authorization: Bearer "+key); status != 200 {
		t.Error(status)
	}
	must(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
	said, _ := io.ReadAll(c)
	if strings.Contains(string(said), " 200 ") {
		t.Errorf("%s", said)
	}
	if got := r.said(t, 1); len(got) != 1 || got[0] != "quick" {
		t.Error(got)
	}
}

// TestRate: a sender that is too quick is told when to come again, and loses nothing.
func TestRate(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	refused := 0
	for i := range 12 {
		status, _ := r.send(t, "h0", fmt.Sprintf(`{"say":"%d"}`, i), "Authorization: Bearer "+key)
		if status == http.StatusTooManyRequests {
			refused++
		}
	}
	r.later(time.Minute)
	for i := range 12 {
		if status, _ := r.send(t, "h0", fmt.Sprintf(`{"say":"%d"}`, i), "Authorization: Bearer "+key); i < 10 && status != 200 {
			t.Error(i, status)
		}
	}
	if got := r.said(t, 10); refused != 2 || len(got) != 10 {
		t.Errorf("%d refused, %d said", refused, len(got))
	}
}

// TestAside: what fits no template, and what comes while the hook is paused, is answered
// 200, kept whole and said once when it is taken again.
func TestAside(t *testing.T) {
	t.Parallel()
	r := newRig(t, "{{body.list[0].name + 1}}")
	long := `{"say":"` + strings.Repeat("long ", 20_000) + `"}` // more than letters keep of others
	if status, said := r.send(t, "h0", `{"list":[]}`, "Authorization: Bearer "+key); status != 200 {
		t.Fatal(status, said)
	}
	must(t, r.store.Hooks.Pause(t.Context(), "h1", true))
	for range 2 {
		if status, said := r.send(t, "h1", long, "X-GitHub-Delivery: l", "X-Hub-Signature-256: sha256="+sum(key, long)); status != 200 {
			t.Fatal(status, said)
		}
	}
	list, err := r.store.Letters.List(t.Context(), 0, 10)
	must(t, err)
	if len(list) != 2 || Of(list[1].Raw) != "h1" || r.Again(t.Context(), list[1].Raw) == nil || r.Again(t.Context(), list[0].Raw) == nil {
		t.Fatalf("aside: %v", r.letters(t))
	}
	must(t, r.store.Hooks.Pause(t.Context(), "h1", false))
	must(t, r.Again(t.Context(), list[1].Raw))
	must(t, r.Again(t.Context(), list[1].Raw))
	if got := r.said(t, 1); len(got) != 1 || !strings.HasPrefix(got[0], "long long") {
		t.Errorf("%.40q", got)
	}
}

// TestOff: without a webhook there is nothing to find.
func TestOff(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.o.Settings = nil
	if status, said := r.send(t, "h0", "{}", "Authorization: Bearer "+key); status != 404 || strings.Contains(said, "status") {
		t.Error(status, said)
	}
}

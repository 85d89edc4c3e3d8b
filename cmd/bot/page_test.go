package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// withPort gives the bot an operator's port and returns its address.
func (w *world) withPort(t testing.TB) string {
	t.Helper()
	for {
		address := fmt.Sprint("127.0.0.1:", 10_000+(int64(os.Getpid())*100+ports.Add(1))%20_000)
		if l, err := net.Listen("tcp", address); err == nil {
			_ = l.Close()
			w.env = append(w.env, "BOT_HTTP_LISTEN="+address)
			return "http://" + address
		}
	}
}

// ports counts those given out: one is never given out twice. They are below
// those that systems give to whoever asks for any, so nobody takes one before
// its bot does.
var ports atomic.Int64

// visitor is a browser that follows forms.
type visitor struct {
	t    testing.TB
	http *http.Client
	base string
}

func newVisitor(t testing.TB, base string) *visitor {
	jar, _ := cookiejar.New(nil)
	v := &visitor{t, &http.Client{Jar: jar, Transport: &http.Transport{}}, base}
	t.Cleanup(v.http.CloseIdleConnections)
	return v
}

func (v *visitor) get(path string) string {
	v.t.Helper()
	resp, err := v.http.Get(v.base + path)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, _ := io.ReadAll(resp.Body)
	return string(b)
}

func (v *visitor) post(path string, form url.Values) string {
	v.t.Helper()
	r, _ := http.NewRequest(http.MethodPost, v.base+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", v.base)
	resp, err := v.http.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, _ := io.ReadAll(resp.Body)
	return string(b)
}

func (v *visitor) until(path, want string) string {
	v.t.Helper()
	var body string
	if !waittest.Within(time.Minute, func() bool {
		body = v.get(path)
		return strings.Contains(body, want)
	}) {
		v.t.Fatalf("%s never shows %q:\n%s", path, want, body)
	}
	return body
}

// logIn follows the link that the bot was asked for.
func (v *visitor) logIn(link string) {
	v.t.Helper()
	v.post("/login", url.Values{"code": {linkForm.FindStringSubmatch(link)[1]}})
}

// send sends a form of a page.
func (v *visitor) send(path, to string, form url.Values) string {
	v.t.Helper()
	form.Set("csrf", regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(v.get(path))[1])
	return v.post(to, form)
}

// write says something to the bot on the page.
func (v *visitor) write(text string) {
	v.t.Helper()
	v.send("/chat", "/chat", url.Values{"text": {text},
		"id": {regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(v.get("/chat"))[1]}})
}

var linkForm = regexp.MustCompile(`http://127\.0\.0\.1:\d+/login\?code=(\w+)`)

// TestControlPage takes a link from the command line and one from the chat, and
// talks to the bot that serves Telegram.
func TestControlPage(t *testing.T) {
	w := newWorld(t)
	base := w.withPort(t)
	w.env = append(w.env, "BOT_PLAYBOOK_DIR=../../config/playbook")
	w.run(t)
	w.saying(t, 1, 1, "my order is 12345")

	w.setenv(t)
	link, code := typed("", "page")
	if code != 0 {
		t.Fatal(link)
	}
	for _, asks := range [][]string{{"health"}, {"health", "--ready"}} {
		if out, code := typed("", asks...); code != 0 || out != "ok\n" {
			t.Errorf("bot %s: exit %d: %q", asks, code, out)
		}
	}
	v := newVisitor(t, base)
	if v.get("/healthz"); !strings.Contains(v.get("/metrics"), "parley_events_total") {
		t.Error("metrics are behind the login")
	}
	body := v.post("/login", url.Values{"code": {linkForm.FindStringSubmatch(link)[1]}})
	for _, want := range []string{"Overview", "telegram", "receiving", "cron sweep", "<strong>1</strong> active"} {
		if !strings.Contains(body, want) {
			t.Errorf("the overview does not show %q:\n%s", want, body)
		}
	}
	if body := v.get("/conversation?place=telegram:1"); !strings.Contains(body, "my order is 12345") ||
		!strings.Contains(body, `class="kind model"`) {
		t.Errorf("the conversation:\n%s", body)
	}
	if body := v.get("/playbook"); !strings.Contains(body, "refund_policy") || !strings.Contains(body, "marker-end") {
		t.Errorf("the playbook:\n%s", body)
	}
	if body := v.get("/settings"); !strings.Contains(body, "telegram:") || strings.Contains(body, w.tg.Token()) {
		t.Errorf("the settings:\n%s", body)
	}

	w.llm.Queue(llmtest.Turn{Text: "I am well, owner."})
	say := func(text string) {
		body := v.get("/chat")
		body = body[strings.Index(body, `<form id="say"`):]
		form := url.Values{"text": {text}}
		for _, m := range regexp.MustCompile(`type="hidden" name="(\w+)" value="([^"]*)"`).FindAllStringSubmatch(body, -1) {
			form.Set(m[1], m[2])
		}
		v.post("/chat", form)
	}
	say("how are you?")
	v.until("/chat", "I am well, owner.")
	say("/stats")
	v.until("/chat", "The last 7 days")

	told := w.saying(t, 1, 1, "/page")
	found := linkForm.FindStringSubmatch(told)
	if found == nil {
		t.Fatalf("/page says %q", told)
	}
	second := newVisitor(t, base)
	if body := second.post("/login", url.Values{"code": {found[1]}}); !strings.Contains(body, "Overview") {
		t.Errorf("the link from the chat:\n%s", body)
	}
	if told := w.saying(t, 2, 2, "/page"); strings.Contains(told, "login") {
		t.Errorf("a stranger to ownership is told %q", told)
	}
}

// TestOwnersForms lets somebody in, changes a rule, its file, a setting and a fact on the
// page, and sees the bot follow.
func TestOwnersForms(t *testing.T) {
	w := newWorld(t)
	base, rules := w.withPort(t), t.TempDir()
	file := filepath.Join(rules, "shop.yaml")
	if err := os.WriteFile(file, []byte("guidelines:\n  - {id: hours, condition: \"literal:open\", reply: We open at nine.}\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "BOT_PLAYBOOK_DIR="+rules, "BOT_ACCESS_MODE=pairing")
	w.run(t)
	w.tg.Push(telegramtest.Text(1, 1, "/page"))
	v := newVisitor(t, base)
	v.logIn(w.sent(t, 1)[0])
	w.tg.Push(telegramtest.Text(7, 7, "hello"))
	w.sent(t, 3) // the code, and the owner is told
	if body := v.get("/people"); !strings.Contains(body, "telegram:7") {
		t.Fatalf("nobody waits:\n%s", body)
	}
	if body := v.send("/people", "/do", url.Values{"do": {"let-in"}, "id": {"telegram:7"}}); strings.Contains(body, "Reject") ||
		!strings.Contains(body, "member") {
		t.Errorf("still waiting:\n%s", body)
	}
	if got := w.sent(t, 4)[3]; !strings.Contains(got, "You are let in") {
		t.Errorf("the one who was let in is told %q", got)
	}
	if got := w.saying(t, 7, 7, "when are you open?"); !strings.Contains(got, "We open at nine.") {
		t.Errorf("the one who was let in is answered %q", got)
	}
	version := regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(v.get("/rules/shop.yaml"))[1]
	broken := url.Values{"do": {"save"}, "version": {version}, "text": {"guidelines:\n  - {id: hours, conditon: always}\n"}}
	if body := v.send("/playbook", "/rules/shop.yaml", broken); !strings.Contains(body, "conditon") || !strings.Contains(body, "shop.yaml") {
		t.Errorf("a mistake is told as:\n%s", body)
	}
	v.send("/playbook", "/rules/shop.yaml", url.Values{"do": {"save"}, "version": {version},
		"text": {"guidelines:\n  - {id: hours, condition: \"literal:open\", reply: We open at ten.}\n"}})
	if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), "at ten") {
		t.Errorf("the file is %q, %v", b, err)
	}
	if body := v.send("/playbook", "/do", url.Values{"do": {"rule-off"}, "id": {"hours"}}); !strings.Contains(body, "Switch on") {
		t.Errorf("the rule is still on:\n%s", body)
	}
	if body := v.send("/settings", "/do", url.Values{"do": {"set"}, "id": {"session.ttl"}, "value": {"2h"}}); !strings.Contains(body,
		`value="2h"`) {
		t.Errorf("the setting is as it was:\n%s", body)
	}
	w.saying(t, 7, 7, "/facts add I like tea")
	id := regexp.MustCompile(`name="id" value="(\d+)"`).FindStringSubmatch(v.until("/facts", "I like tea"))
	if body := v.send("/facts", "/do", url.Values{"do": {"fact-change"}, "id": {id[1]},
		"value": {"I like coffee"}}); !strings.Contains(body, ">I like coffee</textarea>") {
		t.Errorf("the fact is as it was:\n%s", body)
	}
	if body := v.send("/facts", "/do", url.Values{"do": {"fact-forget"}, "id": {id[1]}}); strings.Contains(body, ">I like coffee<") {
		t.Errorf("the fact is still there:\n%s", body)
	}
}

// TestHandoffOnThePage: the owner takes a conversation on the page, answers there, and
// gives it back.
func TestHandoffOnThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := w.withPort(t)
	w.env = append(w.env, "BOT_HANDOFF_DESK=owners", "BOT_HANDOFF_WHO=owner")
	w.run(t)
	v := newVisitor(t, base)
	v.logIn(w.say(t, 1, "/page"))
	w.say(t, 1, "good morning")
	w.onThePage(t, v)
}

// onThePage hands a conversation over; the owner takes it on the page, answers and gives
// it back.
func (w *world) onThePage(t *testing.T, v *visitor) {
	t.Helper()
	w.tg.Push(telegramtest.Text(42, 42, "/handoff I want a human"))
	w.told(t, 42, "asked a person")
	if body := v.until("/people", "I want a human"); !strings.Contains(body, `value="handoff-take"`) {
		t.Errorf("nothing to take:\n%s", body)
	}
	if body := v.send("/people", "/do", url.Values{"do": {"handoff-take"}, "id": {"1"}}); strings.Contains(body,
		`value="handoff-take"`) || !strings.Contains(body, "goes to User 42") {
		t.Errorf("taken:\n%s", body)
	}
	w.told(t, 42, "is here now")
	v.write("It ships today")
	w.told(t, 42, "It ships today")
	w.tg.Push(telegramtest.Text(42, 42, "thank you so much"))
	v.until("/chat", "thank you so much")
	if body := v.send("/people", "/do", url.Values{"do": {"handoff-back"}, "id": {"1"}}); !strings.Contains(body,
		"No conversation is handed over") {
		t.Errorf("given back:\n%s", body)
	}
	w.told(t, 42, "I am with you again")
	w.llm.Queue(llmtest.Turn{Text: "I am the assistant again."})
	w.tg.Push(telegramtest.Text(42, 42, "hello?"))
	w.told(t, 42, "I am the assistant again.")
}

func TestPageWithoutPort(t *testing.T) {
	w := newWorld(t)
	w.setenv(t)
	if out, code := typed("", "page"); code != exitFailure || !strings.Contains(out, "set http.listen") {
		t.Errorf("%d %q", code, out)
	}
}

// BenchmarkScrape is one look at /metrics.
func BenchmarkScrape(b *testing.B) {
	w := newWorld(b)
	v := newVisitor(b, w.withPort(b))
	w.run(b)
	w.tg.Push(telegramtest.Text(1, 1, "warm up"))
	w.sent(b, 1)
	for b.Loop() {
		v.get("/metrics")
	}
}

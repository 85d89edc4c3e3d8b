package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/config"
	"parley/internal/app/console"
	"parley/internal/app/setup"
	"parley/internal/app/whatif"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/text/waittest"
)

// desk is the control page of a bot with a past, in a browser.
type desk struct {
	t    *testing.T
	a    *app
	http *http.Client
	url  string
	end  func()
}

// newDesk starts the bot's page; change may be nil.
func (h *history) newDesk(t *testing.T, cfg config.Config, change func(*app)) *desk {
	t.Helper()
	cfg.HTTP.Listen = "127.0.0.1:0"
	a := built(t, cfg, slog.New(slog.DiscardHandler), func(a *app) { a.models.endpoint = setup.Endpoint{Model: h.model, Name: "scripted"} })
	a.port.apart = func(ctx context.Context, p whatif.Parts) (*whatif.Bot, error) {
		inner := p.Model
		p.Model = func(l whatif.Leg) llm.Model { l.Model = called{h.model, l.Name}; return inner(l) }
		return Process{}.WhatIf(ctx, p)
	}
	if change != nil {
		change(a)
	}
	l, err := a.port.open()
	must(t, err)
	a.start()
	ctx, cancel := context.WithCancel(t.Context())
	a.port.listen(ctx, l)
	d := &desk{t: t, a: a, url: strings.TrimSuffix(a.port.page.Base(), "/"), http: &http.Client{}}
	d.http.Jar, _ = cookiejar.New(nil)
	d.end = func() { cancel(); a.work.Wait() }
	t.Cleanup(d.end)
	return d
}

func (d *desk) logIn() {
	d.t.Helper()
	link, err := console.NewLink(d.t.Context(), d.a.storage.store.Access, d.url+"/", chat.User{})
	must(d.t, err)
	d.post("/login", url.Values{"code": {link[strings.Index(link, "code=")+5:]}})
}

func (d *desk) ask(method, path string, form url.Values) (status int, body string) {
	d.t.Helper()
	r, err := http.NewRequest(method, d.url+path, strings.NewReader(form.Encode()))
	must(d.t, err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", d.url)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	resp, err := d.http.Do(r)
	must(d.t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	must(d.t, err)
	return resp.StatusCode, string(b)
}

func (d *desk) get(path string) string {
	d.t.Helper()
	_, body := d.ask(http.MethodGet, path, nil)
	return body
}

func (d *desk) post(path string, form url.Values) string {
	d.t.Helper()
	if m := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(d.get("/settings")); m != nil {
		form.Set("csrf", m[1])
	}
	status, body := d.ask(http.MethodPost, path, form)
	if status != http.StatusOK {
		d.t.Fatalf("POST %s %v: %d\n%s", path, form, status, body)
	}
	return body
}

// until waits for what is tried to come to its end.
func (d *desk) until(want string) string {
	d.t.Helper()
	var body string
	if !waittest.Within(time.Minute, func() bool { body = d.get("/tryout"); return strings.Contains(body, want) }) {
		d.t.Fatalf("the page never shows %q:\n%s", want, body)
	}
	return body
}

func wants(t *testing.T, body string, list ...string) {
	t.Helper()
	for _, want := range list {
		if !strings.Contains(body, want) {
			t.Errorf("not shown: %s\n%s", want, body)
		}
	}
}

// TestTryIt: changes are tried from the control page: what differs is shown, models are asked
// within a budget and for nothing twice, and nothing is stored or sent.
func TestTryIt(t *testing.T) {
	h := newHistory(t, 40)
	cfg := h.load(t, filepath.Join(h.dir, "bot.yaml"), filepath.Join(h.dir, "data"))
	h.live(t, cfg)
	d := h.newDesk(t, cfg, nil)
	if body := d.get("/tryout"); strings.Contains(body, "Another persona") {
		t.Errorf("somebody who is not logged in sees\n%s", body)
	}
	if status, _ := d.ask(http.MethodPost, "/tryout", url.Values{"try": {"persona"}, "text": {"x"}}); status != http.StatusUnauthorized {
		t.Errorf("somebody who is not logged in gets %d", status)
	}
	d.logIn()
	if status, _ := d.ask(http.MethodPost, "/tryout", url.Values{"try": {"persona"}, "text": {"x"}}); status != http.StatusForbidden {
		t.Errorf("without the token: %d", status)
	}
	asked, calls := h.model.asked.Load(), h.calls.Load()
	files := h.files(t, cfg)

	d.post("/tryout", url.Values{"try": {"persona"}, "text": {pastPersona}})
	wants(t, d.until("40 messages run again"), "40 messages run again, 40 unchanged.")

	d.post("/tryout", url.Values{"try": {"persona"}, "text": {pastPersona + "Speak like a PIRATE."}})
	wants(t, d.until("40 messages run again"), "would ask again", "It would ask a model again: 50 requests", "PIRATE.</textarea>")
	if n := h.model.asked.Load() - asked; n != 0 {
		t.Errorf("%d requests were made before anybody said so", n)
	}
	d.post("/tryout", url.Values{"try": {"ask"}, "calls": {"20"}, "money": {"0"}})
	d.until("Asked for this: 20 requests")
	d.post("/tryout", url.Values{"try": {"ask"}, "calls": {"200"}, "money": {"0,5"}})
	wants(t, d.until("Asked for this: 30 requests"), "<strong>5</strong> other words", "<ins>ahoy, matey</ins>", `href="turns/`)
	if n := h.model.asked.Load() - asked; n != 50 {
		t.Errorf("%d requests were made", n)
	}

	rules := url.Values{"do": {"try"}, "version": {version(t, d.get("/rules/rules.yaml"))},
		"text": {strings.Replace(pastBook, "Bonjour to you.", "Salut to you.", 1)}}
	d.post("/rules/rules.yaml", rules)
	body := d.until("40 messages run again")
	wants(t, body, "40 messages run again, 35 unchanged.", "<del>Bonjour </del>", "<ins>Salut </ins>", "rules.yaml, edited",
		"tried=1")
	wants(t, d.get("/rules/rules.yaml?tried=1"), "Salut to you.")
	if strings.Contains(d.get("/rules/rules.yaml"), "Salut") {
		t.Error("what was tried is saved")
	}
	ids := regexp.MustCompile(`id="d([0-9a-f-]+)"`).FindAllStringSubmatch(body, -1)
	if len(ids) != 5 {
		t.Fatalf("%d lines", len(ids))
	}
	if now := h.files(t, cfg); now != files || h.calls.Load() != calls {
		t.Errorf("the database was changed, or one of %d calls was made", h.calls.Load()-calls)
	}
	wants(t, d.post("/tryout", url.Values{"try": {"good"}, "id": {ids[0][1]}}), "A rehearsal is written")
	if body := d.post("/tryout", url.Values{"try": {"fine"}, "id": {ids[1][1]}}); strings.Contains(body, "d"+ids[1][1]) {
		t.Error("a line that does not matter is still there")
	}
	scripts, err := filepath.Glob(filepath.Join(cfg.DataDir, "rehearsals", "*.txt"))
	must(t, err)
	if len(scripts) != 1 {
		t.Errorf("rehearsals: %v", scripts)
	}

	d.post("/tryout", url.Values{"try": {"setting"}, "id": {"model.name"}, "value": {"other"}})
	wants(t, d.until("40 messages run again"), "It would ask a model again")
	for _, name := range []string{"model.base_url", "agent.prompt_file", "data_dir"} {
		wants(t, d.post("/tryout", url.Values{"try": {"setting"}, "id": {name}, "value": {"/etc/passwd"}}), "cannot be tried here")
	}
	wants(t, d.post("/tryout", url.Values{"try": {"ask"}, "calls": {"0"}, "money": {"NaN"}}), "Say how many requests at most")
	must(t, d.a.storage.store.ForgetPerson(t.Context(), "telegram:1", 0))
	if body := d.get("/tryout"); strings.Contains(body, `class="card tried"`) {
		t.Error("words of a forgotten person may still be there")
	}
}

func version(t *testing.T, body string) string {
	t.Helper()
	m := regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("no version in\n%s", body)
	}
	return m[1]
}

// TestTryItGoesOn: one change is tried at a time and can be stopped; where the process ended
// in its middle, the next one says so and goes on, and nothing is asked twice.
func TestTryItGoesOn(t *testing.T) {
	h := newHistory(t, 40)
	cfg := h.load(t, filepath.Join(h.dir, "bot.yaml"), filepath.Join(h.dir, "data"))
	h.live(t, cfg)
	asked := h.model.asked.Load()
	stands, most := make(chan struct{}), 15
	slow := func(a *app) { // which stands still after a few requests
		a.port.apart = func(ctx context.Context, p whatif.Parts) (*whatif.Bot, error) {
			inner := p.Model
			p.Model = func(l whatif.Leg) llm.Model {
				l.Model = standing{called{h.model, l.Name}, asked, most, stands}
				return inner(l)
			}
			return Process{}.WhatIf(ctx, p)
		}
	}
	d := h.newDesk(t, cfg, slow)
	d.logIn()
	d.post("/tryout", url.Values{"try": {"persona"}, "text": {"Speak like a PIRATE.\n"}})
	d.until("40 messages run again")
	d.post("/tryout", url.Values{"try": {"ask"}, "calls": {"200"}, "money": {"0"}})
	<-stands
	wants(t, d.post("/tryout", url.Values{"try": {"setting"}, "id": {"model.name"}, "value": {"other"}}), "One change is being tried already",
		"Running messages again")
	b, err := os.ReadFile(filepath.Join(cfg.DataDir, "whatif.json"))
	must(t, err)
	folder := regexp.MustCompile(`"folder":"([^"]+)"`).FindStringSubmatch(string(b))[1]
	d.end()
	d.a.close()
	if _, err := os.Stat(folder); err == nil {
		t.Error("the copies are still there")
	}
	must(t, os.MkdirAll(filepath.Join(folder, "record"), 0o700)) // as a kill leaves them

	d = h.newDesk(t, cfg, nil)
	d.logIn()
	if _, err := os.Stat(folder); err == nil {
		t.Error("the copies of a killed process are still there")
	}
	wants(t, d.get("/tryout"), "The bot ended in the middle of this", "Go on")
	d.post("/tryout", url.Values{"try": {"again"}})
	wants(t, d.until("40 messages run again"), fmt.Sprintf("Asked for this: %d requests", 50-most), "<strong>5</strong>")
	if n := h.model.asked.Load() - asked; n != 50 {
		t.Errorf("%d requests were made in both", n)
	}
	for _, name := range []string{whatif.Paid, "whatif.json"} {
		if _, err := os.Stat(filepath.Join(cfg.DataDir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// standing is a model that answers a few requests, and then none until its caller gives up.
type standing struct {
	called
	from   int64
	most   int
	stands chan struct{}
}

func (s standing) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	if s.asked.Load()-s.from < int64(s.most) {
		return s.called.Complete(ctx, r, onText)
	}
	close(s.stands)
	<-ctx.Done()
	return llm.Response{}, ctx.Err()
}

// TestTryItAndForgetting: somebody is forgotten while a model is asked about their words. What
// was found, what the model said and the copies are gone before they are said to be forgotten,
// and the next process knows nothing of it.
func TestTryItAndForgetting(t *testing.T) {
	h := newHistory(t, 40)
	cfg := h.load(t, filepath.Join(h.dir, "bot.yaml"), filepath.Join(h.dir, "data"))
	h.live(t, cfg)
	stands, asked := make(chan struct{}), h.model.asked.Load()
	d := h.newDesk(t, cfg, func(a *app) {
		a.port.apart = func(ctx context.Context, p whatif.Parts) (*whatif.Bot, error) {
			inner := p.Model
			p.Model = func(l whatif.Leg) llm.Model {
				l.Model = standing{called{h.model, l.Name}, asked, 15, stands}
				return inner(l)
			}
			return Process{}.WhatIf(ctx, p)
		}
	})
	d.logIn()
	d.post("/tryout", url.Values{"try": {"persona"}, "text": {"Speak like a PIRATE.\n"}})
	d.until("40 messages run again")
	d.post("/tryout", url.Values{"try": {"ask"}, "calls": {"200"}, "money": {"0"}})
	<-stands
	b, err := os.ReadFile(filepath.Join(cfg.DataDir, "whatif.json"))
	must(t, err)
	folder := regexp.MustCompile(`"folder":"([^"]+)"`).FindStringSubmatch(string(b))[1]
	must(t, d.a.storage.store.ForgetPerson(t.Context(), "telegram:1", 0))
	for _, name := range []string{filepath.Join(cfg.DataDir, whatif.Paid), filepath.Join(cfg.DataDir, "whatif.json"), folder} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if body := d.get("/tryout"); strings.Contains(body, `class="card tried"`) || strings.Contains(body, "Running messages again") {
		t.Errorf("words of a forgotten person may still be there:\n%s", body)
	}
	d.end()
	d.a.close()
	d = h.newDesk(t, cfg, nil)
	d.logIn()
	d.post("/tryout", url.Values{"try": {"persona"}, "text": {"Speak like a PIRATE.\n"}})
	wants(t, d.until("messages run again"), "32 messages run again")
}

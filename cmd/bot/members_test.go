package main

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
)

// withMembers is a bot whose members 7 and 8 may open their chats in browsers; it returns
// its address.
func withMembers(t testing.TB, w *world) string {
	t.Helper()
	base := w.withPort(t)
	w.env = append(w.env, "BOT_PAGE_URL="+base+"/", "BOT_PAGE_MEMBERS=true", "BOT_ACCESS_MODE=allowlist",
		"BOT_ACCESS_ALLOW=telegram:7,telegram:8")
	return base
}

var (
	webLink  = regexp.MustCompile(`/me/login\?code=([A-Z2-7]{26})`)
	webCSRF  = regexp.MustCompile(`name="csrf" value="([0-9a-f]+)"`)
	webForm  = regexp.MustCompile(`(?s)id="say".*?name="id" value="([A-Z2-7]{26})"`)
	webPress = regexp.MustCompile(`name="choice" value="([^"]+)"`)
)

// webCode has a member ask for a link, and returns its code.
func (w *world) webCode(t *testing.T, who int64) string {
	t.Helper()
	m := webLink.FindStringSubmatch(w.answered(t, who, who, "/web"))
	if m == nil {
		t.Fatal("/web gave no link")
	}
	return m[1]
}

// entered is a member's browser, logged in.
func (w *world) entered(t *testing.T, base string, who int64) *visitor {
	t.Helper()
	v := newVisitor(t, base)
	v.post("/me/login", url.Values{"code": {w.webCode(t, who)}})
	if page := v.get("/me/"); !webCSRF.MatchString(page) {
		t.Fatalf("not logged in: %s", page)
	}
	return v
}

// form returns the fields that a message from this browser needs.
func (v *visitor) form(text string) url.Values {
	v.t.Helper()
	page := v.get("/me/")
	csrf, id := webCSRF.FindStringSubmatch(page), webForm.FindStringSubmatch(page)
	if csrf == nil || id == nil {
		v.t.Fatalf("no form: %s", page)
	}
	return url.Values{"csrf": {csrf[1]}, "id": {id[1]}, "text": {text}}
}

// says sends a message and waits until the page shows want.
func (v *visitor) says(text, want string) string {
	v.t.Helper()
	v.post("/me/say", v.form(text))
	return v.until("/me/", want)
}

// status posts a form and returns the status of the answer.
func (v *visitor) status(method, path string, form url.Values, change func(*http.Request)) int {
	v.t.Helper()
	r, _ := http.NewRequest(method, v.base+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", v.base)
	if change != nil {
		change(r)
	}
	client := *v.http
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestMembersChat: a member goes on with their direct chat in a browser, and everything is
// in both.
func TestMembersChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := withMembers(t, w)
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		return llmtest.Turn{Text: "I heard: " + r.Messages[len(r.Messages)-1].Text()}
	})
	w.run(t)
	if help := w.answered(t, 7, 7, "/help all"); !strings.Contains(help, "/web") {
		t.Errorf("/help does not list it: %s", help)
	}
	w.answered(t, 7, 7, "my dog is called Rex")
	v := w.entered(t, base, 7)
	page := v.get("/me/")
	for _, want := range []string{"my dog is called Rex", "I heard:", "You are User 7."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	n := len(w.in(7))
	page = v.says("and my cat is Tom", "I heard: and my cat is Tom")
	if strings.Count(page, "and my cat is Tom") != 2 || strings.Contains(page, "in the browser") {
		t.Errorf("the page: %s", page)
	}
	eventually(t, "the answer in the direct chat", func() bool { return len(w.in(7)) > n })
	if got := w.in(7)[n].Text; !strings.Contains(got, "You, in the browser: and my cat is Tom") || !strings.Contains(got, "I heard:") {
		t.Errorf("the direct chat has %q", got)
	}
	if reqs := w.llm.Requests(); !strings.Contains(reqs[len(reqs)-1].Messages[len(reqs[len(reqs)-1].Messages)-3].Text(), "Rex") {
		t.Error("it is another conversation")
	}
	n = len(w.in(7))
	v.says("/tasks add buy milk", "Task #1 added: buy milk")
	eventually(t, "the answer in the direct chat", func() bool { return len(w.in(7)) > n })
	if got := w.answered(t, 7, 7, "/tasks"); !strings.Contains(got, "buy milk") {
		t.Errorf("the direct chat: %q", got)
	}
	v.until("/me/", "/tasks")
	if got := w.answered(t, 7, 7, "/web list"); !strings.Contains(got, "last used") {
		t.Errorf("/web list: %q", got)
	}
	if got := w.answered(t, 7, 7, "/web end"); !strings.Contains(got, "1 browser logged out") {
		t.Errorf("/web end: %q", got)
	}
	if v.status(http.MethodGet, "/me/", nil, nil) != http.StatusSeeOther {
		t.Error("still logged in")
	}
}

// TestMembersOff: without the setting there is no command and no page.
func TestMembersOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := w.withPort(t)
	w.run(t)
	if got := w.answered(t, 7, 7, "/web"); !strings.Contains(got, "I do not know the command /web") {
		t.Errorf("/web: %q", got)
	}
	if got := w.answered(t, 7, 7, "/help all"); strings.Contains(got, "/web") {
		t.Errorf("/help: %q", got)
	}
	v := newVisitor(t, base)
	for _, path := range []string{"/me/", "/me/login", "/me/events"} {
		if got, other := v.get(path), v.get("/nowhere"); got != other {
			t.Errorf("%s is something else than a page that is not there", path)
		}
	}
}

// deliver posts a message although the bot may die over it.
func (v *visitor) deliver(form url.Values) {
	r, _ := http.NewRequest(http.MethodPost, v.base+"/me/say", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", v.base)
	if resp, err := v.http.Do(r); err == nil {
		_ = resp.Body.Close()
	}
}

// TestMembersKilled: what was taken from a browser is answered once, however the process
// ends, also if the browser sends it again; the login is still good.
func TestMembersKilled(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_inbox_commit:2", "before_finish:2", "after_finish:2"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			base := withMembers(t, w)
			w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "Rex, of course."} })
			child := w.start(t, "BOT_FAILPOINT="+point)
			v := w.entered(t, base, 7)
			form := v.form("what is my dog called?")
			v.deliver(form)
			dies(t, child)
			w.startAndPoll(t)
			v.until("/me/", "Rex, of course.")
			v.deliver(form)
			v.says("/tasks add buy milk", "Task #1 added")
			eventually(t, "it rests", func() bool { return w.unfinished() == 0 })
			if page := v.get("/me/"); strings.Count(page, "what is my dog called?") != 1 || strings.Count(page, "Rex, of course.") != 1 {
				t.Errorf("the page: %s", page)
			}
			n := 0
			for _, m := range w.in(7) {
				n += strings.Count(m.Text, "Rex, of course.")
			}
			if n != 1 {
				t.Errorf("answered %d times", n)
			}
		})
	}
}

// TestMembersButtonAndBlocked: the buttons of a question outlive the process; who is kept out
// meanwhile has no login any more, presses nothing, and gets none back by being let in again.
func TestMembersButtonAndBlocked(t *testing.T) {
	t.Parallel()
	w, paid := banked(t)
	base := withMembers(t, w)
	w.pays(func() string { return `{"amount":500,"to":"mallory"}` })
	child := w.start(t)
	w.connected(t)
	w.shows(t, "/tools servers", "bank: up, 1 tool in use")
	v, other := w.entered(t, base, 7), w.entered(t, base, 8)
	page := v.says("pay", `name="choice"`)
	if !strings.Contains(page, "mallory") || strings.Contains(other.get("/me/"), "mallory") {
		t.Error("the question is not theirs alone")
	}
	kill(child)
	w.startAndPoll(t)
	yes := webPress.FindStringSubmatch(v.until("/me/", `name="choice"`))[1]
	form := v.form("")
	form.Set("choice", yes)
	foreign := other.form("")
	foreign.Set("choice", yes)
	if got := other.status(http.MethodPost, "/me/say", foreign, nil); got != http.StatusConflict {
		t.Errorf("somebody else's button: %d", got)
	}
	stream := v.stream()
	w.answered(t, 1, 1, "/config deny telegram:7")
	overSoon(t, stream)
	if got := v.status(http.MethodPost, "/me/say", form, nil); got != http.StatusUnauthorized {
		t.Errorf("pressed by somebody who is kept out: %d", got)
	}
	w.answered(t, 1, 1, "/config allow telegram:7")
	if got := v.status(http.MethodGet, "/me/", nil, nil); got != http.StatusSeeOther {
		t.Errorf("let in again, the old login is back: %d", got)
	}
	again := w.entered(t, base, 7)
	form = again.form("")
	form.Set("choice", yes)
	again.post("/me/say", form)
	again.until("/me/", "It came to")
	again.deliver(form)
	if len(paid) != 1 {
		t.Errorf("paid %d times", len(paid))
	}
}

// stream opens the events of a chat; the channel is closed when they end.
func (v *visitor) stream() chan struct{} {
	v.t.Helper()
	resp, err := v.http.Get(v.base + "/me/events")
	if err != nil || resp.StatusCode != http.StatusOK {
		v.t.Fatal(err, resp)
	}
	over := make(chan struct{})
	go func() { defer close(over); _, _ = io.Copy(io.Discard, resp.Body); _ = resp.Body.Close() }()
	return over
}

// overSoon waits until a stream has ended.
func overSoon(t *testing.T, stream chan struct{}) {
	t.Helper()
	eventually(t, "the stream ends", func() bool {
		select {
		case <-stream:
			return true
		default:
			return false
		}
	})
}

// TestMembersForgotten: /forget-me from a browser ends it, and the process may die over it.
func TestMembersForgotten(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"at rest", "forgetting", "forgotten"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			base := withMembers(t, w)
			child := w.start(t, "BOT_FAILPOINT="+point)
			v := w.entered(t, base, 7)
			v.says("my secret is xyzzy", "my secret is xyzzy")
			page := v.says("/forget-me", `name="choice"`)
			form := v.form("")
			form.Set("choice", webPress.FindStringSubmatch(page)[1])
			stream := v.stream()
			v.deliver(form)
			if point != "at rest" {
				dies(t, child)
				w.startAndPoll(t)
			}
			overSoon(t, stream)
			eventually(t, "nothing is left", func() bool {
				return w.count(t, "SELECT count(*) FROM web_logins") == 0 && v.status(http.MethodGet, "/me/", nil, nil) == http.StatusSeeOther
			})
			w.told(t, 7, "I have deleted everything about you")
			eventually(t, "it rests", func() bool { return w.unfinished() == 0 })
			if got := w.entered(t, base, 7).get("/me/"); strings.Contains(got, "xyzzy") {
				t.Error("it is still there")
			}
		})
	}
}

// TestMembersSwitchedOff: the owner ends all of it from the chat, for good.
func TestMembersSwitchedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := withMembers(t, w)
	w.run(t)
	v := w.entered(t, base, 7)
	stream := v.stream()
	w.answered(t, 1, 1, "/config set page.members false")
	overSoon(t, stream)
	if got, other := v.get("/me/"), v.get("/nowhere"); got != other {
		t.Errorf("there is still something: %s", got)
	}
	if got := w.answered(t, 7, 7, "/web"); !strings.Contains(got, "I do not know") {
		t.Errorf("/web: %q", got)
	}
	w.answered(t, 1, 1, "/config set page.members true")
	if got := v.status(http.MethodGet, "/me/", nil, nil); got != http.StatusSeeOther {
		t.Errorf("the old login is back: %d", got)
	}
	if got := w.answered(t, -100, 7, "/web@parley_bot"); strings.Contains(got, "code=") || !strings.Contains(got, "direct chat") {
		t.Errorf("in a group: %q", got)
	}
}

// TestMembersOnDiscord: it is the same there.
func TestMembersOnDiscord(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	base := withMembers(t, w)
	w.env = append(w.env, "BOT_ACCESS_ALLOW=discord:7")
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "Rex, of course."} })
	w.serve(t)
	w.dc.Message("", "70", "7", "/web")
	code := webLink.FindStringSubmatch(w.discordSent(t, 1)[0].Content)
	if code == nil {
		t.Fatalf("no link: %q", w.dc.Sent()[0].Content)
	}
	v := newVisitor(t, base)
	v.post("/me/login", url.Values{"code": {code[1]}})
	v.says("what is my dog called?", "Rex, of course.")
	mirrored := func() bool { // what grew while the model spoke gets its quotation with the last edit
		sent := w.dc.Sent()
		return len(sent) == 2 && sent[1].Channel == "70" && strings.Contains(sent[1].Content, "> You, in the browser: what is my dog called?") &&
			strings.Contains(sent[1].Content, "Rex, of course.")
	}
	if !w.dc.Wait(time.Minute, mirrored) {
		t.Errorf("the direct chat: %+v", w.dc.Sent())
	}
}

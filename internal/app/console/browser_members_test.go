package console_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/text/waittest"
)

// spoken streams its answer word by word; files are named in it.
func spoken(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
	all := "You said: " + m.Text
	for _, f := range m.Files {
		all += " with " + f.Name
	}
	a := chat.Answer{Text: all, Record: turn(m, all)}
	if m.Text == "choose" {
		a.Buttons = [][]chat.Button{{{Label: "Left", Data: "left"}, {Label: "Right", Data: "right"}}}
	}
	if m.Kind == chat.KindButton {
		a = chat.Answer{Text: "You chose " + m.Text, Record: chat.End{Outcome: chat.Answered},
			Files: []chat.File{{Name: "chosen.txt", Data: []byte("the choice")}}}
	}
	for word := range strings.FieldsSeq(a.Text) {
		w.Text(word + " ")
	}
	return a, nil
}

// membersInBrowser is a member's evening: behind a proxy, by https and under a path.
func membersInBrowser(t *testing.T) {
	front := httptest.NewUnstartedServer(nil)
	address := "https://" + front.Listener.Addr().String() + "/parley/"
	c := newClub(t, spoken, at(address))
	to, _ := url.Parse(c.s.url)
	front.Config.Handler = http.StripPrefix("/parley", &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}})
	front.StartTLS()
	t.Cleanup(func() { front.CloseClientConnections(); front.Close() })
	for range 3 {
		c.s.exchange(exchange{place: keyOf("telegram:42"), who: userOf("telegram:42", "Alice "+hostile), said: "an earlier **word** " + hostile,
			told: "A [link](https://example.org/" + strings.Repeat("x", 200) + ") and `code`:\n\n```\n" + strings.Repeat("long ", 60) + "\n```"})
	}
	b := newBrowser(t)
	b.look(360, 780, "light")
	link := c.browser("42").link()
	for _, l := range looks {
		b.inspect("member-login", address+link, l)
		b.inspect("member-ended", address+"me/", l)
	}
	b.look(360, 780, "light")
	b.open(address + link)
	b.eval("window.left = true")
	b.key("Enter") // the button has the focus
	b.until(`!window.left && location.pathname === "/parley/me/" && document.activeElement?.id === "text"`)
	b.do("Input.insertText", map[string]any{"text": "choose"})
	b.key("Enter")
	b.until(`document.querySelectorAll("#choices button").length === 2 && document.getElementById("text").value === ""`)
	for _, l := range looks {
		b.inspect("member", address+"me/", l)
		b.inspect("member-browsers", address+"me/logins", l)
	}
	t.Run("by thumb and keyboard", func(t *testing.T) { memberActs(t, b, address) })
	t.Run("in tabs", func(t *testing.T) { memberTabs(t, c, b, address) })
	t.Run("attacked", func(t *testing.T) { memberAttacked(t, c, b, address) })
	t.Run("put out", func(t *testing.T) {
		b.open(address + "me/")
		b.until(`document.getElementById("live").textContent.includes("live")`)
		c.with(func() { c.out["telegram:42"] = true })
		b.until(`location.pathname === "/parley/me/login" && !!document.body && !document.body.innerText.includes("You said")`)
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, bad := range b.bad {
		if !strings.Contains(bad, "evil=1") && !strings.Contains(bad, "Framing") { // as they should
			t.Error("the browser complains: " + bad)
		}
	}
}

// memberActs presses a button, sends a file and takes one, and does without script.
func memberActs(t *testing.T, b *browser, address string) {
	b.look(360, 780, "light")
	b.open(address + "me/")
	b.until(`[...document.querySelectorAll("#choices button, #say button, nav a")].every((e) => e.getBoundingClientRect().height >= 24)`)
	b.eval(`document.querySelector("#choices button").focus()`)
	b.eval("window.left = true")
	b.key("Enter")
	b.until(`!window.left && !!document.getElementById("log")?.innerText.includes("You chose left")`)
	b.until(`!!document.querySelector("#log a[download]")`)
	b.until(`fetch(document.querySelector("#log a[download]").href).then((r) => r.text()).then((t) => t === "the choice")`)
	b.eval(`(() => { const d = new DataTransfer(); d.items.add(new File(["hello"], "<b>a.txt")); document.getElementById("files").files = d.files;
		document.getElementById("text").value = "look at this"; document.getElementById("say").requestSubmit(); })()`)
	b.until(`document.getElementById("log").innerText.includes("You said: look at this with <b>a.txt") && document.getElementById("files").value === ""`)
	b.shoot("member-talked")
	b.until(`fetch(document.querySelector("link[rel=manifest]").href).then((r) => r.json()).then((m) => m.start_url === "./" && m.icons[0].src === "../icon.svg")`)
	b.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
	b.do("Page.navigate", map[string]any{"url": address + "me/"})
	b.until(`document.readyState === "complete" && location.pathname === "/parley/me/"`)
	b.eval(`document.getElementById("text").value = "no script"; document.querySelector("#say button").click()`)
	b.until(`document.getElementById("log")?.innerText.includes("no script") === true`)
	b.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": false})
}

// memberTabs sees what is said in the direct chat in two tabs, within a second on a machine
// at rest.
func memberTabs(t *testing.T, c *club, b *browser, address string) {
	tabs := []*browser{b, attach(b.t, b.address)}
	for _, tab := range tabs {
		tab.open(address + "me/")
		tab.eval(`Object.defineProperty(document, "hidden", { value: false }); document.dispatchEvent(new Event("visibilitychange")); 1`)
		tab.until(`document.getElementById("live").textContent.includes("live")`)
	}
	began := time.Now()
	m := chat.Message{ID: "9001", Key: keyOf("telegram:42"), From: userOf("telegram:42", "Alice"), Text: "from the phone", Direct: true,
		Addressed: true, At: time.Now()}
	err := c.s.hub.Deliver(context.Background(), chat.Batch{Platform: "telegram", Messages: []chat.Message{m}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tab := range tabs {
		tab.until(`document.getElementById("log").innerText.includes("You said: from the phone")`)
		t.Logf("a new message was seen after %s", time.Since(began).Round(time.Millisecond))
	}
	b.do("Page.bringToFront", nil)
}

// memberAttacked opens another site's page, which sends forms and looks into frames.
func memberAttacked(t *testing.T, c *club, b *browser, address string) {
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<form id="f" method="post" action="` + address + `me/say?evil=1"><input name="text" value="stolen words"></form>
			<iframe name="i" src="` + address + `me/?evil=1"></iframe>`))
	}))
	t.Cleanup(evil.Close)
	b.open(evil.URL)
	b.until(`(() => { try { return !document.querySelector("iframe").contentDocument?.body.innerText.includes("You said"); } catch { return true; } })()`)
	for _, credentials := range []string{"include", "omit"} {
		b.until(`fetch("` + address + `me/?evil=1", { credentials: "` + credentials + `" }).then((r) => r.text()).then(() => false, () => true)`)
	}
	b.eval(`window.left = true; document.getElementById("f").submit()`)
	b.until(`!window.left && document.readyState === "complete" && location.pathname === "/parley/me/say"`)
	b.open(address + "me/")
	b.until(`document.getElementById("log").innerText.includes("You said") && !document.body.innerText.includes("stolen words")`)
	if b.eval(`!!document.querySelector("#log script, #log img, #log [onerror]")`) == true {
		t.Error("somebody's words became markup")
	}
	if n := waittest.Within(0, func() bool { return strings.Contains(c.s.log.take(), "refused a request") }); !n {
		t.Log("the attack was refused without a line in the log")
	}
}

package console_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"parley/internal/text/catalog"
	"parley/internal/text/waittest"
)

// browser is a real Chromium, controlled over its debugging port.
type browser struct {
	t       testing.TB
	conn    *websocket.Conn
	mu      sync.Mutex // guards the rest
	next    int
	wait    map[int]chan json.RawMessage
	address string   // where new tabs are opened
	bad     []string // errors on the console, exceptions and refused loads
	urls    []string // everything that was asked for
}

// newBrowser starts one; without Chromium the test is skipped.
func newBrowser(t testing.TB) *browser {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			program = p
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium here")
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--hide-scrollbars", "--ignore-certificate-errors", "--remote-debugging-port=0", "--user-data-dir="+t.TempDir(), "about:blank")
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	t.Cleanup(func() {
		stop()
		<-read
		_ = cmd.Wait()
		http.DefaultClient.CloseIdleConnections()
	})
	found := make(chan string, 1)
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			if m := regexp.MustCompile(`listening on ws://([^/]+)/`).FindStringSubmatch(lines.Text()); m != nil {
				found <- m[1]
			}
		}
	}()
	select {
	case address := <-found:
		return attach(t, address)
	case <-time.After(2 * time.Minute):
		t.Fatal("Chromium did not start")
		return nil
	}
}

// attach opens a tab.
func attach(t testing.TB, address string) *browser {
	t.Helper()
	r, _ := http.NewRequest(http.MethodPut, "http://"+address+"/json/new?about:blank", nil)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	var tab struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	err = json.NewDecoder(resp.Body).Decode(&tab)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	conn, _, err := websocket.DefaultDialer.Dial(tab.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, address: address, conn: conn, wait: map[int]chan json.RawMessage{}}
	done := make(chan struct{})
	go func() { defer close(done); b.listen() }()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.do(domain+".enable", nil)
	}
	return b
}

// listen dispatches the browser's messages.
func (b *browser) listen() {
	for {
		var m struct {
			ID     int
			Method string
			Params json.RawMessage
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := b.conn.ReadJSON(&m); err != nil {
			return
		}
		b.mu.Lock()
		switch {
		case m.ID != 0:
			// What was asked of a page that is just left is asked again.
			if m.Error != nil && !strings.Contains(string(m.Error), "Inspected target navigated or closed") {
				b.bad = append(b.bad, string(m.Error))
			}
			b.wait[m.ID] <- m.Result
		case m.Method == "Runtime.exceptionThrown" || m.Method == "Log.entryAdded" && !strings.Contains(string(m.Params), `"level":"verbose"`):
			b.bad = append(b.bad, string(m.Params))
		case m.Method == "Network.requestWillBeSent":
			var p struct{ Request struct{ URL string } }
			_ = json.Unmarshal(m.Params, &p)
			b.urls = append(b.urls, p.Request.URL)
		}
		b.mu.Unlock()
	}
}

// do sends a command and returns its result.
func (b *browser) do(method string, params map[string]any) json.RawMessage {
	b.t.Helper()
	b.mu.Lock()
	b.next++
	id, answer := b.next, make(chan json.RawMessage, 1)
	b.wait[id] = answer
	err := b.conn.WriteJSON(map[string]any{"id": id, "method": method, "params": params})
	b.mu.Unlock()
	if err != nil {
		b.t.Fatal(err)
	}
	select {
	case r := <-answer:
		return r
	case <-time.After(time.Minute):
		b.t.Fatalf("%s: no answer", method)
		return nil
	}
}

// eval runs JavaScript and returns its value.
func (b *browser) eval(js string) any {
	b.t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	_ = json.Unmarshal(b.do("Runtime.evaluate", map[string]any{"expression": js, "returnByValue": true, "awaitPromise": true}), &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", js, r.ExceptionDetails)
	}
	return r.Result.Value
}

// until waits for JavaScript to be true.
func (b *browser) until(js string) {
	b.t.Helper()
	if !waittest.Within(time.Minute, func() bool { return b.eval(js) == true }) {
		b.t.Fatalf("never true: %s\n%v", js, b.eval("document.body.innerText"))
	}
}

func (b *browser) open(url string) {
	b.t.Helper()
	b.eval("window.left = true")
	b.do("Page.navigate", map[string]any{"url": url})
	b.until("!window.left && document.readyState === 'complete'")
}

func (b *browser) key(name string) {
	b.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13}
	for _, kind := range []string{"keyDown", "keyUp"} {
		p := map[string]any{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": codes[name]}
		if name == "Enter" && kind == "keyDown" {
			p["text"] = "\r"
		}
		b.do("Input.dispatchKeyEvent", p)
	}
}

// look sets the window's size and color scheme.
func (b *browser) look(width, height int, scheme string) {
	b.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
	b.do("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": scheme}}})
}

// shoot takes a picture if PARLEY_SHOTS names a folder.
func (b *browser) shoot(name string) {
	dir := os.Getenv("PARLEY_SHOTS")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), b.picture(), 0o600); err != nil {
		b.t.Error(err)
	}
}

// picture returns what the window shows, as PNG.
func (b *browser) picture() []byte {
	b.t.Helper()
	var r struct{ Data string }
	_ = json.Unmarshal(b.do("Page.captureScreenshot", map[string]any{"format": "png"}), &r)
	png, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return png
}

// faults finds accessibility problems: a page wider than the window, missing names, and
// poor contrast.
const faults = `(() => {
  const bad = [], visible = (e) => e.getClientRects().length > 0;
  if (document.documentElement.scrollWidth > innerWidth) bad.push("wider than the window: " + document.documentElement.scrollWidth);
  for (const e of document.querySelectorAll("input:not([type=hidden]),textarea")) if (!e.labels.length) bad.push("no label: " + e.outerHTML);
  for (const e of document.querySelectorAll("a,button")) if (!e.textContent.trim()) bad.push("no name: " + e.outerHTML);
  for (const e of document.querySelectorAll("img")) if (!e.hasAttribute("alt")) bad.push("no alt: " + e.outerHTML);
  for (const e of document.querySelectorAll("table")) if (!e.caption) bad.push("no caption");
  for (const e of document.querySelectorAll("svg")) if (!e.getAttribute("aria-label") &&
	!e.getAttribute("aria-hidden")) bad.push("no label: svg");
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) bad.push("twice: #" + id);
  const rgb = (s) => { const m = s.match(/[\d.]+/g).map(Number); return m.length > 3 && m[3] === 0 ? null : m; };
  const light = (c) => { const [r, g,
	b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !visible(e) || e.closest("svg")) continue;
    let back = null;
    for (let p = e; p && !back; p = p.parentElement) back = rgb(getComputedStyle(p).backgroundColor);
    const a = light(rgb(getComputedStyle(e).color)), b = light(back ?? [255, 255, 255]);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push("contrast " + ratio.toFixed(2) + ": " + e.outerHTML.slice(0, 120));
  }
  return bad.join("\n");
})()`

// axe runs axe-core, whose script PARLEY_AXE names, and returns what it finds; "" without
// the script. See make page-check.
func (b *browser) axe() string {
	b.t.Helper()
	file := os.Getenv("PARLEY_AXE")
	if file == "" {
		return ""
	}
	script, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatal(err)
	}
	b.eval(string(script) + "; true")
	found, _ := b.eval(`axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.map((v) => v.id + ": " + v.help + "\n  " + v.nodes.map((n) => n.target.join(" ") + " " + n.html.slice(0, 150)).join("\n  ")).join("\n"))`).(string)
	return found
}

// look is a window's size and color scheme.
type look struct {
	width, height int
	scheme        string
}

var looks = []look{{1280, 900, "light"}, {1280, 900, "dark"}, {768, 1024, "light"}, {768, 1024, "dark"}, {360, 780, "light"},
	{360, 780, "dark"}}

// inspect checks a page with everything on it open.
func (b *browser) inspect(name, url string, l look) {
	b.t.Helper()
	b.look(l.width, l.height, l.scheme)
	b.open(url)
	b.shoot(fmt.Sprintf("%s-%d-%s-closed", name, l.width, l.scheme))
	b.eval(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
	for _, found := range []any{b.axe(), b.eval(faults)} {
		if found != "" {
			b.t.Errorf("%s, %d wide, %s:\n%s", url, l.width, l.scheme, found)
		}
	}
	b.shoot(fmt.Sprintf("%s-%d-%s", name, l.width, l.scheme))
}

// inLanguages chooses each language as people do, and checks the pages with the longest
// words, or all pages with make page-check.
func inLanguages(b *browser, s *site, pages map[string]string) {
	seen, kept := []look{looks[0], looks[3], looks[4]}, pages
	if os.Getenv("PARLEY_AXE") == "" {
		seen, kept = looks[4:5], map[string]string{"overview": "/", "conversations": "/conversations", "people": "/people"}
	}
	choose := func(tag string) {
		b.open(s.url + "/people")
		b.eval(`window.left = true; document.getElementById("language").value = "` + tag +
			`"; document.querySelector(".language button").click()`)
		b.until(`!window.left && document.readyState === "complete" && document.documentElement.lang === "` + tag +
			`" && location.pathname === "/people"`)
	}
	for _, p := range catalog.Printers()[1:] {
		choose(p.Tag())
		for name, path := range kept {
			for _, l := range seen {
				b.inspect(p.Tag()+"-"+name, s.url+path, l)
			}
		}
	}
	choose(catalog.English)
}

func TestInChromium(t *testing.T) {
	b := newBrowser(t)
	s := newSite(t, wholeViews(), echo)
	s.fill()
	s.visitors()
	s.withRules()
	_, turn := s.asked()
	b.look(1280, 900, "light")
	b.open(s.link())
	b.key("Enter") // the button has the focus
	b.until(`location.pathname === "/" && !!document.querySelector(".charts svg")`)
	session := b.eval(`fetch("/sessions").then(r => r.text()).then(t => t.match(/sessions\/[0-9a-f-]{36}/)[0])`).(string)
	pages := map[string]string{
		"overview": "/", "conversations": "/conversations", "conversation": "/conversation?place=telegram:42", "search": "/sessions?q=money+back",
		"sessions": "/sessions", "session": "/" + session, "facts": "/facts", "playbook": "/playbook", "settings": "/settings",
		"chat": "/chat", "none": "/nowhere",
		"people": "/people", "rules": "/rules/shop.yaml", "letters": "/letters", "turn": turn, "call": "/calls/2",
		"script": turn + "/script", "month": "/?range=month", "errors": "/conversations?errors=on",
	}
	for name, path := range pages {
		for _, look := range looks {
			b.inspect(name, s.url+path, look)
		}
	}
	t.Run("languages", func(t *testing.T) { inLanguages(b, s, pages) })
	t.Run("keyboard", func(t *testing.T) { byKeyboard(b, s) })
	t.Run("live", func(t *testing.T) { followsNews(b, s) })
	t.Run("behind a proxy", func(t *testing.T) { behindProxy(t, pages) })
	t.Run("members", membersInBrowser)
	t.Run("without script", func(t *testing.T) { withoutScript(b, s) })
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, bad := range b.bad {
		if !strings.Contains(bad, "/nowhere") { // is meant not to be there
			t.Error("the browser complains: " + bad)
		}
	}
	for _, u := range b.urls {
		if !strings.HasPrefix(u, s.url+"/") && u != "about:blank" {
			t.Error("asked for " + u)
		}
	}
}

// byKeyboard skips the menu and has a conversation.
func byKeyboard(b *browser, s *site) {
	b.open(s.url + "/settings")
	b.key("Tab")
	b.until(`document.activeElement.className === "skip" && document.activeElement.getBoundingClientRect().left >= 0`)
	b.key("Enter")
	b.until(`document.activeElement.id === "main"`)
	b.open(s.url + "/chat")
	b.until(`document.activeElement.id === "text"`)
	b.do("Input.insertText", map[string]any{"text": "hello by keyboard"})
	b.key("Enter")
	b.until(`document.getElementById("log").innerText.includes("You said: hello by keyboard") && document.getElementById("text").value === ""`)
	b.do("Input.insertText", map[string]any{"text": "and once more"})
	b.key("Enter")
	b.until(`document.getElementById("log").innerText.includes("You said: and once more")`)
	b.shoot("talked")
	// Rules are checked while typing; a mistake shows before saving.
	b.open(s.url + "/rules/shop.yaml")
	b.eval(`document.getElementById("text").focus()`)
	b.do("Input.insertText", map[string]any{"text": "bad "})
	b.until(`document.getElementById("verdict").innerText.includes("line 2: <bad>")`)
	b.shoot("rules-mistake")
	b.key("Tab")
	b.until(`document.activeElement.value === "save"`)
	b.eval("window.left = true")
	b.key("Enter")
	b.until(`!window.left && !!document.getElementById("verdict")?.innerText.includes("line 2: <bad>") && document.getElementById("text").value.includes("bad ")`)
	// Let somebody in without a mouse.
	b.open(s.url + "/people")
	b.eval(`document.querySelector("main").focus()`)
	b.key("Tab")
	b.until(`document.activeElement.getAttribute("aria-label") === "Let in Zoe"`)
	b.key("Enter")
	b.until(`!!document.querySelector(".news")?.innerText.includes("/config allow telegram:77")`)
}

// followsNews sees a message from elsewhere, and keeps what the reader opened.
func followsNews(b *browser, s *site) {
	b.open(s.url + "/conversation?place=telegram:42")
	b.until(`document.getElementById("live").textContent.includes("live")`)
	b.eval(`document.querySelector("details.account").open = true`)
	s.exchange(exchange{place: keyOf("telegram:42"), who: userOf("telegram:42", "Alice"), said: "are you still there?", told: "I am."})
	s.page.Changed()
	b.until(`document.getElementById("turns").innerText.includes("are you still there?")`)
	b.until(`document.querySelector("details.account").open`)
}

// withoutScript has a conversation without JavaScript.
func withoutScript(b *browser, s *site) {
	b.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
	defer b.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": false})
	b.do("Page.navigate", map[string]any{"url": s.url + "/chat"})
	b.until(`document.readyState === "complete" && location.pathname === "/chat"`)
	b.eval(`document.getElementById("text").value = "no script at all"; document.querySelector("#say button").click()`)
	b.until(`document.getElementById("log")?.innerText.includes("no script at all") === true`)
}

// BenchmarkFirstPaint measures the time from click to first text with a million messages.
func BenchmarkFirstPaint(b *testing.B) {
	c := newBrowser(b)
	s := newSite(b, sampleViews(), echo)
	s.crowd(500_000, 90)
	c.open(s.link())
	c.key("Enter")
	c.until(`location.pathname === "/"`)
	const paint = `performance.getEntriesByName("first-contentful-paint")`
	var all []float64
	for b.Loop() {
		c.open(s.url + "/")
		c.until(paint + ".length > 0")
		all = append(all, c.eval(paint+"[0].startTime").(float64))
	}
	slices.Sort(all)
	b.ReportMetric(all[len(all)/2], "median-ms")
	b.ReportMetric(all[len(all)-1], "worst-ms")
}

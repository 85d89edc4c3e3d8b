package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"
)

// behindProxy opens every page in a browser by https and under a path, and follows what
// happens in two tabs.
func behindProxy(t *testing.T, pages map[string]string) {
	front := httptest.NewUnstartedServer(nil)
	address := "https://" + front.Listener.Addr().String() + "/parley/"
	s := newSite(t, wholeViews(), echo, at(address))
	s.fill()
	s.visitors()
	s.withRules()
	_, turn := s.asked()
	to, _ := url.Parse(s.url)
	front.Config.Handler = http.StripPrefix("/parley", &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}})
	front.StartTLS()
	t.Cleanup(func() { front.CloseClientConnections(); front.Close() })
	b := newBrowser(t)
	b.look(360, 780, "light")
	b.open(address + "login?code=" + code(s.link()))
	b.key("Enter") // the button has the focus
	b.until(`location.pathname === "/parley/" && !!document.querySelector(".charts svg")`)
	b.until(`fetch("page.webmanifest").then((r) => r.json()).then((m) => new URL(m.start_url, location.href).href === location.href)`)
	for name, path := range pages {
		if name == "session" || name == "turn" || name == "script" || name == "none" {
			continue
		}
		b.inspect("proxy-"+name, address+strings.TrimPrefix(path, "/"), looks[4])
	}
	b.inspect("proxy-turn", address+strings.TrimPrefix(turn, "/")+"/script", looks[5])
	b.eval(`window.left = true; document.querySelector("nav a").click()`)
	b.until(`!window.left && location.pathname === "/parley/"`)
	inTabs(b, s, address)
	b.do("Page.bringToFront", nil)
	b.open(address + "chat")
	b.until(`document.activeElement.id === "text"`)
	b.do("Input.insertText", map[string]any{"text": "hello from the train"})
	b.key("Enter")
	b.until(`document.getElementById("log").innerText.includes("You said: hello from the train")`)
	b.shoot("proxy-talked")
	b.eval(`window.left = true; document.querySelector(".out button").click()`)
	b.until(`!window.left && location.pathname === "/parley/login"`)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, bad := range b.bad {
		t.Error("the browser complains: " + bad)
	}
	for _, u := range b.urls {
		if !strings.HasPrefix(u, address) && u != "about:blank" {
			t.Error("asked for " + u)
		}
	}
}

// inTabs sees a new message in two tabs, and says how long that took.
func inTabs(b *browser, s *site, address string) {
	b.t.Helper()
	other := attach(b.t, b.address)
	tabs := []*browser{b, other}
	for _, tab := range tabs {
		tab.open(address + "conversation?place=telegram:42")
		tab.eval(`Object.defineProperty(document, "hidden", { value: false }); document.dispatchEvent(new Event("visibilitychange")); 1`)
		tab.until(`document.getElementById("live").textContent.includes("live")`)
	}
	began := time.Now()
	s.exchange(exchange{place: keyOf("telegram:42"), who: userOf("telegram:42", "Alice"), said: "is the train late?", told: "It is."})
	s.page.Changed()
	for _, tab := range tabs {
		tab.until(`document.getElementById("turns").innerText.includes("is the train late?")`)
		b.t.Logf("a new message was seen after %s", time.Since(began).Round(time.Millisecond))
	}
}

package console

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"

	"parley/internal/text/catalog"
)

// Said in more than one place.
const (
	wordsHost    = "This page answers only under the address it listens on."
	wordsForeign = "This request came from another site, so it was refused. Nothing was changed."
)

// maxForm bounds what a form may bring.
const maxForm = 64 << 10

// ServeHTTP implements http.Handler: every request passes the checks here
// before anything else looks at it.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; form-action "+
			"'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	r = r.WithContext(catalog.With(r.Context(), p.language(r)))
	// A name that somebody else's DNS points here is not ours.
	if !p.hosts[strings.ToLower(r.Host)] {
		p.refuse(w, r, http.StatusMisdirectedRequest, wordsHost)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if !sameOrigin(r) {
			p.refuse(w, r, http.StatusForbidden, wordsForeign)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	}
	p.mux.ServeHTTP(w, r)
}

// Beside guards what stands beside the page and needs no login, such as
// metrics: no other site's page may ask for it, and where only this machine can
// reach the address, nobody may ask under another name, which somebody else's
// DNS could point here. Elsewhere any name is good: who
// collects metrics has one of their own for this machine.
func (p *Page) Beside(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case p.local && !p.hosts[strings.ToLower(r.Host)]:
			p.refuse(w, r, http.StatusMisdirectedRequest, wordsHost)
		case r.Header.Get("Sec-Fetch-Site") == "cross-site":
			p.refuse(w, r, http.StatusForbidden, wordsForeign)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// loopback reports whether only this machine reaches a listening address.
func loopback(listen string) bool {
	host, _, _ := net.SplitHostPort(listen)
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// sameOrigin reports whether a page of ours sent r, as far as the browser says. A
// browser that keeps its referrer to itself, as ours are told to, sends the
// origin null, so what it says about the site decides then.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" || origin == "null" {
		return r.Header.Get("Sec-Fetch-Site") == "same-origin"
	}
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && strings.EqualFold(u.Host, r.Host)
}

// refuse says why and logs it.
func (p *Page) refuse(w http.ResponseWriter, r *http.Request, status int, words string) {
	if status != http.StatusNotFound {
		p.o.Log.Warn("control page refused a request", "status", status, "method", r.Method, "path", clip(r.URL.Path, 100),
			"host", clip(r.Host, 100), "origin", clip(r.Header.Get("Origin"), 100), "from", r.RemoteAddr)
	}
	p.write(w, r, "message", frame{Status: status, Title: catalog.Text(r.Context(), "Refused"), Body: catalog.Text(r.Context(), words)})
}

// inside lets logged-in requests through; one that changes something has to
// bring the login's own token as well.
func (p *Page) inside(next func(http.ResponseWriter, *http.Request, *login)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := p.logins.find(p.token(r))
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case l == nil && reads:
			http.Redirect(w, r, "/login", http.StatusSeeOther)
		case l == nil:
			p.refuse(w, r, http.StatusUnauthorized, "You are not logged in, or your login has ended. Nothing was changed.")
		case !reads && subtle.ConstantTimeCompare([]byte(r.PostFormValue("csrf")), []byte(l.csrf)) != 1:
			p.refuse(w, r, http.StatusForbidden, "This button belongs to an older login or another page, so it was refused. Nothing was changed. Go "+
				"back, reload and try again.")
		default:
			next(w, r, l)
		}
	})
}

// addresses returns the hosts a browser may name for a listening address.
func addresses(listen string) (hosts map[string]bool, port string) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, "" // nothing is let in
	}
	hosts = map[string]bool{}
	for _, h := range []string{host, "localhost", "127.0.0.1", "::1"} {
		if h == "" || net.ParseIP(h).IsUnspecified() {
			continue
		}
		hosts[strings.ToLower(net.JoinHostPort(h, port))] = true
		if port == "80" { // browsers leave it out
			hosts[strings.TrimSuffix(strings.ToLower(net.JoinHostPort(h, port)), ":80")] = true
		}
	}
	return hosts, port
}

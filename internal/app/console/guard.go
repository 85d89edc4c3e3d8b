package console

import (
	"crypto/subtle"
	"net"
	"net/http"
	"path"
	"strings"

	"parley/internal/text/catalog"
)

// Said in more than one place.
const (
	wordsHost    = "This page answers only under the address it listens on."
	wordsEnded   = "You are not logged in, or your login has ended. Nothing was changed."
	wordsForeign = "This request came from another site, so it was refused. Nothing was changed."
)

// maxForm is the longest form, in bytes.
const maxForm = 64 << 10

// ServeHTTP implements http.Handler. Every request must pass its checks first.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; form-action "+
			"'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'self'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Accel-Buffering", "no") // nginx passes events on as they come
	r, ours := p.enter(r)
	if _, pattern := p.open.Handler(r); pattern != "" {
		p.open.ServeHTTP(w, r) // which tells its handler what the path names
		return
	}
	if next, pattern := p.guarded.Handler(r); pattern != "" {
		p.serveGuarded(w, r, ours, next)
		return
	}
	r = r.WithContext(catalog.With(r.Context(), p.language(r)))
	if next, pattern := p.beside.Handler(r); pattern != "" {
		p.serveBeside(w, r, ours, next)
		return
	}
	// Reject names that foreign DNS points here.
	if !ours {
		p.refuse(w, r, http.StatusMisdirectedRequest, wordsHost)
		return
	}
	if d := doorOf(r); r.URL.Path+"/" == d.path {
		w.Header().Set("Location", path.Base(d.path)+"/")
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	if !straight(r.URL.Path) {
		p.refuse(w, r, http.StatusNotFound, "There is no such page.")
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if !sameOrigin(r) {
			p.refuse(w, r, http.StatusForbidden, wordsForeign)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, p.Members.bodyLimit(r))
	}
	if p.Members.serves(r) {
		p.Members.mux.ServeHTTP(w, r)
		return
	}
	p.mux.ServeHTTP(w, r)
}

// Open serves programs, whatever name they reach this port by: h asks each request for a
// proof by itself. Call it before the page serves.
func (p *Page) Open(pattern string, h http.Handler) { p.open.Handle(pattern, h) }

// Guarded serves programs like Open, but no browser that another site sends: neither by a name
// that foreign DNS points here, where only this machine can reach the port, nor with an origin
// that is not ours. Call it before the page serves.
func (p *Page) Guarded(pattern string, h http.Handler) { p.guarded.Handle(pattern, h) }

func (p *Page) serveGuarded(w http.ResponseWriter, r *http.Request, ours bool, next http.Handler) {
	origin := r.Header.Get("Origin")
	switch {
	case p.local && !ours:
		p.log(r, http.StatusMisdirectedRequest)
		http.Error(w, wordsHost, http.StatusMisdirectedRequest)
	case origin != "" && !(ours && strings.EqualFold(origin, doorOf(r).origin)) || r.Header.Get("Sec-Fetch-Site") == "cross-site":
		p.log(r, http.StatusForbidden)
		http.Error(w, wordsForeign, http.StatusForbidden)
	default:
		next.ServeHTTP(w, r)
	}
}

// Beside serves what needs no login, such as metrics, beside the page; call it before the
// page serves.
func (p *Page) Beside(pattern string, h http.Handler) { p.beside.Handle(pattern, h) }

// serveBeside guards what needs no login: no other site's page may load it, and behind a
// proxy, where everybody may come by, only who is logged in. On loopback the request must
// also use one of our names, because foreign DNS could point another one here; elsewhere
// any name is accepted, since whoever collects metrics may use their own.
func (p *Page) serveBeside(w http.ResponseWriter, r *http.Request, ours bool, next http.Handler) {
	switch {
	case p.local && !ours:
		p.refuse(w, r, http.StatusMisdirectedRequest, wordsHost)
	case r.Header.Get("Sec-Fetch-Site") == "cross-site":
		p.refuse(w, r, http.StatusForbidden, wordsForeign)
	case doorOf(r).public && p.logins.find(p.token(r)) == nil:
		lead(w, r, "/login")
	default:
		next.ServeHTTP(w, r)
	}
}

// loopback reports whether only this machine can reach a listening address.
func loopback(listen string) bool {
	host, _, _ := net.SplitHostPort(listen)
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// sameOrigin reports whether one of our pages sent r, according to the browser. Our pages
// suppress the referrer, so their origin may be null; then Sec-Fetch-Site decides.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" || origin == "null" {
		return r.Header.Get("Sec-Fetch-Site") == "same-origin"
	}
	return strings.EqualFold(origin, doorOf(r).origin)
}

// refuse answers with the reason and logs it.
func (p *Page) refuse(w http.ResponseWriter, r *http.Request, status int, words string) {
	if status != http.StatusNotFound {
		p.log(r, status)
	}
	p.write(w, r, "message", frame{Status: status, Title: catalog.Text(r.Context(), "Refused"), Body: catalog.Text(r.Context(), words)})
}

// log logs that a request was refused.
func (p *Page) log(r *http.Request, status int) {
	p.o.Log.Warn("control page refused a request", "status", status, "method", r.Method, "path", clip(r.URL.Path, 100),
		"host", clip(r.Host, 100), "origin", clip(r.Header.Get("Origin"), 100), "from", p.from(r))
}

// inside admits logged-in requests; one that changes something must also carry the login's
// own token.
func (p *Page) inside(next func(http.ResponseWriter, *http.Request, *login)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := p.logins.find(p.token(r))
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case l == nil && reads:
			lead(w, r, "/login")
		case l == nil && r.URL.Path == "/chat":
			p.expired(w, r)
		case l == nil:
			p.refuse(w, r, http.StatusUnauthorized, wordsEnded)
		case !reads && subtle.ConstantTimeCompare([]byte(r.PostFormValue("csrf")), []byte(l.csrf)) != 1:
			p.refuse(w, r, http.StatusForbidden,
				"This button belongs to an older login or another page, so it was refused. Nothing was changed. Go "+
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
		return nil, "" // admits nothing
	}
	hosts = map[string]bool{}
	for _, h := range []string{host, "localhost", "127.0.0.1", "::1"} {
		if h == "" || net.ParseIP(h).IsUnspecified() {
			continue
		}
		hosts[strings.ToLower(net.JoinHostPort(h, port))] = true
		if port == "80" { // browsers omit it
			hosts[strings.TrimSuffix(strings.ToLower(net.JoinHostPort(h, port)), ":80")] = true
		}
	}
	return hosts, port
}

package console

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
)

// door is the address under which a request came in.
type door struct {
	origin string // scheme and host, as browsers name them
	cookie string // name of the login's cookie
	path   string // of cookies, ends with a slash
	secure bool   // browsers come by https
	public bool   // by the address of the settings, which is not this port's own
}

// public is the address of the settings, nil for none.
type public struct {
	door
	hosts map[string]bool // as browsers name it, with and without the scheme's port
}

type doorKey struct{}

// doorOf returns how a request came in; the zero door if under no name of ours.
func doorOf(r *http.Request) door {
	d, _ := r.Context().Value(doorKey{}).(door)
	return d
}

// Base returns the address of the page, with a slash at its end: the one of the settings,
// or the listening one. An error means that neither is an address.
func Base(public, listen string) (string, error) {
	if public != "" {
		return strings.TrimSuffix(public, "/") + "/", nil
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", err
	}
	if host == "" || net.ParseIP(host).IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/", nil
}

// outside reads the public address; port is the one listened on.
func outside(address, port string) *public {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil
	}
	host, usual := strings.ToLower(u.Host), map[string]string{"http": "80", "https": "443"}[u.Scheme]
	bare := strings.TrimSuffix(host, ":"+usual)
	p := &public{hosts: map[string]bool{bare: true}, door: door{origin: u.Scheme + "://" + bare, cookie: "parley_" + port,
		path: strings.TrimSuffix(u.EscapedPath(), "/") + "/", secure: u.Scheme == "https", public: true}}
	if u.Port() == "" || u.Port() == usual {
		p.hosts[net.JoinHostPort(strings.ToLower(u.Hostname()), usual)] = true
	}
	if p.secure {
		p.cookie = "__Secure-" + p.cookie // browsers take it by https alone
	}
	if at := u.Port(); !p.secure && p.path == "/" && (at == port || at == "" && port == usual) {
		p.public = false // it is this port, by another name
	}
	return p
}

// enter finds the door of a request and takes the path of the settings off, which proxies
// may have left on. The bool is false if the request names no address of ours.
func (p *Page) enter(r *http.Request) (*http.Request, bool) {
	host := strings.ToLower(r.Host)
	if said := r.Header.Get("X-Forwarded-Host"); said != "" && p.proxied(r.RemoteAddr) {
		host = strings.ToLower(last(said))
	}
	d, ours := door{origin: "http://" + host, cookie: p.cookie, path: "/"}, p.hosts[host]
	if p.public != nil && p.public.hosts[host] {
		d, ours = p.public.door, true
	}
	if !ours {
		return r, false
	}
	r = r.WithContext(context.WithValue(r.Context(), doorKey{}, d))
	if under := strings.TrimSuffix(d.path, "/"); strings.HasPrefix(r.URL.EscapedPath(), under+"/") && under != "" {
		u := *r.URL
		u.Path, u.RawPath = strings.TrimPrefix(u.Path, under), strings.TrimPrefix(u.RawPath, under)
		r.URL = &u
	}
	return r, true
}

// proxied reports whether an address is one of the proxies named in the settings.
func (p *Page) proxied(remote string) bool {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	at, err := netip.ParseAddr(strings.TrimSpace(host))
	if err != nil {
		return false
	}
	for _, net := range p.o.Proxies {
		if net.Contains(at.Unmap()) {
			return true
		}
	}
	return false
}

// from returns the address of who asks: what the proxies named in the settings say, from
// the nearest on, else the connection's.
func (p *Page) from(r *http.Request) string {
	at, said := r.RemoteAddr, strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for said != "" && p.proxied(at) {
		at = last(said)
		said = strings.TrimSuffix(strings.TrimRight(said[:len(said)-len(at)], " "), ",")
		said = strings.TrimRight(said, " ")
	}
	return clip(at, 100)
}

// last returns the last of a list with commas.
func last(list string) string {
	return strings.TrimSpace(list[strings.LastIndexByte(list, ',')+1:])
}

// root leads from the address of a request to the overview. It is relative, so that it
// holds under every path that a proxy serves the page under.
func root(r *http.Request) string {
	if n := strings.Count(r.URL.EscapedPath(), "/") - 1; n > 0 {
		return strings.Repeat("../", n)
	}
	return "./"
}

// lead sends the browser to an address of the page, which begins with a slash.
func lead(w http.ResponseWriter, r *http.Request, to string) {
	w.Header().Set("Location", root(r)+strings.TrimPrefix(to, "/"))
	w.WriteHeader(http.StatusSeeOther)
}

// straight reports whether a path has no empty, "." or ".." part.
func straight(p string) bool {
	clean := path.Clean(p)
	return strings.HasPrefix(p, "/") && !strings.Contains(p, `\`) && (p == clean || p == clean+"/")
}

// Package netguard makes HTTP clients that reach only what the program may reach:
// the public internet, and what an operator named. It checks addresses, names and
// redirects, and does not know what is asked for or why.
package netguard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley/internal/text"
)

// ErrForbidden is the class of every address that the Guard refuses.
var ErrForbidden = errors.New("address not allowed")

const (
	maxRedirects    = 5
	maxHeaderBytes  = 64 << 10
	maxAddresses    = 4 // of one name, tried in turn
	connectTimeout  = 5 * time.Second
	responseTimeout = 15 * time.Second // until the headers are there
)

// forbidden lists the networks that are not the public internet. netip's IsPrivate
// and its relatives miss several of them, so all are listed here.
var forbidden = prefixes(
	"0.0.0.0/8",       // "this" network; 0.0.0.0 reaches the own machine
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // carrier NAT; 100.100.100.200 is a metadata service
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local; 169.254.169.254 is a metadata service
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // 6to4 relay
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, broadcast
	"::/96",           // unspecified, loopback, v4-compatible
	"::ffff:0:0:0/96", // v4-translated
	"64:ff9b::/96",    // NAT64: any v4 address in disguise
	"64:ff9b:1::/48",  // NAT64, local
	"100::/64",        // discard
	"2001::/23",       // protocol assignments, Teredo
	"2001:db8::/32",   // documentation
	"2002::/16",       // 6to4: any v4 address in disguise
	"3fff::/20",       // documentation
	"5f00::/16",       // segment routing
	"fc00::/7",        // unique local; fd00:ec2::254 is a metadata service
	"fe80::/10",       // link-local
	"fec0::/10",       // site-local
	"ff00::/8",        // multicast
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// Public reports whether an address belongs to the public internet.
func Public(ip netip.Addr) bool {
	if !ip.IsValid() || ip.Zone() != "" {
		return false
	}
	ip = ip.Unmap()
	return !slices.ContainsFunc(forbidden, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// Resolver looks up names; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Guard makes HTTP clients that reach public addresses only. It checks the address
// at the moment it is dialled, so neither DNS nor redirects get around it. The zero
// Guard is ready.
type Guard struct {
	Resolver Resolver // nil is net.DefaultResolver
	// AllowPrivate lists host:port pairs, as written in an address, that an
	// operator configured or a test serves: they may be on any network.
	AllowPrivate []string
	// AllowHosts, when not empty, are the only hosts that may be asked, their
	// subdomains not included.
	AllowHosts []string
	// Wait bounds the time until a response's headers are there; 0 is 15 s.
	Wait time.Duration
}

// Trusting returns a copy of g that also dials the host and port of an address that
// an operator configured, on any network. Redirects from there get no extra rights.
func (g Guard) Trusting(address string) (Guard, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return g, errors.New("the address is not a valid http or https one")
	}
	g.AllowPrivate = append(slices.Clip(g.AllowPrivate), hostPort(u))
	return g, nil
}

// Only returns a client that reaches some hosts, and the server at an address that
// replaces them in tests.
func Only(hosts []string, address string) (*http.Client, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	guard, err := Guard{AllowHosts: append(slices.Clone(hosts), u.Hostname())}.Trusting(address)
	if err != nil {
		return nil, err
	}
	return guard.Client(), nil
}

// Client makes a client. It uses no proxy, keeps no cookies, follows at most 5
// redirects, each checked like the first address, and reveals nothing to a new host
// about the one before. It has no overall deadline and no limit on bodies: the
// caller sets both. Its errors wrap ErrForbidden when the Guard refused.
func (g Guard) Client() *http.Client {
	return &http.Client{
		Transport: guarded{g, &http.Transport{
			Proxy:                  nil, // an environment's proxy would be the one dialled and checked
			DialContext:            g.dial,
			TLSHandshakeTimeout:    connectTimeout,
			ResponseHeaderTimeout:  cmp.Or(g.Wait, responseTimeout),
			MaxResponseHeaderBytes: maxHeaderBytes,
			MaxIdleConns:           10,
			IdleConnTimeout:        30 * time.Second,
			ForceAttemptHTTP2:      true,
		}},
		CheckRedirect: checkRedirect,
	}
}

// guarded checks the address of every request, those after redirects included.
type guarded struct {
	guard Guard
	next  *http.Transport
}

func (t guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.guard.CheckURL(r.URL); err != nil {
		return nil, err
	}
	return t.next.RoundTrip(r)
}

// CloseIdleConnections is called by http.Client.
func (t guarded) CloseIdleConnections() { t.next.CloseIdleConnections() }

func checkRedirect(r *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("%w: more than %d redirects", ErrForbidden, maxRedirects)
	case last.URL.Scheme == "https" && r.URL.Scheme != "https":
		return fmt.Errorf("%w: redirect from https to %s", ErrForbidden, r.URL.Scheme)
	}
	if r.URL.Host == via[0].URL.Host {
		return nil
	}
	if ledOut(r, via[0]) {
		return fmt.Errorf("%w: it leads on to %s, which the person did not name", ErrForbidden, text.Line(r.URL.Hostname()))
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return fmt.Errorf("%w: %s redirected to another host", ErrForbidden, r.Method)
	}
	kept := http.Header{}
	for _, name := range []string{"Accept", "Accept-Language", "User-Agent"} {
		if v := r.Header.Values(name); v != nil {
			kept[name] = v
		}
	}
	r.Header = kept
	return nil
}

// hostsNamed is the context key of Private.
type hostsNamed struct{}

// Private returns a context for requests whose address may contain private data:
// they are redirected only to these hosts, which a person named, and wherever
// the asked site decides by itself.
func Private(ctx context.Context, hosts []string) context.Context {
	return context.WithValue(ctx, hostsNamed{}, hosts)
}

// host returns an address's host as hosts are compared.
func host(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }

// ledOut reports whether the requested address itself contains the host it redirects
// to: such a redirect reveals nothing that a direct request would not.
func ledOut(r, first *http.Request) bool {
	hosts, private := r.Context().Value(hostsNamed{}).([]string)
	if !private || slices.Contains(hosts, host(r.URL)) {
		return false
	}
	asked := first.URL.Path + "?" + first.URL.RawQuery
	if plain, err := url.QueryUnescape(asked); err == nil {
		asked += " " + plain
	}
	return strings.Contains(strings.ToLower(asked), strings.ToLower(r.URL.Hostname()))
}

// CheckURL refuses an address by its text alone: scheme, user info, port, host. The
// addresses of the host are checked when they are dialled.
func (g Guard) CheckURL(u *url.URL) error {
	host := host(u)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%w: scheme %q is not http or https", ErrForbidden, u.Scheme)
	case u.User != nil:
		return fmt.Errorf("%w: it holds a user name", ErrForbidden)
	case host == "" || u.Opaque != "":
		return fmt.Errorf("%w: it has no host", ErrForbidden)
	case len(g.AllowHosts) > 0 && !slices.Contains(g.AllowHosts, host):
		return fmt.Errorf("%w: host %s is not on the operator's list", ErrForbidden, host)
	case g.private(hostPort(u)):
		return nil
	case !slices.Contains([]string{"", "80", "443", "8080", "8443"}, u.Port()):
		return fmt.Errorf("%w: port %s", ErrForbidden, u.Port())
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if !Public(ip) {
			return fmt.Errorf("%w: %s is not public", ErrForbidden, host)
		}
		return nil
	}
	return checkName(host)
}

// checkName refuses names that some resolvers read as numbers (0x7f.1,
// 2130706433) and those that never leave a network.
func checkName(host string) error {
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch {
	case strings.ContainsAny(host, "%:/\\ "):
		return fmt.Errorf("%w: host %q is not a name", ErrForbidden, host)
	case last == "" || last[0] >= '0' && last[0] <= '9':
		return fmt.Errorf("%w: host %q is a number in disguise", ErrForbidden, host)
	case slices.Contains([]string{"localhost", "local", "internal", "localdomain", "home", "lan"}, last):
		return fmt.Errorf("%w: host %s is not public", ErrForbidden, host)
	}
	return nil
}

func hostPort(u *url.URL) string {
	usual := map[string]string{"http": "80", "https": "443"}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), cmp.Or(u.Port(), usual[u.Scheme]))
}

func (g Guard) private(hostPort string) bool { return slices.Contains(g.AllowPrivate, hostPort) }

// dial resolves once, and connects to an address from that very answer.
func (g Guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: connectTimeout}
	if g.private(strings.ToLower(address)) {
		return d.DialContext(ctx, network, address)
	}
	d.Control = func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !Public(to.Addr()) {
			return ErrForbidden
		}
		return nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	ips, err := g.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, ip := range ips[:min(len(ips), maxAddresses)] {
		var conn net.Conn
		if conn, err = d.DialContext(ctx, network, net.JoinHostPort(ip.Unmap().String(), port)); err == nil {
			return conn, nil
		}
		if errors.Is(err, ErrForbidden) { // without the address, which reveals the internal network
			return nil, fmt.Errorf("%w: %s leads to an address that is not public", ErrForbidden, host)
		}
	}
	return nil, fmt.Errorf("dial %s: %w", host, err)
}

func (g Guard) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	ips, err := cmp.Or[Resolver](g.Resolver, net.DefaultResolver).LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", host, err)
	}
	if len(ips) == 0 {
		return nil, fmt.Errorf("look up %s: no address", host)
	}
	return ips, nil
}

package probe

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"parley/internal/text/catalog"
	"parley/internal/text/urls"
)

// Kind classifies a Problem.
type Kind string

// The kinds of Problem.
const (
	Away    Kind = "away"    // nothing answers: no host, nothing listens, no network
	Clock   Kind = "clock"   // this machine's, so that no certificate is valid
	Cert    Kind = "cert"    // a certificate that nobody vouches for
	Page    Kind = "page"    // something else answers: a web page, a proxy's login
	Path    Kind = "path"    // the host is right, the path is not
	Proxy   Kind = "proxy"   // the proxy wants a login
	NoKey   Kind = "no key"  // one is needed, and none was given
	Key     Kind = "key"     // it is refused
	Quota   Kind = "quota"   // nothing is left of the account
	Model   Kind = "model"   // the endpoint does not have it
	Refused Kind = "refused" // the endpoint understood, and does not do it
	Unwell  Kind = "unwell"  // the endpoint has trouble of its own
)

// Problem is why an endpoint cannot be used: a sentence for the operator that names
// the fix, without any secret.
type Problem struct {
	Kind Kind
	catalog.Filled
}

// Error implements error.
func (p *Problem) Error() string { return p.String() }

// elsewhere reports whether another path of the host may be right.
func (p *Problem) elsewhere() bool { return p.Kind == Path || p.Kind == Page || p.Kind == Refused }

// maxBody bounds what is read of an answer.
const maxBody = 4 << 20

// reply is an answer of whatever is at an address.
type reply struct {
	asked  string // host
	host   string // that answered, after redirections
	base   string
	keyed  bool
	status int
	html   bool
	body   []byte
	date   time.Time
}

// ask makes one request. Go's client gives the key to no other host when it is
// redirected.
func ask(ctx context.Context, method, address, key string, body []byte) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return reply{}, &Problem{Kind: Path, Filled: catalog.Fill(wordsNoAddress)}
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	req = req.WithContext(httptrace.WithClientTrace(ctx, trace))
	resp, err := http.DefaultClient.Do(req)
	busy := &Problem{Unwell, catalog.Fill("%s is there and has not answered in %s: it is busy, or slow; try again, or look at its log if it is yours",
		req.URL.Host, patience)}
	if errors.Is(err, context.DeadlineExceeded) && connected.Load() {
		return reply{}, busy
	}
	if err != nil {
		return reply{}, unreached(err, req.URL, time.Now())
	}
	defer func() { _ = resp.Body.Close() }()
	r := reply{asked: req.URL.Host, host: resp.Request.URL.Host, base: strings.TrimSuffix(strings.TrimSuffix(address, "/models"),
		"/chat/completions"), keyed: key != "", status: resp.StatusCode}
	r.date, _ = http.ParseTime(resp.Header.Get("Date"))
	r.body, err = io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if errors.Is(err, context.DeadlineExceeded) {
		return r, busy
	}
	if err != nil {
		return r, &Problem{Kind: Away, Filled: catalog.Fill("%s broke off its answer", r.asked)}
	}
	r.html = strings.Contains(resp.Header.Get("Content-Type"), "html") || bytes.HasPrefix(bytes.TrimSpace(r.body), []byte("<"))
	return r, nil
}

// problem says what is wrong with an answer, nil for nothing.
func (r reply) problem() error {
	switch {
	case r.status == http.StatusProxyAuthRequired:
		return &Problem{Proxy, catalog.Fill("the proxy between here and the model wants a login: put it into HTTPS_PROXY, as in http://name:password@proxy:3128")}
	case r.host != r.asked && (r.html || r.status >= 300):
		return &Problem{Page, catalog.Fill("%s led me on to %s, which is no model: probably the login page of a network or a proxy; log in "+
			"there with a browser, or set NO_PROXY", r.asked, r.host)}
	case (r.status == http.StatusUnauthorized || r.status == http.StatusForbidden) && !r.html:
		if !r.keyed {
			return &Problem{NoKey, catalog.Fill("%s wants a key, and none is set", r.asked)}
		}
		return &Problem{Key, catalog.Fill("%s refuses the key: copy it again, whole, and see that it has not expired or been deleted", r.asked)}
	case r.html:
		return &Problem{Page, catalog.Fill("a web page answers at %s, not a model: either the path is wrong (most end in /v1), or a proxy answers in its place", r.base)}
	case r.status == http.StatusNotFound, r.status == http.StatusMethodNotAllowed:
		return &Problem{Path, catalog.Fill("the host answers, but there is no model at %s: the path is wrong (most end in /v1)", r.base)}
	case r.status >= 500:
		return &Problem{Unwell, catalog.Fill("%s has trouble of its own (status %d): try again later, or look at its log if it is yours", r.asked, r.status)}
	case r.status >= 300:
		return &Problem{Refused, catalog.Fill("%s answered with status %d", r.base, r.status)}
	}
	return nil
}

// speaks reports whether an answer to an empty request shows that requests are
// understood here.
func (r reply) speaks() bool {
	return json.Valid(r.body) && len(r.body) > 0 && (r.status == http.StatusBadRequest || r.status == http.StatusUnprocessableEntity ||
		r.status == http.StatusUnauthorized)
}

// unreached says why nothing answered.
func unreached(err error, at *url.URL, now time.Time) error {
	var (
		dns     *net.DNSError
		invalid x509.CertificateInvalidError
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		plain   tls.RecordHeaderError
		timeout net.Error
	)
	clock := now.UTC().Format("2006-01-02 15:04 UTC")
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && now.Before(invalid.Cert.NotBefore):
		return &Problem{Clock, catalog.Fill("this machine's clock is wrong: it says %s, and the certificate of %s begins on %s; set the "+
			"clock, for example with timedatectl set-ntp true", clock, at.Host, invalid.Cert.NotBefore.UTC().Format(time.DateOnly))}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return &Problem{Clock, catalog.Fill("the certificate of %s ended on %s, or this machine's clock is wrong: it says %s; set the clock, "+
			"for example with timedatectl set-ntp true", at.Host, invalid.Cert.NotAfter.UTC().Format(time.DateOnly), clock)}
	case errors.As(err, &invalid), errors.As(err, &unknown), errors.As(err, &name):
		return &Problem{Cert, catalog.Fill("the certificate of %s is one that this machine does not trust: a proxy may stand between, or its "+
			"authority is to be added to this machine", at.Host)}
	case errors.As(err, &plain), at.Scheme == "https" && errors.Is(err, http.ErrSchemeMismatch):
		return &Problem{Away, catalog.Fill("%s speaks plain HTTP: write http:// instead of https://", at.Host)}
	case errors.As(err, &dns):
		return &Problem{Away, catalog.Fill("there is no host called %s, or the network is down: check the spelling", at.Hostname())}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &Problem{Away, catalog.Fill("nothing listens at %s: is the server started, and is the port right?", at.Host)}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &Problem{Away, catalog.Fill("%s does not answer in time: check the network, and any firewall", at.Host)}
	}
	return &Problem{Away, catalog.Fill("%s cannot be reached: %v", at.Host, urls.Bare(err))}
}

package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"parley/internal/tools/netguard"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// overHTTP talks to a streamable HTTP server through the guard.
func (r *remote) overHTTP(guard netguard.Guard) dialer {
	s := r.server
	guard.Wait = s.timeout()
	return func(context.Context) (sdk.Transport, func(), error) {
		client := guard.Client()
		inner := client.Transport
		client.Transport = wire{s, inner, r.tasks.hear, &r.era}
		t := &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxEventSize: maxMessage}
		if r.login != nil {
			t.OAuthHandler = r.login
		}
		return t, func() { (&http.Client{Transport: inner}).CloseIdleConnections() }, nil
	}
}

// wire adds what an operator configured to each request to the server, bounds
// bodies that are one message, and hears messages as they come. Streams of
// events are bounded event by event.
type wire struct {
	server Server
	next   http.RoundTripper
	heard  hearing
	era    *era
}

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	r = w.signed(r)
	send := w.next.RoundTrip
	if r.Header.Get("Mcp-Method") == discover {
		send = func(r *http.Request) (*http.Response, error) {
			return w.era.sendProbe(w.next, r, w.era.patience(w.server.startTime()))
		}
	}
	resp, err := send(r)
	if err != nil {
		return resp, err
	}
	read := &overheard{from: resp.Body, heard: w.heard, events: strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")}
	if !read.events {
		read.from = &limit{resp.Body, maxMessage}
	}
	resp.Body = body{read, resp.Body}
	return resp, nil
}

// signed is r with the headers of the settings, if it goes to where they are
// for. A redirect to another place gets none.
func (w wire) signed(r *http.Request) *http.Request {
	u, err := url.Parse(w.server.URL)
	if err != nil || u.Scheme != r.URL.Scheme || u.Host != r.URL.Host || len(w.server.Headers) == 0 {
		return r
	}
	r = r.Clone(r.Context())
	for name, value := range w.server.Headers {
		r.Header.Set(name, value)
	}
	return r
}

// overheard reports what is read: a body as a whole, or events line by line.
type overheard struct {
	from   io.Reader
	heard  hearing
	events bool
	kept   []byte // of what is not complete
}

func (o *overheard) Read(p []byte) (int, error) {
	n, err := o.from.Read(p)
	if o.kept = append(o.kept, p[:n]...); len(o.kept) > maxMessage {
		o.kept = nil // the library refuses it, too
	}
	for o.events {
		line, rest, found := bytes.Cut(o.kept, []byte("\n"))
		if !found {
			break
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			o.heard(data)
		}
		o.kept = rest
	}
	if errors.Is(err, io.EOF) && !o.events {
		o.heard(o.kept)
		o.kept = nil
	}
	return n, err
}

type limit struct {
	from io.Reader
	left int
}

func (l *limit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", maxMessage)
	}
	n, err := l.from.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// newLogin makes what logs in to a server. Its requests go to public hosts and
// to the host of the server, wherever that is; another host inside the network
// is not asked because a server says so.
func newLogin(s Server, guard netguard.Guard, path string) *login {
	guard.Wait = askTimeout
	client := &http.Client{Transport: neighbours{s.URL, guard}, CheckRedirect: guard.Client().CheckRedirect}
	return &login{server: s, tokens: &tokens{path: path, client: client}}
}

// neighbours also reaches other ports of a server's own host.
type neighbours struct {
	server string
	guard  netguard.Guard
}

func (n neighbours) RoundTrip(r *http.Request) (*http.Response, error) {
	guard := n.guard
	if u, err := url.Parse(n.server); err == nil && u.Hostname() == r.URL.Hostname() {
		if guard, err = guard.Trusting(r.URL.String()); err != nil {
			return nil, err
		}
	}
	r = r.Clone(r.Context())
	r.Close = true // these are rare
	resp, err := guard.Client().Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = body{&limit{resp.Body, maxAnswer}, resp.Body}
	return resp, nil
}

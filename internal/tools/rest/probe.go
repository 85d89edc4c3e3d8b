package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"

	"parley/internal/text"
)

// Origin returns scheme, host and port of a service, without anything that could be
// a secret.
func Origin(address string) string {
	u, err := url.Parse(fixedPart(address))
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Probe reports whether a service's host takes connections, with a certificate that
// holds where it is https. It asks the service nothing.
func Probe(ctx context.Context, origin string) error {
	u, err := url.Parse(origin)
	if err != nil {
		return errors.New("the address cannot be read")
	}
	var conn net.Conn
	if u.Scheme == "https" {
		conn, err = (&tls.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port(u, "443")))
	} else {
		conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port(u, "80")))
	}
	if err != nil {
		return text.Tell("%s: %w", origin, err)
	}
	return conn.Close()
}

func port(u *url.URL, usual string) string {
	if p := u.Port(); p != "" {
		return p
	}
	return usual
}

package rest

import (
	"cmp"
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
	dial, port := (&net.Dialer{}).DialContext, "80"
	if u.Scheme == "https" {
		dial, port = (&tls.Dialer{}).DialContext, "443"
	}
	conn, err := dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)))
	if err != nil {
		return text.Tell("%s: %w", origin, err)
	}
	return conn.Close()
}

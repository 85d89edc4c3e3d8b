package probe

import (
	"crypto/x509"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestAWrongClockIsNamed: a machine that starts in 1970 sees only certificates that
// are not valid yet.
func TestAWrongClockIsNamed(t *testing.T) {
	at, _ := url.Parse("https://api.example.com/v1/models")
	cert := &x509.Certificate{NotBefore: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)}
	for now, want := range map[time.Time]string{
		time.Unix(0, 0): "1970-01-01",
		time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC): "2031-01-01",
	} {
		err := unreached(&url.Error{Op: "Get", URL: at.String(), Err: x509.CertificateInvalidError{Cert: cert, Reason: x509.Expired}}, at, now)
		var p *Problem
		if !errors.As(err, &p) || p.Kind != Clock || !strings.Contains(p.Error(), want) || !strings.Contains(p.Error(), "set the clock") {
			t.Errorf("at %v: %v", now, err)
		}
	}
}

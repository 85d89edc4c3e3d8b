package webhooks

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"parley/internal/text/inbound"
)

// proof is what a request brings to show that its sender knows the secret.
type proof struct {
	bearer string   // the secret itself
	sums   []string // hexadecimal HMAC-SHA256 of the body or, with stamp, of "stamp.body"
	stamp  string   // seconds since 1970, "" for none
}

// signatures are the headers with a sum of the body, from all senders.
var signatures = []string{"X-Hub-Signature-256", "X-Gitea-Signature", "X-Forgejo-Signature", "X-Gogs-Signature",
	"X-Grafana-Alerting-Signature", "X-Signature-256"}

// tolerance is how old a stamp may be, and how far ahead.
const tolerance = 5 * time.Minute

// proofOf reads the headers; ok is false if nothing in them could be a proof.
func proofOf(h http.Header) (p proof, ok bool) {
	if stripe := h.Get("Stripe-Signature"); stripe != "" {
		for _, part := range strings.Split(stripe, ",") {
			switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
			case "t":
				p.stamp = value
			case "v1":
				p.sums = append(p.sums, value)
			}
		}
		return p, p.stamp != "" && len(p.sums) > 0
	}
	for _, name := range signatures {
		if sum := h.Get(name); sum != "" {
			p.sums = []string{strings.TrimPrefix(sum, "sha256=")}
			return p, true
		}
	}
	p.bearer = cmp.Or(inbound.Bearer(h), h.Get("X-Gitlab-Token"))
	return p, p.bearer != ""
}

// signed reports whether the body must be read to tell.
func (p proof) signed() bool { return p.bearer == "" }

// holds reports whether the sender knows the secret. It takes as long whatever is wrong.
func (p proof) holds(secret string, body []byte, now time.Time) bool {
	if !p.signed() {
		return inbound.Proves(p.bearer, secret)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	if p.stamp != "" {
		_, _ = fmt.Fprintf(mac, "%s.", p.stamp)
	}
	_, _ = mac.Write(body) // never fails
	want, equal := mac.Sum(nil), false
	for _, sum := range p.sums {
		got, err := hex.DecodeString(strings.TrimSpace(sum))
		equal = err == nil && hmac.Equal(got, want) || equal
	}
	return equal && secret != "" && p.fresh(now)
}

// fresh reports whether a stamp is of now; what has none always is.
func (p proof) fresh(now time.Time) bool {
	if p.stamp == "" {
		return true
	}
	at, err := strconv.ParseInt(p.stamp, 10, 64)
	return err == nil && now.Sub(time.Unix(at, 0)).Abs() <= tolerance
}

// deliveries are the headers in which senders name a delivery.
var deliveries = []string{"X-GitHub-Delivery", "X-Gitea-Delivery", "X-Forgejo-Delivery", "X-Gogs-Delivery", "X-Gitlab-Event-UUID",
	"Webhook-Id", "Idempotency-Key"}

// events are the headers in which senders say what happened.
var events = []string{"X-GitHub-Event", "X-Gitea-Event", "X-Forgejo-Event", "X-Gogs-Event", "X-Gitlab-Event"}

func first(h http.Header, names []string) string {
	for _, name := range names {
		if value := h.Get(name); value != "" {
			return value
		}
	}
	return ""
}

// maxName bounds a sender's name for a delivery.
const maxName = 100

// nameOf returns the sender's name for a delivery, "" for none: from a header or, of Stripe,
// from the signed body. A long one is told by its sum.
func nameOf(h http.Header, p proof, body any) string {
	name := first(h, deliveries)
	if fields, ok := body.(map[string]any); ok && p.stamp != "" {
		name, _ = fields["id"].(string)
	}
	if len(name) > maxName {
		sum := sha256.Sum256([]byte(name))
		name = hex.EncodeToString(sum[:])
	}
	return strings.ToValidUTF8(strings.ReplaceAll(name, "\x00", ""), "\uFFFD")
}

// Bounds of the headers that templates see.
const (
	maxHeaders = 32
	maxHeader  = 256
)

// open returns the headers without secrets: those of senders themselves, by lower-case name.
func open(h http.Header) map[string]string {
	all := map[string]string{}
	for name := range h {
		low, value := strings.ToLower(name), h.Get(name)
		secret := strings.Contains(low, "signature") || strings.Contains(low, "token") || strings.Contains(low, "auth") ||
			strings.Contains(low, "secret") || strings.Contains(low, "key") || strings.HasPrefix(low, "x-forwarded") || low == "x-real-ip"
		if ours := strings.HasPrefix(low, "x-") || low == "user-agent"; ours && !secret && len(all) < maxHeaders && len(value) <= maxHeader {
			all[low] = strings.ToValidUTF8(value, "\uFFFD")
		}
	}
	return all
}

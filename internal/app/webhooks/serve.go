package webhooks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"parley/internal/memory/hooks"
	"parley/internal/text"
	"parley/internal/text/inbound"
)

// Pattern is what the handler serves.
const Pattern = "POST /hooks/{name}"

// Bounds of what is sent.
const (
	maxBody  = 1 << 20
	maxDepth = 64
	storeFor = 20 * time.Second
)

// refusal is an answer that takes nothing.
type refusal struct {
	status int
	why    string
	after  time.Duration // when to try again; 0 says nothing
}

// Whoever knows no secret learns nothing, not even which names there are.
var stranger = &refusal{status: http.StatusUnauthorized, why: "no such webhook, or the signature or token is wrong"}

func (r *refusal) Error() string { return r.why }

// ServeHTTP implements http.Handler, for Pattern. A sender hears 200 once what it sent is on
// the disk, and the same again if it sends it again.
func (h *Hooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.Any(r.Context()) {
		http.NotFound(w, r)
		return
	}
	err := h.receive(w, r)
	status, said := http.StatusOK, "taken"
	var no *refusal
	switch {
	case errors.As(err, &no):
		status, said = no.status, no.why
		if no.after > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(no.after/time.Second)))
		}
	case err != nil:
		h.o.Log.Error("a webhook", "hook", text.Shorten(r.PathValue("name"), 50), "err", err)
		status, said = http.StatusServiceUnavailable, "it could not be stored; send it again"
		w.Header().Set("Retry-After", "30")
	}
	if status != http.StatusOK {
		h.o.Log.Warn("a webhook was refused", "hook", text.Shorten(r.PathValue("name"), 50), "status", status, "why", said)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"status": said}) // the sender is gone
}

// receive takes one request. What its headers tell is checked before its body is read.
func (h *Hooks) receive(w http.ResponseWriter, r *http.Request) error {
	p, ok := proofOf(r.Header)
	if !ok {
		return stranger
	}
	if h.o.Hub() == nil {
		return &refusal{http.StatusServiceUnavailable, "not ready yet", 5 * time.Second}
	}
	hook, err := h.Find(r.Context(), r.PathValue("name"))
	if errors.Is(err, hooks.ErrNoHook) || err == nil && !p.signed() && !p.holds(hook.Secret, nil, h.o.Now()) {
		return stranger
	}
	if err != nil {
		return err
	}
	raw, err := h.read(w, r)
	if err != nil {
		return err
	}
	if !p.holds(hook.Secret, raw, h.o.Now()) {
		return stranger
	}
	if wait := h.pace.Take(hook.Name); wait > 0 {
		return &refusal{http.StatusTooManyRequests, "too many at once", wait}
	}
	sent, err := sentIn(r.Header, raw)
	if err != nil {
		return err
	}
	body, err := decoded(sent)
	if err != nil {
		return &refusal{status: http.StatusBadRequest, why: err.Error()}
	}
	sum := sha256.Sum256(raw)
	d := delivery{Hook: hook.Name, Event: first(r.Header, events), Headers: open(r.Header), Body: sent, At: h.o.Now()}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), storeFor)
	defer cancel()
	return h.take(ctx, hook, d, hooks.Delivery{Hook: hook.Name, ID: nameOf(r.Header, p, body), Digest: hex.EncodeToString(sum[:]),
		Signed: p.signed(), Place: hook.Place})
}

// read reads a body while few others are read. The server bounds the time.
func (h *Hooks) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		return nil, &refusal{http.StatusServiceUnavailable, "too many at once", 5 * time.Second}
	}
	raw, err := inbound.Body(w, r, maxBody)
	var no *inbound.BodyError
	if errors.As(err, &no) {
		err = &refusal{status: no.Status, why: no.Error()}
	}
	return raw, err
}

// sentIn returns the JSON of a body, which GitHub may put into a form.
func sentIn(h http.Header, raw []byte) ([]byte, error) {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type")) // what cannot be read is JSON or nothing
	if media != "application/x-www-form-urlencoded" {
		return raw, nil
	}
	form, err := url.ParseQuery(string(raw))
	if err != nil || !form.Has("payload") {
		return nil, &refusal{status: http.StatusBadRequest, why: "not JSON"}
	}
	return []byte(form.Get("payload")), nil
}

// What is wrong with a body, for its sender.
var (
	errNotText = errors.New("not UTF-8")
	errNotJSON = errors.New("not JSON")
	errDeep    = errors.New("nested too deep")
)

// decoded reads JSON within bounds; whole numbers stay whole.
func decoded(raw []byte) (v any, err error) {
	if !utf8.Valid(raw) {
		return nil, errNotText
	}
	if deep(raw) {
		return nil, errDeep
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if !json.Valid(raw) || d.Decode(&v) != nil {
		return nil, errNotJSON
	}
	return text.WholeNumbers(v), nil
}

// deep reports whether JSON is nested deeper than anybody means, before it is read.
func deep(raw []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

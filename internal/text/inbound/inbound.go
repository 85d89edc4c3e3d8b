// Package inbound reads what programs send over HTTP: the token that they prove themselves
// by, and a body within bounds. It knows nobody's token and answers nothing.
package inbound

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxToken is the longest token, in bytes.
const maxToken = 1 << 10

// Bearer returns the token of a request, "" if it brings none, or more than one. The scheme
// may be written in any case (RFC 9110, 11.1).
func Bearer(h http.Header) string {
	all := h.Values("Authorization")
	if len(all) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(all[0]), " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || len(token) > maxToken {
		return ""
	}
	return token
}

// Proves reports whether a given secret is the one that is known. It takes as long whatever
// is wrong, the length included. An empty one proves nothing.
func Proves(given, known string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(known))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && known != ""
}

// BodyError says why a body was not read. Its text is for the sender.
type BodyError struct {
	Status int // 413 for one that is too large, 408 for one that broke off or took too long
	why    string
}

// Error implements error.
func (e *BodyError) Error() string { return e.why }

// Body reads the whole body of a request, which has at most most bytes. Any error is a
// *BodyError. How long it may take is bounded by the server.
func Body(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, &BodyError{http.StatusRequestEntityTooLarge, fmt.Sprintf("longer than %d MiB", most>>20)}
	case err != nil:
		return nil, &BodyError{http.StatusRequestTimeout, "the body broke off or took too long"}
	}
	return raw, nil
}

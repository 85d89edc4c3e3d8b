package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"parley/internal/llm"
)

// events returns what reads the data of a stream, one event at a time; io.EOF is the
// end. A line that is JSON by itself is an error that was written without any form. It
// is ours because the library keeps of an error in a stream only what has OpenAI's own
// form, and loses the others.
func events(body io.Reader) (next func() ([]byte, error)) {
	r := bufio.NewReaderSize(body, 1024) // most pieces are small
	return func() ([]byte, error) {
		for {
			line, err := r.ReadBytes('\n')
			line = bytes.TrimSpace(line)
			data, isData := bytes.CutPrefix(line, []byte("data:"))
			data = bytes.TrimSpace(data)
			switch {
			case isData && bytes.Equal(data, []byte("[DONE]")):
				return nil, io.EOF
			case isData && len(data) > 0 && (err == nil || errors.Is(err, io.EOF) && json.Valid(data)):
				return data, nil
			case err == nil && bytes.HasPrefix(line, []byte(`{"`)) && json.Valid(line):
				return line, nil
			case err != nil:
				return nil, err
			}
		}
	}
}

// told returns the error in an object within a stream, in the class that its status
// would have.
func told(raw []byte) error {
	text := words(raw)
	status := statusOf(raw)
	class := class(status, string(raw))
	low := strings.ToLower(text)
	switch {
	case status != 0 || !errors.Is(class, llm.ErrBadRequest):
	case strings.Contains(low, "rate") && strings.Contains(low, "limit"):
		class = llm.ErrRateLimited
	default:
		class = llm.ErrUnavailable // nothing says that it is the request's fault
	}
	return &llm.Error{Class: class, Status: status, Detail: text}
}

// names are the words providers have for a status: OpenAI's codes and types,
// Anthropic's types, Google's states.
var names = map[string]int{
	"invalid_api_key": http.StatusUnauthorized, "authentication_error": http.StatusUnauthorized,
	"unauthenticated": http.StatusUnauthorized, "unauthorized": http.StatusUnauthorized,
	"permission_error": http.StatusForbidden, "permission_denied": http.StatusForbidden, "forbidden": http.StatusForbidden,
	"insufficient_quota": http.StatusPaymentRequired, "billing_error": http.StatusPaymentRequired,
	"rate_limit_error": http.StatusTooManyRequests, "rate_limit_exceeded": http.StatusTooManyRequests,
	"resource_exhausted": http.StatusTooManyRequests,
	"too_many_requests":  http.StatusTooManyRequests, "ratelimiterror": http.StatusTooManyRequests,
	"not_found_error": http.StatusNotFound, "model_not_found": http.StatusNotFound, "not_found": http.StatusNotFound,
	"notfounderror":         http.StatusNotFound,
	"invalid_request_error": http.StatusBadRequest, "badrequesterror": http.StatusBadRequest, "invalid_argument": http.StatusBadRequest,
	"context_length_exceeded": http.StatusBadRequest, "exceed_context_size_error": http.StatusBadRequest,
	"content_filter":    http.StatusBadRequest,
	"request_too_large": http.StatusRequestEntityTooLarge,
	"server_error":      http.StatusInternalServerError, "api_error": http.StatusInternalServerError,
	"internal":         http.StatusInternalServerError,
	"overloaded_error": 529, "unavailable": http.StatusServiceUnavailable, "timeout_error": http.StatusGatewayTimeout,
	"deadline_exceeded": http.StatusGatewayTimeout,
}

// statusOf returns the status that an error within a stream names, by its number or
// by a word; 0 for none.
func statusOf(raw []byte) int {
	type form struct {
		Code   json.RawMessage `json:"code"`
		Status json.RawMessage `json:"status"`
		Type   json.RawMessage `json:"type"`
	}
	var outer struct {
		form
		Error json.RawMessage `json:"error"`
	}
	var inner form
	if json.Unmarshal(raw, &outer) != nil {
		return 0
	}
	_ = json.Unmarshal(outer.Error, &inner) // a text has no form
	for _, field := range []json.RawMessage{inner.Code, inner.Status, inner.Type, outer.Code, outer.Status, outer.Type} {
		word := strings.ToLower(strings.Trim(string(field), `"`))
		if n, err := strconv.Atoi(word); err == nil && n >= 400 && n < 600 {
			return n
		}
		if n := names[word]; n != 0 {
			return n
		}
	}
	return 0
}

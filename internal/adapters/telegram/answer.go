package telegram

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/go-telegram/bot"
)

// reply is an answer of the Bot API, as far as it is readable.
type reply struct {
	ok          bool
	status      int // of HTTP
	result      json.RawMessage
	description string
	code        int
	retryAfter  int64 // seconds
	migrateTo   int64
}

// readReply reads an answer. ok is false when it is not the Bot API's.
func readReply(status int, data []byte) (r reply, ok bool) {
	var fields struct { // each is read by itself
		OK          json.RawMessage `json:"ok"`
		Result      json.RawMessage `json:"result"`
		Description json.RawMessage `json:"description"`
		Code        json.RawMessage `json:"error_code"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	if json.Unmarshal(data, &fields) != nil || json.Unmarshal(fields.OK, &r.ok) != nil {
		return r, false
	}
	r.status, r.result = status, fields.Result
	if r.ok {
		r.code = status
		return r, true
	}
	var more map[string]json.RawMessage
	_ = json.Unmarshal(fields.Parameters, &more)
	_ = json.Unmarshal(fields.Description, &r.description)
	r.code = int(number(fields.Code))
	r.retryAfter, r.migrateTo = number(more["retry_after"]), number(more["migrate_to_chat_id"])
	if r.code == 0 {
		r.code = status
	}
	return r, true
}

// refusal returns the library's error for a refused call; nil if it was not refused.
func (r reply) refusal(method string) error {
	if r.ok {
		return nil
	}
	switch r.code {
	case http.StatusForbidden:
		return fmt.Errorf("%w, %s", bot.ErrorForbidden, r.description)
	case http.StatusUnauthorized:
		return fmt.Errorf("%w, %s", bot.ErrorUnauthorized, r.description)
	case http.StatusNotFound:
		return fmt.Errorf("%w, %s", bot.ErrorNotFound, r.description)
	case http.StatusConflict:
		return fmt.Errorf("%w, %s", bot.ErrorConflict, r.description)
	case http.StatusTooManyRequests:
		return &bot.TooManyRequestsError{Message: fmt.Sprintf("%s, %s", bot.ErrorTooManyRequests, r.description), RetryAfter: int(r.retryAfter)}
	case http.StatusBadRequest:
		if r.migrateTo != 0 {
			return &bot.MigrateError{Message: fmt.Sprintf("%s: %s", bot.ErrorBadRequest, r.description), MigrateToChatID: int(r.migrateTo)}
		}
		return fmt.Errorf("%w, %s", bot.ErrorBadRequest, r.description)
	}
	return fmt.Errorf("telegram %s: %d %s", method, r.code, r.description)
}

// field returns a number in the result.
func (r reply) field(name string) int64 {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(r.result, &fields)
	return number(fields[name])
}

// wasted reports whether a page with this status refuses this request only.
func wasted(status int) bool { return status == http.StatusRequestEntityTooLarge }

// unprocessed reports whether a page with this status comes from a proxy in front of the
// Bot API, which has not seen the request.
func unprocessed(status int) bool {
	return status >= 400 && status < 500 || status == http.StatusServiceUnavailable
}

package telegram

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
)

// reply is an answer of the Bot API, read as far as it can be.
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
	var fields struct { // each by itself, whatever the others are
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

// refusal returns why the Bot API did not do what it was called for, in the library's
// errors; nil when it did.
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

// encode writes the answer in the form that the library reads, with only the
// fields of the result that are used here. So a field that the library does not
// know cannot make an accepted message look refused.
func (r reply) encode(method string) []byte {
	whole := map[string]any{"ok": r.ok}
	if r.ok {
		whole["result"] = r.plain(method)
	} else {
		whole["error_code"], whole["description"] = r.code, r.description
		whole["parameters"] = map[string]int64{"retry_after": r.retryAfter, "migrate_to_chat_id": r.migrateTo}
	}
	data, _ := json.Marshal(whole) // of what was JSON before
	return data
}

// plain returns the result, reduced to the id for messages.
func (r reply) plain(method string) any {
	switch {
	case method == "sendMessageDraft" || method == "sendChatAction":
		return true
	case strings.HasPrefix(method, "send") || strings.HasPrefix(method, "edit"):
		return map[string]int64{"message_id": r.field("message_id")}
	case strings.HasPrefix(method, "set") || strings.HasPrefix(method, "delete") || method == "answerCallbackQuery":
		return true
	case method == "getChatMember":
		return r.member()
	case len(r.result) == 0:
		return nil
	}
	return r.result
}

// field returns a number in the result.
func (r reply) field(name string) int64 {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(r.result, &fields)
	return number(fields[name])
}

// member returns the standing of a person in a group: its status, and whether they are
// there where the status leaves that open. Who has a status that is not known here is
// not there.
func (r reply) member() any {
	var m struct {
		Status models.ChatMemberType `json:"status"`
		Inside bool                  `json:"is_member"`
	}
	_ = json.Unmarshal(r.result, &m)
	switch m.Status {
	case models.ChatMemberTypeOwner, models.ChatMemberTypeAdministrator, models.ChatMemberTypeMember,
		models.ChatMemberTypeRestricted, models.ChatMemberTypeLeft, models.ChatMemberTypeBanned:
	default:
		m.Status = models.ChatMemberTypeLeft
	}
	return m
}

// wasted reports whether a page refused this request alone.
func wasted(status int) bool { return status == http.StatusRequestEntityTooLarge }

// unprocessed reports whether a page with this status came from a proxy in front of
// the Bot API, which then has not seen the request.
func unprocessed(status int) bool {
	return status >= 400 && status < 500 || status == http.StatusServiceUnavailable
}

// bodyOf is a response's body that is held in memory.
type bodyOf struct{ *bytes.Reader }

// Close implements io.Closer.
func (bodyOf) Close() error { return nil }

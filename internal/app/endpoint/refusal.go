package endpoint

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"parley/internal/text"
)

// errGone: the answer to a request cannot be found any more.
var errGone = errors.New("the answer is gone")

// refusal is an error as clients of OpenAI know it.
type refusal struct {
	status  int
	code    string
	param   string
	why     string
	after   time.Duration // when to try again; 0 says nothing
	settled bool          // trying again changes nothing, or does something twice
}

func (r *refusal) Error() string { return r.why }

func refuse(status int, code, why string) *refusal {
	return &refusal{status: status, code: code, why: why}
}

// invalid refuses a request that is wrong in itself.
func invalid(param, why string) *refusal {
	return refuse(http.StatusBadRequest, "invalid_request", why).about(param)
}

// unsupported refuses a request that asks for what there is not.
func unsupported(param, why string) *refusal {
	return refuse(http.StatusBadRequest, "unsupported", why).about(param)
}

func (r *refusal) about(param string) *refusal { r.param = param; return r }

func (r *refusal) wait(after time.Duration) *refusal { r.after = after; return r }

func (r *refusal) final() *refusal { r.settled = true; return r }

// kinds are the types of errors by status, as OpenAI has them.
var kinds = map[int]string{http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error",
	http.StatusNotFound: "not_found_error", http.StatusTooManyRequests: "rate_limit_error"}

// body returns the JSON of an error.
func (r *refusal) body() map[string]any {
	kind, ok := kinds[r.status]
	switch {
	case r.code == "insufficient_quota":
		kind = r.code
	case ok:
	case r.status >= http.StatusInternalServerError:
		kind = "server_error"
	default:
		kind = "invalid_request_error"
	}
	var param any
	if r.param != "" {
		param = r.param
	}
	return map[string]any{"error": map[string]any{"message": r.why, "type": kind, "param": param, "code": r.code}}
}

// refusalOf returns what a client is told of an error.
func refusalOf(err error) *refusal {
	var no *refusal
	if errors.As(err, &no) {
		return no
	}
	return refuse(http.StatusServiceUnavailable, "unavailable", "The bot cannot take or answer this right now. Send the same again.").wait(2 * time.Second)
}

// fail answers with an error.
func (e *Endpoint) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody reads it
	}
	no, level := refusalOf(err), e.o.Log.Warn
	if !errors.As(err, new(*refusal)) {
		level = e.o.Log.Error
	}
	level("a program's request was refused", "path", text.Shorten(r.URL.Path, 50), "status", no.status, "why", err)
	h := w.Header()
	if no.after > 0 {
		h.Set("Retry-After", strconv.Itoa(int(no.after/time.Second)))
	}
	if no.settled {
		h.Set("X-Should-Retry", "false")
	}
	if no.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	reply(w, no.status, no.body())
}

// reply writes JSON. An error means that the client is gone.
func reply(w http.ResponseWriter, status int, v any) error {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writePatience))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	err := json.NewEncoder(w).Encode(v)
	return errors.Join(err, http.NewResponseController(w).Flush())
}

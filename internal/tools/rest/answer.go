package rest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/expr-lang/expr"
	"golang.org/x/net/html/charset"

	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/text/urls"
	"parley/internal/tools"
	"parley/internal/tools/netguard"
)

// Said in more than one place.
const (
	wordsUnfit  = "the service's answer is not of the form that the tool expects"
	wordsUnread = "the service could not be reached, or broke off"
)

const (
	maxBody  = 1 << 20 // bytes of an answer, after decompression
	maxWhy   = 2000    // bytes of what a service says about a failure
	maxSteps = 5       // redirects
)

// known holds the variables of expressions.
type known struct {
	Body   any            `expr:"body"` // JSON as values, else text
	Status int            `expr:"status"`
	Args   map[string]any `expr:"args"`
}

// answer is the response of a service.
type answer struct {
	status int
	media  string
	text   string // "" for what is not text
	size   int
	more   bool // it was longer than maxBody
	again  time.Duration
}

func (c *call) read(resp *http.Response) (answer, error) {
	a := answer{status: resp.StatusCode, again: retryAfter(resp.Header.Get("Retry-After"))}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return a, err
	}
	if a.more = len(body) > maxBody; a.more {
		body = body[:maxBody]
	}
	a.size = len(body)
	kind := cmp.Or(resp.Header.Get("Content-Type"), http.DetectContentType(body))
	a.media, _, _ = mime.ParseMediaType(kind) // what cannot be read is no text
	if !readable(a.media) && !json.Valid(body) {
		return a, nil
	}
	if !utf8.Valid(body) {
		if utf, err := charset.NewReader(bytes.NewReader(body), kind); err == nil {
			body, _ = io.ReadAll(utf) // it reads from memory
		}
	}
	a.text = c.o.Hide(strings.ToValidUTF8(string(body), "\uFFFD"))
	return a, nil
}

func readable(media string) bool {
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml") ||
		strings.HasSuffix(media, "yaml") || media == "application/x-www-form-urlencoded"
}

// retryAfter reads the header of that name; 0 is none.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil {
		return max(0, time.Duration(min(seconds, 1<<20))*time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// present returns what the model reads of an answer.
func (c *call) present(ctx context.Context, a answer, in tools.Call) (string, error) {
	if a.status < 200 || a.status > 299 {
		why := ""
		if !strings.HasSuffix(a.media, "html") {
			why = text.ClipBytes(a.text, maxWhy)
		}
		err := text.Tell("the service answered with status %d (%s)", a.status, http.StatusText(a.status))
		return why, &tools.Again{Err: err, Never: !passing(a.status), After: a.again}
	}
	if c.result != nil && c.Method != http.MethodHead && a.size > 0 {
		return c.mapped(ctx, a, in)
	}
	switch {
	case a.size == 0:
		return catalog.Say(ctx, "The service answered with status %d and sent nothing else.", a.status), nil
	case a.text == "":
		return catalog.Say(ctx, "The service answered with a file of type %s, which cannot be read as text.", text.Literal(a.media)), nil
	}
	return a.text, nil
}

// passing reports whether a status may be another one soon.
func passing(status int) bool {
	return slices.Contains([]int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, status)
}

// mapped makes the result of an answer with the owner's expression.
func (c *call) mapped(ctx context.Context, a answer, in tools.Call) (string, error) {
	if a.more {
		return "", never(text.Tell("the service's answer is longer than %d bytes", maxBody))
	}
	env := known{Body: a.text, Status: a.status}
	if value, err := decoded(a.text); err == nil {
		env.Body = value
	} else if strings.HasSuffix(a.media, "json") {
		return "", never(text.Tell("the service did not answer in JSON"))
	}
	if args, err := decoded(string(in.Args)); err == nil {
		env.Args, _ = args.(map[string]any)
	}
	out, err := expr.Run(c.result, env)
	if err != nil {
		c.o.Log.Warn("result of a service does not fit the expression", "tool", c.Name, "err", err)
		return "", never(text.Tell(wordsUnfit))
	}
	if s, ok := out.(string); ok {
		return s, nil
	}
	if out == nil {
		return catalog.Text(ctx, "The service answered, but what is wanted of its answer is not in it."), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return "", never(text.Tell(wordsUnfit))
	}
	return strings.TrimSpace(b.String()), nil
}

// decoded reads JSON; whole numbers stay whole.
func decoded(s string) (any, error) {
	var v any
	err := decode([]byte(s), &v)
	return text.WholeNumbers(v), err
}

// errAway and errChanged are redirects that are not followed.
var (
	errAway    = errors.New("redirect to another host")
	errChanged = errors.New("redirect of what should change something")
)

// stay follows redirects within one host, and only those that repeat the request or
// read what became of it: a request that silently turns into another one would
// look like a success.
func stay(r *http.Request, via []*http.Request) error {
	first, last := via[0], via[len(via)-1]
	status := 0
	if r.Response != nil {
		status = r.Response.StatusCode
	}
	switch {
	case len(via) > maxSteps, !strings.EqualFold(r.URL.Host, first.URL.Host), last.URL.Scheme == "https" && r.URL.Scheme != "https":
		return errAway
	case r.Method != first.Method && status != http.StatusSeeOther:
		return errChanged
	}
	return nil
}

// unreached explains why there is no answer. The error holds no address: it may
// contain a secret.
func (c *call) unreached(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err = urls.Bare(err)
	c.o.Log.Warn("service not reached", "tool", c.Name, "err", err)
	var dns *net.DNSError
	var unsafe *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errAway):
		return never(text.Tell("the service redirects to another host, which is not followed: its address in the settings is not right"))
	case errors.Is(err, errChanged):
		return never(text.Tell("the service redirects what should change something: its address in the settings is not right"))
	case errors.Is(err, netguard.ErrForbidden):
		return never(err)
	case errors.As(err, &dns) && dns.IsNotFound:
		return never(text.Tell("there is no host of the service's name"))
	case errors.As(err, &unsafe):
		return never(text.Tell("the certificate of the service is not valid"))
	}
	on, ok := errors.AsType[*net.OpError](err)
	if c.ReadOnly || errors.As(err, &dns) || ok && on.Op == "dial" { // or it was never asked
		return &tools.Again{Err: text.Tell(wordsUnread)}
	}
	return &tools.Again{Err: fmt.Errorf("%w: %w", tools.ErrUnknown, text.Tell(wordsUnread))}
}

func never(err error) error { return &tools.Again{Err: err, Never: true} }

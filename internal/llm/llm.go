// Package llm defines the types of model calls: messages, tool calls, requests, usage
// and the interface that every model implements. It is not a client: those are in the
// packages below it.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Role says who speaks. The wire form "function" is turned into RoleTool at
// the boundary.
type Role string

// The four roles.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of a conversation with a model.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content,omitempty"` // may be empty iff ToolCalls is not
	// Name is the tool's name on RoleTool.
	Name       string     `json:"name,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"` // RoleTool only
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // RoleAssistant only
	Images     []Image    `json:"-"`                      // RoleUser only; never stored with the transcript
}

// Pictured reports whether a message has pictures.
func (m Message) Pictured() bool { return len(m.Images) > 0 }

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"` // raw JSON text as the model wrote it; may be invalid
	// Extra is provider data that must go back with the call (Gemini's thought
	// signature); opaque JSON, nil for most.
	Extra json.RawMessage `json:"extra,omitempty"`
}

// Image is a picture for a model that takes them.
type Image struct {
	MIME string
	Data []byte
}

// Recording is somebody speaking.
type Recording struct {
	MIME string // audio/ogg, audio/mpeg or audio/wav
	End  string // of a file's name, with the dot
	Data []byte
}

// ToolSpec describes a tool to a model.
type ToolSpec struct {
	Name        string          // ^[a-z][a-zA-Z0-9_-]{0,63}$
	Description string          // 1-500 characters
	Parameters  json.RawMessage // JSON Schema of type object
}

// Schema asks for an answer that is JSON of this form.
type Schema struct {
	Name string
	JSON json.RawMessage
}

// Request is one request to a model.
type Request struct {
	Model    string // "" is the configured one
	Messages []Message
	Tools    []ToolSpec
	// Callable names every tool that may be called, also those Tools leaves out
	// to stay small. It is for the built-in responder, which knows tools by
	// name; nil is the names of Tools, and it never goes on the wire.
	Callable  []string
	Schema    *Schema // nil asks for free text
	MaxTokens int     // 0 is the configured one
	// Cache names what shares a beginning with this request, for providers that
	// keep it; random and of no person. "" is nothing.
	Cache string
	// Spend is asked before every attempt on the wire, retries included; an
	// error ends the call with it. nil allows all.
	Spend func() error
}

// Finish is why a model stopped.
type Finish string

// The reasons to stop.
const (
	FinishStop      Finish = "stop"
	FinishToolCalls Finish = "tool_calls"
	FinishLength    Finish = "length" // cut at MaxTokens; tool calls are already dropped
)

// Response is one whole answer. A response with FinishToolCalls has at least
// one call; one with FinishStop has text.
type Response struct {
	Message Message
	Usage   Usage
	Finish  Finish
	Model   string // as the provider names it
	By      string `json:",omitempty"` // the owner's name for the model that answered; "" where there is only one
	Rote    bool   `json:",omitempty"` // said by rote: nothing that was known went into it
}

// Usage counts tokens as the provider billed them; all zero when it did not say.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
	Total      int `json:"total"` // Prompt + Completion
	Cached     int `json:"cached,omitempty"`
	Attempts   int `json:"attempts,omitempty"` // requests written to the wire
	// Cost is money in the owner's currency, by the prices that were set, or as
	// the provider reported it; 0 where neither is known.
	Cost float64 `json:"cost,omitempty"`
}

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Prompt + v.Prompt, u.Completion + v.Completion, u.Total + v.Total, u.Cached + v.Cached,
		u.Attempts + v.Attempts, u.Cost + v.Cost}
}

// Model completes conversations. Complete blocks until the answer is whole or
// ctx ends; it may be called from many goroutines. onText, when not nil, gets
// the text as it arrives, from the calling goroutine; RetryText is passed when
// what was streamed so far is void because the attempt failed. Errors are
// *Error, or ctx's.
type Model interface {
	Complete(ctx context.Context, r Request, onText func(delta string)) (Response, error)
}

// RetryText is passed to onText to mean "forget the text so far".
const RetryText = "\x00retry"

// Embedder turns texts into vectors, one per text, in order, and returns what was
// billed for them, also with an error.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, Usage, error)
}

// The classes of model failure. Use errors.Is.
var (
	ErrUnavailable     = errors.New("model unavailable")    // refused, 5xx, timeouts, truncated streams
	ErrRateLimited     = errors.New("model rate limited")   // 429; Error.RetryAfter may say how long
	ErrQuota           = errors.New("model quota used up")  // insufficient_quota: waiting does not help
	ErrAuth            = errors.New("model key refused")    // 401, 403
	ErrModelNotFound   = errors.New("model not found")      // 404, unknown model
	ErrContextOverflow = errors.New("context too long")     // shorten and try once more
	ErrFiltered        = errors.New("answer was filtered")  // the provider declined
	ErrInvalidOutput   = errors.New("model output invalid") // empty, unparsable
	ErrBadRequest      = errors.New("model refused request")
	ErrNone            = errors.New("no language model") // the built-in responder: asking again does not help
	ErrLimit           = errors.New("limit reached")     // one of the owner's: asking another model does not help
)

// Error is a failed call. Class is one of the variables above.
type Error struct {
	Class      error
	Status     int           // HTTP status, 0 when there was none
	RetryAfter time.Duration // 0 when not said
	Detail     string        // for the log; secrets removed
	Partial    string        // text received before the failure, if any
	Usage      Usage         // what the failed attempts were billed all the same
}

// Error implements error.
func (e *Error) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("%v: %s", e.Class, e.Detail)
	}
	return fmt.Sprintf("%v: status %d: %s", e.Class, e.Status, e.Detail)
}

// Unwrap makes errors.Is find the class.
func (e *Error) Unwrap() error { return e.Class }

// Pause waits for d, as between two attempts, or returns why ctx ended first.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Exchange is the traffic of one attempt at a call.
type Exchange struct {
	Sent []byte // the body as it went over the wire; nobody changes it any more
	Got  []byte // the body of the answer; of a stream its pieces joined; nil for none
	Err  error  // why it was no answer
}

type earKey struct{}

// Overheard returns a context whose model calls report what goes over the wire. ear is
// called from the calling goroutine and must not block.
func Overheard(ctx context.Context, ear func(Exchange)) context.Context {
	return context.WithValue(ctx, earKey{}, ear)
}

// Ear returns who listens to ctx's calls; nil is nobody.
func Ear(ctx context.Context) func(Exchange) {
	ear, _ := ctx.Value(earKey{}).(func(Exchange))
	return ear
}

// WholeJSON ends the strings, lists and objects that a piece of JSON leaves open:
// models stop in the middle of an answer.
func WholeJSON(s string) string {
	closers := "" // of what is open, the innermost first
	inside, escaped := false, false
	for _, c := range []byte(s) {
		switch {
		case escaped:
			escaped = false
		case inside && c == '\\':
			escaped = true
		case c == '"':
			inside = !inside
		case inside:
		case c == '{' || c == '[':
			closers = string(c+2) + closers // { -> }, [ -> ]
		case (c == '}' || c == ']') && closers != "":
			closers = closers[1:]
		}
	}
	if escaped {
		s = s[:len(s)-1]
	}
	if inside {
		s += `"`
	}
	return s + closers
}

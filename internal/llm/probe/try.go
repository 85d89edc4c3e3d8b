package probe

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/internal/llm"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Endpoint is a model to try. Key is not sent by this room, but by Model and, to find
// out why that failed, to Base.
type Endpoint struct {
	llm.Model
	Base, Key, Name string
}

// Outcome reports what a model can do.
type Outcome struct {
	Took  time.Duration // of the first answer
	Said  string        // the first answer
	Knows bool          // the first answer is right
	Calls bool          // it called a tool as it was told to
}

// wait bounds the whole trial: a local model may have to be loaded first.
const wait = 90 * time.Second

const (
	askWord = "What is the capital of France? One word."
	askCall = "Call the tool keep_word with the word apple. Do not answer in text."
)

// keepWord is the tool that a model is told to call; nothing runs.
var keepWord = llm.ToolSpec{Name: "keep_word", Description: "Keeps one word.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string","description":"the word"}},"required":["word"]}`)}

// capital is the answer to askWord, in the scripts that models may give it in.
var capital = text.Pattern(`(?i)paris|巴黎|パリ|파리|париж|باريس`)

// Try has a model answer one tiny question, as the settings have it, and call one tool, as
// a conversation would. A model that answers wrongly or calls no tool is no error. Errors
// are *Problem, or ctx's.
func Try(ctx context.Context, e Endpoint) (Outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, errSlow)
	defer cancel()
	began := time.Now()
	resp, err := e.Complete(ctx, request(askWord), nil)
	o := Outcome{Took: time.Since(began), Said: resp.Message.Content, Knows: capital().MatchString(resp.Message.Content)}
	if err != nil {
		return o, e.explain(ctx, err)
	}
	r := request(askCall)
	r.Tools = []llm.ToolSpec{keepWord}
	resp, err = e.Complete(ctx, r, nil)
	var failed *llm.Error
	switch {
	case err == nil:
		o.Calls = len(resp.Message.ToolCalls) > 0 && resp.Message.ToolCalls[0].Name == keepWord.Name
	case errors.As(err, &failed) && errors.Is(failed.Class, llm.ErrInvalidOutput): // tried, and wrote it wrongly
	default:
		return o, e.explain(ctx, err)
	}
	return o, nil
}

var errSlow = errors.New("the model took too long")

func request(words string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleSystem, Content: "You are a helpful assistant."},
		{Role: llm.RoleUser, Content: words}}}
}

// explain finds out why a model did not answer. Where its error does not say, it asks
// the address again, to see what answers there.
func (e Endpoint) explain(ctx context.Context, err error) error {
	host := e.Base
	if u, err := url.Parse(e.Base); err == nil {
		host = u.Host
	}
	if errors.Is(context.Cause(ctx), errSlow) {
		return &Problem{Unwell, catalog.Fill("%s did not answer within %s: a local model may still be loading, so try once more, or choose a smaller one", host, wait)}
	}
	var failed *llm.Error
	if ctx.Err() != nil || !errors.As(err, &failed) {
		return err
	}
	switch {
	case errors.Is(failed.Class, llm.ErrQuota):
		return &Problem{Quota, catalog.Fill("%s says that nothing is left of this account: add credit there, or choose another model", host)}
	case errors.Is(failed.Class, llm.ErrRateLimited):
		return &Problem{Unwell, catalog.Fill("%s turns requests away for now (too many): try again in a minute", host)}
	}
	if found := e.look(ctx); found != nil {
		return found
	}
	switch {
	case errors.Is(failed.Class, llm.ErrModelNotFound):
		return &Problem{Model, e.absent(ctx, host)}
	case errors.Is(failed.Class, llm.ErrInvalidOutput):
		return &Problem{Unwell, catalog.Fill("%s answered with nothing that can be read: %s", host, failed.Detail)}
	}
	return &Problem{Refused, catalog.Fill("%s does not accept a conversation with %s: %s", host, e.Name, failed.Detail)}
}

// look asks the address again; nil where JSON answers, whose words say more than its
// status.
func (e Endpoint) look(ctx context.Context) error {
	body, err := json.Marshal(map[string]any{"model": e.Name, "messages": []map[string]string{{"role": "user", "content": askWord}}})
	if err != nil {
		return nil // no name makes that happen
	}
	r, err := ask(ctx, http.MethodPost, strings.TrimRight(e.Base, "/")+"/chat/completions", e.Key, body)
	if err != nil {
		return err
	}
	if p, ok := errors.AsType[*Problem](r.problem()); ok && (p.Kind != Path && p.Kind != Refused && p.Kind != Unwell || !json.Valid(r.body)) {
		return p
	}
	return nil
}

// absent says that the endpoint does not have the model, and names some that it has.
func (e Endpoint) absent(ctx context.Context, host string) catalog.Filled {
	none := catalog.Fill("%s does not have the model %s", host, e.Name)
	r, err := ask(ctx, http.MethodGet, strings.TrimRight(e.Base, "/")+"/models", e.Key, nil)
	if err != nil {
		return none
	}
	names, _ := r.models()
	if len(names) == 0 {
		return none
	}
	const most = 8
	return catalog.Fill("%s does not have the model %s; it has %s", host, e.Name, strings.Join(names[:min(len(names), most)], ", "))
}

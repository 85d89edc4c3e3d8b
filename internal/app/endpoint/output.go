package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/tokens"
	"parley/internal/text"
)

// beat is how often a stream on which nothing happens shows that it is there.
const beat = 10 * time.Second

// output is an answer on its way to a client.
type output struct {
	e             *Endpoint
	w             http.ResponseWriter
	id            string
	stream, usage bool
	began         time.Time

	open bool      // the stream has begun
	said string    // what was streamed
	last time.Time // when something was
}

// grow streams what a growing answer has gained. It fails when the client is gone.
func (o *output) grow(growing string) error {
	if !o.stream {
		return nil
	}
	now := o.e.o.Now()
	if more, ok := strings.CutPrefix(steady(growing), o.said); ok && more != "" {
		return o.say(more)
	}
	if now.Sub(cmp.Or(o.last, o.began)) < beat {
		return nil
	}
	if err := o.begin(); err != nil {
		return err
	}
	return o.write(": still here\n\n")
}

// steady returns the part of a growing answer that stays as it is: whole words, and of lines
// with links, whose look may still change, none but whole ones.
func steady(growing string) string {
	line := strings.LastIndexByte(growing, '\n') + 1
	if strings.ContainsAny(growing[line:], "[<") {
		return growing[:line]
	}
	return growing[:strings.LastIndexAny(growing, " \n\t")+1]
}

// begin begins the stream.
func (o *output) begin() error {
	if o.open {
		return nil
	}
	o.open = true
	o.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	o.w.WriteHeader(http.StatusOK)
	return o.chunk(map[string]any{"role": "assistant", "content": ""}, nil)
}

func (o *output) write(raw string) error {
	out := http.NewResponseController(o.w)
	_ = out.SetWriteDeadline(time.Now().Add(writePatience))
	o.last = o.e.o.Now()
	if _, err := io.WriteString(o.w, raw); err != nil {
		return err
	}
	return out.Flush()
}

func (o *output) event(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return o.write("data: " + string(b) + "\n\n")
}

// say streams words.
func (o *output) say(words string) error {
	if err := o.begin(); err != nil {
		return err
	}
	o.said += words
	return o.chunk(map[string]any{"content": words}, nil)
}

func (o *output) chunk(delta map[string]any, finish any) error {
	return o.event(o.head("chat.completion.chunk", []any{map[string]any{"index": 0, "delta": delta, "logprobs": nil,
		"finish_reason": finish}}))
}

// head is what every object of an answer has.
func (o *output) head(object string, choices []any) map[string]any {
	return map[string]any{"id": "chatcmpl-" + o.id, "object": object, "created": o.began.Unix(), "model": o.e.model(), "choices": choices}
}

// broken passes on why there is no answer; in a stream that has begun as an event.
func (o *output) broken(err error) error {
	if !o.open {
		return err
	}
	o.e.o.Log.Warn("a program's answer broke off", "err", err)
	_ = o.event(refusalOf(err).body()) // the client may be gone
	return nil
}

// give writes an answer, and notes that its client has it.
func (e *Endpoint) give(ctx context.Context, o *output, r tokens.Request) error {
	if no := refused(r); no != nil {
		settle := e.o.Store.Tokens.Given
		if !no.settled { // nothing was done: the same request is a new one
			settle = e.o.Store.Tokens.Drop
		}
		return errors.Join(o.broken(no), settle(context.WithoutCancel(ctx), o.id))
	}
	said := words(r)
	finish := "stop"
	if r.Reason == chat.Filtered {
		finish = "content_filter"
	}
	usage := map[string]any{"prompt_tokens": r.Prompt, "completion_tokens": r.Completion, "total_tokens": r.Prompt + r.Completion,
		"prompt_tokens_details": map[string]any{"cached_tokens": r.Cached}}
	o.w.Header().Set("X-Request-Id", o.id)
	var err error
	if o.stream {
		err = o.finish(said, finish, usage)
	} else {
		all := o.head("chat.completion", []any{map[string]any{"index": 0, "logprobs": nil, "finish_reason": finish,
			"message": map[string]any{"role": "assistant", "content": said, "refusal": nil}}})
		all["usage"] = usage
		err = reply(o.w, http.StatusOK, all)
	}
	if err != nil {
		e.o.Log.Info("a program left before its answer, which is kept", "request", o.id)
		return nil
	}
	if err := e.o.Store.Tokens.Given(context.WithoutCancel(ctx), o.id); err != nil {
		e.o.Log.Error("note that a program has its answer", "err", err)
	}
	return nil
}

// finish ends a stream with the whole answer: with what is left of it or, if it is another
// one than was shown, once more.
func (o *output) finish(said, reason string, usage any) error {
	rest, ok := strings.CutPrefix(said, o.said)
	if !ok {
		rest = "\n\n" + said
	}
	if rest != "" {
		if err := o.say(rest); err != nil {
			return err
		}
	}
	if err := errors.Join(o.begin(), o.chunk(map[string]any{}, reason)); err != nil {
		return err
	}
	if o.usage {
		all := o.head("chat.completion.chunk", []any{})
		all["usage"] = usage
		if err := o.event(all); err != nil {
			return err
		}
	}
	return o.write("data: [DONE]\n\n")
}

// refused returns the error that a message which was not answered is to a program; nil for
// one that was.
func refused(r tokens.Request) *refusal {
	said := words(r)
	switch r.Outcome {
	case chat.Shed:
		return refuse(http.StatusTooManyRequests, "queue_full", cmp.Or(said,
			"Too many messages wait in this conversation.")).wait(5 * time.Second)
	case chat.Refused:
		switch r.Reason {
		case chat.TooFast:
			return refuse(http.StatusTooManyRequests, "rate_limit_exceeded", cmp.Or(said,
				"Too many messages in this minute.")).wait(time.Minute)
		case chat.Spent:
			return refuse(http.StatusTooManyRequests, "insufficient_quota", cmp.Or(said, "The allowance is used up.")).final()
		case chat.NotLetIn, chat.Off:
			return refuse(http.StatusForbidden, "not_let_in", cmp.Or(said,
				"The person of this token may not speak with the bot any more.")).final()
		}
	case chat.Failed:
		if r.Reason == chat.ToolFailed && said != "" {
			return nil // it was answered, and the answer says what did not work
		}
		no := refuse(http.StatusServiceUnavailable, strings.ReplaceAll(cmp.Or(string(r.Reason), "failed"), " ", "_"),
			cmp.Or(said, "Something broke.")).final()
		switch r.Reason {
		case chat.Fault, chat.ToolFailed, chat.TooComplex, chat.GivenUp, chat.Unreadable:
			no.status = http.StatusInternalServerError
		case chat.TimedOut:
			no.status = http.StatusGatewayTimeout
		}
		return no
	}
	return nil
}

// words is an answer as text: its parts, the names of its files and what can be chosen.
func words(r tokens.Request) string {
	parts := slices.Clone(r.Parts)
	slices.SortStableFunc(parts, func(a, b chat.Part) int { return a.Index - b.Index })
	var said, below, choices []string
	for _, p := range parts {
		if p.Text != "" {
			said = append(said, p.Text)
		}
		for i, f := range p.Files {
			below = append(below, fmt.Sprintf("[%s](/v1/files/%s-%d-%d/content)", plain(f.Name), r.ID, p.Index, i))
		}
		for _, b := range slices.Concat(p.Buttons...) {
			if b.URL != "" {
				below = append(below, fmt.Sprintf("[%s](%s)", plain(b.Label), b.URL))
			} else {
				choices = append(choices, "`"+strings.ReplaceAll(b.Label, "`", "'")+"`")
			}
		}
	}
	if len(choices) > 0 {
		below = append(below, strings.Join(choices, " · "))
	}
	return strings.Join(append(said, below...), "\n\n")
}

// plain returns a name in which nothing ends a link.
func plain(name string) string {
	return strings.NewReplacer("[", "(", "]", ")", "\n", " ").Replace(text.Clean(name))
}

// file hands out a file of an answer to its person.
func (e *Endpoint) file(w http.ResponseWriter, r *http.Request, t tokens.Token) error {
	none := refuse(http.StatusNotFound, "no_such_file", "There is no such file, or it is older than a day.")
	parts := strings.Split(r.PathValue("id"), "-") // api-…-PART-FILE
	if len(parts) != 4 {
		return none
	}
	index, e1 := strconv.Atoi(parts[2])
	n, e2 := strconv.Atoi(parts[3])
	answer, ok, err := e.o.Store.Tokens.Request(r.Context(), parts[0]+"-"+parts[1])
	if err != nil {
		return err
	}
	if !ok || e1 != nil || e2 != nil || answer.User != t.User {
		return none
	}
	for _, p := range answer.Parts {
		if p.Index == index && 0 <= n && n < len(p.Files) {
			f := p.Files[n]
			w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": text.Clean(f.Name)}))
			w.Header().Set("Content-Type", "application/octet-stream") // it is saved, never shown
			_, _ = io.Copy(w, bytes.NewReader(f.Data))                 // the client is gone
			return nil
		}
	}
	return none
}

// model is what the bot is called as a model.
func (e *Endpoint) model() string {
	name := strings.Join(strings.FieldsFunc(strings.ToLower(e.o.Name), func(r rune) bool {
		return r <= ' ' || strings.ContainsRune(`/\?#%"`, r)
	}), "-")
	return cmp.Or(name, "parley")
}

func (e *Endpoint) card() map[string]any {
	return map[string]any{"id": e.model(), "object": "model", "created": 1767225600, "owned_by": "parley"}
}

func (e *Endpoint) models(w http.ResponseWriter, _ *http.Request, _ tokens.Token) error {
	_ = reply(w, http.StatusOK, map[string]any{"object": "list", "data": []any{e.card()}}) // the client is gone
	return nil
}

func (e *Endpoint) modelOf(w http.ResponseWriter, r *http.Request, _ tokens.Token) error {
	if r.PathValue("model") != e.model() {
		return refuse(http.StatusNotFound, "model_not_found",
			fmt.Sprintf("There is no such model here. This bot is %q.", e.model())).about("model")
	}
	_ = reply(w, http.StatusOK, e.card()) // the client is gone
	return nil
}

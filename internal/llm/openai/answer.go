package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"parley/internal/llm"
	"parley/internal/llm/dialect"
)

// chunk is a piece of a stream, or a whole answer: the forms differ only in
// delta and message. It is ours and not the library's because errors inside a
// stream, provider data of tool calls and the like get lost there.
type chunk struct {
	Model   string `json:"model"`
	Object  string `json:"object"`
	Choices []struct {
		Delta        *delta `json:"delta"`
		Message      *delta `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		TotalTokens      int `json:"total_tokens"`
		Details          *struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Message json.RawMessage `json:"message"` // vLLM's error form
}

type delta struct {
	Content      json.RawMessage `json:"content"` // see said
	Refusal      string          `json:"refusal"`
	ToolCalls    []fragment      `json:"tool_calls"`
	FunctionCall *function       `json:"function_call"`
	Thought      json.RawMessage `json:"reasoning_content"` // DeepSeek, llama.cpp, vLLM
	Reasoning    json.RawMessage `json:"reasoning"`         // OpenRouter, Ollama, Groq
}

// said returns the text of a content: a string, null, or a list of parts, of which
// Mistral's thinking models make some that are thoughts.
func (d *delta) said() string {
	var s string
	if json.Unmarshal(d.Content, &s) == nil {
		return s
	}
	var parts []struct{ Type, Text string }
	_ = json.Unmarshal(d.Content, &parts) // nothing is said in any other form
	for _, p := range parts {
		if p.Type == "text" {
			s += p.Text
		}
	}
	return s
}

// fragment is a piece of a tool call. Index is missing with some servers.
type fragment struct {
	Index    *int            `json:"index"`
	ID       string          `json:"id"`
	Function function        `json:"function"`
	Extra    json.RawMessage `json:"extra_content"`
}

type function struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // a string, with some servers an object
}

// args returns the text of arguments in either form.
func (f function) args() string {
	var s string
	if json.Unmarshal(f.Arguments, &s) == nil {
		return s
	}
	return string(f.Arguments)
}

// maxCalls bounds the tool calls of one answer, so that a stream of nothing
// but calls cannot fill the memory.
const maxCalls = 128

// answer gathers a response from its pieces.
type answer struct {
	tokens int // it may have
	asked  llm.Request
	known  quirks // of the model
	reader *dialect.Reader
	text   strings.Builder // as it came
	mused  strings.Builder // thoughts that came apart from the text
	opened bool            // it began inside a thought
	fault  dialect.Fault   // "" is none
	calls  []llm.ToolCall
	args   []*strings.Builder // of calls, which get them in the end
	places map[int]int        // a fragment's index -> its place in calls
	finish string
	usage  llm.Usage
	model  string
}

// maxSaid bounds the text of an answer that grows, thoughts included, by bytes:
// whoever shows it meanwhile lays it out again and again.
func maxSaid(tokens int) int { return max(64<<10, 8*tokens) }

// follow reads a stream to its end. A stream that ends without a reason was cut off.
// Errors after the reason change nothing: the answer is whole, and was paid for.
func (a *answer) follow(next func() ([]byte, error), w *watch) error {
	for {
		line, err := next()
		switch {
		case err != nil && a.finish != "":
			return nil
		case errors.Is(err, io.EOF):
			return &llm.Error{Class: llm.ErrUnavailable, Detail: "the stream was cut short"}
		case errors.Is(err, errOverlong):
			a.finish = "length" // what there is of it is an answer that was cut
			return nil
		case err != nil:
			return &llm.Error{Class: llm.ErrUnavailable, Detail: err.Error()}
		}
		w.touch()
		whole := a.finish != ""
		if err := a.take(line); err != nil && !whole {
			return err
		}
		if a.text.Len() > maxSaid(a.tokens) {
			a.finish = "length"
			return nil
		}
		if a.finish != "" {
			w.hurry()
		}
	}
}

// take takes one piece in.
func (a *answer) take(raw []byte) error {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return &llm.Error{Class: llm.ErrInvalidOutput, Detail: fmt.Sprintf("not JSON: %.100q", raw)}
	}
	if len(c.Error) > 0 && !bytes.Equal(c.Error, []byte("null")) || c.Object == "error" {
		return told(raw)
	}
	if c.Model != "" {
		a.model = c.Model
	}
	if u := c.Usage; u != nil {
		a.usage = llm.Usage{Prompt: u.PromptTokens, Completion: u.CompletionTokens, Total: u.PromptTokens + u.CompletionTokens}
		if u.Details != nil {
			a.usage.Cached = u.Details.Cached
		}
	}
	if len(c.Choices) == 0 {
		return nil // a usage chunk, or nothing at all
	}
	first := c.Choices[0]
	if first.FinishReason != "" && first.FinishReason != "error" {
		a.finish = first.FinishReason
	}
	for _, d := range []*delta{first.Delta, first.Message} {
		if d != nil {
			a.add(d)
		}
	}
	return nil
}

func (a *answer) add(d *delta) {
	said := d.said() + d.Refusal
	a.text.WriteString(said)
	for _, field := range []json.RawMessage{d.Thought, d.Reasoning} {
		if holds(field) {
			a.reader.Opened = false // thoughts come apart: the text begins outside of one
			a.muse(field)
		}
	}
	if said != "" {
		a.reader.Write(said)
	}
	for _, f := range d.ToolCalls {
		a.addCall(f)
	}
	if d.FunctionCall != nil {
		zero := 0
		a.addCall(fragment{Index: &zero, Function: *d.FunctionCall})
	}
}

// holds reports whether there is something in a field, whatever its form.
func holds(field json.RawMessage) bool {
	return len(field) > 0 && string(field) != "null" && string(field) != `""`
}

// addCall appends a fragment to its call. Without an index a new id or a new
// name begins a new call.
func (a *answer) addCall(f fragment) {
	at := len(a.calls) - 1
	if f.Index != nil {
		place, ok := a.places[*f.Index]
		if at = place; !ok {
			at = -1
		}
	} else if f.ID != "" && (at < 0 || a.calls[at].ID != f.ID) {
		at = -1
	}
	if at < 0 {
		if len(a.calls) >= maxCalls {
			return
		}
		a.calls, a.args = append(a.calls, llm.ToolCall{}), append(a.args, &strings.Builder{})
		at = len(a.calls) - 1
		if f.Index != nil {
			if a.places == nil {
				a.places = map[int]int{}
			}
			a.places[*f.Index] = at
		}
	}
	call := &a.calls[at]
	if f.ID != "" {
		call.ID = f.ID
	}
	if call.Name == "" {
		call.Name = f.Function.Name
	}
	a.args[at].WriteString(f.Function.args())
	if len(f.Extra) > 0 {
		call.Extra = f.Extra
	}
}

// response returns the whole answer, or why it is none.
func (a *answer) response() (llm.Response, error) {
	read := a.read()
	r := llm.Response{Usage: a.usage, Model: a.model, Message: llm.Message{Role: llm.RoleAssistant, Content: read.Text}}
	bad := func(class error, detail string) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Class: class, Detail: detail}
	}
	switch {
	case a.finish == "content_filter":
		return bad(llm.ErrFiltered, "finish_reason content_filter")
	case a.finish == "length":
		// Calls may be cut anywhere, even where they still parse.
		if r.Finish = llm.FinishLength; unseen(read.Text) {
			return bad(llm.ErrInvalidOutput, "the answer was cut before it began")
		}
		return r, nil
	case len(a.calls) > 0:
		for i, args := range a.args {
			a.calls[i].Args = args.String()
		}
		r.Finish, r.Message.ToolCalls = llm.FinishToolCalls, a.calls
		return r, nil
	case read.Fault != "" && (!a.reader.Sure || unseen(read.Text)):
		a.fault = read.Fault
		return bad(llm.ErrInvalidOutput, "a call in the text is "+string(read.Fault))
	case len(read.Calls) > 0:
		r.Finish, r.Message.ToolCalls = llm.FinishToolCalls, spoken(read.Calls)
		return r, nil
	case unseen(read.Text):
		return bad(llm.ErrInvalidOutput, "the answer is empty")
	}
	r.Finish = llm.FinishStop
	return r, nil
}

// read finishes the text. Calls that only repeat what others wrote stay in the text,
// as the quotation they are.
func (a *answer) read() dialect.Result {
	read := a.reader.End()
	a.opened = read.Opened
	if slices.ContainsFunc(read.Calls, func(c dialect.Call) bool { return quoted(c, a.asked.Messages) }) {
		quotation := "```\n" + strings.TrimSpace(a.text.String()) + "\n```"
		if a.reader.Show != nil {
			a.reader.Show(strings.TrimPrefix(quotation, read.Text))
		}
		return dialect.Result{Text: quotation, Opened: read.Opened}
	}
	return read
}

// repair returns what the model has to write again, nil if nothing.
func (a *answer) repair(e *llm.Error) *repair {
	switch {
	case a.fault != "":
		return &repair{a.fault, a.text.String()}
	case errors.Is(e.Class, llm.ErrUnavailable) && unreadable().MatchString(e.Detail):
		e.Class = llm.ErrInvalidOutput
		return &repair{fault: dialect.Garbled}
	}
	return nil
}

// unseen reports whether a text has nothing that anybody could see.
func unseen(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsPrint(r) && r != ' ' })
}

// overhear reports an attempt's traffic to whoever listens.
func overhear(ctx context.Context, ex *exchange, a *answer, err error) {
	ear := llm.Ear(ctx)
	if ear == nil || ex.sent == nil {
		return
	}
	got := ex.raw
	if got == nil && (a.text.Len() > 0 || len(a.calls) > 0 || a.mused.Len() > 0 || a.finish != "") {
		got = a.joined()
	}
	ear(llm.Exchange{Sent: ex.sent, Got: got, Err: err})
}

// maxMused bounds what is kept of thoughts, in bytes.
const maxMused = 64 << 10

// muse keeps a thought for whoever listens; only text is one.
func (a *answer) muse(field json.RawMessage) {
	var s string
	if a.mused.Len() < maxMused && json.Unmarshal(field, &s) == nil {
		a.mused.WriteString(s)
	}
}

// joined returns the pieces of a stream as the answer they would have been in one
// piece, as the model wrote it: nothing is taken out of its text.
func (a *answer) joined() []byte {
	type call struct {
		ID       string            `json:"id,omitempty"`
		Type     string            `json:"type"`
		Function map[string]string `json:"function"`
	}
	message := struct {
		Role     string `json:"role"`
		Content  string `json:"content"`
		Thoughts string `json:"reasoning_content,omitempty"`
		Calls    []call `json:"tool_calls,omitempty"`
	}{Role: "assistant", Content: a.text.String(), Thoughts: a.mused.String()}
	for i, c := range a.calls {
		message.Calls = append(message.Calls, call{c.ID, "function", map[string]string{"name": c.Name, "arguments": a.args[i].String()}})
	}
	whole := map[string]any{
		"object": "chat.completion", "model": a.model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": a.finish}},
	}
	if a.usage.Total > 0 {
		whole["usage"] = map[string]any{"prompt_tokens": a.usage.Prompt, "completion_tokens": a.usage.Completion, "total_tokens": a.usage.Total,
			"prompt_tokens_details": map[string]int{"cached_tokens": a.usage.Cached}}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(whole) // texts and numbers
	return bytes.TrimSpace(b.Bytes())
}

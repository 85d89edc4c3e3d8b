package modellog

import (
	"context"
	"encoding/json"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/text"
)

// Model keeps the calls of a model.
type Model struct {
	llm.Model
	Tape    *Tape // nil keeps none
	Name    string
	Purpose string // answer, summary, …
}

// Complete implements llm.Model. It keeps each attempt on the wire as a call. If there is
// no wire, it keeps the request and response themselves.
func (m Model) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	if m.Tape == nil {
		return m.Model.Complete(ctx, r, onText)
	}
	who := chat.Payer(ctx)
	one := take{Call: Call{Row: who.Row, Key: who.Key, User: who.From.ID, Purpose: m.Purpose, Model: m.Name, Began: m.Tape.o.Now()}}
	if r.Model != "" {
		one.Model = r.Model
	}
	if r.Schema != nil {
		one.Form = r.Schema.Name
	}
	began, heard := time.Now(), 0
	resp, err := m.Model.Complete(llm.Overheard(ctx, func(e llm.Exchange) {
		if heard++; heard > 1 { // another attempt: the one before failed
			m.Tape.keep(one)
			one.Began, began = m.Tape.o.Now(), time.Now()
		}
		one.Took, one.sent, one.got, one.err = time.Since(began), e.Sent, e.Got, e.Err
	}), r, onText)
	if heard == 0 {
		one.Took, one.asked, one.err = time.Since(began), &r, err
	}
	if err == nil {
		one.Reply = &resp.Message
		one.answered = resp
	}
	m.Tape.keep(one)
	return resp, err
}

// take is a call that waits to be stored.
type take struct {
	Call
	sent, got []byte // from the wire
	err       error

	asked    *llm.Request // if there is no wire
	answered llm.Response
}

// weight returns the approximate memory of a take, in bytes.
func (t take) weight() (n int64) {
	n = int64(len(t.sent) + len(t.got))
	if t.asked != nil {
		for _, m := range t.asked.Messages {
			n += int64(len(m.Content))
		}
	}
	return n
}

// bodies returns the request and the answer as text.
func (t take) bodies() (request, answer string) {
	if t.asked == nil {
		return text.View(t.sent), text.View(t.got)
	}
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	type tool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	body := struct {
		Model     string        `json:"model"`
		MaxTokens int           `json:"max_tokens,omitempty"`
		Schema    *llm.Schema   `json:"schema,omitempty"`
		Tools     []tool        `json:"tools,omitempty"`
		Messages  []llm.Message `json:"messages"`
	}{t.Model, t.asked.MaxTokens, t.asked.Schema, nil, t.asked.Messages}
	for _, s := range t.asked.Tools {
		body.Tools = append(body.Tools, tool{"function", function{s.Name, s.Description, s.Parameters}})
	}
	asked, err := json.Marshal(body)
	if err != nil { // the schema of a tool is no JSON
		asked = []byte(err.Error())
	}
	if t.err != nil {
		return text.View(asked), ""
	}
	answered, _ := json.Marshal(map[string]any{ // cannot fail
		"model": t.answered.Model, "usage": t.answered.Usage,
		"choices": []any{map[string]any{"message": t.answered.Message, "finish_reason": t.answered.Finish}},
	})
	return text.View(asked), text.View(answered)
}

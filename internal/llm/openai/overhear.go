package openai

import (
	"bytes"
	"context"
	"encoding/json"

	"parley/internal/llm"
)

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

package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/internal/llm"
)

// What the contract says to a model.
const (
	Remark = "tell me a joke"                      // answered in words
	Wish   = "remember that I prefer tea"          // answered by a call, where the tool is offered
	Tool   = "save_fact"                           // the tool that Wish is for
	Thing  = `{"content":"I prefer tea"}`          // its arguments
	Form   = `{"type":"object","required":["ok"]}` // of a structured answer
)

// Rig is a model that answers Remark in words, Wish by a call of Tool, and a
// tool's result in words.
type Rig struct {
	Model llm.Model
	// Break makes whatever stands behind the model fail; nil where nothing
	// does.
	Break func()
}

// Contract holds a model to what llm.Model says. rig makes a fresh one.
func Contract(t *testing.T, rig func(t *testing.T) Rig) {
	for name, test := range map[string]func(*testing.T, Rig){
		"words":      words,
		"calls":      calls,
		"cancelled":  cancelled,
		"spending":   spending,
		"structured": structured,
		"side by side": func(t *testing.T, r Rig) {
			for range 8 {
				t.Run("one", func(t *testing.T) { t.Parallel(); words(t, r) })
			}
		},
		"broken": broken,
	} {
		t.Run(name, func(t *testing.T) { test(t, rig(t)) })
	}
}

// request asks something after a system message and an earlier exchange.
func request(text string) llm.Request {
	return llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "You are a test."},
			{Role: llm.RoleUser, Content: "hello"},
			{Role: llm.RoleAssistant, Content: "Hello."},
			{Role: llm.RoleUser, Content: text},
		},
		Tools: []llm.ToolSpec{
			{Name: "current_time", Description: "The time.", Parameters: json.RawMessage(`{"type":"object"}`)},
			{Name: Tool, Description: "Remembers.", Parameters: json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}}}`)},
		},
	}
}

// complete asks, and checks what every answer keeps.
func complete(t *testing.T, m llm.Model, r llm.Request) llm.Response {
	t.Helper()
	before := r
	before.Messages, before.Tools = slices.Clone(r.Messages), slices.Clone(r.Tools)
	var pieces []string
	resp, err := m.Complete(t.Context(), r, func(delta string) { pieces = append(pieces, delta) })
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r, before) {
		t.Error("the request was changed")
	}
	if streamed := strings.Join(pieces, ""); streamed != resp.Message.Content || slices.Contains(pieces, "") {
		t.Errorf("streamed %q, answered %q", pieces, resp.Message.Content)
	}
	if resp.Message.Role != llm.RoleAssistant || resp.Model == "" || resp.Usage.Total != resp.Usage.Prompt+resp.Usage.Completion {
		t.Errorf("response %+v", resp)
	}
	return resp
}

// words: an answer in words is whole, and streams the same with and without
// somebody listening.
func words(t *testing.T, r Rig) {
	resp := complete(t, r.Model, request(Remark))
	if resp.Finish != llm.FinishStop || resp.Message.Content == "" || len(resp.Message.ToolCalls) > 0 {
		t.Errorf("response %+v", resp)
	}
	deaf, err := r.Model.Complete(t.Context(), request(Remark), nil)
	if err != nil || deaf.Message.Content != resp.Message.Content {
		t.Errorf("with nobody listening: %q, %v", deaf.Message.Content, err)
	}
}

// calls: a call is of a tool that is offered and can be answered.
func calls(t *testing.T, r Rig) {
	ask := request(Wish)
	resp := complete(t, r.Model, ask)
	list := resp.Message.ToolCalls
	if resp.Finish != llm.FinishToolCalls || len(list) != 1 || list[0].ID == "" || list[0].Name != Tool || list[0].Args != Thing {
		t.Fatalf("response %+v", resp)
	}
	ask.Messages = append(ask.Messages, resp.Message, llm.Message{Role: llm.RoleTool, Name: Tool, ToolCallID: list[0].ID,
		Content: "Remembered."})
	if resp = complete(t, r.Model, ask); resp.Finish != llm.FinishStop || resp.Message.Content == "" {
		t.Errorf("after the result: %+v", resp)
	}
	bare := request(Wish)
	bare.Tools = nil
	if resp = complete(t, r.Model, bare); len(resp.Message.ToolCalls) > 0 {
		t.Errorf("called what is not offered: %+v", resp)
	}
}

// cancelled: a context that has ended is the error, and nothing is said.
func cancelled(t *testing.T, r Rig) {
	why := errors.New("somebody said stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, err := r.Model.Complete(ctx, request(Remark), func(delta string) { t.Errorf("said %q", delta) })
	if !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// spending: what may not be spent is not asked for.
func spending(t *testing.T, r Rig) {
	ask, spent := request(Remark), 0
	ask.Spend = func() error { spent++; return nil }
	if _, err := r.Model.Complete(t.Context(), ask, nil); err != nil || spent != 1 {
		t.Errorf("asked %d times, %v", spent, err)
	}
	empty := errors.New("nothing left")
	ask.Spend = func() error { return empty }
	_, err := r.Model.Complete(t.Context(), ask, func(delta string) { t.Errorf("said %q", delta) })
	if !errors.Is(err, empty) {
		t.Errorf("got %v", err)
	}
}

// structured: an answer that has a form is JSON; who cannot give one says so.
func structured(t *testing.T, r Rig) {
	ask := request(Remark)
	ask.Schema = &llm.Schema{Name: "ok", JSON: json.RawMessage(Form)}
	resp, err := r.Model.Complete(t.Context(), ask, nil)
	if err == nil && json.Valid([]byte(resp.Message.Content)) {
		return
	}
	if !errors.Is(err, llm.ErrNone) {
		t.Errorf("answered %q, %v", resp.Message.Content, err)
	}
}

// broken: a failure is an *llm.Error of a class.
func broken(t *testing.T, r Rig) {
	if r.Break == nil {
		t.Skip("nothing stands behind it that could fail")
	}
	r.Break()
	_, err := r.Model.Complete(t.Context(), request(Remark), func(string) {})
	var e *llm.Error
	if !errors.As(err, &e) || !errors.Is(err, llm.ErrUnavailable) || e.Detail == "" {
		t.Errorf("got %v", err)
	}
}

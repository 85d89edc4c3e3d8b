package llmtest

import (
	"context"
	"sync"

	"parley/internal/llm"
)

// Script is an llm.Model that answers from a list and remembers what it was
// asked. It is for rooms that are not about the wire.
type Script struct {
	// Answer, when not nil, answers everything.
	Answer func(llm.Request) (llm.Response, error)

	mu       sync.Mutex // guards the rest
	queue    []llm.Response
	requests []llm.Request
}

// Say queues a text.
func (s *Script) Say(text string) *Script {
	return s.add(llm.Response{Finish: llm.FinishStop, Message: llm.Message{Role: llm.RoleAssistant, Content: text}})
}

// Call queues tool calls.
func (s *Script) Call(calls ...llm.ToolCall) *Script {
	return s.add(llm.Response{Finish: llm.FinishToolCalls, Message: llm.Message{Role: llm.RoleAssistant, ToolCalls: calls}})
}

func (s *Script) add(r llm.Response) *Script {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, r)
	return s
}

// Requests returns what was asked so far.
func (s *Script) Requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]llm.Request(nil), s.requests...)
}

// Complete implements llm.Model. An empty queue is an unavailable model.
func (s *Script) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, context.Cause(ctx)
	}
	if r.Spend != nil {
		if err := r.Spend(); err != nil {
			return llm.Response{}, err
		}
	}
	s.mu.Lock()
	s.requests = append(s.requests, r)
	answer := s.Answer
	var resp llm.Response
	ok := len(s.queue) > 0
	if ok && answer == nil {
		resp, s.queue = s.queue[0], s.queue[1:]
	}
	s.mu.Unlock()
	if answer != nil {
		return answer(r)
	}
	if !ok {
		return llm.Response{}, &llm.Error{Class: llm.ErrUnavailable, Detail: "the script is at its end"}
	}
	if onText != nil && resp.Message.Content != "" {
		onText(resp.Message.Content)
	}
	return resp, nil
}

package playbook

import (
	"context"
	"encoding/json"
	"errors"

	"parley/internal/llm"

	"parley/internal/playbook/judge"
)

// scripted is a model that gives its answers in order and keeps the requests.
type scripted struct {
	answers []string
	asked   []llm.Request
}

var errScript = errors.New("no answer left in the script")

func (m *scripted) Complete(_ context.Context, r llm.Request, _ func(string)) (llm.Response, error) {
	m.asked = append(m.asked, r)
	if len(m.answers) == 0 {
		return llm.Response{}, errScript
	}
	text := m.answers[0]
	m.answers = m.answers[1:]
	return llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: text}, Usage: llm.Usage{Prompt: 10,
		Completion: 2, Total: 12, Attempts: 1}}, nil
}

// question returns what the n-th request asked.
func (m *scripted) question(n int) (q judge.Question) {
	if err := json.Unmarshal([]byte(m.asked[n].Messages[1].Content), &q); err != nil {
		panic(err)
	}
	return q
}

func conditionIDs(q judge.Question) (out []string) {
	for _, c := range q.Conditions {
		out = append(out, c.ID)
	}
	return out
}

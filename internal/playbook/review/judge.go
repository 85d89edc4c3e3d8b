package review

import (
	"context"
	_ "embed" // prompts
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/llm"
	"parley/internal/playbook/judge"
	"parley/internal/text"
)

//go:embed judge.md
var judgePrompt string

//go:embed repair.md
var repairPrompt string

// verdictSchema has every property required, as strict structured output asks for.
const verdictSchema = `{"type":"object","additionalProperties":false,"required":["rules"],"properties":{"rules":{"type":"array","items":{"type":"object",` +
	`"additionalProperties":false,"required":["id","kept","reason"],"properties":{"id":{"type":"string"},"kept":{"type":"boolean"},"reason":{"type":"string"}}}}}}`

// Judge asks a model about an answer.
type Judge struct {
	Model llm.Model
	Name  string       // of the model, "" the configured one
	Spend func() error // goes into the request
}

// maxSeen is how much of a message the judge is shown, in runes.
const maxSeen = 12_000

// Ask returns which of the rules that need judgement an answer to asked breaks. It makes
// at most one call, and none without such a rule. An error means that nothing is known.
func (j Judge) Ask(ctx context.Context, asked, answer string, rules []Rule) (broken []Breach, used llm.Usage, err error) {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return !r.Judged() })
	if len(rules) == 0 {
		return nil, used, nil
	}
	if j.Model == nil {
		return nil, used, errors.New("there is no model to judge the answer")
	}
	type rule struct {
		ID   string `json:"id"`
		Rule string `json:"rule"`
	}
	question := struct {
		Rules  []rule `json:"rules"`
		Asked  string `json:"asked"`
		Answer string `json:"answer"`
	}{Asked: text.Clip(asked, maxSeen), Answer: text.Clip(answer, maxSeen)}
	for _, r := range rules {
		question.Rules = append(question.Rules, rule{r.ID, r.Action})
	}
	body, err := json.Marshal(question)
	if err != nil {
		return nil, used, err
	}
	resp, err := j.Model.Complete(ctx, llm.Request{
		Model: j.Name, MaxTokens: 1000, Spend: j.Spend, Schema: &llm.Schema{Name: "verdicts", JSON: json.RawMessage(verdictSchema)},
		Messages: []llm.Message{{Role: llm.RoleSystem, Content: strings.TrimSpace(judgePrompt)}, {Role: llm.RoleUser, Content: string(body)}},
	}, nil)
	if err != nil {
		return nil, resp.Usage, fmt.Errorf("judge the answer: %w", err)
	}
	broken, err = verdicts(resp.Message.Content, rules)
	return broken, resp.Usage, err
}

// verdicts reads the judge's answer. A rule that it leaves out is not known to be kept.
func verdicts(said string, rules []Rule) (broken []Breach, err error) {
	var v struct {
		Rules []struct {
			ID     string `json:"id"`
			Kept   bool   `json:"kept"`
			Reason string `json:"reason"`
		} `json:"rules"`
	}
	if judge.Decode(said, "rules", &v) != nil {
		return nil, errors.New("judge the answer: the verdicts cannot be read")
	}
	for _, r := range rules {
		known := false
		for _, said := range v.Rules {
			if said.ID != r.ID {
				continue
			}
			if known = true; !said.Kept {
				broken = append(broken, Breach{r, fmt.Sprintf("It does not keep a rule: %s.", text.Shorten(said.Reason, 300))})
			}
		}
		if !known {
			return nil, fmt.Errorf("judge the answer: there is no verdict on %s", r.ID)
		}
	}
	return broken, nil
}

// Repair returns what a model is told so that it writes an answer anew.
func Repair(broken []Breach) string {
	var list []string
	for _, b := range broken {
		line := "- " + b.Why
		if b.Rule.Action != "" {
			line += " The rule: " + b.Rule.Action
		}
		list = append(list, line)
	}
	return strings.TrimSpace(strings.Replace(repairPrompt, "{{BROKEN}}", strings.Join(list, "\n"), 1))
}

// Instead returns what is sent in place of an answer that breaks rules: their own
// words, each once.
func Instead(broken []Breach) string {
	var list []string
	for _, b := range broken {
		if words := strings.TrimSpace(b.Rule.Words()); words != "" && !slices.Contains(list, words) {
			list = append(list, words)
		}
	}
	return strings.Join(list, "\n\n")
}

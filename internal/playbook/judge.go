package playbook

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/llm"
	"parley/internal/text"
)

//go:embed judge.md
var judgePrompt string

// Sizes of the structured call. Its prompt stays under maxPrompt tokens,
// whatever the number of rules.
const (
	maxPrompt     = 2900 // estimated tokens, answer schema included
	maxRecent     = 6    // messages of the conversation shown
	maxRecentText = 300  // characters of each
	maxNewest     = 3000 // characters of the newest message, fewer when they
	maxNewestSize = 1000 // escape to more than these tokens
	maxAnswer     = 1500 // tokens the model may answer with
	minConfidence = 0.3  // a value the model is less sure of is not taken
)

// question is the content of one structured call.
type question struct {
	Conversation []said       `json:"conversation,omitempty"`
	Newest       string       `json:"newest"`
	Words        []Term       `json:"glossary,omitempty"`
	Conditions   []asked      `json:"conditions,omitempty"`
	Variables    []wanted     `json:"variables,omitempty"`
	Tools        []parameters `json:"tools,omitempty"`
}

type said struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

type asked struct {
	ID      string `json:"id"`
	When    string `json:"when"`
	Applied bool   `json:"applied,omitempty"`
	version string
}

type wanted struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	How     string `json:"how"`
	Known   string `json:"known,omitempty"`
	version string
}

type parameters struct {
	Tool   string          `json:"tool"`
	Schema json.RawMessage `json:"schema"`
	about  string          // the rule it belongs to
}

// verdict is the model's answer on one item.
type verdict struct {
	Relevance float64
	Reason    string
	Value     json.RawMessage // a variable's, or a tool's arguments
	Withdrawn bool
}

// answer is the form of the model's reply.
type answer struct {
	Conditions []struct {
		ID        string  `json:"id"`
		Relevance float64 `json:"relevance"`
		Reason    string  `json:"reason"`
	} `json:"conditions"`
	Variables []struct {
		Name       string          `json:"name"`
		Value      json.RawMessage `json:"value"`
		Confidence float64         `json:"confidence"`
		Withdrawn  bool            `json:"withdrawn"`
	} `json:"variables"`
	Parameters []struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"parameters"`
}

// answerSchema has every property required and no free-form object, which is
// what strict structured output asks for.
const answerSchema = `{"type":"object","additionalProperties":false,"required":["conditions","variables","parameters"],"properties":{` +
	`"conditions":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["id","relevance","reason"],"properties":{"id":{"type":"string"},"relevance":{"type":"number"},"reason":{"type":"string"}}}},` +
	`"variables":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["name","value","confidence","withdrawn"],"properties":{"name":{"type":"string"},"value":{"type":"string"},"confidence":{"type":"number"},"withdrawn":{"type":"boolean"}}}},` +
	`"parameters":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["tool","arguments"],"properties":{"tool":{"type":"string"},"arguments":{"type":"string"}}}}}}`

// ask gets verdicts that only a model can give: from the cache, or with one call.
// Failures become notes; the deterministic rules still apply.
func (t *turn) ask(ctx context.Context, m llm.Model) {
	items, needed := t.questions(ctx)
	if !needed {
		return
	}
	q := t.fit(items)
	if len(q.items()) == 0 {
		t.note("nothing to judge fits into the model call")
		return
	}
	if t.recall(q) {
		t.why("the model's earlier verdicts on these messages were used")
		return
	}
	if m == nil {
		t.note("no model to judge %d conditions and %d variables", len(q.Conditions), len(q.Variables))
		return
	}
	body, err := json.Marshal(q)
	if err != nil {
		t.note("judging skipped: %v", err)
		return
	}
	resp, err := m.Complete(ctx, llm.Request{
		Model:     t.book.options.Model,
		Messages:  []llm.Message{{Role: llm.RoleSystem, Content: judgePrompt}, {Role: llm.RoleUser, Content: string(body)}},
		Schema:    &llm.Schema{Name: "verdicts", JSON: json.RawMessage(answerSchema)},
		MaxTokens: maxAnswer,
		Spend:     t.sit.Spend,
	}, nil)
	t.usage, t.calls = resp.Usage, 1
	if err != nil {
		t.note("judging failed, deterministic rules only: %v", err)
		return
	}
	a, err := parseAnswer(resp.Message.Content)
	if err != nil {
		t.note("the model's verdicts could not be read, deterministic rules only: %v", err)
		return
	}
	t.learn(q, a)
}

// parseAnswer reads the model's JSON, repaired once when it is wrapped in prose
// or cut off.
func parseAnswer(text string) (answer, error) {
	var a answer
	err := json.Unmarshal([]byte(text), &a)
	if err == nil {
		return a, nil
	}
	a = answer{}
	if json.Unmarshal([]byte(repair(text)), &a) == nil {
		return a, nil
	}
	return answer{}, fmt.Errorf("not the JSON that was asked for: %w", err)
}

// repair cuts prose around the first JSON object and closes what was left open,
// dropping the last entry of a list when that is half.
func repair(text string) string {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return ""
	}
	text = text[start:]
	var open []byte // brackets to close
	whole, closers := "", ""
	inString, escaped := false, false
	for i := range len(text) {
		switch ch := text[i]; {
		case escaped:
			escaped = false
		case inString && ch == '\\':
			escaped = true
		case ch == '"':
			inString = !inString
		case inString:
		case ch == '{' || ch == '[':
			open = append(open, ch+2) // { -> }, [ -> ]
			if ch == '[' {
				whole, closers = text[:i+1], reversed(open)
			}
		case ch == '}' || ch == ']':
			if len(open) == 0 || open[len(open)-1] != ch {
				return ""
			}
			open = open[:len(open)-1]
			if len(open) == 0 {
				return text[:i+1]
			}
			whole, closers = text[:i+1], reversed(open)
		}
	}
	return whole + closers
}

func reversed(b []byte) string {
	out := slices.Clone(b)
	slices.Reverse(out)
	return string(out)
}

// learn accepts answers that were asked for and are in range.
func (t *turn) learn(q question, a answer) {
	got := map[string]verdict{}
	for _, c := range a.Conditions {
		if c.Relevance < 0 || c.Relevance > 1 {
			t.note("the model gave %s the relevance %v, which counts as none", text.Shorten(c.ID, 70), c.Relevance)
			continue
		}
		got["condition "+c.ID] = verdict{Relevance: c.Relevance, Reason: text.Shorten(c.Reason, 200)}
	}
	for _, v := range a.Variables {
		value := plain(v.Value)
		if v.Confidence < minConfidence || v.Confidence > 1 || value == "" && !v.Withdrawn || value == "null" {
			continue
		}
		got["variable "+v.Name] = verdict{Relevance: v.Confidence, Value: v.Value, Withdrawn: v.Withdrawn && value == ""}
	}
	for _, p := range a.Parameters {
		got["tool "+p.Tool] = verdict{Value: json.RawMessage(plain(p.Arguments))}
	}
	talk := q.talk()
	for _, it := range q.items() {
		v := got[it.name]
		delete(got, it.name)
		t.book.cache.put(keyOf(talk, it.name, it.version), v)
		t.take(it.name, it.text, v)
	}
	for _, name := range sortedKeys(got) {
		t.note("the model judged a %s, which was not asked", text.Shorten(name, 80))
	}
}

// recall answers from the cache if everything is there.
func (t *turn) recall(q question) bool {
	talk, found := q.talk(), map[string]verdict{}
	for _, it := range q.items() {
		v, ok := t.book.cache.get(keyOf(talk, it.name, it.version))
		if !ok {
			return false
		}
		found[it.name] = v
	}
	for _, it := range q.items() {
		t.take(it.name, it.text, found[it.name])
	}
	return true
}

// take applies one verdict. text is the condition's own words.
func (t *turn) take(name, text string, v verdict) {
	what, id, _ := strings.Cut(name, " ")
	switch {
	case what == "condition" && v.Relevance > t.verdicts[text].Relevance:
		t.verdicts[text] = v
	case what == "variable" && v.Withdrawn:
		t.withdraw(id)
	case what == "variable" && v.Value != nil:
		t.offer(id, v.Value, SourceModel, v.Relevance)
	case what == "tool" && v.Value != nil:
		t.arguments[id] = v.Value
	}
}

type item struct{ name, text, version string }

// items lists what is asked, by the keys of the cache.
func (q question) items() []item {
	var out []item
	for _, c := range q.Conditions {
		out = append(out, item{"condition " + c.ID, c.When, c.version + fmt.Sprint(c.Applied)})
	}
	for _, v := range q.Variables {
		out = append(out, item{"variable " + v.Name, "", v.version + v.Known})
	}
	for _, p := range q.Tools {
		out = append(out, item{"tool " + p.Tool, "", version(string(p.Schema))})
	}
	return out
}

// talk returns the part of the question that a verdict depends on.
func (q question) talk() string {
	var b strings.Builder
	for _, s := range q.Conversation {
		b.WriteString(s.Role + "\x01" + s.Text + "\x02")
	}
	return b.String() + q.Newest
}

// fit drops items from the end until the prompt is small enough. The most wanted
// items come first.
func (t *turn) fit(all question) question {
	q := question{}
	for n := maxNewest; n == maxNewest || size(q) > maxNewestSize; n = n * 2 / 3 {
		q.Newest = middle(t.sit.Text, n)
	}
	left := maxPrompt - tokens(judgePrompt) - tokens(answerSchema) - size(q)
	afford := func(part any) bool {
		if n := size(part); n <= left {
			left -= n
			return true
		}
		return false
	}
	q.Variables = affordable(all.Variables, afford)
	// The conversation around the conditions gets at most half of the rest.
	recent := t.sit.Recent[max(0, len(t.sit.Recent)-maxRecent):]
	keep := left / 2
	for _, m := range slices.Backward(recent) {
		s := said{string(m.Role), middle(m.Content, maxRecentText)}
		if m.Role == llm.RoleSystem || m.Role == llm.RoleTool || s.Text == "" || left-size(s) < keep {
			continue
		}
		left -= size(s)
		q.Conversation = append(q.Conversation, s)
	}
	slices.Reverse(q.Conversation)
	q.Conditions = affordable(all.Conditions, afford)
	q.Words = affordable(all.Words, afford)
	chosen := map[string]bool{}
	for _, c := range q.Conditions {
		chosen[c.ID] = true
	}
	q.Tools = affordable(slices.DeleteFunc(all.Tools, func(p parameters) bool { return p.about != "" && !chosen[p.about] }), afford)
	if n := len(all.Conditions) - len(q.Conditions); n > 0 {
		t.why("%d conditions were left out of the model call as unlikely", n)
	}
	return q
}

// affordable stops when several in a row do not fit, so that thousands of rules cost
// no more time than those that are asked.
func affordable[T any](all []T, afford func(any) bool) (out []T) {
	misses := 0
	for _, x := range all {
		if misses == 5 {
			break
		}
		misses++
		if afford(x) {
			out = append(out, x)
			misses = 0
		}
	}
	return out
}

func tokens(s string) int { return llm.EstimateTokens(llm.Message{Content: s}) }

// size estimates how many tokens a part of the question takes.
func size(part any) int {
	text, _ := json.Marshal(part)
	return tokens(string(text)) + 1
}

// middle cuts the middle out of a long text: people put what matters at the
// beginning or the end.
func middle(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return text.Clip(s, n*2/3) + " … " + text.ClipStart(s, n/3)
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, cmp.Compare)
	return out
}

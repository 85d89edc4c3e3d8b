package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/llm"
	"parley/internal/text"
)

// Sizes of a call. A call for few conditions stays under maxPrompt tokens; when there
// are more, two calls share them, each of at most maxBatch.
const (
	maxPrompt     = 2900 // estimated tokens, answer schema included
	maxBatch      = 8000
	maxBatches    = 2
	maxRecent     = 6    // messages of the conversation shown
	maxRecentText = 300  // characters of each
	maxTalk       = 1000 // tokens of it
	maxNewest     = 3000 // characters of the newest message, fewer when they
	maxNewestSize = 1000 // escape to more than these tokens
	maxResultText = 600  // characters of what a tool gave back
	maxAnswer     = 1500 // tokens the model may answer with
)

// Question lists what to ask a model about one message, most wanted first.
type Question struct {
	Conversation []Said      `json:"conversation,omitempty"`
	Newest       string      `json:"newest"`
	Results      []Result    `json:"results,omitempty"`
	Words        []Term      `json:"glossary,omitempty"`
	Conditions   []Asked     `json:"conditions,omitempty"`
	Variables    []Wanted    `json:"variables,omitempty"`
	Tools        []Arguments `json:"tools,omitempty"`
}

// Said is one message of the conversation.
type Said struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Result is that of a tool which ran for this message.
type Result struct {
	Tool string `json:"tool"`
	Text string `json:"text"`
}

// Term is a word of this place.
type Term struct {
	Term    string `json:"term"`
	Meaning string `json:"meaning"`
}

// Asked is a condition. Applied means that it was acted on before. A new Version
// makes earlier verdicts worthless.
type Asked struct {
	ID      string `json:"id"`
	When    string `json:"when"`
	Applied bool   `json:"applied,omitempty"`
	Version string `json:"-"`
}

// Wanted is a variable to look for.
type Wanted struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	How     string `json:"how"`
	Known   string `json:"known,omitempty"`
	Version string `json:"-"`
}

// Arguments are those of a tool. About is the condition they belong to, "" for none:
// they are asked for only beside it.
type Arguments struct {
	Tool   string          `json:"tool"`
	Schema json.RawMessage `json:"schema"`
	About  string          `json:"-"`
}

type item struct{ name, version string }

// items lists what is asked, by the keys of the verdicts.
func (q Question) items() []item {
	var out []item
	for _, c := range q.Conditions {
		out = append(out, item{Condition(c.ID), c.Version + fmt.Sprint(c.Applied)})
	}
	for _, v := range q.Variables {
		out = append(out, item{Variable(v.Name), v.Version + v.Known})
	}
	for _, p := range q.Tools {
		out = append(out, item{Tool(p.Tool), string(p.Schema)})
	}
	return out
}

// Condition, Variable and Tool are the names of verdicts.
func Condition(id string) string  { return "condition " + id }
func Variable(name string) string { return "variable " + name }
func Tool(name string) string     { return "tool " + name }

// talk returns the part of the question that a verdict depends on.
func (q Question) talk() string {
	var b strings.Builder
	for _, s := range q.Conversation {
		b.WriteString(s.Role + "\x01" + s.Text + "\x02")
	}
	for _, r := range q.Results {
		b.WriteString(r.Tool + "\x03" + r.Text + "\x04")
	}
	return b.String() + q.Newest
}

// batches divides a question into calls that are small enough. Conditions that no
// call has room for are left out, the least wanted ones.
func batches(all Question, recent []llm.Message) (list []Question, left int) {
	q, rest := fit(all, recent, maxPrompt)
	if len(rest.Conditions) == 0 {
		return []Question{q}, 0
	}
	half := (len(all.Conditions) + 1) / maxBatches
	first, second := all, all
	first.Conditions, second.Conditions = all.Conditions[:half], all.Conditions[half:]
	second.Variables = nil
	a, more := fit(first, recent, maxBatch)
	second.Conditions = append(slices.Clone(more.Conditions), second.Conditions...)
	b, over := fit(second, recent, maxBatch)
	return []Question{a, b}, len(over.Conditions)
}

// fit drops items from the end until a prompt is small enough, and returns them as
// rest.
func fit(all Question, recent []llm.Message, most int) (q, rest Question) {
	for _, r := range all.Results[max(0, len(all.Results)-maxRecent):] {
		q.Results = append(q.Results, Result{r.Tool, Middle(r.Text, maxResultText)})
	}
	for n := maxNewest; n == maxNewest || size(q) > maxNewestSize && n > 100; n = n * 2 / 3 {
		q.Newest = Middle(all.Newest, n)
	}
	left := most - tokens(judgePrompt) - tokens(answerSchema) - size(q)
	afford := func(part any) bool {
		if n := size(part); n <= left {
			left -= n
			return true
		}
		return false
	}
	q.Variables, _ = affordable(all.Variables, afford)
	// The conversation around the conditions gets at most half of the rest.
	keep := left - min(left/2, maxTalk)
	for _, m := range slices.Backward(recent[max(0, len(recent)-maxRecent):]) {
		s := Said{string(m.Role), Middle(m.Content, maxRecentText)}
		if m.Role == llm.RoleSystem || m.Role == llm.RoleTool || s.Text == "" || left-size(s) < keep {
			continue
		}
		left -= size(s)
		q.Conversation = append(q.Conversation, s)
	}
	slices.Reverse(q.Conversation)
	q.Conditions, rest.Conditions = affordable(all.Conditions, afford)
	q.Words, _ = affordable(all.Words, afford)
	chosen := map[string]bool{}
	for _, c := range q.Conditions {
		chosen[c.ID] = true
	}
	beside := slices.DeleteFunc(slices.Clone(all.Tools), func(p Arguments) bool { return p.About != "" && !chosen[p.About] })
	q.Tools, _ = affordable(beside, afford)
	return q, rest
}

// affordable stops when several in a row do not fit, so that thousands of rules cost
// no more time than those that are asked.
func affordable[T any](all []T, afford func(any) bool) (out, rest []T) {
	misses := 0
	for i, x := range all {
		if misses == 5 {
			return out, append(rest, all[i:]...)
		}
		misses++
		if afford(x) {
			out = append(out, x)
			misses = 0
		} else {
			rest = append(rest, x)
		}
	}
	return out, rest
}

func tokens(s string) int { return llm.EstimateTokens(llm.Message{Content: s}) }

// size estimates how many tokens a part of the question takes.
func size(part any) int {
	text, _ := json.Marshal(part)
	return tokens(string(text)) + 1
}

// Middle cuts the middle out of a text longer than n characters: people put what
// matters at the beginning or the end.
func Middle(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return text.Clip(s, n*2/3) + " … " + text.ClipStart(s, n/3)
}

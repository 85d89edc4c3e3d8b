package openai

import (
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/internal/llm"
	"parley/internal/llm/dialect"
	"parley/internal/text"
)

//go:embed prompts/tools.md
var toolsPrompt string

//go:embed prompts/garbled.md
var garbledPrompt string

//go:embed prompts/unknown.md
var unknownPrompt string

//go:embed prompts/doubtful.md
var doubtfulPrompt string

// spelled returns tools in words, for a model without tool calling.
func spelled(tools []llm.ToolSpec) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(toolsPrompt))
	for _, t := range tools {
		fmt.Fprintf(&b, "\n\n%s: %s\n%s", t.Name, t.Description, t.Parameters)
	}
	return b.String()
}

// reader reads the text of an answer to a request.
func reader(r llm.Request, known quirks, again bool, onText func(string)) *dialect.Reader {
	d := &dialect.Reader{Show: onText, Opened: known&thinksAhead != 0 || thinkers().MatchString(r.Model), Sure: again,
		Offer: func(name string) (json.RawMessage, bool) {
			if i := slices.IndexFunc(r.Tools, func(t llm.ToolSpec) bool { return t.Name == name }); i >= 0 {
				return r.Tools[i].Parameters, true
			}
			return nil, slices.Contains(r.Callable, name)
		}}
	if onText != nil {
		d.Void = func() { onText(llm.RetryText) }
	}
	return d
}

// thinkers is models whose templates begin a thought: what they write is held
// back until it is known to be an answer, from the first time on.
var thinkers = text.Pattern(`(?i)qwq|deepseek-r1|deepseek-reasoner|\br1\b|thinking`)

// quoted reports whether a call stands in what others wrote: a model that repeats it
// word for word does not mean it.
func quoted(c dialect.Call, said []llm.Message) bool {
	args := squeezed(c.Args)
	for _, m := range said {
		if m.Role != llm.RoleUser && m.Role != llm.RoleTool {
			continue
		}
		if s := squeezed(m.Content); strings.Contains(s, args) && (strings.Contains(s, `"`+c.Name+`"`) ||
			strings.Contains(s, "="+c.Name) || strings.Contains(s, "]"+c.Name)) {
			return true
		}
	}
	return false
}

// squeezed returns a text without white space.
func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }

// spoken returns the calls that were written as text, with ids of the strictest form.
func spoken(calls []dialect.Call) []llm.ToolCall {
	list := make([]llm.ToolCall, len(calls))
	for i, c := range calls {
		list[i] = llm.ToolCall{ID: rand.Text()[:9], Name: c.Name, Args: c.Args}
	}
	return list
}

// unreadable matches errors of servers that cannot read the call their own model wrote: Ollama (issue 12884), llama.cpp (issue 24644).
var unreadable = text.Pattern(
	`(?i)error parsing tool call|failed to parse (input|tool call|messages? content|arguments)|tool call parsing failed`)

// repair is an answer that has to be written again, and why.
type repair struct {
	fault dialect.Fault
	raw   string
}

// maxRaw is how much of a faulty answer its model is shown, in bytes.
const maxRaw = 2000

// turns returns what is added to a conversation for the second attempt.
func (f repair) turns() []llm.Message {
	notes := map[dialect.Fault]string{dialect.Garbled: garbledPrompt, dialect.Unknown: unknownPrompt, dialect.Doubtful: doubtfulPrompt}
	ms := []llm.Message{{Role: llm.RoleUser, Content: strings.TrimSpace(notes[f.fault])}}
	if f.raw != "" {
		// Some templates refuse their own marks among the messages.
		raw := strings.NewReplacer("<|", "‹|", "|>", "|›").Replace(text.ClipBytes(f.raw, maxRaw))
		ms = append([]llm.Message{{Role: llm.RoleAssistant, Content: raw}}, ms...)
	}
	return ms
}

package llm

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/internal/text"
)

// The fence around what holds for one turn only. No text that anybody wrote
// keeps these marks, so nothing can look like it.
const (
	contextOpen  = "<context>\n"
	contextClose = "\n</context>\n\n"
)

// Words that stand where a strict template wants somebody to speak.
const (
	wordsGoOn     = "(the conversation goes on)"
	wordsNoAnswer = "(no answer)"
	wordsUnseen   = "(a picture was sent here; you cannot see pictures)"
)

// imitated is whatever a reader might take for the fence.
var imitated = text.Pattern(`(?i)<(\s*/?\s*context\b[^<>]*)>`)

// Layout lists what the chat template behind an endpoint does not support.
type Layout struct {
	NoSystem bool // the role system
	NoTools  bool // calls and their results among the messages
	OneCall  bool // more than one call in a message
	ShortIDs bool // ids of calls that are not nine letters and digits
	NoImages bool // pictures
}

// Arrange puts messages into the form that the strictest chat templates accept: one
// system message first, then user and assistant in turn, tool calls followed by
// their results, and a message to answer at the end. Later system messages hold for
// this turn only and move, fenced, to the head of the user message that follows: also in
// the first turn, so that the beginning of a conversation never changes.
// Without a system role, its text goes before the first user message; without tools,
// calls and results are expressed in words.
//
// The templates that raise errors otherwise are those published with Qwen 3.5
// ("System message must be at the beginning"), Gemma, Mistral, Llama, Phi and
// Zephyr ("roles must alternate"). ms is left as it is.
func Arrange(ms []Message, l Layout) []Message {
	a := arrangement{out: make([]Message, 0, len(ms)+2)} // with what may be put before and behind
	if l.OneCall && !l.NoTools {
		ms = apart(ms)
	}
	for _, m := range ms {
		a.add(l.fit(m))
	}
	a.end()
	switch {
	case a.head == "":
	case l.NoSystem:
		a.out[0].Content = joined(a.head, a.out[0].Content)
	default:
		return slices.Insert(a.out, 0, Message{Role: RoleSystem, Content: a.head})
	}
	return a.out
}

// fit returns a message without what the template does not know.
func (l Layout) fit(m Message) Message {
	if l.NoImages && len(m.Images) > 0 {
		m.Images, m.Content = nil, joined(wordsUnseen, m.Content)
	}
	switch {
	case l.NoTools:
		return told(m)
	case l.ShortIDs:
		m.ToolCallID = shortID(m.ToolCallID)
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for i, c := range m.ToolCalls {
			m.ToolCalls[i].ID = shortID(c.ID)
		}
	}
	return m
}

// shortID returns an id of nine letters and digits, the same one for the same id.
func shortID(id string) string {
	if id == "" || len(id) == idLength && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return base32.HexEncoding.EncodeToString(sum[:])[:idLength]
}

const idLength = 9

// apart gives each call a message of its own, its result behind it.
func apart(ms []Message) (out []Message) {
	for i := 0; i < len(ms); i++ {
		m := ms[i]
		if out = append(out, m); len(m.ToolCalls) < 2 {
			continue
		}
		results := ms[i+1:]
		n := slices.IndexFunc(results, func(m Message) bool { return m.Role != RoleTool })
		if n < 0 {
			n = len(results)
		}
		out[len(out)-1].ToolCalls = nil
		for k, c := range m.ToolCalls {
			if k == 0 {
				out[len(out)-1].ToolCalls = []ToolCall{c}
			} else {
				out = append(out, Message{Role: RoleAssistant, ToolCalls: []ToolCall{c}})
			}
			for _, r := range results[:n] {
				if r.ToolCallID == c.ID {
					out = append(out, r)
				}
			}
		}
		i += n
	}
	return out
}

// told returns a message whose calls, or whose being a result, is said in words: in
// the form in which a model without tools is asked to write its calls. What
// others wrote in that form is theirs, and no longer looks like it.
func told(m Message) Message {
	switch m.Role {
	case RoleAssistant:
		for _, c := range m.ToolCalls {
			args := c.Args
			if !json.Valid([]byte(args)) {
				args = "{}"
			}
			m.Content = joined(m.Content, fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", c.Name, args))
		}
	case RoleTool:
		m.Role, m.Content = RoleUser, fmt.Sprintf("<tool_response name=%q>\n%s\n</tool_response>", m.Name, unmarked(m.Content))
	case RoleUser:
		m.Content = unmarked(m.Content)
	}
	m.ToolCalls, m.ToolCallID, m.Name = nil, "", ""
	return m
}

// callMarks is whatever a reader might take for a call or its result.
var callMarks = text.Pattern(`(?i)<(\s*/?\s*tool_(?:call|response)\b[^<>]*)>`)

func unmarked(s string) string { return callMarks().ReplaceAllString(s, "‹$1›") }

// arrangement is a list of messages being built.
type arrangement struct {
	head string // what the one system message says
	held string // what later ones said, for the user's next words
	out  []Message
}

func (a *arrangement) add(m Message) {
	switch {
	case m.Role == RoleSystem && len(a.out) == 0 && a.head+a.held == "":
		a.head = m.Content
		return
	case m.Role == RoleSystem:
		a.held = joined(a.held, Unfenced(m.Content)) // facts in it are people's words too
		return
	case m.Role != RoleAssistant:
		m.Content = Unfenced(m.Content)
	}
	last := a.last()
	switch {
	case last == nil && m.Role != RoleUser:
		a.out = append(a.out, Message{Role: RoleUser, Content: wordsGoOn})
	case last == nil:
	case m.Role == RoleUser && last.Role == RoleTool:
		a.out = append(a.out, Message{Role: RoleAssistant, Content: wordsNoAnswer})
	case m.Role == last.Role && m.Role != RoleTool && len(last.ToolCalls) == 0:
		last.Content = joined(last.Content, m.Content)
		last.ToolCalls = m.ToolCalls
		last.Images = append(last.Images[:len(last.Images):len(last.Images)], m.Images...)
		a.fence(last)
		return
	}
	a.fence(&m)
	a.out = append(a.out, m)
}

// fence puts what is held at the head of the user's words.
func (a *arrangement) fence(m *Message) {
	if m.Role == RoleUser && a.held != "" {
		m.Content, a.held = contextOpen+a.held+contextClose+m.Content, ""
	}
}

// end makes sure that the last message can be answered.
func (a *arrangement) end() {
	last := a.last()
	if last == nil || last.Role == RoleAssistant {
		a.out = append(a.out, Message{Role: RoleUser, Content: wordsGoOn})
		last = a.last()
	}
	if last.Role == RoleTool {
		a.head, a.held = joined(a.head, a.held), "" // the user has spoken already
	}
	a.fence(last)
}

func (a *arrangement) last() *Message {
	if len(a.out) == 0 {
		return nil
	}
	return &a.out[len(a.out)-1]
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// Unfenced returns a text that nobody takes for the fence, or for its end.
func Unfenced(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	return imitated().ReplaceAllString(s, "‹$1›")
}

// Fenced parts what Arrange put at the head of a user's words from the words.
func Fenced(content string) (context, words string) {
	if rest, ok := strings.CutPrefix(content, contextOpen); ok {
		if context, words, ok := strings.Cut(rest, contextClose); ok {
			return context, words
		}
	}
	return "", content
}

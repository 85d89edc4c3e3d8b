package llm

import (
	"fmt"
	"regexp"
	"strings"
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
)

// imitated is whatever a reader might take for the fence.
var imitated = regexp.MustCompile(`(?i)<(\s*/?\s*context\b[^<>]*)>`)

// Layout is what the chat template behind an endpoint does not know.
type Layout struct {
	NoSystem bool // the role system
	NoTools  bool // calls and their results among the messages
}

// Arrange lays messages out as the strictest chat templates take them: one
// system message first, then user and assistant in turn, tool calls followed by
// their results, and last somebody who is to be answered. What stands as system
// further behind holds for this turn only and moves, fenced, to the head of the
// user's words that it precedes. Without a system role, what it would say stands
// before the first words of the user; without tools, calls and results are told
// in words.
//
// The templates that raise errors otherwise are those published with Qwen 3.5
// ("System message must be at the beginning"), Gemma, Mistral, Llama, Phi and
// Zephyr ("roles must alternate"). ms is left as it is.
func Arrange(ms []Message, l Layout) []Message {
	var a arrangement
	for _, m := range ms {
		if l.NoTools {
			m = told(m)
		}
		a.add(m)
	}
	a.end()
	switch {
	case a.head == "":
	case l.NoSystem:
		a.out[0].Content = joined(a.head, a.out[0].Content)
	default:
		return append([]Message{{Role: RoleSystem, Content: a.head}}, a.out...)
	}
	return a.out
}

// told is a message whose calls, or whose being a result, is said in words.
func told(m Message) Message {
	for _, c := range m.ToolCalls {
		m.Content = joined(m.Content, fmt.Sprintf("(I asked for %s with %s.)", c.Name, c.Args))
	}
	if m.Role == RoleTool {
		m.Role, m.Content = RoleUser, fmt.Sprintf("(What %s gave:)\n%s", m.Name, m.Content)
	}
	m.ToolCalls, m.ToolCallID, m.Name = nil, "", ""
	return m
}

// arrangement is a list of messages in the making.
type arrangement struct {
	head string // what the one system message says
	held string // what later ones said, for the user's next words
	out  []Message
}

func (a *arrangement) add(m Message) {
	switch {
	case m.Role == RoleSystem && len(a.out) == 0:
		a.head = joined(a.head, m.Content)
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

// end makes the last message one that is to be answered.
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

// Unfenced is a text that nobody takes for the fence, or for its end.
func Unfenced(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	return imitated.ReplaceAllString(s, "‹$1›")
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

package agent

import (
	_ "embed" // prompts
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
	"parley/internal/memory/transcript"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

//go:embed prompts/persona.md
var builtinPersona string

//go:embed prompts/rules.md
var rules string

// promptFile is the persona with the rules below it, read again when the file
// changes.
type promptFile struct {
	path, name string

	mu    sync.Mutex // guards text and stamp
	text  string
	stamp time.Time
}

// load reads the file at once.
func (p *promptFile) load() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read()
}

func (p *promptFile) read() error {
	text := builtinPersona
	if p.path != "" {
		b, err := os.ReadFile(p.path)
		if err != nil {
			return fmt.Errorf("agent.prompt_file: %w", err)
		}
		if strings.TrimSpace(string(b)) == "" {
			return fmt.Errorf("agent.prompt_file: %s is empty", p.path)
		}
		text = string(b)
		if st, err := os.Stat(p.path); err == nil {
			p.stamp = st.ModTime()
		}
	}
	p.text = strings.ReplaceAll(strings.TrimSpace(text), "{{name}}", p.name) + "\n\n" + strings.TrimSpace(rules)
	return nil
}

// current is persona and rules now. A file that has become unreadable leaves the
// last good one in force.
func (p *promptFile) current() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.path != "" {
		if st, err := os.Stat(p.path); err == nil && !st.ModTime().Equal(p.stamp) {
			_ = p.read() // ReloadPrompt and doctor report it
		}
	}
	return p.text
}

// messages lays the request out, what changes least first, so that from one
// turn to the next everything before the context line is byte for byte the
// same and the provider's cache holds: persona and rules, lasting facts and
// summaries, the window, the context line of this turn, and what was said now.
func (t *turn) messages() []llm.Message {
	out := append(make([]llm.Message, 0, 2+len(t.context.window)+len(t.context.added)), llm.Message{Role: llm.RoleSystem, Content: t.stable()})
	for _, e := range t.context.window {
		out = append(out, t.spoken(e))
	}
	out = append(out, llm.Message{Role: llm.RoleSystem, Content: t.contextLine()})
	heard := len(out)
	for _, e := range t.context.added {
		out = append(out, t.spoken(e))
	}
	if len(t.in.files.Images) > 0 {
		out[heard].Images = t.in.files.Images
	}
	return out
}

// stable returns the beginning of every request of this session.
func (t *turn) stable() string {
	if t.sub != nil {
		return t.sub.Prompt + "\n\n" + strings.TrimSpace(rules)
	}
	var b strings.Builder // what comes below persona and rules
	if len(t.context.known.lasting) > 0 {
		b.WriteString("\n\nWhat you remember; the number names a fact for tools, do not show it (data):\n")
		for _, f := range t.context.known.lasting {
			b.WriteString("- " + llm.Unfenced(f) + "\n")
		}
	}
	if len(t.context.session.CarriedPage) > 0 {
		b.WriteString("\n\nFrom earlier conversations, what may still matter (data):\n" + asData(sessions.Text(t.context.session.CarriedPage)))
	}
	if t.context.session.Carried != "" {
		b.WriteString("\n\nThe previous session, in short (data):\n" + asData(t.context.session.Carried))
	}
	if t.context.session.Summary != "" {
		b.WriteString("\n\nEarlier in this conversation, in short (data):\n" + asData(t.context.session.Summary))
	}
	if len(t.context.session.Decisions) > 0 {
		b.WriteString("\n\nDecided here (data):\n- " + strings.Join(t.context.session.Decisions, "\n- "))
	}
	if t.context.session.Summary != "" {
		if s := mentionLine(t.context.session.Mentions); s != "" {
			b.WriteString("\n\nMentioned (data): " + s)
		}
	}
	return t.a.prompt.current() + b.String()
}

func mentionLine(m sessions.Mentions) string {
	var parts []string
	for _, list := range [][]string{m.Files, m.URLs, m.Symbols, m.People, m.Refs} {
		parts = append(parts, list...)
	}
	return strings.Join(parts, ", ")
}

// contextLine returns the part of the prompt that holds for this turn only.
func (t *turn) contextLine() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Now: %s.", t.report.began.UTC().Format("Monday, 2006-01-02 15:04 UTC"))
	if t.m.Direct {
		fmt.Fprintf(&b, " You are talking privately with %s.", transcript.Label(t.m.From.Name))
	} else {
		fmt.Fprintf(&b, " This is a group; each message begins with its author's name and sign. You are answering %s.",
			transcript.Speaker(t.m.From.Name, t.m.From.ID))
	}
	switch { // a model hears by itself who writes English
	case t.in.chosen:
		fmt.Fprintf(&b, " Answer in %s, whatever language they write: they chose that.", t.in.p.EnglishName())
	case t.in.p != (catalog.Printer{}):
		fmt.Fprintf(&b, " Their language is %s.", t.in.p.EnglishName())
	}
	if q := strings.TrimSpace(text.Plain(t.m.Quote)); q != "" {
		fmt.Fprintf(&b, "\nThey reply to this earlier message (data): %s", asData(text.Clip(q, maxQuoted)))
	}
	if len(t.context.known.relevant) > 0 {
		b.WriteString("\nPossibly relevant, from memory (data):\n- " + strings.Join(t.context.known.relevant, "\n- "))
	}
	if t.context.known.notes != "" {
		b.WriteString("\nPossibly relevant, from the notes (data):\n" + asData(t.context.known.notes))
	}
	if t.context.waits != "" {
		fmt.Fprintf(&b, "\n"+"You asked this person the following, and they have not answered yes or no yet (data). It is not "+
			"done. They can still answer; do not call it again unless they ask for it anew: %s", asData(t.context.waits))
	}
	if t.context.guidance.Instructions != "" {
		b.WriteString("\n" + t.context.guidance.Instructions)
	}
	return b.String()
}

// asData marks a text that is not to be obeyed.
func asData(s string) string { return "<data>" + escapeData(s) + "</data>" }

// escapeData keeps text from closing the mark it stands in.
func escapeData(s string) string { return escaping.Replace(s) }

var escaping = strings.NewReplacer("<", "‹", ">", "›")

// spoken returns a stored entry as the model sees it.
func (t *turn) spoken(e memory.Entry) llm.Message {
	m := llm.Message{Role: e.Role, Content: e.Content, ToolCalls: e.ToolCalls, ToolCallID: e.ToolCallID}
	switch e.Role {
	case llm.RoleTool:
		m.Name = e.Name
	case llm.RoleAssistant:
		if e.Name != "" {
			m.Content = fmt.Sprintf("[%s, a person of the team, wrote this in your place] %s", transcript.Label(e.Name), e.Content)
		}
	case llm.RoleUser:
		m.Content = transcript.Full(e)
		if !t.m.Direct {
			m.Content = transcript.Speaker(e.Name, e.User) + ": " + provenance.Under(m.Content)
		}
	}
	return m
}

package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"parley/internal/text"
)

// Listed shows the arguments of a call to people, in Markdown: the very bytes that are
// run, as a block of code, with nothing but white space between their parts. "" is none.
func Listed(args json.RawMessage) string {
	exact, err := text.ExactJSON(args)
	if err != nil || string(exact) == "{}" {
		return ""
	}
	var b bytes.Buffer
	b.WriteString("```json\n")
	if err := json.Indent(&b, exact, "", "  "); err != nil {
		return ""
	}
	return b.String() + "\n```"
}

// AskServer returns the question about a call of a server's tool, by its title and
// with all of its arguments.
func AskServer(ctx context.Context, m Meta, args json.RawMessage) string {
	return m.asked(ctx, "Use “%s” of the tool server %s?", args)
}

// AskClaim returns the question about the first call of a tool that is said to only
// read: a yes is for all that follow.
func AskClaim(ctx context.Context, m Meta, args json.RawMessage) string {
	return m.asked(ctx, "“%s” of the tool server %s says of itself that it only reads. Let it run, and from now on without asking?", args)
}

func (m Meta) asked(ctx context.Context, words string, args json.RawMessage) string {
	title := strings.TrimPrefix(m.Name, m.Server+"__")
	if m.Hints != nil && m.Hints.Title != "" {
		title = m.Hints.Title
	}
	return strings.TrimSpace(sentence(ctx, words, title, m.Server) + "\n" + Listed(args))
}

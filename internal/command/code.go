package command

import (
	"context"
	"fmt"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/notes/index"
	"parley/internal/text/catalog"
)

// wordsUndefined is said in more than one place.
const wordsUndefined = "Nothing was found in the code for %s."

// Bounds of what is shown: characters of code, and uses.
const (
	maxCode = 1200
	maxUses = 20
)

// code is /code.
func (n Notes) code(who gate.Role) gate.Command {
	name := []gate.Option{{Name: "name", Help: "a name, or Type.Method", Required: true}}
	c := gate.Command{Name: "code", Help: "My owner's code", Effect: gate.Reads, Who: who, Private: true, Verbs: []gate.Command{
		{Name: "definition", Help: "Where a name is defined", Effect: gate.Reads, Run: n.definition, Options: name},
		{Name: "references", Help: "Where a name is used", Effect: gate.Reads, Run: n.references, Options: name},
		{Name: "search", Help: "Search it", Effect: gate.Reads, Run: n.searchCode, Options: []gate.Option{{Name: "query",
			Help: "words", Required: true}}},
	}}
	if !n.View.Code {
		for i := range c.Verbs {
			c.Verbs[i].Run = func(ctx context.Context, _ gate.Request) (chat.Answer, error) {
				return say(ctx, "There is no code: add a folder of the kind code to sources, and start me again.")
			}
		}
	}
	return c
}

func (n Notes) definition(ctx context.Context, r gate.Request) (chat.Answer, error) {
	hits, err := n.View.Vault.Definition(ctx, r.Args["name"])
	if err != nil {
		return chat.Answer{}, err
	}
	if len(hits) == 0 {
		return say(ctx, wordsUndefined, quoted(r.Args["name"], maxSnippet))
	}
	return chat.Answer{Text: places(hits)}, nil
}

// places shows code with its places, as much of it as fits.
func places(hits []index.Hit) string {
	var b strings.Builder
	left := maxNote
	for _, h := range hits {
		fmt.Fprintf(&b, "**%s** — %s:%d\n", h.Heading, h.Path, h.Line)
		if code := []rune(h.Text); left > 0 {
			code = code[:min(len(code), maxCode, left)]
			left -= len(code)
			b.WriteString(codeBlock("", string(code)) + "\n")
		}
	}
	return b.String()
}

func (n Notes) references(ctx context.Context, r gate.Request) (chat.Answer, error) {
	hits, total, err := n.View.Vault.References(ctx, r.Args["name"], maxUses)
	if err != nil {
		return chat.Answer{}, err
	}
	if total == 0 {
		return say(ctx, "Nothing in the code uses %s.", quoted(r.Args["name"], maxSnippet))
	}
	var b strings.Builder
	for _, h := range hits {
		fmt.Fprintf(&b, "- %s:%d %s\n", h.Path, h.Line, quoted(h.Text, maxSnippet))
	}
	if total > len(hits) {
		b.WriteString(catalog.Say(ctx, "… and %d more", total-len(hits)))
	}
	return chat.Answer{Text: b.String()}, nil
}

func (n Notes) searchCode(ctx context.Context, r gate.Request) (chat.Answer, error) {
	s, err := n.shelf(ctx, r.Message)
	if err != nil {
		return chat.Answer{}, err
	}
	hits, err := s.Search(ctx, index.Query{Text: r.Args["query"], Kind: index.KindCode})
	if err != nil {
		return chat.Answer{}, err
	}
	if len(hits) == 0 {
		return say(ctx, wordsUndefined, quoted(r.Args["query"], maxSnippet))
	}
	var b strings.Builder
	for _, h := range hits {
		fmt.Fprintf(&b, "- %s:%d %s\n", h.Path, h.Line, quoted(h.Snippet, maxSnippet))
	}
	return chat.Answer{Text: b.String()}, nil
}

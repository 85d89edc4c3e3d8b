package gate

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

const wordsYes = "Yes"

// Questions that need more than a yes are asked and end like the others: by a button or in
// words, once, by the person who was asked.

// skipping is how people leave a question out.
const skipping = "skip"

// saidTo reads m as an answer to a question with a form; ok is false if it is none, such as a
// command or somebody else's words.
func saidTo(m chat.Message, form chat.Form) (said chat.Said, ok bool) {
	agreed, clear := verdict(m, 1)
	if m.Kind == chat.KindCommand {
		return chat.Said{Stop: clear}, clear
	}
	said = chat.Said{Text: strings.TrimSpace(m.Text)}
	if m.Forwarded || m.Shared || said.Text == "" {
		return said, false
	}
	if clear {
		said.Yes, said.No = agreed[0], !agreed[0]
	}
	said.Skip = form.Skip && strings.EqualFold(said.Text, skipping)
	if clear || said.Skip || !form.Consent && len(form.Choices) == 0 {
		return said, true
	}
	n, err := strconv.Atoi(said.Text)
	picks := err == nil && n > 0 && n <= len(form.Choices)
	return said, picks || slices.ContainsFunc(form.Choices, func(label string) bool {
		return strings.EqualFold(label, text.Shorten(said.Text, utf8.RuneCountInString(label)))
	})
}

// said is what a button of a form says.
func (p push) said() chat.Said {
	n, _ := strconv.Atoi(p.verdict)
	return chat.Said{Choice: n, Yes: p.verdict == "yes", No: p.verdict == "no", Skip: p.verdict == skipping}
}

// formButtons returns the choices, a row each, and below them the buttons that choose nothing.
// A question answered in words has none: a number is an answer there.
func (c *Confirmations) formButtons(ctx context.Context, q chat.Question, form chat.Form) (rows [][]chat.Button) {
	button := func(label, verdict string) chat.Button {
		return chat.Button{Label: label, Data: c.token(verdict, q)}
	}
	if form.Page != "" {
		rows = append(rows, []chat.Button{{Label: catalog.Say(ctx, "Open %s", form.Host), URL: form.Page}})
	}
	if form.Consent {
		return append(rows, []chat.Button{button(catalog.Text(ctx, wordsYes), "yes"), button(catalog.Text(ctx, wordsNo), "no")})
	}
	if len(form.Choices) == 0 {
		return nil
	}
	for i, label := range form.Choices {
		rows = append(rows, []chat.Button{button(label, strconv.Itoa(i+1))})
	}
	last := []chat.Button{button(catalog.Text(ctx, "No answer"), "no")}
	if form.Skip {
		last = append([]chat.Button{button(catalog.Text(ctx, "Skip"), skipping)}, last...)
	}
	return append(rows, last)
}

// Form makes a question to m's author that needs more than a yes. The caller stores it with
// its answer.
func (c *Confirmations) Form(ctx context.Context, m chat.Message, a Action) (chat.Answer, chat.Question, error) {
	return c.form(ctx, m, listed(ctx, a.Items), a)
}

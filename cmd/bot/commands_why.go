package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text"
)

// runWhy explains the last answer its asker got, in plain words.
func (a *app) runWhy(ctx context.Context, r admin.Request) (chat.Answer, error) {
	d, ok, err := a.answerOf(ctx, r)
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return chat.Answer{Text: wordsNoAnswer}, nil
	}
	if n := r.Number("source", 0); n > 0 {
		return chat.Answer{Text: a.sourceText(ctx, r.Message, d, n)}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**About my last answer to you** (%s)\n", ago(a.now(), d.At))
	list := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "%s\n- %s\n\n", title, strings.Join(lines, "\n- "))
		}
	}
	list("Rules and steps:", d.Detail.Why)
	list("What I remembered:", d.Detail.Facts)
	var rests []string
	for _, s := range d.Detail.Sources {
		rests = append(rests, strings.TrimSpace(s.Title+" "+s.Path))
	}
	list("What it rests on:", rests)
	list("What I read:", d.Detail.Read)
	list("What I did:", d.Detail.Tools)
	if len(d.Detail.Why)+len(d.Detail.Facts)+len(d.Detail.Read)+len(d.Detail.Tools) == 0 {
		b.WriteString("It came from our conversation alone: no rule, no remembered fact, no note and no action shaped it.\n")
	}
	if d.Detail.ErrorID != "" {
		fmt.Fprintf(&b, "Something went wrong then; my owner finds it as %s.\n", d.Detail.ErrorID)
	}
	fmt.Fprintf(&b, "It took %.1f s and %s.", d.Took.Seconds(), many(d.Usage.Total, "token"))
	return chat.Answer{Text: b.String()}, nil
}

// answerOf is the answer a person asks about: one they name, in this place, or
// the last one they got here.
func (a *app) answerOf(ctx context.Context, r admin.Request) (memory.Decision, bool, error) {
	id := strings.ToLower(r.Args["answer"])
	if len(id) < 8 {
		return a.lastAnswer(ctx, r.Message.Key, r.Message.From.ID)
	}
	d, err := a.store.DecisionByID(ctx, id)
	if errors.Is(err, memory.ErrNotFound) {
		return d, false, nil
	}
	return d, err == nil && d.Key == r.Message.Key, err
}

// sourceText is what a source of an answer says, for those who may read it.
func (a *app) sourceText(ctx context.Context, m chat.Message, d memory.Decision, n int) string {
	for _, s := range d.Detail.Sources {
		if s.N != n {
			continue
		}
		if s.Kind != "web" && a.cfg.Vault.Readers == "owner" && !a.isOwner(ctx, callOf(m)) {
			return wordsNotesOwner
		}
		if s.Kind == "note" && a.vault != nil && !a.showsNote(ctx, m, s.Path) {
			return wordsNoSource
		}
		return fmt.Sprintf("[%d] **%s** — %s\n\n> %s", n, s.Title, strings.TrimSpace(s.Path+" "+s.URL), strings.ReplaceAll(s.Snippet, "\n", "\n> "))
	}
	return wordsNoSource
}

// runTrace shows an administrator everything about an answer.
func (a *app) runTrace(ctx context.Context, r admin.Request) (chat.Answer, error) {
	var (
		d   memory.Decision
		ok  bool
		err error
	)
	if id := strings.ToLower(r.Args["answer"]); id == "" || id == "last" {
		d, ok, err = a.lastAnswer(ctx, r.Message.Key, "")
	} else if len(id) >= 8 {
		d, err = a.store.DecisionByID(ctx, id)
		// An administrator of one place sees that place only.
		ok = err == nil && (r.Role >= admin.Owner || d.Key == r.Message.Key)
		if !ok {
			err = nil
		}
	}
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return chat.Answer{Text: wordsNoTrace}, nil
	}
	text, err := a.trace(ctx, d)
	return chat.Answer{Text: text}, err
}

func (a *app) trace(ctx context.Context, d memory.Decision) (string, error) {
	calls, err := a.store.Calls(ctx, d.ID)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** `%s`\n", d.Category, d.ID)
	if d.Calls == 0 {
		d.Model = "not asked"
	}
	fmt.Fprintf(&b, "- model %s: %s, %d prompt + %d completion = %d tokens (%d cached)\n", d.Model, many(d.Calls, "call"), d.Usage.Prompt, d.Usage.Completion, d.Usage.Total, d.Usage.Cached)
	fmt.Fprintf(&b, "- took %d ms, session %s\n", d.Took.Milliseconds(), d.Session)
	for i, c := range calls {
		fmt.Fprintf(&b, "- tool %d: %s %s → %s in %d ms, retries: %d\n%s\n", i+1, c.Name, c.CallID, c.Status, c.Took.Milliseconds(), c.Retries, codeBlock("json", clip(c.Arguments, 500)))
	}
	for _, w := range d.Detail.Why {
		fmt.Fprintf(&b, "- %s\n", w)
	}
	if d.Detail.Error != "" {
		fmt.Fprintf(&b, "- error %s: %s\n", d.Detail.ErrorID, clip(d.Detail.Error, 500))
	}
	if len(d.Detail.Playbook) > 0 {
		var pretty any
		if err := json.Unmarshal(d.Detail.Playbook, &pretty); err == nil {
			out, _ := json.MarshalIndent(pretty, "", " ") // was JSON before
			b.WriteString(codeBlock("json", clip(string(out), 6000)))
		}
	}
	return b.String(), nil
}

// codeBlock is a text between fences that it cannot close.
func codeBlock(language, text string) string {
	return "```" + language + "\n" + strings.ReplaceAll(text, "```", "'''") + "\n```"
}

// clip cuts a text to n runes, and shows that it did.
func clip(s string, n int) string { return text.Shorten(s, n) }

// runDebug switches traces under answers on or off for this place, until the
// next start.
func (a *app) runDebug(_ context.Context, r admin.Request) (chat.Answer, error) {
	on := r.Args["state"] == "on"
	a.debug.Store(r.Message.Key, on)
	if on {
		return chat.Answer{Text: wordsDebugOn}, nil
	}
	return chat.Answer{Text: wordsDebugOff}, nil
}

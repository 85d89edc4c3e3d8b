package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/tools"
)

// confirm asks the person about a call that needs a yes.
func (t *turn) confirm(ctx context.Context, c llm.ToolCall, o tools.Outcome) chat.Answer {
	if t.a.o.Confirm == nil {
		return t.finish(wordsNoConfirm, chat.End{Outcome: chat.Refused, Reason: chat.NotAsked})
	}
	question := o.Question
	if question == "" {
		question = fmt.Sprintf(wordsConfirm, describe(c, o))
	}
	question = t.defanged(question)
	answer, err := t.a.o.Confirm(ctx, t.m, question, Pending{Tool: c.Name, Args: string(o.Args), Key: t.call(c).Key})
	if err != nil {
		t.a.o.Log.Error("ask for confirmation", "err", err)
		return t.finish(wordsNoConfirm, chat.End{Outcome: chat.Refused, Reason: chat.NotAsked})
	}
	text := answer.Text
	answer.Record = t.finish(text, chat.End{Outcome: chat.Asked, Reason: chat.NeedsYes}).Record
	return answer
}

// Propose puts a tool call to the person as a question, as a model's call of the
// same arguments would: for commands that need a yes.
func (a *Agent) Propose(ctx context.Context, m chat.Message, tool string, args map[string]any) (chat.Answer, error) {
	t := a.newTurn(m, input{text: text.Clip(clean(m.Text), maxUsed)}, true)
	t.report.ledger.maxAttempts = 3 * a.o.MaxCalls
	if err := t.load(ctx); err != nil {
		return chat.Answer{}, fmt.Errorf("load conversation: %w", err)
	}
	b, err := json.Marshal(args)
	if err != nil {
		return chat.Answer{}, err
	}
	c := llm.ToolCall{ID: "proposed", Name: tool, Args: string(b)}
	o := a.o.Runner.Run(ctx, t.tools.set, t.call(c))
	if o.Class == tools.NeedsYes {
		return t.confirm(ctx, c, o), nil
	}
	return t.finish(told(o), ran(o, chat.Answered)), nil
}

// describe says in plain words what a call would do, without the tool's name
// as the model knows it.
func describe(c llm.ToolCall, o tools.Outcome) string {
	var args map[string]any
	_ = json.Unmarshal(o.Args, &args) // nil shows no details
	names := make([]string, 0, len(args))
	for name := range args {
		names = append(names, name)
	}
	slices.Sort(names)
	words := strings.ReplaceAll(c.Name, "_", " ")
	var details []string
	for _, name := range names {
		value := strings.Join(strings.Fields(fmt.Sprint(args[name])), " ")
		details = append(details, strings.ReplaceAll(name, "_", " ")+" "+counted(value, maxValue))
	}
	if len(details) > 0 {
		words += " (" + counted(strings.Join(details, ", "), maxQuestion) + ")"
	}
	return words
}

// How much of what somebody is to agree to is shown, in runes: of one value, so
// that a long one hides no other, and in all.
const (
	maxValue    = 600
	maxQuestion = 3000
)

// counted is the beginning of a text, with how much more there is.
func counted(s string, n int) string {
	shown := text.Clip(s, n)
	if rest := utf8.RuneCountInString(s[len(shown):]); rest > 0 {
		return shown + fmt.Sprintf(wordsMore, rest)
	}
	return shown
}

// ran is how a message ended that was one call: well, or as the call did.
func ran(o tools.Outcome, well chat.Outcome) chat.End {
	switch o.Class {
	case "":
		return chat.End{Outcome: well}
	case tools.NotAllowed:
		return chat.End{Outcome: chat.Refused, Reason: chat.NoPermission}
	}
	return chat.End{Outcome: chat.Failed, Reason: chat.ToolFailed}
}

// Confirmed runs a call that the person said yes to and says what came of it.
func (a *Agent) Confirmed(ctx context.Context, m chat.Message, p Pending) (chat.Answer, error) {
	t := a.newTurn(m, input{text: text.Clip(clean(m.Text), maxUsed)}, true)
	if t.in.text == "" || m.Kind == chat.KindButton {
		t.in.text = "yes"
	}
	if err := t.load(ctx); err != nil {
		return chat.Answer{}, fmt.Errorf("load conversation: %w", err)
	}
	t.context.added = []memory.Entry{t.heard()}
	c := t.call(llm.ToolCall{ID: "confirmed", Name: p.Tool, Args: p.Args})
	c.Key, c.Confirmed = p.Key, true
	o := a.o.Runner.Run(ctx, t.tools.set, c)
	t.absorb(llm.ToolCall{ID: "confirmed", Name: p.Tool, Args: p.Args}, o)
	text := strings.TrimSpace(o.Result.Content)
	if text == "" {
		text = wordsConfirmed
	}
	return t.finish(text, ran(o, chat.Confirmed)), nil
}

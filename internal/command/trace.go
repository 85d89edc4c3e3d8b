package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// How much of a call's arguments, of an error and of the playbook's state
// /trace shows, in characters.
const (
	maxTraced       = 500
	maxTracedRecord = 6000
)

func (i Insight) trace() gate.Command {
	return gate.Command{Name: "trace", Help: "Everything about one answer", Effect: gate.Reads, Who: gate.Admin, Private: true, Run: i.show,
		Options: []gate.Option{{Name: "answer", Help: helpAnswerID}}}
}

// show tells an administrator everything about an answer. One of a place sees
// that place only.
func (i Insight) show(ctx context.Context, r gate.Request) (chat.Answer, error) {
	var (
		d   memory.Decision
		ok  bool
		err error
	)
	if id := strings.ToLower(r.Args["answer"]); id == "" || id == "last" {
		d, ok, err = found(i.Rows.LastDecision(ctx, memory.Place{Key: r.Message.Key, Agent: r.Message.Agent.ID}))
	} else if len(id) >= shortestID {
		d, ok, err = found(i.Rows.DecisionByID(ctx, id))
		ok = ok && (r.Role >= gate.Owner || d.Key == r.Message.Key)
	}
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return say(ctx, "I know no answer with that id. /trace last is about the newest here.")
	}
	calls, err := i.Rows.Calls(ctx, d.ID)
	if err != nil {
		return chat.Answer{}, err
	}
	asked, err := i.Rows.Asked(ctx, d)
	if err != nil {
		return chat.Answer{}, err
	}
	kept, err := i.kept(ctx, d)
	return chat.Answer{Text: i.traced(ctx, d, calls, asked) + kept}, err
}

// kept says where the exact requests to models are, "" where none are kept.
func (i Insight) kept(ctx context.Context, d memory.Decision) (string, error) {
	if i.Kept == nil {
		return "", nil
	}
	n, where, err := i.Kept(ctx, d)
	switch {
	case err != nil || n == 0:
		return "", err
	case where == "":
		return "\n" + catalog.Say(ctx, "The exact requests and answers of %s are kept for the owner; `http.listen` opens the page that shows them.", catalog.Many(ctx, n, "model call")), nil
	}
	return "\n" + catalog.Say(ctx, "The exact requests and answers of %s are kept for the owner: %s (/page logs in)", catalog.Many(ctx, n, "model call"), where), nil
}

// traced returns all that is known about an answer, the end first and then what led
// to it in the order it happened. asked is what the person said, "" when that is
// not kept.
func (i Insight) traced(ctx context.Context, d memory.Decision, calls []memory.CallRecord, asked string) string {
	var b strings.Builder
	b.WriteString(catalog.Say(ctx, "**%s** · %s · `%s`", ended(d.End), stamp(d.At), d.ID) + "\n")
	b.WriteString("- " + catalog.Say(ctx, "%s in %s, %s", d.User, d.Key, cmp.Or(d.Message, "?")) + "\n")
	if d.Agent != "" {
		b.WriteString("- " + catalog.Say(ctx, "answered by the agent %s", d.Agent) + "\n")
	}
	if asked != "" {
		b.WriteString("- " + catalog.Say(ctx, "asked: %s", quoted(asked, maxTraced)) + "\n")
	}
	if d.Detail.Intent.Is != "" {
		b.WriteString("- " + catalog.Say(ctx, "meant, as the %s saw it: %s", d.Detail.Intent.By, d.Detail.Intent.Is) + "\n")
	}
	if d.Detail.Error != "" || d.End.ErrorID != "" {
		b.WriteString("- " + catalog.Say(ctx, "error %s: %s", d.End.ErrorID, text.Shorten(d.Detail.Error, maxTraced)) + "\n")
	}
	if requests := max(d.Detail.Requests, d.Calls); requests == 0 {
		b.WriteString("- " + catalog.Text(ctx, "no model was asked") + "\n")
	} else {
		b.WriteString("- " + catalog.Say(ctx, "model %s: %s, %s answered; %d prompt + %d completion = %d tokens (%d cached)", d.Answerer(), catalog.Many(ctx, requests, "request"),
			catalog.Many(ctx, d.Calls, "call"), d.Usage.Prompt, d.Usage.Completion, d.Usage.Total, d.Usage.Cached) + i.cost(d.Usage.Cost) + "\n")
	}
	b.WriteString("- " + catalog.Say(ctx, "took %d ms, session %s", d.Took.Milliseconds(), cmp.Or(d.Session, "none")) + "\n")
	steps(ctx, &b, d.Detail.Steps, calls)
	if len(d.Detail.Why) > 0 {
		fmt.Fprintf(&b, "\n%s\n- %s\n", catalog.Text(ctx, "**Rules**"), strings.Join(d.Detail.Why, "\n- "))
	}
	var state any
	if err := json.Unmarshal(d.Detail.Playbook, &state); err == nil {
		pretty, _ := json.MarshalIndent(state, "", " ") // was JSON before
		b.WriteString(codeBlock("json", text.Shorten(string(pretty), maxTracedRecord)))
	}
	return b.String()
}

// steps lists what a turn did; calls are those of tools, in order.
func steps(ctx context.Context, b *strings.Builder, laps []memory.Lap, calls []memory.CallRecord) {
	if len(laps)+len(calls) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", catalog.Text(ctx, "**Steps**"))
	n := 0
	call := func(c memory.CallRecord) {
		n++
		fmt.Fprintf(b, "%d. %s\n", n,
			catalog.Say(ctx, "`%s` → %s, %d ms, retries: %d, call %s", c.Name, c.Status, c.Took.Milliseconds(), c.Retries, c.CallID))
		if c.Class != "" {
			b.WriteString(catalog.Say(ctx, "  why: %s", c.Class+": "+quoted(c.Result, maxTraced)) + "\n")
		}
		b.WriteString(codeBlock("json", text.Shorten(c.Arguments, maxTraced)) + "\n")
	}
	for _, l := range laps {
		if l.Kind == "tool" && len(calls) > 0 {
			call(calls[0])
			calls = calls[1:]
			continue
		}
		what := strings.TrimSpace(l.Kind + " " + l.Name)
		if l.Tokens > 0 {
			what += ", " + catalog.Many(ctx, l.Tokens, "token")
		}
		n++
		fmt.Fprintf(b, "%d. %s\n", n, catalog.Say(ctx, "%s, %d ms after %d ms", what, l.Took, l.Start))
	}
	for _, c := range calls { // of a time when steps were not timed
		call(c)
	}
}

// ended returns how a message ended, in a few words.
func ended(e chat.End) string {
	words := string(e.Outcome)
	if e.Reason != "" {
		words += ": " + string(e.Reason)
	}
	if e.Command != "" {
		words += " (/" + e.Command + ")"
	}
	return words
}

// stamp returns a moment for an operator.
func stamp(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04:05 UTC") }

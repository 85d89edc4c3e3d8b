package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/llm/offline"
	"parley/internal/memory"
)

// commands is the table of slash commands beyond access: names, options and
// who may use them are product.md's and requirements 7.3.
func (a *app) commands(f *front) []admin.Command {
	table := []admin.Command{
		{Name: "start", Help: "Say hello", Who: admin.Member, Options: []admin.Option{{Name: "link", Help: "what a link to this chat brought along"}}, Run: func(_ context.Context, r admin.Request) (chat.Answer, error) {
			return chat.Answer{Text: fmt.Sprintf(wordsHello, a.cfg.Agent.Name) + "\n\n" + f.commands.Help(r.Role, "")}, nil
		}},
		{Name: "ask", Help: "Ask once, without keeping the conversation", Options: []admin.Option{{Name: "question", Help: "what you want to know", Required: true}}, Run: a.runAsk},
		{Name: "why", Help: "Why the last answer looks as it does", Run: a.runWhy, Private: true, Options: []admin.Option{
			{Name: "source", Help: "number of a source: what it says", Kind: admin.Number}, {Name: "answer", Help: "the id of the answer; the last one if you leave it out"},
		}},
		{Name: "status", Help: "How I am doing", Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) { return a.runStatus(ctx, f, r) }},
		{Name: "stop", Help: "Stop the answer in the making", Run: say(wordsNothingRuns)},
		a.sessionCommand(),
		{Name: "summarize", Help: "Sum up this conversation", Run: a.runSummarize},
		a.modelCommand(),
		{Name: "prompt", Help: "The persona", Who: admin.Owner, Verbs: []admin.Command{
			{Name: "reload", Help: "Read the persona file again", Run: a.runPromptReload},
		}},
		{Name: "tools", Help: "What I can do for you", Who: admin.Owner, Verbs: a.toolVerbs(), Run: a.runToolList},
		{Name: "trace", Help: "Everything about one answer", Who: admin.Admin, Private: true, Run: a.runTrace,
			Options: []admin.Option{{Name: "answer", Help: "the id of the answer; the last one if you leave it out"}}},
		{Name: "page", Help: "A one-time link to the control page", Who: admin.Owner, Private: true, Run: a.runPage},
		{Name: "stats", Help: "Totals of messages, tokens and errors", Who: admin.Owner, Run: a.runStats,
			Options: []admin.Option{{Name: "days", Help: "how many days back, 7 if you leave it out", Kind: admin.Number}}},
		{Name: "debug", Help: "Show calls and timings under answers here", Who: admin.Owner, Run: a.runDebug,
			Options: []admin.Option{{Name: "state", Help: "on or off", Kind: admin.Switch, Required: true}}},
	}
	return slices.Concat(table, a.memoryCommands(), a.notesCommands(), a.playbookCommands())
}

func say(text string) func(context.Context, admin.Request) (chat.Answer, error) {
	return func(context.Context, admin.Request) (chat.Answer, error) { return chat.Answer{Text: text}, nil }
}

func (a *app) runAsk(ctx context.Context, r admin.Request) (chat.Answer, error) {
	m := r.Message
	m.Text = r.Args["question"]
	return a.front.quotas.Budget(chat.HandlerFunc(a.agent.Ask)).Handle(ctx, m, r.Reply)
}

func (a *app) sessionCommand() admin.Command {
	return admin.Command{Name: "session", Help: "This conversation", Verbs: []admin.Command{
		{Name: "info", Help: "How long it is and what it holds", Run: a.runSessionInfo},
		{Name: "list", Help: "The latest conversations", Who: admin.Owner, Private: true, Run: a.runSessionList,
			Options: []admin.Option{{Name: "page", Help: "page number", Kind: admin.Number}}},
		{Name: "end", Help: "End it and keep its summary", Who: admin.Admin, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return a.endSession(ctx, r.Message, true)
		}},
		{Name: "reset", Help: "Start afresh; facts stay", Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return a.endSession(ctx, r.Message, false)
		}},
	}}
}

// placeOf is where m's session lives.
func (a *app) placeOf(m chat.Message) memory.Place {
	p := memory.Place{Key: m.Key}
	if a.cfg.Session.Scope == "user" {
		p.User = m.From.ID
	}
	return p
}

func (a *app) runSessionInfo(ctx context.Context, r admin.Request) (chat.Answer, error) {
	se, ok, err := a.store.LiveSession(ctx, a.placeOf(r.Message))
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return chat.Answer{Text: wordsNoSession}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**This conversation** `%s` is %s.\n", se.ID[:8], se.Status)
	fmt.Fprintf(&b, "- begun %s, last message %s\n", ago(a.now(), se.Created), ago(a.now(), se.LastActivity))
	fmt.Fprintf(&b, "- tokens: %d of %d\n- shortened: %s\n", se.TokensUsed, min(a.cfg.Context.TokenBudget, a.cfg.Model.ContextSize), many(se.Compressions, "time"))
	for _, line := range []struct {
		name string
		list []string
	}{{"decided", se.Decisions}, {"files", se.Mentions.Files}, {"links", se.Mentions.URLs}, {"names", se.Mentions.Symbols}, {"people", se.Mentions.People}, {"about", se.Mentions.Refs}} {
		if len(line.list) > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", line.name, strings.Join(line.list, ", "))
		}
	}
	for _, v := range a.variables(ctx, se, r.Message) {
		fmt.Fprintf(&b, "- %s\n", v)
	}
	if se.Summary != "" {
		fmt.Fprintf(&b, "\n%s", se.Summary)
	}
	return chat.Answer{Text: b.String()}, nil
}

func (a *app) runSessionList(ctx context.Context, r admin.Request) (chat.Answer, error) {
	list, err := a.store.Sessions(ctx, memory.SessionQuery{Limit: 200})
	if err != nil {
		return chat.Answer{}, err
	}
	lines := make([]string, len(list))
	for i, se := range list {
		lines[i] = sessionLine(a.now(), se)
	}
	if len(lines) == 0 {
		return chat.Answer{Text: wordsNoSessions}, nil
	}
	return admin.Page(lines, r.Number("page", 1), 15, "/session list"), nil
}

func sessionLine(now time.Time, se memory.Session) string {
	title := se.Title
	if title == "" {
		title = "(no title)"
	}
	return fmt.Sprintf("`%s` %s · %s · %s · %s", se.ID[:8], se.Key, se.Status, ago(now, se.LastActivity), title)
}

// endSession ends the conversation m stands in; commands run in its lane.
func (a *app) endSession(ctx context.Context, m chat.Message, carry bool) (chat.Answer, error) {
	se, ok, err := a.store.LiveSession(ctx, a.placeOf(m))
	if err != nil {
		return chat.Answer{}, err
	}
	if ok {
		if ok, err = a.agent.End(ctx, se.ID, carry); err != nil {
			return chat.Answer{}, err
		}
	}
	switch {
	case !ok && carry:
		return chat.Answer{Text: wordsNoSession}, nil
	case carry:
		a.archiveSoon(se)
		return chat.Answer{Text: wordsFarewell}, nil
	case ok:
		a.archiveSoon(se)
	}
	return chat.Answer{Text: wordsFresh}, nil
}

func (a *app) runSummarize(ctx context.Context, r admin.Request) (chat.Answer, error) {
	s, err := a.agent.Summarize(ctx, a.placeOf(r.Message))
	if err != nil {
		return chat.Answer{}, err
	}
	if s == "" {
		s = wordsNothingSaid
	}
	return chat.Answer{Text: s}, nil
}

func (a *app) modelCommand() admin.Command {
	name := admin.Option{Name: "name", Help: "name of the model", Required: true}
	return admin.Command{Name: "model", Help: "The language model", Who: admin.Owner, Verbs: []admin.Command{
		{Name: "show", Help: "Which model answers, and which there are", Run: a.runModelShow},
		{Name: "set", Help: "Answer with another model", Options: []admin.Option{name}, Run: a.runModelSet},
	}}
}

func (a *app) runModelShow(ctx context.Context, _ admin.Request) (chat.Answer, error) {
	text := "**Model:** " + a.agent.ModelName()
	if a.model.List == nil {
		return chat.Answer{Text: text}, nil
	}
	if names, err := a.model.List(ctx); err == nil && len(names) > 0 {
		text += "\n**There are:** " + strings.Join(names[:min(len(names), 50)], ", ")
	}
	return chat.Answer{Text: text}, nil
}

func (a *app) runModelSet(ctx context.Context, r admin.Request) (chat.Answer, error) {
	name := r.Args["name"]
	if a.model.Name == offline.Name {
		return chat.Answer{Text: wordsModelNone}, nil
	}
	if a.model.List != nil {
		names, err := a.model.List(ctx)
		if err != nil {
			return chat.Answer{}, fmt.Errorf("list models: %w", err)
		}
		if !contains(names, name) {
			return chat.Answer{Text: fmt.Sprintf(wordsNoModel, name)}, nil
		}
	}
	n, err := a.store.SuspendAll(ctx)
	if err != nil {
		return chat.Answer{}, err
	}
	if err := a.store.SetSetting(ctx, modelSetting, name); err != nil {
		return chat.Answer{}, err
	}
	a.agent.SetModel(name)
	return chat.Answer{Text: fmt.Sprintf(wordsModelSet, name, many(int(n), "conversation"))}, nil
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

func (a *app) runPromptReload(context.Context, admin.Request) (chat.Answer, error) {
	if err := a.agent.ReloadPrompt(); err != nil {
		return chat.Answer{Text: fmt.Sprintf(wordsPromptBad, err)}, nil
	}
	return chat.Answer{Text: wordsPromptRead}, nil
}

// totals are the figures of a line of /stats.
func totals(s memory.Stat) string {
	return fmt.Sprintf("%s, %s, %s", many(s.Messages, "message"), many(s.Calls, "model call"), many(s.Tokens, "token"))
}

func (a *app) runStats(ctx context.Context, r admin.Request) (chat.Answer, error) {
	days := max(r.Number("days", 7), 1)
	stats, err := a.store.Stats(ctx, a.now().AddDate(0, 0, -days))
	if err != nil {
		return chat.Answer{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**The last %s**\n", many(days, "day"))
	var all memory.Stat
	for _, s := range stats {
		fmt.Fprintf(&b, "- %s: %s\n", s.Category, totals(s))
		all.Messages, all.Calls, all.Tokens = all.Messages+s.Messages, all.Calls+s.Calls, all.Tokens+s.Tokens
	}
	fmt.Fprintf(&b, "\nTogether: %s.", totals(all))
	return chat.Answer{Text: b.String()}, nil
}

// lastAnswer is the newest answer in a place, to one person or to anybody.
func (a *app) lastAnswer(ctx context.Context, k chat.Key, user string) (memory.Decision, bool, error) {
	d, err := a.store.LastDecision(ctx, k, user)
	if errors.Is(err, memory.ErrNotFound) {
		return d, false, nil
	}
	return d, err == nil, err
}

// ago is a time as people say it.
func ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return many(int(d.Hours()/24), "day") + " ago"
}

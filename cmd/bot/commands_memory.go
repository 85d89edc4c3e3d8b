package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/tools"
)

// memoryCommands are what people do with what is remembered about them.
func (a *app) memoryCommands() []admin.Command {
	return []admin.Command{a.factsCommand(), a.tasksCommand(), a.remindCommand(), a.logCommand(),
		{Name: "export", Help: "Everything I have stored about you, as files", Private: true, Run: a.runExport},
		{Name: "forget-me", Help: "Delete everything about you", Run: a.runForgetMe, Confirm: func(context.Context, admin.Request) (string, error) {
			return wordsForgetMe, nil
		}},
	}
}

// listPage is how many rows a list shows at once.
const listPage = 15

// number is the option that names a row.
func number(what string) admin.Option {
	return admin.Option{Name: "number", Help: "number of the " + what, Kind: admin.Number, Required: true}
}

func (a *app) factsCommand() admin.Command {
	return admin.Command{Name: "facts", Help: "What I remember about you", Private: true, Run: a.runFactsList, Verbs: append([]admin.Command{
		{Name: "list", Help: "What I remember about you here", Run: a.runFactsList, Options: []admin.Option{{Name: "page", Help: "page number", Kind: admin.Number}}},
		{Name: "add", Help: "Remember something", Run: a.runFactsAdd, Options: []admin.Option{
			{Name: "text", Help: "what to remember; #tags at its end become tags", Required: true},
			{Name: "scope", Help: "for whom: you (person), or everybody here (admins only)", Choices: []string{"person", "channel", "guild"}},
		}},
		{Name: "important", Help: "Never overlook it", Run: a.runFactsImportant, Options: []admin.Option{number("fact"), {Name: "state", Help: "off takes it back", Kind: admin.Switch}}},
		{Name: "forget", Help: "Forget it for good", Run: a.runFactsForget, Confirm: a.askFactsForget, Options: []admin.Option{number("fact")}},
		{Name: "history", Help: "Where it comes from and what it said before", Run: a.runFactsHistory, Options: []admin.Option{number("fact")}},
		{Name: "export", Help: "As a Markdown file", Run: a.runFactsExport},
		{Name: "clear", Help: "Forget everything about you here", Run: a.runFactsClear, Confirm: func(context.Context, admin.Request) (string, error) { return wordsClearFacts, nil }},
	}, a.factsFileCommand()...)}
}

func (a *app) runFactsList(ctx context.Context, r admin.Request) (chat.Answer, error) {
	v := memory.ViewerOf(r.Message)
	page := max(r.Number("page", 1), 1)
	list, err := a.store.Facts(ctx, v, listPage+1, (page-1)*listPage)
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return chat.Answer{Text: wordsNoFacts}, nil
	}
	more := len(list) > listPage
	var b strings.Builder
	for _, f := range list[:min(len(list), listPage)] {
		b.WriteString(tools.FactLine(f) + "\n")
	}
	answer := chat.Answer{Text: strings.TrimSpace(b.String())}
	var row []chat.Button
	if page > 1 {
		row = append(row, chat.Button{Label: wordsBack, Data: fmt.Sprintf("/facts list page:%d", page-1)})
	}
	if more {
		row = append(row, chat.Button{Label: wordsMore, Data: fmt.Sprintf("/facts list page:%d", page+1)})
	}
	if len(row) > 0 {
		answer.Buttons = [][]chat.Button{row}
	}
	if !r.Message.Direct {
		answer.Text += "\n" + wordsFactsHere
	}
	return answer, nil
}

func (a *app) runFactsAdd(ctx context.Context, r admin.Request) (chat.Answer, error) {
	f := memory.NewFact{Content: r.Args["text"], Scope: memory.Scope(r.Args["scope"]), MessageID: r.Message.ID}
	if err := tools.MayLearn(f.Content); err != nil {
		return chat.Answer{}, err
	}
	if f.Scope != "" && f.Scope != memory.ScopePerson && r.Role < admin.Admin {
		return chat.Answer{Text: wordsNoShare}, nil
	}
	if f.Scope != "" && f.Scope != memory.ScopePerson && r.Message.Direct {
		return chat.Answer{Text: wordsNobodyElse}, nil
	}
	if f.Scope == memory.ScopeGuild && r.Message.Guild == "" {
		return chat.Answer{Text: wordsNoServer}, nil
	}
	saved, err := a.store.SaveFact(ctx, memory.ViewerOf(r.Message), f)
	if err != nil {
		return chat.Answer{}, err
	}
	switch {
	case saved.Replaced != "":
		return chat.Answer{Text: fmt.Sprintf(wordsFactCorrected, saved.ID, saved.Replaced, saved.Content)}, nil
	case saved.Known:
		return chat.Answer{Text: fmt.Sprintf(wordsFactKnown, saved.ID, saved.Content)}, nil
	}
	return chat.Answer{Text: fmt.Sprintf(wordsFactAdded, saved.ID, saved.Content)}, nil
}

func (a *app) runFactsImportant(ctx context.Context, r admin.Request) (chat.Answer, error) {
	if answer, err := a.ownFact(ctx, r); err != nil || answer.Text != "" {
		return answer, err
	}
	on := r.Args["state"] != "off"
	f, err := a.store.MarkFact(ctx, memory.ViewerOf(r.Message), int64(r.Number("number", 0)), on)
	if err != nil {
		return chat.Answer{}, text.Instead(err, memory.ErrNoFact, wordsNoFact)
	}
	if on {
		return chat.Answer{Text: fmt.Sprintf(wordsFactImportant, f.ID, f.Content)}, nil
	}
	return chat.Answer{Text: fmt.Sprintf(wordsFactPlain, f.ID, f.Content)}, nil
}

// ownFact refuses what is not the asker's to change, with words; "" admits.
func (a *app) ownFact(ctx context.Context, r admin.Request) (chat.Answer, error) {
	f, _, err := a.store.FactHistory(ctx, memory.ViewerOf(r.Message), int64(r.Number("number", 0)))
	if err != nil {
		return chat.Answer{}, text.Instead(err, memory.ErrNoFact, wordsNoFact)
	}
	if f.Scope != memory.ScopePerson && r.Role < admin.Admin {
		return chat.Answer{Text: wordsNoShare}, nil
	}
	return chat.Answer{}, nil
}

func (a *app) askFactsForget(ctx context.Context, r admin.Request) (string, error) {
	f, _, err := a.store.FactHistory(ctx, memory.ViewerOf(r.Message), int64(r.Number("number", 0)))
	return fmt.Sprintf(wordsForgetFact, f.Content), text.Instead(err, memory.ErrNoFact, wordsNoFact)
}

func (a *app) runFactsForget(ctx context.Context, r admin.Request) (chat.Answer, error) {
	if answer, err := a.ownFact(ctx, r); err != nil || answer.Text != "" {
		return answer, err
	}
	f, err := a.store.ForgetFact(ctx, memory.ViewerOf(r.Message), int64(r.Number("number", 0)))
	if err != nil {
		return chat.Answer{}, text.Instead(err, memory.ErrNoFact, wordsNoFact)
	}
	return chat.Answer{Text: fmt.Sprintf(wordsFactForgotten, f.Content)}, nil
}

func (a *app) runFactsHistory(ctx context.Context, r admin.Request) (chat.Answer, error) {
	f, before, err := a.store.FactHistory(ctx, memory.ViewerOf(r.Message), int64(r.Number("number", 0)))
	if err != nil {
		return chat.Answer{}, text.Instead(err, memory.ErrNoFact, wordsNoFact)
	}
	return chat.Answer{Text: factHistory(f, before, a.location(ctx, r.Message.From))}, nil
}

// factHistory tells all about a fact, with the times of a place.
func factHistory(f memory.Fact, before []memory.Earlier, loc *time.Location) string {
	stamp := func(t time.Time) string { return t.In(loc).Format("2006-01-02 15:04 MST") }
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n- %s, by %s, since %s", tools.FactLine(f), f.Type, f.Author, stamp(f.ValidFrom))
	if f.Confidence < 1 {
		fmt.Fprintf(&b, ", %.0f %% sure", 100*f.Confidence)
	}
	fmt.Fprintf(&b, "\n- first remembered %s, in %s, fetched for %s", stamp(f.Created), f.Key, many(f.Uses, "answer"))
	if f.Quote != "" {
		fmt.Fprintf(&b, "\n- in your words: “%s”", f.Quote)
	}
	for _, e := range before {
		fmt.Fprintf(&b, "\n- until %s: %s", stamp(e.Until), e.Content)
	}
	return b.String()
}

func (a *app) runFactsExport(ctx context.Context, r admin.Request) (chat.Answer, error) {
	v := memory.ViewerOf(r.Message)
	list, err := a.store.Facts(ctx, v, 1_000_000, 0)
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return chat.Answer{Text: wordsNoFacts}, nil
	}
	return chat.Answer{Text: fmt.Sprintf(wordsFactsExported, len(list)), Files: []chat.File{
		{Name: "facts.md", MIME: "text/markdown", Data: []byte(memory.WriteFacts(v.User, memory.Records(list), nil))},
	}}, nil
}

func (a *app) runFactsClear(ctx context.Context, r admin.Request) (chat.Answer, error) {
	n, err := a.store.ClearFacts(ctx, memory.ViewerOf(r.Message))
	return chat.Answer{Text: fmt.Sprintf(wordsFactsCleared, n)}, err
}

// runExport hands somebody everything about them, in a direct chat only: the
// files hold what was said elsewhere.
func (a *app) runExport(ctx context.Context, r admin.Request) (chat.Answer, error) {
	if !r.Message.Direct {
		return chat.Answer{Text: wordsExportDirect}, nil
	}
	e, err := a.store.ExportPerson(ctx, r.Message.From.ID)
	if err != nil {
		return chat.Answer{}, err
	}
	b, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return chat.Answer{}, err
	}
	notes, err := a.exportNotes(ctx, r.Message.From.ID)
	if err != nil {
		return chat.Answer{}, err
	}
	return chat.Answer{Text: fmt.Sprintf(wordsExported, len(e.Facts), len(e.Tasks), len(e.Reminders), len(e.Journal), len(e.Messages)), Files: append([]chat.File{
		{Name: "parley-export.md", MIME: "text/markdown", Data: []byte(e.Markdown())},
		{Name: "parley-export.json", MIME: "application/json", Data: b},
	}, notes...)}, nil
}

// runForgetMe runs once the person said yes.
func (a *app) runForgetMe(ctx context.Context, r admin.Request) (chat.Answer, error) {
	// Stopping in the middle would leave half of it: it is finished once begun.
	if err := a.forgetNotes(context.WithoutCancel(ctx), r.Message.From.ID); err != nil {
		return chat.Answer{}, err
	}
	if err := a.store.ForgetPerson(context.WithoutCancel(ctx), r.Message.From.ID, r.Message.Row); err != nil {
		return chat.Answer{}, err
	}
	text := wordsForgotMe
	if r.Message.Key.Platform == "terminal" {
		text += " " + wordsForgotTyped
	}
	return chat.Answer{Text: text}, nil
}

func (a *app) tasksCommand() admin.Command {
	what := admin.Option{Name: "text", Help: "what is to be done", Required: true}
	return admin.Command{Name: "tasks", Help: "Your tasks", Private: true, Run: a.runTasksList, Verbs: []admin.Command{
		{Name: "list", Help: "Your tasks, newest first", Run: a.runTasksList, Options: []admin.Option{{Name: "page", Help: "page number", Kind: admin.Number}}},
		{Name: "add", Help: "Add a task", Options: []admin.Option{what}, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return a.taskAnswer(wordsTaskAdded)(a.store.AddTask(ctx, memory.ViewerOf(r.Message), r.Args["text"], "", memory.Origin{Via: memory.ViaTyped}))
		}},
		{Name: "done", Help: "Tick a task off", Options: []admin.Option{number("task")}, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return a.taskAnswer(wordsTaskDone)(a.store.CompleteTask(ctx, memory.ViewerOf(r.Message), int64(r.Number("number", 0))))
		}},
		{Name: "edit", Help: "Change what it says", Options: []admin.Option{number("task"), what}, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return a.taskAnswer(wordsTaskChanged)(a.store.UpdateTask(ctx, memory.ViewerOf(r.Message), int64(r.Number("number", 0)), r.Args["text"], memory.Origin{Via: memory.ViaTyped}))
		}},
		{Name: "delete", Help: "Delete a task", Options: []admin.Option{number("task")}, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return a.taskAnswer(wordsTaskDeleted)(a.store.DeleteTask(ctx, memory.ViewerOf(r.Message), int64(r.Number("number", 0))))
		}, Confirm: func(ctx context.Context, r admin.Request) (string, error) {
			t, err := a.store.Task(ctx, memory.ViewerOf(r.Message), int64(r.Number("number", 0)))
			return fmt.Sprintf(wordsDeleteTask, t.ID, t.Description), text.Instead(err, memory.ErrNoTask, wordsNoTask)
		}},
	}}
}

// taskAnswer words what became of a task.
func (a *app) taskAnswer(words string) func(memory.Task, error) (chat.Answer, error) {
	return func(t memory.Task, err error) (chat.Answer, error) {
		if err != nil {
			return chat.Answer{}, text.Instead(err, memory.ErrNoTask, wordsNoTask)
		}
		return chat.Answer{Text: fmt.Sprintf(words, t.ID, t.Description)}, nil
	}
}

func (a *app) runTasksList(ctx context.Context, r admin.Request) (chat.Answer, error) {
	list, err := a.store.Tasks(ctx, memory.ViewerOf(r.Message), 1000, 0)
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return chat.Answer{Text: wordsNoTasks}, nil
	}
	return admin.Page(strings.Split(tools.TaskLines(list), "\n"), r.Number("page", 1), listPage, "/tasks list"), nil
}

func (a *app) remindCommand() admin.Command {
	what := admin.Option{Name: "what", Help: "what and when: “in 10 minutes to stretch”, “water the plants every Monday at 9”"}
	return admin.Command{Name: "remind", Help: "Reminders", Private: true, Options: []admin.Option{what}, Run: a.runRemind, Verbs: []admin.Command{
		{Name: "add", Help: "Remind me", Options: []admin.Option{what}, Run: a.runRemind},
		{Name: "list", Help: "What is waiting", Run: a.runRemindList},
		{Name: "cancel", Help: "Cancel a reminder", Options: []admin.Option{number("reminder")}, Run: a.reminderAnswer(wordsReminderGone, a.store.CancelReminder)},
		{Name: "done", Help: "That is done", Options: []admin.Option{number("reminder")}, Run: a.reminderAnswer(wordsReminderOver, a.store.Reminder)},
		{Name: "snooze", Help: "Say it again later", Run: a.runSnooze,
			Options: []admin.Option{number("reminder"), {Name: "time", Help: "10m, 1h, or words such as “tomorrow at 9”; 10m if you leave it out"}}},
		{Name: "zone", Help: "Your time zone", Options: []admin.Option{{Name: "name", Help: "such as Europe/Zurich", Required: true}}, Run: a.runZone},
	}}
}

// reminderAnswer does something to a reminder and words it.
func (a *app) reminderAnswer(words string, do func(context.Context, memory.Viewer, int64) (memory.Reminder, error)) func(context.Context, admin.Request) (chat.Answer, error) {
	return func(ctx context.Context, r admin.Request) (chat.Answer, error) {
		m, err := do(ctx, memory.ViewerOf(r.Message), int64(r.Number("number", 0)))
		if err != nil {
			return chat.Answer{}, text.Instead(err, memory.ErrNoReminder, wordsNoReminder)
		}
		return chat.Answer{Text: fmt.Sprintf(words, m.ID, m.Text)}, nil
	}
}

// callOf is a command as the tools see its author.
func callOf(m chat.Message) tools.Call {
	return tools.Call{Who: m.From, Where: m.Key, Direct: m.Direct, Guild: m.Guild, Message: m.ID, Key: "command:" + m.Key.String() + ":" + m.ID}
}

func (a *app) runRemind(ctx context.Context, r admin.Request) (chat.Answer, error) {
	if r.Args["what"] == "" {
		return a.runRemindList(ctx, r)
	}
	when, what, ok := tools.SplitWhen(r.Args["what"], a.now())
	switch {
	case when == "":
		return chat.Answer{Text: wordsRemindHow}, nil
	case !ok:
		return chat.Answer{Text: fmt.Sprintf(wordsRemindWhat, when)}, nil
	}
	said, err := a.planner().Remind(ctx, callOf(r.Message), what, when)
	return chat.Answer{Text: said}, err
}

func (a *app) runRemindList(ctx context.Context, r admin.Request) (chat.Answer, error) {
	list, err := a.store.Reminders(ctx, memory.ViewerOf(r.Message))
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return chat.Answer{Text: wordsNoReminders}, nil
	}
	return chat.Answer{Text: a.planner().Lines(ctx, r.Message.From, list)}, nil
}

func (a *app) runSnooze(ctx context.Context, r admin.Request) (chat.Answer, error) {
	due := a.now().Add(10 * time.Minute)
	if words := r.Args["time"]; words != "" {
		if d, err := time.ParseDuration(words); err == nil && d >= time.Minute && d <= 30*24*time.Hour {
			due = a.now().Add(d)
		} else {
			w, err := tools.ParseWhen(words, a.now(), a.location(ctx, r.Message.From))
			if err != nil || w.Schedule != "" {
				return chat.Answer{Text: wordsSnoozeHow}, nil
			}
			due = w.At
		}
	}
	m, err := a.store.SnoozeReminder(ctx, memory.ViewerOf(r.Message), int64(r.Number("number", 0)), due)
	if err != nil {
		return chat.Answer{}, text.Instead(err, memory.ErrNoReminder, wordsNoReminder)
	}
	return chat.Answer{Text: fmt.Sprintf(wordsSnoozed, m.Text, howLong(due.Sub(a.now())+time.Second))}, nil
}

func (a *app) runZone(ctx context.Context, r admin.Request) (chat.Answer, error) {
	name, err := a.planner().SetZone(ctx, r.Message.From, r.Args["name"])
	return chat.Answer{Text: fmt.Sprintf(wordsZoneSet, name)}, err
}

func (a *app) logCommand() admin.Command {
	return admin.Command{Name: "log", Help: "Your journal", Private: true, Run: a.runLog, Verbs: []admin.Command{
		{Name: "add", Help: "Write a line into it", Run: a.runLogAdd, Options: []admin.Option{
			{Name: "text", Help: "the line", Required: true},
			{Name: "type", Help: "what it is", Choices: []string{"thought", "decision", "research", "insight"}},
		}},
		{Name: "day", Help: "What you logged on a day", Run: a.runLog, Options: []admin.Option{{Name: "day", Help: "today, yesterday, Tuesday, 2026-05-01"}}},
		{Name: "search", Help: "Find lines by their words", Run: a.runLog, Options: []admin.Option{{Name: "query", Help: "words", Required: true}}},
	}}
}

func (a *app) runLogAdd(ctx context.Context, r admin.Request) (chat.Answer, error) {
	e, err := a.store.AddLog(ctx, memory.ViewerOf(r.Message), memory.LogEntry{Content: r.Args["text"], Type: r.Args["type"]}, "")
	if err != nil {
		return chat.Answer{}, err
	}
	return chat.Answer{Text: fmt.Sprintf(wordsLogged, strconv.FormatInt(e.ID, 10), e.Content)}, nil
}

func (a *app) runLog(ctx context.Context, r admin.Request) (chat.Answer, error) {
	said, err := a.planner().Journal(ctx, callOf(r.Message), r.Args["day"], r.Args["query"])
	return chat.Answer{Text: said}, err
}

package command

import (
	"context"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/agenda"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Journal is /log.
type Journal struct {
	// Planner writes the journal and reads it by people's days, as for the model's
	// tools.
	Planner tools.Planner
}

func (j Journal) command() gate.Command {
	return gate.Command{Name: "log", Help: "Your journal", Effect: gate.Reads, Private: true, Run: j.read, Verbs: []gate.Command{
		{Name: "add", Help: "Write a line into it", Run: j.add, Options: []gate.Option{
			{Name: "text", Help: "the line", Required: true, Long: true},
			{Name: "type", Help: "what it is", Choices: []string{"thought", "decision", "research", "insight"}},
		}},
		{Name: "day", Help: "What you logged on a day", Effect: gate.Reads, Run: j.read,
			Options: []gate.Option{{Name: "day", Help: "today, yesterday, Tuesday, 2026-05-01"}}},
		{Name: "search", Help: "Find lines by their words", Effect: gate.Reads, Run: j.read, Options: []gate.Option{{Name: "query",
			Help: helpQuery, Required: true}}},
	}}
}

func (j Journal) add(ctx context.Context, r gate.Request) (chat.Answer, error) {
	e, err := j.Planner.AddLog(ctx, tools.CallOf(r.Message), agenda.LogEntry{Content: r.Args["text"], Type: r.Args["type"],
		Origin: passedOn(r)})
	return chat.Answer{Text: catalog.Say(ctx, "Logged (#%d): %s", e.ID, e.Content)}, err
}

func (j Journal) read(ctx context.Context, r gate.Request) (chat.Answer, error) {
	read, err := j.Planner.Journal(ctx, tools.CallOf(r.Message), r.Args["day"], r.Args["query"])
	return chat.Answer{Text: read.Content}, err
}

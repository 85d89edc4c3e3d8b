package command

import (
	"context"

	"parley/internal/admin"
	"parley/internal/agenda"
	"parley/internal/chat"
	"parley/internal/tongue"
	"parley/internal/tools"
)

// Journal is /log.
type Journal struct {
	// Planner writes the journal and reads it by people's days, as for the model's
	// tools.
	Planner tools.Planner
}

func (j Journal) command() admin.Command {
	return admin.Command{Name: "log", Help: helpLog, Effect: admin.Reads, Private: true, Run: j.read, Verbs: []admin.Command{
		{Name: "add", Help: helpLogAdd, Run: j.add, Options: []admin.Option{
			{Name: "text", Help: helpLogText, Required: true, Long: true},
			{Name: "type", Help: helpLogType, Choices: []string{"thought", "decision", "research", "insight"}},
		}},
		{Name: "day", Help: helpLogDay, Effect: admin.Reads, Run: j.read, Options: []admin.Option{{Name: "day", Help: helpDay}}},
		{Name: "search", Help: helpLogSearch, Effect: admin.Reads, Run: j.read, Options: []admin.Option{{Name: "query", Help: helpQuery, Required: true}}},
	}}
}

func (j Journal) add(ctx context.Context, r admin.Request) (chat.Answer, error) {
	e, err := j.Planner.AddLog(ctx, tools.CallOf(r.Message), agenda.LogEntry{Content: r.Args["text"], Type: r.Args["type"], Origin: passedOn(r)})
	return chat.Answer{Text: tongue.Say(ctx, wordsLogged, e.ID, e.Content)}, err
}

func (j Journal) read(ctx context.Context, r admin.Request) (chat.Answer, error) {
	read, err := j.Planner.Journal(ctx, tools.CallOf(r.Message), r.Args["day"], r.Args["query"])
	return chat.Answer{Text: read.Content}, err
}

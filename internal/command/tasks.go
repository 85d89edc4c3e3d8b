package command

import (
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/tools"
)

// Tasks is /tasks.
type Tasks struct{ Rows *memory.Store }

func (t Tasks) command() gate.Command {
	all := verbs(tools.TaskOperations(t.Rows))
	return gate.Command{Name: "tasks", Help: "Your tasks", First: 4, Effect: gate.Reads, Private: true, Run: all[0].Run, Verbs: all}
}

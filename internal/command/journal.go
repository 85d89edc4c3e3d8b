package command

import (
	"parley/internal/command/gate"
	"parley/internal/tools"
)

// Journal is /log.
type Journal struct {
	// Planner writes the journal and reads it by people's days, as for the model's
	// tools.
	Planner tools.Planner
}

func (j Journal) command() gate.Command {
	all := tools.LogOperations(j.Planner)
	return gate.Command{Name: "log", Help: "Your journal", Effect: gate.Reads, Private: true,
		Run: operated(all, "log day").Run, Verbs: verbs(all)}
}

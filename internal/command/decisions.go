package command

import (
	"context"

	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/tools"
)

// Decisions is /decisions.
type Decisions struct {
	Rows *memory.Store
	// MayAll reports whether who calls may change what others decided; nil forbids it.
	MayAll func(context.Context, tools.Call) bool
}

func (d Decisions) command() gate.Command {
	all := verbs(tools.DecisionOperations(d.Rows, d.MayAll))
	return gate.Command{Name: "decisions", Help: "What was decided here", Effect: gate.Reads, Private: true,
		Run: all[0].Run, Verbs: all}
}

package command

import (
	"context"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/text/catalog"
)

// Rehearsal is /rehearse.
type Rehearsal struct {
	// Last returns the newest answer in a place, to anybody with user "".
	Last func(ctx context.Context, p memory.Place) (memory.Decision, error)
	// Write makes a script of the conversation before an answer and of what should have
	// come of it, and returns its path. Its errors can be told to people.
	Write func(ctx context.Context, d memory.Decision, should string) (path string, err error)
}

func (h Rehearsal) command() gate.Command {
	return gate.Command{Name: "rehearse", Help: "Tests of what I say", Who: gate.Owner, Private: true, Verbs: []gate.Command{
		{Name: "this", Help: "Make a test of my last answer here", Options: []gate.Option{{Name: "should", Help: "What should have come of it: should have said …", Required: true}}, Run: h.this},
	}}
}

// this makes a test of the last answer here.
func (h Rehearsal) this(ctx context.Context, r gate.Request) (chat.Answer, error) {
	d, ok, err := found(h.Last(ctx, memory.Place{Key: r.Message.Key, Agent: r.Message.Agent.ID}))
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return say(ctx, "I have answered nothing here yet.")
	}
	path, err := h.Write(ctx, d, r.Args["should"])
	if err != nil {
		return chat.Answer{}, err
	}
	return chat.Answer{Text: catalog.Say(ctx, "Written to %[1]s. It fails until the playbook is right: `bot rehearse %[1]s`; with "+
		"`--record` the model answers anew.", path)}, nil
}

package command

import (
	"context"

	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/tongue"
)

// Rehearsal is /rehearse.
type Rehearsal struct {
	// Last returns the newest answer in a place, to anybody with user "".
	Last func(ctx context.Context, p memory.Place) (memory.Decision, error)
	// Write makes a script of the conversation before an answer and of what should have
	// come of it, and returns its path. Its errors can be told to people.
	Write func(ctx context.Context, d memory.Decision, should string) (path string, err error)
}

func (h Rehearsal) command() admin.Command {
	return admin.Command{Name: "rehearse", Help: helpRehearse, Who: admin.Owner, Private: true, Verbs: []admin.Command{
		{Name: "this", Help: helpRehearseThis, Options: []admin.Option{{Name: "should", Help: helpRehearseShould, Required: true}}, Run: h.this},
	}}
}

// this makes a test of the last answer here.
func (h Rehearsal) this(ctx context.Context, r admin.Request) (chat.Answer, error) {
	d, ok, err := found(h.Last(ctx, memory.Place{Key: r.Message.Key, Agent: r.Message.Agent.ID}))
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return say(ctx, wordsNothingToRehearse)
	}
	path, err := h.Write(ctx, d, r.Args["should"])
	if err != nil {
		return chat.Answer{}, err
	}
	return chat.Answer{Text: tongue.Say(ctx, wordsRehearsed, path)}, nil
}

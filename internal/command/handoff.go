package command

import (
	"context"

	"parley/internal/chat"
	"parley/internal/command/gate"
)

// Said in more than one place.
const (
	helpHandoff       = "Have a person answer here instead of the assistant"
	helpHandoffNumber = "number of the conversation"
)

// Handoff is /handoff.
type Handoff struct {
	Desk People
	// Choices are the conversations that m's author could take or give back; nil
	// offers none.
	Choices func(ctx context.Context, m chat.Message) []chat.Choice
}

// People are those who answer in place of the assistant; desk.Desk. Its errors may be
// shown to people.
type People interface {
	Open(ctx context.Context, m chat.Message, reason string) (chat.Answer, error)
	Take(ctx context.Context, m chat.Message, id int64) (chat.Answer, error)
	// Back brings the assistant back; id 0 is the only conversation there is.
	Back(ctx context.Context, m chat.Message, id int64) (chat.Answer, error)
	List(ctx context.Context, m chat.Message) (chat.Answer, error)
}

func (h Handoff) command() gate.Command {
	take := number(helpHandoffNumber)
	take.Offer = h.Choices
	reason := gate.Option{Name: "reason", Help: "what it is about"}
	return gate.Command{Name: "handoff", Help: helpHandoff, Options: []gate.Option{reason}, Run: h.open, Verbs: []gate.Command{
		{Name: "ask", Help: helpHandoff, Options: []gate.Option{reason}, Run: h.open},
		{Name: "back", Help: "Go back to the assistant; at the desk: give a conversation back", Options: []gate.Option{{Name: "number", Help: helpHandoffNumber, Kind: gate.Number,
			Offer: h.Choices}},
			Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
				return h.Desk.Back(ctx, r.Message, int64(r.Number("number", 0)))
			}},
		{Name: "take", Help: "At the desk: answer a conversation yourself", Options: []gate.Option{take},
			Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
				return h.Desk.Take(ctx, r.Message, int64(r.Number("number", 0)))
			}},
		{Name: "list", Help: "At the desk: the conversations that wait", Effect: gate.Reads,
			Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) { return h.Desk.List(ctx, r.Message) }},
	}}
}

func (h Handoff) open(ctx context.Context, r gate.Request) (chat.Answer, error) {
	return h.Desk.Open(ctx, r.Message, r.Args["reason"])
}

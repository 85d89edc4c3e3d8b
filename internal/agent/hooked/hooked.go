// Package hooked takes what webhooks bring: it is said as it is, kept, or given to the agent
// as nobody's words. It reads no request, and never asks a person for anything.
package hooked

import (
	"context"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
)

// Options of Apart. All are required.
type Options struct {
	// Session returns the session of m's place; it is called in the lane.
	Session func(ctx context.Context, m chat.Message) (memory.Session, error)
	TTL     func() time.Duration // silence that ends a session
	// Taken reports whether people answer in a chat with one person; then the agent does not.
	Taken func(ctx context.Context, k chat.Key) (bool, error)
	Agent chat.Handler // within its budget
}

// Apart takes what webhooks bring, and hands everything else to next: no webhook is asked
// whether it may speak, gives commands or answers questions.
func Apart(o Options, next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Hook == "" {
			return pass(ctx, m, w)
		}
		return o.take(ctx, m, w)
	})
}

func (o *Options) take(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
	if m.Hook == chat.HookAsk {
		taken, err := o.Taken(ctx, m.Key)
		if err != nil {
			return chat.Answer{}, err
		}
		if !taken {
			return o.Agent.Handle(ctx, m, w)
		}
		m.Hook = chat.HookKeep
	}
	session, err := o.Session(ctx, m)
	if err != nil {
		return chat.Answer{}, err
	}
	session.Direct = m.Direct
	kept := &memory.Relay{End: chat.End{Outcome: chat.Overheard}, Lines: []memory.Line{{Session: session, TTL: o.TTL(), Entry: entry(m)}}}
	if m.Hook == chat.HookKeep {
		return chat.Answer{Record: kept}, nil
	}
	kept.End.Outcome = chat.Answered
	return chat.Answer{Text: m.Text, Record: kept}, nil
}

// entry is what a webhook brought as the transcript has it: a line of an author of its own,
// from outside.
func entry(m chat.Message) memory.Entry {
	return memory.Entry{Role: llm.RoleUser, User: m.From.ID, Name: m.From.Name, MessageID: m.ID, Content: m.Text, At: m.At,
		Tokens: llm.EstimateTokens(llm.Message{Content: m.Text}), Origin: provenance.Origin{Via: provenance.ViaServer | provenance.ViaForwarded}}
}

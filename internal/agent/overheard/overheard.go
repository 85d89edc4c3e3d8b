// Package overheard takes what people say to each other where the bot reads along: it tells
// them that it does, keeps their words as said in that place, and has the agent speak where a
// rule of the playbook lets it. It admits nobody and asks no model itself.
package overheard

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"parley/internal/agent"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/access"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// maxKept is how many runes of a message are kept.
const maxKept = 4000

// Listener is where the bot reads along. All fields are required.
type Listener struct {
	Rows Rows
	Mind Mind
	// Edit is memory.Store.EditMessage.
	Edit func(ctx context.Context, k chat.Key, messageID, text string, via memory.Via) (found bool, err error)
	TTL  time.Duration // silence that ends a session
	// PerDay is how often a day the bot may speak in a channel although nobody asked.
	PerDay int
	// Answered reports whether the bot answers m's author in m's place; Owns, whether they own
	// the bot, so that nobody tells them what it does.
	Answered, Owns func(ctx context.Context, m chat.Message) bool
	Agent          chat.Handler // within its budget
	Place          string       // what a place is told
	Log            *slog.Logger
}

// Rows is who is heard where, and how often the bot spoke unasked; access.Register.
type Rows interface {
	Hearing(ctx context.Context, k chat.Key, user string) (access.Hearing, error)
	Unasked(ctx context.Context, k chat.Key) (today int, err error)
}

// Mind is who would speak; dispatch.Minds.
type Mind interface {
	Session(ctx context.Context, m chat.Message) (memory.Session, error)
	MaySpeak(ctx context.Context, m chat.Message) (bool, error)
}

// Handle implements chat.Handler. What was said before its author could know that the bot
// reads along is not kept.
func (l *Listener) Handle(ctx context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
	ignored := chat.Answer{Record: chat.End{Outcome: chat.Overheard}}
	h, err := l.Rows.Hearing(ctx, m.Key, m.From.ID)
	if err != nil {
		return chat.Answer{}, err
	}
	m.Unasked = true
	if m.Kind == chat.KindEdit {
		if h.Before && !h.Out {
			_, err = l.Edit(ctx, m.Key, m.ReplyTo, said(m), agent.Ways(m))
		}
		return ignored, err
	}
	if h.Out || m.From.ID == "" || said(m) == "" {
		return ignored, nil
	}
	told := &memory.Overheard{}
	switch {
	case !h.Place:
		told.Tells = memory.TellsPlace
		return chat.Answer{Text: catalog.Text(ctx, l.Place), Record: told}, nil
	case h.Person:
	case l.Owns(ctx, m):
		told.Tells = memory.TellsPerson
	default:
		told.Tells = memory.TellsPerson
		return chat.Answer{Text: catalog.Say(ctx, "Just so you know, %s: I read along here. `/listen off` leaves your words out.",
			provenance.Label(m.From.Name)), Record: told}, nil
	}
	if told.Line, err = l.line(ctx, m); err != nil {
		return chat.Answer{}, err
	}
	speaks, err := l.maySpeak(ctx, m)
	if err != nil || !speaks {
		return chat.Answer{Record: told}, err
	}
	return l.speak(ctx, m, told)
}

// said is the words of m that are kept: none of its files.
func said(m chat.Message) string { return text.Clip(strings.TrimSpace(text.Plain(m.Text)), maxKept) }

// line is m as the transcript has it.
func (l *Listener) line(ctx context.Context, m chat.Message) (memory.Line, error) {
	session, err := l.Mind.Session(ctx, m)
	if err != nil {
		return memory.Line{}, fmt.Errorf("overheard: %w", err)
	}
	e := memory.Entry{Role: llm.RoleUser, User: m.From.ID, Name: m.From.Name, MessageID: m.ID, Content: said(m), At: m.At,
		Origin: provenance.Origin{Via: agent.Ways(m)}}
	e.Tokens = llm.EstimateTokens(llm.Message{Content: e.Content})
	return memory.Line{Session: session, TTL: l.TTL, Entry: e}, nil
}

// maySpeak reports whether a rule may have the bot speak, which a model might have to judge.
func (l *Listener) maySpeak(ctx context.Context, m chat.Message) (bool, error) {
	if l.PerDay == 0 {
		return false, nil
	}
	may, err := l.Mind.MaySpeak(ctx, m)
	if err != nil || !may || !l.Answered(ctx, m) {
		return false, err
	}
	today, err := l.Rows.Unasked(ctx, m.Key)
	return today < l.PerDay, err
}

// speak has the agent say what a rule lets it. What does not succeed is not told: nobody waits
// for it.
func (l *Listener) speak(ctx context.Context, m chat.Message, heard *memory.Overheard) (chat.Answer, error) {
	a, err := l.Agent.Handle(ctx, m, chat.Unwatched{}) // whether it is said is not certain yet
	if ctx.Err() != nil {
		return a, context.Cause(ctx)
	}
	turn, ok := a.Record.(*memory.Turn)
	if err != nil || !ok || turn.Decision.End.Outcome != chat.Answered || a.Text == "" {
		if err != nil {
			l.Log.Warn("speak unasked", "conversation", m.Key.String(), "err", err)
		}
		return chat.Answer{Record: heard}, nil
	}
	turn.Unasked = l.PerDay
	return a, nil
}

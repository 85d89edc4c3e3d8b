package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/memory/sessions"
	"parley/internal/text/catalog"
)

// Said in more than one place.
const (
	wordsNoSession = "There is no conversation going on here."
	wordsDecided   = "decided"
	wordsResumed   = "We go on with: %s"
)

// Session is /session and /summarize.
type Session struct {
	Rows  SessionRows
	Agent Conversations
	// Place is where the session of a message's author lives.
	Place func(chat.Message) memory.Place
	// Archive has an ended session summed up soon.
	Archive func(memory.Session)
	// Variables are the playbook's in a session, a line each.
	Variables func(context.Context, memory.Session, chat.Message) []string
	Tokens    func() int // that a conversation holds at most
	Now       func() time.Time
	// More answers in the conversation.
	More    chat.Handler
	Past    *sessions.Archive
	Control SessionControl
}

// SessionRows is the sessions that are stored; memory.Sessions.
type SessionRows interface {
	LiveSession(ctx context.Context, p memory.Place) (memory.Session, bool, error)
	Sessions(ctx context.Context, q memory.SessionQuery) ([]memory.Session, error)
}

// Conversations ends conversations and sums them up; agent.Agent.
type Conversations interface {
	// End reports whether there was one to end.
	End(ctx context.Context, id string, carry bool) (bool, error)
	Summarize(ctx context.Context, p memory.Place) (string, error)
}

func (s Session) command() gate.Command {
	which := []gate.Option{{Name: "id", Help: "as /session list shows it", Required: true, Offer: s.offer}}
	return gate.Command{Name: "session", Help: "This conversation", First: 6, Verbs: []gate.Command{
		{Name: "info", Help: "How long it is and what it holds", Effect: gate.Reads, Run: s.info},
		{Name: "list", Help: "Your conversations, the latest first", Effect: gate.Reads, Private: true, Run: s.list,
			Options: []gate.Option{{Name: "page", Help: helpPageNumber, Kind: gate.Number}}},
		{Name: "show", Help: "What a conversation was about", Effect: gate.Reads, Private: true, Run: s.show, Options: which},
		{Name: "resume", Help: "Continue an earlier conversation", WhoIn: s.who, Run: s.resume, Options: which},
		{Name: "delete", Help: "Delete a conversation and what it left", Private: true, Run: s.remove, Confirm: s.askRemove, Options: which},
		{Name: "more", Help: "Go on with an answer that was cut short", Effect: gate.Works,
			Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
				m := r.Message
				m.Kind, m.Text, m.ReplyTo, m.Quote, m.Relayed = chat.KindText, catalog.Text(ctx, "Go on exactly where you stopped."), "", "", false
				return s.More.Handle(ctx, m, r.Reply)
			}},
		{Name: "end", Help: "End it and keep its summary", WhoIn: s.who, Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
			return s.end(ctx, r.Message, true)
		}},
		{Name: "reset", Help: "Start afresh; facts stay", WhoIn: s.who, Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
			return s.end(ctx, r.Message, false)
		}},
	}}
}

func (s Session) info(ctx context.Context, r gate.Request) (chat.Answer, error) {
	se, ok, err := s.Rows.LiveSession(ctx, s.Place(r.Message))
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return say(ctx, wordsNoSession)
	}
	var b strings.Builder
	b.WriteString(catalog.Say(ctx, "**This conversation** `%s` is %s.\n- begun %s, last message %s\n- tokens: %d of %d\n- shortened: %s\n", se.ID[:8], se.Status, catalog.Ago(ctx, s.Now(), se.Created),
		catalog.Ago(ctx, s.Now(), se.LastActivity),
		se.TokensUsed, s.Tokens(), catalog.Many(ctx, se.Compressions, "time")))
	for _, line := range []struct {
		words string
		list  []string
	}{
		{catalog.Text(ctx, wordsDecided), sessions.Told(se.Decisions)}, {catalog.Text(ctx, "files"), se.Mentions.Files},
		{catalog.Text(ctx, "links"), se.Mentions.URLs},
		{catalog.Text(ctx, "names"), se.Mentions.Symbols}, {catalog.Text(ctx, "people"), se.Mentions.People},
		{catalog.Text(ctx, "about"), se.Mentions.Refs},
	} {
		if len(line.list) > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", line.words, strings.Join(line.list, ", "))
		}
	}
	for _, v := range s.Variables(ctx, se, r.Message) {
		fmt.Fprintf(&b, "- %s\n", v)
	}
	if se.Summary != "" {
		fmt.Fprintf(&b, "\n%s", se.Summary)
	}
	return chat.Answer{Text: b.String()}, nil
}

// end ends the conversation m stands in; commands run in its lane.
func (s Session) end(ctx context.Context, m chat.Message, carry bool) (chat.Answer, error) {
	se, ok, err := s.Rows.LiveSession(ctx, s.Place(m))
	if err != nil {
		return chat.Answer{}, err
	}
	if ok {
		ok, err = s.Agent.End(ctx, se.ID, carry)
	} else if m.Attempt > 0 {
		se, ok, err = s.endedBy(ctx, m)
	}
	if err != nil {
		return chat.Answer{}, err
	}
	if ok {
		s.Archive(se)
	}
	switch {
	case !carry:
		return say(ctx, "We start afresh. I keep what I know about you.")
	case ok:
		return say(ctx, "Goodbye! I have ended this conversation and will remember what mattered.")
	}
	return say(ctx, wordsNoSession)
}

// endedBy returns the conversation that was ended since m was written: by m itself, in a
// process that died before it could say so.
func (s Session) endedBy(ctx context.Context, m chat.Message) (ended memory.Session, ok bool, err error) {
	p := s.Place(m)
	list, err := s.Rows.Sessions(ctx, memory.SessionQuery{Key: p.Key})
	for _, se := range list {
		if se.User == p.User && se.Agent == p.Agent && !se.Ended.Before(m.At) && (!ok || se.Ended.After(ended.Ended)) {
			ended, ok = se, true
		}
	}
	return ended, ok, err
}

func (s Session) summarize() gate.Command {
	return gate.Command{Name: "summarize", Help: "Summarize this conversation", Effect: gate.Works, WhoIn: s.who,
		Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
			summary, err := s.Agent.Summarize(ctx, s.Place(r.Message))
			return chat.Answer{Text: cmp.Or(summary, catalog.Text(ctx, "There is nothing to summarize yet."))}, err
		}}
}

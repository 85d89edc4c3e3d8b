package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/tongue"
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
	Past    PastSessions
	Control SessionControl
}

// SessionRows is the sessions that are stored; memory.Store.
type SessionRows interface {
	LiveSession(ctx context.Context, p memory.Place) (memory.Session, bool, error)
}

// Conversations ends conversations and sums them up; agent.Agent.
type Conversations interface {
	// End reports whether there was one to end.
	End(ctx context.Context, id string, carry bool) (bool, error)
	Summarize(ctx context.Context, p memory.Place) (string, error)
}

func (s Session) command() admin.Command {
	which := []admin.Option{{Name: "id", Help: helpSessionID, Required: true, Offer: s.offer}}
	return admin.Command{Name: "session", Help: helpSession, First: 6, Verbs: []admin.Command{
		{Name: "info", Help: helpSessionInfo, Effect: admin.Reads, Run: s.info},
		{Name: "list", Help: helpSessionList, Effect: admin.Reads, Private: true, Run: s.list,
			Options: []admin.Option{{Name: "page", Help: helpPageNumber, Kind: admin.Number}}},
		{Name: "show", Help: helpSessionShow, Effect: admin.Reads, Private: true, Run: s.show, Options: which},
		{Name: "resume", Help: helpSessionResume, WhoIn: s.who, Run: s.resume, Options: which},
		{Name: "delete", Help: helpSessionDelete, Private: true, Run: s.remove, Confirm: s.askRemove, Options: which},
		{Name: "more", Help: helpSessionMore, Effect: admin.Works, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			m := r.Message
			m.Kind, m.Text, m.ReplyTo, m.Quote, m.Relayed = chat.KindText, tongue.Text(ctx, wordsGoOn), "", "", false
			return s.More.Handle(ctx, m, r.Reply)
		}},
		{Name: "end", Help: helpSessionEnd, WhoIn: s.who, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return s.end(ctx, r.Message, true)
		}},
		{Name: "reset", Help: helpSessionReset, WhoIn: s.who, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return s.end(ctx, r.Message, false)
		}},
	}}
}

func (s Session) info(ctx context.Context, r admin.Request) (chat.Answer, error) {
	se, ok, err := s.Rows.LiveSession(ctx, s.Place(r.Message))
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return say(ctx, wordsNoSession)
	}
	var b strings.Builder
	b.WriteString(tongue.Say(ctx, wordsSession, se.ID[:8], se.Status, tongue.Ago(ctx, s.Now(), se.Created), tongue.Ago(ctx, s.Now(), se.LastActivity),
		se.TokensUsed, s.Tokens(), tongue.Many(ctx, se.Compressions, "time")))
	for _, line := range []struct {
		words string
		list  []string
	}{
		{tongue.Text(ctx, wordsDecided), se.Decisions}, {tongue.Text(ctx, wordsFiles), se.Mentions.Files}, {tongue.Text(ctx, wordsLinks), se.Mentions.URLs},
		{tongue.Text(ctx, wordsNames), se.Mentions.Symbols}, {tongue.Text(ctx, wordsPeople), se.Mentions.People}, {tongue.Text(ctx, wordsAbout), se.Mentions.Refs},
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
		if ok, err = s.Agent.End(ctx, se.ID, carry); err != nil {
			return chat.Answer{}, err
		}
	}
	if ok {
		s.Archive(se)
	}
	switch {
	case !carry:
		return say(ctx, wordsFresh)
	case ok:
		return say(ctx, wordsFarewell)
	}
	return say(ctx, wordsNoSession)
}

func (s Session) summarize() admin.Command {
	return admin.Command{Name: "summarize", Help: helpSummarize, Effect: admin.Works, WhoIn: s.who, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
		summary, err := s.Agent.Summarize(ctx, s.Place(r.Message))
		return chat.Answer{Text: cmp.Or(summary, tongue.Text(ctx, wordsNothingSaid))}, err
	}}
}

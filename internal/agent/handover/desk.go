// Package handover lets people answer in place of the assistant: it hands a conversation
// over to a desk, relays what both sides write, and takes it back. Everything it says goes
// through the outbox, in the transaction that finishes the message that led to it, so that
// nothing is lost and nothing is said twice. It sees what a person wrote in the place that
// was handed over, and nothing else about them.
package handover

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/handoff"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Options of New. All but Log are required.
type Options struct {
	Store *memory.Store
	Place
	// Patience is how long a person waits for the desk to write.
	Patience func() time.Duration
	Platforms
	Sessions
	// Speak returns the language somebody is spoken to in, by their id.
	Speak func(ctx context.Context, id string) catalog.Printer
	Now   func() time.Time
	Log   *slog.Logger // nil is silent
}

// Platforms are the ways in and out.
type Platforms struct {
	Split func(platform, said string) []string
	// Flush sends what waits in the outbox of a place.
	Flush func(k chat.Key)
	// Open reads an attachment of m, as attach.Files.Open does.
	Open func(ctx context.Context, m chat.Message, f chat.File, limit int64) ([]byte, error)
}

// Sessions say where words are kept.
type Sessions struct {
	PerUser bool
	TTL     func() time.Duration
}

// Desk passes conversations on. It is safe for many goroutines.
type Desk struct{ o Options }

// New makes a Desk.
func New(o Options) *Desk {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Desk{o}
}

// Errors of handing over. Their texts may be shown to people.
var (
	ErrNoDesk = text.Tell("there is nobody I could pass you on to here: no desk is set up")
	ErrAtDesk = text.Tell("this is the desk itself")
	ErrOpen   = text.Tell("a person has been asked already, and answers here")
)

// Possible explains why a person's conversation in a place cannot be handed over; nil
// if it can.
func (d *Desk) Possible(ctx context.Context, k chat.Key, user string) error {
	desks := d.places(ctx)
	if len(desks) == 0 {
		return ErrNoDesk
	}
	if slices.Contains(desks, k) {
		return ErrAtDesk
	}
	_, open, err := d.o.Store.Handoffs.In(ctx, k, user)
	if err == nil && open {
		return ErrOpen
	}
	return err
}

// HandOver returns the deed that hands m's author over, and what they are told. calls are
// those of this turn, session is the conversation's.
func (d *Desk) HandOver(ctx context.Context, m chat.Message, h tools.HandOver, session string,
	calls []memory.CallRecord) (deed memory.Deed, said string, err error) {
	if err := d.Possible(ctx, m.Key, m.From.ID); err != nil {
		return deed, "", err
	}
	desks := d.places(ctx)
	words, earlier, err := d.background(ctx, session, m)
	if err != nil {
		return deed, "", err
	}
	for _, c := range calls {
		earlier = append(earlier, handoff.Attempt{Tool: c.Name, Status: c.Status, Class: c.Class})
	}
	file := dossier{m: m, h: h, words: words, calls: earlier}
	hears := d.hearing(ctx, handoff.Handoff{})
	deed.Do = func(tx *memory.Tx, s *memory.Store) error {
		row, fresh, err := s.Handoffs.Begin(tx, handoff.Handoff{Person: m.From, Place: m.Key, Direct: m.Direct, Agent: m.Agent.ID,
			By: h.By.String(), Reason: h.Reason, LastID: m.ID, Due: d.o.Now().Add(d.o.Patience())})
		if err != nil || !fresh {
			return err
		}
		for _, desk := range desks {
			parts := d.parts(desk, m.From, file.text(hears.at(desk), row.ID))
			parts[len(parts)-1].Buttons = bothButtons(hears.at(desk), row.ID)
			if err := s.Post(tx, row.ID, fmt.Sprintf("handoff:%d:%s", row.ID, desk), parts); err != nil {
				return err
			}
		}
		return nil
	}
	deed.Then = d.flush(desks...)
	return deed, catalog.Say(ctx, "I have asked a person to take over. They get what you wrote here, and answer here; until then I "+
		"am silent. If nobody comes within %s, I tell you. To go on with me, send /handoff back.", catalog.HowLong(ctx, d.o.Patience())), nil
}

// Open hands m's author over: /handoff.
func (d *Desk) Open(ctx context.Context, m chat.Message, reason string) (chat.Answer, error) {
	reason = strings.TrimSpace(reason)
	session, err := d.session(ctx, memory.Place{Key: m.Key, User: m.From.ID, Agent: m.Agent.ID}, m.Direct)
	if err != nil {
		return chat.Answer{}, err
	}
	deed, said, err := d.HandOver(ctx, m, tools.HandOver{By: catalog.Words("the person themselves, with /handoff"), Reason: reason},
		session.ID, nil)
	if err != nil {
		return chat.Answer{}, err
	}
	r := &memory.Relay{End: chat.End{Outcome: chat.PassedOn, Command: "handoff"}, Why: []string{catalog.Text(ctx, "You asked for a person. Somebody at the desk answers you here.")}, Deed: deed}
	if reason != "" {
		r.Lines = []memory.Line{d.line(session, d.entry(m, reason))}
	}
	return chat.Answer{Text: said, Record: r}, nil
}

// background returns what m's author wrote in a session, the newest last, and what was tried
// for them.
func (d *Desk) background(ctx context.Context, session string, m chat.Message) (words []string, calls []handoff.Attempt, err error) {
	if session != "" {
		entries, err := d.o.Store.Transcript(ctx, session, 0, maxRead)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			if e.Role == llm.RoleUser && e.User == m.From.ID {
				words = append(words, e.Content)
			}
		}
		if calls, err = d.o.Store.Handoffs.Tried(ctx, session, m.From.ID); err != nil {
			return nil, nil, err
		}
	}
	if m.Kind == chat.KindText && m.Text != "" && (len(words) == 0 || words[len(words)-1] != m.Text) {
		words = append(words, m.Text)
	}
	return words[max(0, len(words)-maxWords):], calls, nil
}

func (d *Desk) session(ctx context.Context, p memory.Place, direct bool) (memory.Session, error) {
	if !d.o.PerUser {
		p.User = ""
	}
	se, ok, err := d.o.Store.Sessions.LiveSession(ctx, p)
	if err != nil || ok {
		return se, err
	}
	se, err = d.o.Store.Sessions.NewSession(ctx, p, true)
	se.Direct = direct
	return se, err
}

func (d *Desk) line(se memory.Session, e memory.Entry) memory.Line {
	return memory.Line{Session: se, TTL: d.o.TTL(), Entry: e}
}

// entry is what m's author wrote.
func (d *Desk) entry(m chat.Message, said string) memory.Entry {
	via := provenance.ViaTyped
	if m.Forwarded {
		via = provenance.ViaForwarded
	}
	return memory.Entry{Role: llm.RoleUser, User: m.From.ID, Name: m.From.Name, MessageID: m.ID, Content: said, At: m.At,
		Tokens: llm.EstimateTokens(llm.Message{Content: said}), Origin: provenance.Origin{Via: via}}
}

// parts cuts words for a place. to is the person who wrote them or gets them: forgetting the
// person then reaches the parts.
func (d *Desk) parts(k chat.Key, to chat.User, said string) (parts []chat.Part) {
	for i, piece := range d.o.Split(k.Platform, chat.Seen(said)) {
		parts = append(parts, chat.Part{Key: k, Index: i, Text: piece, To: to})
	}
	if len(parts) == 0 {
		parts = []chat.Part{{Key: k, To: to}}
	}
	return parts
}

func (d *Desk) flush(keys ...chat.Key) func(context.Context) {
	return func(context.Context) {
		for _, k := range keys {
			d.o.Flush(k)
		}
	}
}

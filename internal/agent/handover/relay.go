package handover

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/handoff"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

const (
	wordsSaid       = "**%s**: %s"
	wordsWith       = "**%s** is with **%s**."
	wordsWhyRelayed = "What you wrote went to %s."
)

// Wrap passes on what belongs to a handoff and hands everything else to next.
// Commands and buttons keep working on both sides.
func (d *Desk) Wrap(next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Kind != chat.KindText && m.Kind != chat.KindEdit {
			return pass(ctx, m, w)
		}
		if a, ours, err := d.relay(ctx, m); ours || err != nil {
			return a, err
		}
		return pass(ctx, m, w)
	})
}

// relay passes on m if it belongs to a handoff; ours then.
func (d *Desk) relay(ctx context.Context, m chat.Message) (a chat.Answer, ours bool, err error) {
	h, open, err := d.o.Store.Handoffs.In(ctx, m.Key, m.From.ID)
	if err != nil {
		return a, false, err
	}
	if open {
		a, err = d.fromPerson(ctx, m, h)
		return a, true, err
	}
	return d.fromDesk(ctx, m)
}

// Waits reports whether m's author has taken a conversation here, so that what they say is
// meant for somebody even if it addresses nobody.
func (d *Desk) Waits(ctx context.Context, m chat.Message) (bool, error) {
	if m.Kind != chat.KindText && m.Kind != chat.KindEdit {
		return false, nil
	}
	taken, err := d.o.Store.Handoffs.TakenBy(ctx, m.Key, m.From.ID)
	return len(taken) > 0, err
}

// Holds reports whether what m's author writes here goes to the desk.
func (d *Desk) Holds(ctx context.Context, m chat.Message) (bool, error) {
	_, open, err := d.o.Store.Handoffs.In(ctx, m.Key, m.From.ID)
	return open, err
}

// fromPerson passes on what the person wrote: to whoever has taken the conversation, or to
// the whole desk.
func (d *Desk) fromPerson(ctx context.Context, m chat.Message, h handoff.Handoff) (chat.Answer, error) {
	desks := d.places(ctx)
	session, err := d.session(ctx, memory.Place{Key: m.Key, User: m.From.ID, Agent: h.Agent}, m.Direct)
	if err != nil {
		return chat.Answer{}, err
	}
	passed, hears := d.content(ctx, m), d.hearing(ctx, h)
	r := &memory.Relay{End: chat.End{Outcome: chat.PassedOn}, Why: []string{catalog.Text(ctx, "Your message went to the desk: a person answers it.")},
		Lines: []memory.Line{d.line(session, d.entry(m, kept(m)))}}
	if h.State == handoff.Taken {
		r.Why = []string{catalog.Say(ctx, wordsWhyRelayed, h.Taker.Name)}
		desks = []chat.Key{h.Desk}
	}
	all := desks
	r.Do = func(tx *memory.Tx, s *memory.Store) error {
		now, err := s.Handoffs.Heard(tx, h.ID, m.ID, d.o.Now().Add(d.o.Patience()))
		if err != nil {
			return err
		}
		to := desks
		if now.State == handoff.Taken {
			to = []chat.Key{now.Desk}
		}
		for _, desk := range to {
			p := hears.at(desk)
			said := passed.words(p)
			if now.State == handoff.Over || now.State == handoff.Missed {
				said = p.Text("(after the conversation was given back)") + " " + said
			}
			parts := d.parts(desk, m.From, p.Say(wordsSaid, named(m.From), said))
			parts[len(parts)-1].Files = passed.files
			if now.State != handoff.Taken {
				parts[len(parts)-1].Buttons = bothButtons(p, h.ID)
			}
			if err := s.Post(tx, h.ID, fmt.Sprintf("handoff:%d:in:%s:%s", h.ID, m.UID, desk), parts); err != nil {
				return err
			}
		}
		all = to
		return nil
	}
	r.Then = func(ctx context.Context) { d.flush(all...)(ctx) }
	return chat.Answer{Record: r}, nil
}

// fromDesk passes on what somebody at the desk wrote. ours is false if it is about no
// handoff.
func (d *Desk) fromDesk(ctx context.Context, m chat.Message) (a chat.Answer, ours bool, err error) {
	if m.Kind == chat.KindEdit {
		return d.edited(ctx, m)
	}
	h, ours, err := d.o.Store.Handoffs.About(ctx, m.Key, m.ReplyTo)
	if err != nil {
		return a, true, err
	}
	if ours {
		a, err = d.reply(ctx, m, h)
		return a, true, err
	}
	taken, err := d.o.Store.Handoffs.TakenBy(ctx, m.Key, m.From.ID)
	switch {
	case err != nil || len(taken) == 0:
		return a, false, err
	case strings.HasPrefix(m.Text, "//"):
		return chat.Answer{Record: chat.End{Outcome: chat.Overheard}}, true, nil
	case len(taken) == 1:
		a, err = d.passOn(ctx, m, taken[0])
		return a, true, err
	}
	var names []string
	for _, h := range taken {
		names = append(names, named(h.Person))
	}
	return chat.Answer{Text: catalog.Say(ctx, "You are in several conversations: %s. Reply to a message of the one you mean.", strings.Join(names, ", ")), Record: chat.End{Outcome: chat.Asked,
		Reason: chat.Unclear}}, true, nil
}

// reply handles a reply to a message about a handoff. Whoever may take it takes it by
// writing.
func (d *Desk) reply(ctx context.Context, m chat.Message, h handoff.Handoff) (chat.Answer, error) {
	switch {
	case strings.HasPrefix(m.Text, "//"):
		return chat.Answer{Record: chat.End{Outcome: chat.Overheard}}, nil
	case h.State == handoff.Over:
		return refused(catalog.Text(ctx, wordsOver)), nil
	case h.State == handoff.Taken && h.Taker.ID != m.From.ID:
		a := refused(catalog.Say(ctx, wordsWith, named(h.Taker), named(h.Person)))
		a.Buttons = [][]chat.Button{{takeButton(catalog.Of(ctx), h.ID)}}
		return a, nil
	case h.State == handoff.Taken:
		return d.passOn(ctx, m, h)
	}
	a, took, err := d.take(ctx, m, h.ID)
	if err != nil || took == nil {
		return a, err
	}
	said, err := d.passOn(ctx, m, h)
	if err != nil {
		return a, err
	}
	then := said.Record.(*memory.Relay)
	relay := then.Deed
	then.Do = func(tx *memory.Tx, s *memory.Store) error {
		if err := took.Do(tx, s); err != nil {
			return err
		}
		return relay.Do(tx, s)
	}
	then.Then = func(ctx context.Context) { took.Then(ctx); relay.Then(ctx) }
	return chat.Answer{Text: a.Text, Buttons: a.Buttons, Record: then}, nil
}

func refused(words string) chat.Answer {
	return chat.Answer{Text: words, Record: chat.End{Outcome: chat.Refused, Reason: chat.NotYours}}
}

// passOn passes m on to the person of a handoff.
func (d *Desk) passOn(ctx context.Context, m chat.Message, h handoff.Handoff) (chat.Answer, error) {
	session, err := d.session(ctx, memory.Place{Key: h.Place, User: h.Person.ID, Agent: h.Agent}, h.Direct)
	if err != nil {
		return chat.Answer{}, err
	}
	passed, theirs := d.content(ctx, m), d.o.Speak(ctx, h.Person.ID)
	parts := d.parts(h.Place, h.Person, theirs.Say(wordsSaid, named(m.From), passed.words(theirs)))
	parts[len(parts)-1].Files = passed.files
	entry := memory.Entry{Role: llm.RoleAssistant, User: h.Person.ID, Name: cmp.Or(m.From.Name, m.From.ID), Content: kept(m), At: m.At,
		Tokens: llm.EstimateTokens(llm.Message{Content: kept(m)}), Origin: provenance.Origin{Via: provenance.ViaPerson,
			People: []string{m.From.ID}}}
	l := d.line(session, entry)
	l.Why = theirs.Say("%s (%s) answered this, from the desk. No model had a part in it.", entry.Name, m.From.ID)
	r := &memory.Relay{End: chat.End{Outcome: chat.PassedOn}, Why: []string{catalog.Say(ctx, wordsWhyRelayed, h.Person.Name)},
		Lines: []memory.Line{l}}
	r.Do = func(tx *memory.Tx, s *memory.Store) error {
		now, err := s.Handoffs.Answered(tx, h.ID)
		if err != nil {
			return err
		}
		if !now.Direct {
			parts[0].ReplyTo = now.LastID
		}
		said, err := s.Said(tx, fmt.Sprintf("handoff:%d:out:%s", h.ID, m.UID), parts)
		if err != nil {
			return err
		}
		return s.Handoffs.Passed(tx, h.ID, handoff.Answer{Message: m.ID, At: m.At, Nonces: said})
	}
	r.Then = d.flush(h.Place)
	return chat.Answer{Record: r}, nil
}

// kept is m as the transcript has it: its words, or what files came.
func kept(m chat.Message) string {
	said := m.Text
	for _, f := range m.Files {
		said += "\n(" + f.Name + ")"
	}
	return cmp.Or(strings.TrimSpace(said), "…")
}

// passed is what is passed on of a message: its words, marked as what they are, and
// its files.
type passed struct {
	mark, said string
	files      []chat.File
	lost       []string // the names of files that cannot be had now
}

func (c passed) words(p catalog.Printer) string {
	said := p.Text(c.mark) + c.said
	for _, name := range c.lost {
		said += "\n" + p.Say("(a file that could not be passed on: %s)", text.Literal(name))
	}
	return strings.TrimSpace(said)
}

func (d *Desk) content(ctx context.Context, m chat.Message) passed {
	c := passed{said: shown(m.Text)}
	switch {
	case m.Kind == chat.KindEdit:
		c.mark = "(corrected) "
	case m.Forwarded:
		c.mark = "(forwarded) "
	}
	for i, f := range m.Files {
		data, err := []byte(nil), error(chat.ErrFileTooLarge)
		if i < maxFiles {
			data, err = d.o.Open(ctx, m, f, maxFile)
		}
		if err != nil {
			d.o.Log.Warn("a file is not passed on", "err", err)
			c.lost = append(c.lost, f.Name)
			continue
		}
		c.files = append(c.files, chat.File{Name: f.Name, MIME: f.MIME, Size: int64(len(data)), Data: data})
	}
	return c
}

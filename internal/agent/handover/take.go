package handover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/handoff"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

const (
	wordsBack   = "I am with you again."
	wordsOver   = "This conversation is over."
	wordsMayNot = "Only those at the desk may take conversations."
)

// Take gives a conversation to m's author: /handoff take.
func (d *Desk) Take(ctx context.Context, m chat.Message, id int64) (chat.Answer, error) {
	a, deed, err := d.take(ctx, m, id)
	if err == nil && deed != nil {
		a.Record = &memory.Relay{End: chat.End{Outcome: chat.Answered, Command: "handoff take"}, Deed: *deed}
	}
	return a, err
}

// take returns what m's author reads, and the deed that gives them the conversation; nil is
// none.
func (d *Desk) take(ctx context.Context, m chat.Message, id int64) (chat.Answer, *memory.Deed, error) {
	h, over, err := d.mine(ctx, m, id)
	if err != nil {
		return chat.Answer{}, nil, err
	}
	if over {
		return refused(catalog.Text(ctx, wordsOver)), nil, nil
	}
	if h.State == handoff.Missed {
		if _, other, err := d.o.Store.Handoffs.In(ctx, h.Place, h.Person.ID); err != nil || other {
			return refused(catalog.Text(ctx, "This person has asked again since; take that conversation.")), nil, err
		}
	}
	desks := d.places(ctx)
	answer := chat.Answer{Text: catalog.Say(ctx, "You are with **%s** now. What you write here goes to them until you give the conversation back; "+
		"lines that begin with // stay here. With several conversations, reply to a message of the one you mean.", named(h.Person)),
		Buttons: [][]chat.Button{{backButton(catalog.Of(ctx), h.ID)}}}
	if h.State == handoff.Taken && h.Taker.ID == m.From.ID && h.Desk == m.Key {
		return answer, nil, nil
	}
	tell := slices.DeleteFunc(slices.Clone(desks), func(k chat.Key) bool { return k == m.Key })
	if h.State == handoff.Taken && h.Desk != m.Key && !slices.Contains(tell, h.Desk) {
		tell = append(tell, h.Desk)
	}
	hears, theirs := d.hearing(ctx, h), d.o.Speak(ctx, h.Person.ID)
	deed := &memory.Deed{Then: d.flush(append(tell, h.Place)...)}
	deed.Do = func(tx *memory.Tx, s *memory.Store) error {
		if _, err := s.Handoffs.Take(tx, handoff.Handoff{ID: h.ID, Taker: m.From, Desk: m.Key, Due: d.o.Now().Add(d.o.Patience())}); err != nil {
			return err
		}
		for _, k := range tell {
			said := hears.at(k).Say("**%s** has taken the conversation with **%s**.", named(m.From), named(h.Person))
			if err := s.Post(tx, h.ID, fmt.Sprintf("handoff:%d:taken:%s:%s", h.ID, m.UID, k), d.parts(k, h.Person, said)); err != nil {
				return err
			}
		}
		return s.Say(tx, fmt.Sprintf("handoff:%d:here:%s", h.ID, m.UID),
			d.parts(h.Place, h.Person, theirs.Say("**%s** is here now and answers you.", named(m.From))))
	}
	return answer, deed, nil
}

// mine returns a handoff that m's author may take or give back where they are. over is true
// for one that has ended, also for a button of one whose row is gone.
func (d *Desk) mine(ctx context.Context, m chat.Message, id int64) (h handoff.Handoff, over bool, err error) {
	h, err = d.o.Store.Handoffs.ByID(ctx, id)
	if m.Kind == chat.KindButton && errors.Is(err, handoff.ErrNone) {
		return h, true, nil
	}
	if err != nil || h.State == handoff.Taken && h.Taker.ID == m.From.ID {
		return h, false, err
	}
	may, err := d.mayTake(ctx, m)
	if err == nil && !may {
		err = text.Tell(wordsMayNot)
	}
	return h, h.State == handoff.Over, err
}

// Back brings the assistant back: for the person in whose place m is, or for the
// conversation that the desk names. id 0 is the only one m's author has there.
func (d *Desk) Back(ctx context.Context, m chat.Message, id int64) (chat.Answer, error) {
	own, open, err := d.o.Store.Handoffs.In(ctx, m.Key, m.From.ID)
	if err != nil {
		return chat.Answer{}, err
	}
	if open && (id == 0 || id == own.ID) {
		return d.end(ctx, m, own, true)
	}
	if id == 0 {
		taken, err := d.o.Store.Handoffs.TakenBy(ctx, m.Key, m.From.ID)
		if err != nil || len(taken) != 1 {
			return refused(catalog.Text(ctx, "There is no conversation to give back here.")), err
		}
		return d.end(ctx, m, taken[0], false)
	}
	h, over, err := d.mine(ctx, m, id)
	if err != nil {
		return chat.Answer{}, err
	}
	if over {
		return refused(catalog.Text(ctx, wordsOver)), nil
	}
	return d.end(ctx, m, h, false)
}

// end ends a handoff; both sides are told.
func (d *Desk) end(ctx context.Context, m chat.Message, h handoff.Handoff, byPerson bool) (chat.Answer, error) {
	there, words, answer := []chat.Key{h.Place}, catalog.Fill("**%s** has left the conversation. I am with you again.", named(cmp.Or(h.Taker, m.From))), catalog.Fill("The conversation with **%s** is over; the assistant answers them again.", named(h.Person))
	hears := hearing{other: d.o.Speak(ctx, h.Person.ID)}
	switch {
	case byPerson:
		desks := d.places(ctx)
		hears = d.hearing(ctx, h)
		if h.State == handoff.Taken {
			desks = []chat.Key{h.Desk}
		}
		there, words, answer = desks, catalog.Fill("**%s** went back to the assistant.", named(h.Person)), catalog.Fill(wordsBack)
	case h.State == handoff.Missed: // the person knows that the assistant is back
		there = nil
	case h.State == handoff.Waiting:
		words = catalog.Fill(wordsBack)
	}
	deed := memory.Deed{Then: d.flush(there...)}
	deed.Do = func(tx *memory.Tx, s *memory.Store) error {
		if _, err := s.Handoffs.End(tx, h.ID, handoff.Over); err != nil {
			return err
		}
		for _, k := range there {
			if err := s.Say(tx, fmt.Sprintf("handoff:%d:over:%s", h.ID, k), d.parts(k, h.Person, words.In(hears.at(k)))); err != nil {
				return err
			}
		}
		return nil
	}
	return chat.Answer{Text: answer.In(catalog.Of(ctx)), Record: &memory.Relay{End: chat.End{Outcome: chat.Answered,
		Command: "handoff back"}, Deed: deed}}, nil
}

// List shows what waits at the desk: /handoff list.
func (d *Desk) List(ctx context.Context, m chat.Message) (chat.Answer, error) {
	may, err := d.mayTake(ctx, m)
	if err != nil || !may {
		return refused(catalog.Text(ctx, wordsMayNot)), err
	}
	all, err := d.o.Store.Handoffs.All(ctx)
	if err != nil || len(all) == 0 {
		return chat.Answer{Text: catalog.Text(ctx, "No conversation waits at the desk.")}, err
	}
	var lines []string
	var buttons [][]chat.Button
	for _, h := range all {
		state := catalog.Text(ctx, map[handoff.State]string{handoff.Waiting: "waiting", handoff.Missed: "nobody came in time"}[h.State])
		if h.State == handoff.Taken {
			state = catalog.Say(ctx, wordsWith, named(h.Taker), named(h.Person))
		} else if len(buttons) < 5 {
			b := takeButton(catalog.Of(ctx), h.ID)
			b.Label = fmt.Sprintf("%s %d", b.Label, h.ID)
			buttons = append(buttons, []chat.Button{b})
		}
		lines = append(lines, catalog.Say(ctx, "- %d: **%s**, %s, %s", h.ID, named(h.Person), catalog.Ago(ctx, d.o.Now(), h.Opened), state))
	}
	return chat.Answer{Text: strings.Join(lines, "\n"), Buttons: buttons}, nil
}

// Choices lists the conversations that m's author may take or give back, by their numbers;
// none if they may not, or that is unknown.
func (d *Desk) Choices(ctx context.Context, m chat.Message) (list []chat.Choice) {
	if may, err := d.mayTake(ctx, m); err != nil || !may {
		return nil
	}
	all, err := d.o.Store.Handoffs.All(ctx)
	if err != nil {
		return nil
	}
	for _, h := range all {
		list = append(list, chat.Choice{Value: fmt.Sprint(h.ID), Label: fmt.Sprintf("%d – %s", h.ID, named(h.Person))})
	}
	return list
}

// Tick tells people to whom nobody wrote in time, and brings the assistant back.
func (d *Desk) Tick(ctx context.Context) error {
	if err := d.tellCuts(ctx); err != nil {
		return err
	}
	late, err := d.o.Store.Handoffs.Late(ctx)
	if err != nil || len(late) == 0 {
		return err
	}
	desks := d.places(ctx)
	for _, h := range late {
		to := desks
		if h.State == handoff.Taken {
			to = []chat.Key{h.Desk}
		}
		hears, theirs := d.hearing(ctx, h), d.o.Speak(ctx, h.Person.ID)
		deed := memory.Deed{Then: d.flush(append(slices.Clone(to), h.Place)...)}
		deed.Do = func(tx *memory.Tx, s *memory.Store) error {
			what := fmt.Sprintf("handoff:%d:late:%d", h.ID, h.Due.Unix())
			if ok, err := s.Handoffs.Miss(tx, h); err != nil || !ok {
				return err
			}
			for _, k := range to {
				parts := d.parts(k, h.Person, hears.at(k).Say("Nobody wrote to **%s** in time; the assistant answers again. You can still take the conversation.", named(h.Person)))
				parts[len(parts)-1].Buttons = bothButtons(hears.at(k), h.ID)
				if err := s.Post(tx, h.ID, what+":"+k.String(), parts); err != nil {
					return err
				}
			}
			return s.Say(tx, what, d.parts(h.Place, h.Person, theirs.Text("Nobody could answer in time. I am with you again. Your messages stay with the desk: whoever takes "+
				"them writes to you here.")))
		}
		if err := d.o.Store.Apart(ctx, deed); err != nil {
			return err
		}
	}
	return nil
}

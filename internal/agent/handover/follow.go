package handover

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/handoff"
	"parley/internal/text/catalog"
)

// edited follows the edit of a message at the desk: what the person sees of it changes. ours
// is false if the author has nothing to do with a handoff.
func (d *Desk) edited(ctx context.Context, m chat.Message) (a chat.Answer, ours bool, err error) {
	h, was, ours, err := d.o.Store.Handoffs.PassedAs(ctx, m.Key, m.ReplyTo)
	if err != nil || ours {
		if err == nil {
			a = d.amend(ctx, m, h, was)
		}
		return a, true, err
	}
	taken, err := d.o.Store.Handoffs.TakenBy(ctx, m.Key, m.From.ID)
	return chat.Answer{Record: chat.End{Outcome: chat.Overheard}}, len(taken) > 0, err
}

// amend edits what the person of a handoff sees of a message at the desk. What cannot be
// edited, such as a caption, is said again, marked as corrected.
func (d *Desk) amend(ctx context.Context, m chat.Message, h handoff.Handoff, was handoff.Answer) chat.Answer {
	if strings.HasPrefix(m.Text, "//") {
		return chat.Answer{Record: chat.End{Outcome: chat.Overheard}}
	}
	theirs := d.o.Speak(ctx, h.Person.ID)
	said := theirs.Say(wordsSaid, named(m.From), shown(m.Text))
	parts := d.parts(h.Place, h.Person, said)
	r := &memory.Relay{End: chat.End{Outcome: chat.PassedOn}, Why: []string{catalog.Say(ctx, wordsWhyRelayed, h.Person.Name)}}
	r.Do = func(tx *memory.Tx, s *memory.Store) error {
		pieces, err := s.Handoffs.Pieces(tx, was)
		if err != nil {
			return err
		}
		for len(parts) < len(pieces) { // it has become shorter
			parts = append(parts, chat.Part{Key: h.Place, To: h.Person, Index: len(parts), Text: "…"})
		}
		again := was
		again.Nonces = nil
		for i, p := range parts {
			var piece handoff.Piece
			if i < len(pieces) {
				piece = pieces[i]
			}
			nonce, err := d.revise(tx, s, revision{h, m, p, piece, theirs})
			if err != nil {
				return err
			}
			again.Nonces = append(again.Nonces, nonce)
		}
		if err := s.Handoffs.Passed(tx, h.ID, again); err != nil {
			return err
		}
		return s.Handoffs.Corrected(tx, h, was, kept(m))
	}
	r.Then = d.flush(h.Place)
	return chat.Answer{Record: r}
}

// revision is new words for a part.
type revision struct {
	handoff.Handoff
	edit   chat.Message
	part   chat.Part
	now    handoff.Piece
	theirs catalog.Printer
}

// revise has a part say new words: where it waits, in what was sent, or in another
// part, whose nonce it returns; "" is none.
func (d *Desk) revise(tx *memory.Tx, s *memory.Store, r revision) (nonce string, err error) {
	p := r.part
	if r.now.Waits {
		var waits chat.Part
		if err := json.Unmarshal([]byte(r.now.Body), &waits); err != nil {
			return "", fmt.Errorf("reword an answer: %w", err)
		}
		waits.Text = p.Text
		body, err := json.Marshal(waits)
		if err != nil {
			return "", fmt.Errorf("reword an answer: %w", err)
		}
		if ok, err := s.Handoffs.Reword(tx, r.now, string(body)); err != nil || ok {
			return "", err
		}
	}
	edits := r.now.SentAs != "" && len(r.edit.Files) == 0
	if edits {
		p.Preview = r.now.SentAs
	} else {
		p.Text = r.theirs.Text("(corrected) ") + p.Text
	}
	said, err := s.Said(tx, fmt.Sprintf("handoff:%d:edit:%s", r.ID, r.edit.UID), []chat.Part{p})
	if err != nil || edits {
		return "", err
	}
	return said[0], nil
}

// tellCuts tells the desk who is out of reach, and who is in reach again: what is written
// to them meanwhile is kept.
func (d *Desk) tellCuts(ctx context.Context) error {
	cuts, err := d.o.Store.Handoffs.Cuts(ctx)
	for _, c := range cuts {
		if err != nil {
			return err
		}
		err = d.tellCut(ctx, c)
	}
	return err
}

func (d *Desk) tellCut(ctx context.Context, c handoff.Cut) error {
	who := named(c.Person)
	words := catalog.Fill("**%s** can be reached again; what you wrote to them goes out.", who)
	switch c.Why {
	case chat.Barred:
		words = catalog.Fill("**%s** has blocked me and cannot be reached. What you write to them is kept, for a week at most, and goes out when they can be.", who)
	case chat.Left:
		words = catalog.Fill("I was removed from where **%s** writes. What you write to them is kept, for a week at most, and goes out when I am back.", who)
	case chat.Shut:
		words = catalog.Fill("I may not write where **%s** writes. What you write to them is kept, for a week at most, and goes out when I may.", who)
	}
	to := d.places(ctx)
	if c.State == handoff.Taken {
		to = []chat.Key{c.Desk}
	}
	hears := d.hearing(ctx, c.Handoff)
	deed := memory.Deed{Then: d.flush(to...)}
	deed.Do = func(tx *memory.Tx, s *memory.Store) error {
		if ok, err := s.Handoffs.ToldCut(tx, c); err != nil || !ok {
			return err
		}
		for _, k := range to {
			what := fmt.Sprintf("handoff:%d:cut:%d:%s:%s", c.ID, c.Since.UnixMilli(), d.o.Now(), k)
			if err := s.Post(tx, c.ID, what, d.parts(k, c.Person, words.In(hears.at(k)))); err != nil {
				return err
			}
		}
		return nil
	}
	return d.o.Store.Apart(ctx, deed)
}

package memory

import (
	"context"
	"errors"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Deed lets another package store rows in the transaction that finishes a message.
type Deed struct {
	// Do runs in the transaction and may run twice; only its last run counts.
	Do func(tx *engine.Tx, s *Store) error
	// Then runs in the lane once the message is answered; nil is nothing.
	Then func(context.Context)
}

// Line is something said in a conversation without the assistant.
type Line struct {
	// Session is the one to begin when none is alive in its place.
	Session Session
	TTL     time.Duration // silence that ends the session
	Entry   Entry
	// Why is what /why says there about it; "" leaves no record of its own there.
	Why string
}

// Relay is the Record of a message that was passed on between a person and people.
type Relay struct {
	End   chat.End
	Why   []string // what /why says about the message itself
	Lines []Line
	Deed
}

// Ending implements chat.Ended.
func (r *Relay) Ending() chat.End { return r.End }

// After implements chat.Aftercare.
func (r *Relay) After() func(context.Context) { return r.Then }

func (r *Relay) store(tx *engine.Tx, s *Store, m chat.Message) error {
	session := ""
	for _, l := range r.Lines {
		id, err := s.add(tx, l)
		if err != nil {
			return err
		}
		if l.Session.Key == m.Key {
			session = id
		}
		if l.Why == "" {
			continue
		}
		there := chat.Message{Key: l.Session.Key, From: chat.User{ID: l.Entry.User}, Agent: chat.Agent{ID: l.Session.Agent}}
		d := Decision{Session: id, End: chat.End{Outcome: chat.PassedOn}, Detail: Detail{Why: []string{l.Why}}, Origin: l.Entry.Origin}
		if err := s.Decisions.insertDecision(tx, there, d, nil); err != nil {
			return err
		}
	}
	if r.Do != nil {
		if err := r.Do(tx, s); err != nil {
			return err
		}
	}
	return s.Decisions.insertDecision(tx, m, Decision{Session: session, End: r.End, Detail: Detail{Why: r.Why}}, nil)
}

// add appends a line to the session that is alive in its place, or begins one.
func (s *Store) add(tx *engine.Tx, l Line) (session string, err error) {
	se := l.Session
	err = tx.QueryRow(`UPDATE sessions SET status = iif(status = 'idle', 'active', status), last_activity = ?, expires_at = ?
		WHERE platform = ? AND channel = ? AND thread = ? AND user_id = ? AND agent = ? AND status IN ('active', 'idle', 'suspended') RETURNING id`,
		Stamp(s.now()), Stamp(s.now().Add(l.TTL)), se.Key.Platform, se.Key.Channel, se.Key.Thread, se.User, se.Agent).Scan(&se.ID)
	if errors.Is(err, ErrNotFound) {
		se.LastActivity, se.Expires = s.now(), s.now().Add(l.TTL)
		_, err = saveSession(tx, se)
	}
	if err != nil {
		return "", during("relay", err)
	}
	return se.ID, insertEntries(tx, se, []Entry{l.Entry})
}

// Post stores parts that are said to the desk about a handoff, once for each what, so
// that replies to them are known.
func (s *Store) Post(tx *engine.Tx, handoff int64, what string, parts []chat.Part) error {
	nonces, err := s.Said(tx, what, parts)
	if err != nil {
		return err
	}
	return s.Handoffs.Posted(tx, handoff, nonces)
}

// Said is Say, and returns the nonces of the parts.
func (s *Store) Said(tx *engine.Tx, what string, parts []chat.Part) (nonces []string, err error) {
	if err := s.Say(tx, what, parts); err != nil {
		return nil, err
	}
	for _, p := range parts {
		nonces = append(nonces, chat.Nonce(s.salt, what, p.Index))
	}
	return nonces, nil
}

// Apart runs a deed that ends no message.
func (s *Store) Apart(ctx context.Context, d Deed) error {
	err := s.db.Write(ctx, func(tx *engine.Tx) error { return d.Do(tx, s) })
	if err == nil && d.Then != nil {
		d.Then(ctx)
	}
	return err
}

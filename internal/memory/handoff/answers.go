package handoff

import (
	"context"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Answer is what a message at the desk became: the parts that pass it on, by their nonces.
type Answer struct {
	Message string    // at the desk, as the platform calls it
	At      time.Time // as the transcript has it
	Nonces  []string  // in order
}

// Passed remembers that parts pass on a message at the desk, instead of those that passed on
// the same pieces of it before.
func (b *Handoffs) Passed(tx *engine.Tx, id int64, a Answer) error {
	for i, n := range a.Nonces {
		if n == "" {
			continue
		}
		args := engine.Named{"nonce": n, "id": id, "message": a.Message, "part": i, "at": engine.Stamp(a.At)}
		if err := tx.ExecAll(args, "DELETE FROM handoff_answers WHERE handoff_id = :id AND message_id = :message AND part = :part",
			"INSERT INTO handoff_answers (nonce, handoff_id, message_id, part, at) VALUES (:nonce, :id, :message, :part, :at) ON CONFLICT DO NOTHING"); err != nil {
			return engine.During("note an answer", err)
		}
	}
	return nil
}

// Piece is a part that passes on a message at the desk, as it is now.
type Piece struct {
	Row    int64
	Body   string // while it waits to be sent
	Waits  bool   // and nobody began to
	SentAs string // the platform's id of it; "" before, or when that is unknown
}

// PassedAs returns the handoff, taken at desk, to which a message there was passed on, and
// the parts that did; ok is false for any other message.
func (b *Handoffs) PassedAs(_ context.Context, desk chat.Key, message string) (h Handoff, a Answer, ok bool, err error) {
	a.Message = message
	if message == "" {
		return h, a, false, nil
	}
	a.Nonces, err = engine.Select(b.db, func(r engine.Scanner) (nonce string, err error) {
		err = r.Scan(&h.ID, &nonce, engine.Stamped(&a.At))
		return nonce, err
	}, `SELECT h.id, a.nonce, a.at FROM handoffs h JOIN handoff_answers a ON a.handoff_id = h.id WHERE h.desk_platform = ? AND
		h.desk_channel = ? AND h.desk_thread = ? AND a.message_id = ? ORDER BY h.id, a.part`, desk.Platform, desk.Channel, desk.Thread, message)
	if err == nil && h.ID != 0 {
		h, err = b.ByID(context.Background(), h.ID)
	}
	return h, a, h.ID != 0 && err == nil, engine.During("find an answer", err)
}

// Pieces returns the parts of an answer as they are now; of one whose row is gone the zero
// Piece.
func (b *Handoffs) Pieces(tx *engine.Tx, a Answer) (list []Piece, err error) {
	for _, n := range a.Nonces {
		p, _, err := engine.Found(scanPiece(tx.QueryRow(
			"SELECT id, body, state = 'ready', platform_id FROM outbox WHERE kind = 'notice' AND nonce = ?", n)))
		if err != nil {
			return nil, engine.During("read an answer", err)
		}
		list = append(list, p)
	}
	return list, nil
}

func scanPiece(r engine.Scanner) (p Piece, err error) {
	err = r.Scan(&p.Row, &p.Body, &p.Waits, &p.SentAs)
	return p, err
}

// Reword gives a part that nobody began to send other words. ok is false when it was begun.
func (b *Handoffs) Reword(tx *engine.Tx, p Piece, body string) (ok bool, err error) {
	var n int64
	err = tx.Count(&n, "UPDATE outbox SET body = ? WHERE id = ? AND state = 'ready'", body, p.Row)
	return n > 0, engine.During("reword an answer", err)
}

// Corrected changes what the transcript has of an answer to the person of a handoff.
func (b *Handoffs) Corrected(tx *engine.Tx, h Handoff, a Answer, said string) error {
	_, err := tx.Exec(`UPDATE messages SET content = ? WHERE platform = ? AND channel = ? AND thread = ? AND role = 'assistant' AND
		user_id = ? AND at = ?`, said, h.Place.Platform, h.Place.Channel, h.Place.Thread, h.Person.ID, engine.Stamp(a.At))
	return engine.During("correct an answer", err)
}

// Cut is an open handoff whose person began to be out of reach, or is in reach again.
type Cut struct {
	Handoff
	Since time.Time // zero: in reach again
	Why   chat.PlaceState
}

// Cuts lists the open handoffs whose person is out of reach, or in reach again, without the
// desk's knowing.
func (b *Handoffs) Cuts(context.Context) ([]Cut, error) {
	if some, err := b.open(); err != nil || !some {
		return nil, engine.During("list handoffs", err)
	}
	list, err := engine.Select(b.db, func(r engine.Scanner) (c Cut, err error) {
		err = r.Scan(&c.ID, engine.Stamped(&c.Since), &c.Why)
		return c, err
	}, `SELECT h.id, coalesce(c.since, ''), coalesce(c.state, '') FROM handoffs h LEFT JOIN closed_places c ON c.platform = h.platform AND
		c.channel = h.channel AND c.thread IN ('', h.thread) AND c.state <> 'back'
		WHERE h.state <> 'over' AND h.state <> 'missed' AND (h.cut = '') <> (c.since IS NULL) ORDER BY h.id LIMIT 100`)
	for i := range list {
		if err == nil {
			list[i].Handoff, err = b.ByID(context.Background(), list[i].ID)
		}
	}
	return list, engine.During("list handoffs", err)
}

// ToldCut notes within a transaction that the desk knows of a Cut; ok is false when it did.
func (b *Handoffs) ToldCut(tx *engine.Tx, c Cut) (ok bool, err error) {
	var n int64
	err = tx.Count(&n, "UPDATE handoffs SET cut = ? WHERE id = ? AND cut <> ?", engine.Stamp(c.Since), c.ID, engine.Stamp(c.Since))
	return n > 0, engine.During("note who is out of reach", err)
}

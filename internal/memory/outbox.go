package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/access"
	"parley/internal/memory/cluster/lanes"
	"parley/internal/memory/facts"
)

var _ chat.Outbox = (*Store)(nil)

// encode returns the stored form of parts.
func encode(parts []chat.Part) ([]string, error) {
	bodies := make([]string, len(parts))
	for i, p := range parts {
		if !p.Ping { // nobody is called by it
			p.To.Name = ""
		}
		b, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		bodies[i] = string(b)
	}
	return bodies, nil
}

// insertPart stores one part of the answer to an inbox row and fills in what
// the row says.
func (s *Store) insertPart(tx *engine.Tx, inbox int64, p *chat.Part, body string) error {
	state, at := chat.PartReady, s.now()
	if p.Started {
		state = chat.PartStarted
	}
	p.At = at
	return tx.InsertTo(&p.Row, `INSERT INTO outbox (inbox_id, part, kind, platform, channel, thread, body, nonce, state, at, preview)
		VALUES (?, ?, 'answer', ?, ?, ?, ?, ?, ?, ?, ?)`,
		inbox, p.Index, p.Key.Platform, p.Key.Channel, p.Key.Thread, body, p.Nonce, string(state), Stamp(at), p.Preview)
}

// refill fills in the parts that an earlier attempt to finish m stored and that are not
// sent yet.
func refill(tx *engine.Tx, m chat.Message, parts []chat.Part) error {
	for i := range parts {
		parts[i].Row = 0
	}
	_, err := engine.Select(tx, func(r engine.Scanner) (row int64, err error) {
		var part chat.Part
		var state string
		err = r.Scan(&row, &part.Index, &part.Nonce, &part.Preview, &state, &part.Unknown, engine.Stamped(&part.NotBefore),
			engine.Stamped(&part.At))
		for i := range parts {
			if p := &parts[i]; p.Index == part.Index {
				p.Row, p.Nonce, p.Preview, p.Started = row, part.Nonce, part.Preview, state == string(chat.PartStarted)
				p.Unknown, p.NotBefore, p.At = part.Unknown, part.NotBefore, part.At
			}
		}
		return row, err
	}, `SELECT id, part, nonce, preview, state, unknown, not_before, at FROM outbox
		WHERE platform = ? AND channel = ? AND thread = ? AND state IN ('ready', 'started') AND inbox_id = ? AND kind = 'answer'`,
		m.Key.Platform, m.Key.Channel, m.Key.Thread, m.Row)
	return err
}

// Notify stores parts that answer no message, such as a reminder. what names
// them: a second call with the same name stores nothing, so they are said once
// however often their cause comes up. The caller flushes the lane.
func (s *Store) Notify(ctx context.Context, what string, parts []chat.Part) error {
	bodies, err := encode(parts)
	if err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return s.db.Write(ctx, func(tx *engine.Tx) error { return s.insertNotice(tx, what, parts, bodies) })
}

// Digest is Notify for a digest of some changes of facts up to until, which are told with it.
func (s *Store) Digest(ctx context.Context, what string, parts []chat.Part, told []facts.Change, until time.Time) error {
	if len(parts) == 0 {
		return nil
	}
	return during("digest", s.db.Write(ctx, func(tx *engine.Tx) error {
		if err := s.Say(tx, what, parts); err != nil {
			return err
		}
		return s.Facts.Digested(tx, parts[0].To.ID, told, until)
	}))
}

// Speak is Notify for the recording of an answer: nothing is stored if the answer's decision
// is gone by now, as when its person is forgotten.
func (s *Store) Speak(ctx context.Context, decision string, parts []chat.Part) error {
	return during("speak", s.db.Write(ctx, func(tx *engine.Tx) error {
		var one int
		err := tx.QueryRow("SELECT 1 FROM decisions WHERE id = ?", decision).Scan(&one)
		if errors.Is(err, ErrNotFound) || err != nil {
			return engine.NoRow(err, nil)
		}
		return s.Say(tx, "spoken "+decision, parts)
	}))
}

// Say is Notify within a transaction.
func (s *Store) Say(tx *engine.Tx, what string, parts []chat.Part) error {
	bodies, err := encode(parts)
	if err != nil {
		return err
	}
	return s.insertNotice(tx, what, parts, bodies)
}

func (s *Store) insertNotice(tx *engine.Tx, what string, parts []chat.Part, bodies []string) error {
	for i, p := range parts {
		_, err := tx.Exec(`INSERT INTO outbox (part, kind, platform, channel, thread, body, nonce, at, preview)
			VALUES (?, 'notice', ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			p.Index, p.Key.Platform, p.Key.Channel, p.Key.Thread, bodies[i], chat.Nonce(s.salt, what, p.Index), Stamp(s.now()), p.Preview)
		if err != nil {
			return err
		}
	}
	return s.Lanes.Tell(tx, parts, chat.Key{})
}

// Pending implements chat.Outbox.
func (s *Store) Pending(_ context.Context, k chat.Key) ([]chat.Part, error) {
	return engine.Select(s.db, func(r engine.Scanner) (p chat.Part, err error) {
		var row int64
		var body, nonce, preview, state, until, at string
		if err := r.Scan(&row, &body, &nonce, &preview, &state, &p.Unknown, &until, &at); err != nil {
			return p, err
		}
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			return p, fmt.Errorf("outbox row %d: %w", row, err)
		}
		p.Row, p.Key, p.Nonce, p.Preview, p.Started = row, k, nonce, preview, state == string(chat.PartStarted)
		p.NotBefore, p.At = ParseStamp(until), ParseStamp(at)
		return p, nil
	}, `SELECT id, body, nonce, preview, state, unknown, not_before, at FROM outbox
		WHERE platform = :platform AND channel = :channel AND thread = :thread AND state IN ('ready', 'started') AND NOT `+access.Resting+
		` ORDER BY id`, engine.Named{"platform": k.Platform, "channel": k.Channel, "thread": k.Thread, "now": Stamp(s.now())})
}

// Unsent lists the conversations that have parts to be sent.
func (s *Store) Unsent(context.Context) ([]chat.Key, error) {
	return engine.Select(s.db, scanKey, "SELECT DISTINCT platform, channel, thread FROM outbox WHERE state IN ('ready', 'started')")
}

// WaitingParts counts the parts that are not sent.
func (s *Store) WaitingParts(context.Context) (n int, err error) {
	err = s.db.QueryRow("SELECT count(*) FROM outbox WHERE state IN ('ready', 'started')").Scan(&n)
	return n, during("count waiting parts", err)
}

// Mark implements chat.Outbox. What was sent keeps its ids and loses its text:
// the transcript has that. A power failure that undoes what need not wait for the disk
// leaves a part as if the process had ended before. What was sent or given up stays so.
func (s *Store) Mark(ctx context.Context, p chat.Part, state chat.PartState, id string, until time.Time) error {
	held := s.db.Held() // the lane's row; others leave its parts alone, kill them, or say that they are sent (Unsent)
	write := held.Write
	if state == chat.PartSent || state == chat.PartStarted && p.Again {
		write = held.Soon
	}
	closed := state == chat.PartSent && s.Access.Place(p.Key).Closed()
	var fact lanes.Fact
	return fact.Told(write(ctx, func(tx *engine.Tx) error {
		if err := s.Lanes.HoldPart(tx, p, state, &fact); err != nil {
			return err
		}
		if state == chat.PartReady || state == chat.PartStarted {
			_, err := tx.Exec("UPDATE outbox SET state = ?, not_before = ?, unknown = ?, attempts = attempts + 1 WHERE id = ?"+lanes.Unsent,
				string(state), Stamp(until), p.Unknown, p.Row)
			return err
		}
		_, err := tx.Exec("UPDATE outbox SET state = ?, platform_id = ?, body = '' WHERE id = ?"+lanes.Unsent, string(state), id, p.Row)
		if closed && err == nil {
			err = access.Reopen(tx, p.Key)
		}
		return err
	}))
}

// Previewed implements chat.Outbox.
func (s *Store) Previewed(ctx context.Context, m chat.Message, id string) error {
	s.shown.add(m.Row)
	return s.db.Held().Write(ctx, func(tx *engine.Tx) error {
		if err := s.Lanes.Hold(tx, m.Key); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE inbox SET preview = ? WHERE id = ?", id, m.Row)
		return err
	})
}

// fateOf says how the message of a preview stands, by its row and :uid, and what knows the
// preview, :id.
const fateOf = `SELECT i.state, i.preview,
	EXISTS (SELECT 1 FROM outbox o WHERE o.platform = i.platform AND o.channel = i.channel AND o.thread = i.thread AND o.state IN ('ready', 'started') AND o.inbox_id = i.id),
	EXISTS (SELECT 1 FROM outbox o WHERE o.state = 'sent' AND o.inbox_id <> 0 AND o.inbox_id = i.id AND (o.preview = :id OR o.platform_id = :id))
	FROM inbox i WHERE i.id = :row AND i.uid = :uid`

// Fate implements chat.Outbox. Whoever asks is the only one that can make the preview known:
// once its message is over and its answer sent, what no row says it never will.
func (s *Store) Fate(ctx context.Context, p chat.Preview) (chat.Fate, error) {
	if p.Sent {
		return chat.Taken, during("remember what was sent", s.db.Held().Write(ctx, func(tx *engine.Tx) error {
			_, err := tx.Exec("UPDATE outbox SET state = 'sent', platform_id = ?, body = '' WHERE id = ? AND nonce = ?"+lanes.Unsent,
				p.ID, p.Row, p.UID)
			return err
		}))
	}
	var state, preview string
	var unsent, taken bool
	err := s.db.QueryRow(fateOf, engine.Named{"id": p.ID, "row": p.Row, "uid": p.UID}).Scan(&state, &preview, &unsent, &taken)
	switch {
	case errors.Is(err, ErrNotFound): // forgotten, or from before a restore
		return chat.Orphaned, nil
	case err != nil:
		return chat.Awaits, during("look for a preview", err)
	case state == "new" && preview == "":
		return chat.Awaits, during("remember a preview", s.db.Held().Write(ctx, func(tx *engine.Tx) error {
			_, err := tx.Exec("UPDATE inbox SET preview = ? WHERE id = ? AND uid = ? AND state = 'new' AND preview = ''", p.ID, p.Row, p.UID)
			return err
		}))
	case state == "new" || unsent:
		return chat.Awaits, nil
	case taken:
		return chat.Taken, nil
	}
	return chat.Orphaned, nil
}

// Undelivered is a platform on which parts of answers were tried and did not
// arrive.
type Undelivered struct {
	Platform      string
	Conversations int
	Since         time.Time // when the oldest of them was stored
}

// Undelivered lists platforms with parts stored before a time whose sending failed.
func (s *Store) Undelivered(_ context.Context, before time.Time) (list []Undelivered, err error) {
	list, err = engine.Select(s.db, func(r engine.Scanner) (u Undelivered, err error) {
		err = r.Scan(&u.Platform, &u.Conversations, engine.Stamped(&u.Since))
		return u, err
	}, `SELECT platform, count(DISTINCT channel || ' ' || thread), min(at) FROM outbox
		WHERE state IN ('ready', 'started') AND attempts > CASE WHEN state = 'started' THEN 1 ELSE 0 END AND at < :before AND NOT `+access.Resting+
		` GROUP BY platform`, engine.Named{"before": Stamp(before), "now": Stamp(s.now())})
	return list, during("list undelivered parts", err)
}

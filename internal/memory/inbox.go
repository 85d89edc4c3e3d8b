package memory

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/engine"
)

var _ chat.Inbox = (*Store)(nil)

// Accept implements chat.Inbox.
func (s *Store) Accept(ctx context.Context, b chat.Batch) ([]chat.Message, error) {
	a := s.arrived(b)
	end := s.Lanes.Accepting()
	durable, err := s.db.Stage(ctx, a.store)
	s.doubts.settle(a.ours, err)
	if err != nil {
		end()
		return nil, fmt.Errorf("accept: %w", err)
	}
	for other := range a.others {
		s.Lanes.Hint(other)
	}
	if b.Taken != nil {
		b.Taken(a.fresh)
	}
	end()
	if err := durable(); err != nil {
		if b.Taken == nil {
			s.doubts.settle(a.ours, err)
		}
		return nil, fmt.Errorf("accept: %w", err)
	}
	return a.fresh, nil
}

// arrival is a batch on its way into the inbox.
type arrival struct {
	s        *Store
	b        chat.Batch
	messages []chat.Message // those that can be stored
	bodies   []string
	letters  []chat.DeadLetter
	fresh    []chat.Message
	ours     map[identity]bool // stored by any attempt so far, and handed to nobody
	others   map[string]bool   // nodes whose conversations some are of
}

// arrived sorts out what can never be stored.
func (s *Store) arrived(b chat.Batch) *arrival {
	a := &arrival{s: s, b: b, letters: slices.Clone(b.Dead), ours: map[identity]bool{}}
	for _, m := range b.Messages {
		body, err := chat.Storable(m)
		if err != nil {
			a.letters = append(a.letters, chat.Letter(m, err))
			continue
		}
		m.Raw = nil
		a.messages, a.bodies = append(a.messages, m), append(a.bodies, body)
	}
	return a
}

// store is repeatable: what an attempt stored whose commit was reported as
// failed, and was not, is fresh all the same.
func (a *arrival) store(tx *engine.Tx) error {
	a.fresh, a.others = nil, map[string]bool{}
	now := Stamp(a.s.now())
	for _, mv := range a.b.Moved {
		if err := move(tx, mv); err != nil {
			return err
		}
	}
	for _, p := range a.b.Present {
		if err := appear(tx, p, now); err != nil {
			return err
		}
	}
	for i, m := range a.messages {
		if err := spoke(tx, m, now); err != nil {
			return err
		}
		if err := a.accept(tx, m, a.bodies[i], now); err != nil {
			return err
		}
	}
	for _, l := range a.letters {
		if err := putAside(tx, a.b.Platform, l, now); err != nil {
			return err
		}
	}
	for name, value := range a.b.Cursors {
		if _, err := tx.Exec("INSERT INTO cursors VALUES (?, ?, ?) ON CONFLICT (platform, name) DO UPDATE SET value = excluded.value", a.b.Platform, name, value); err != nil {
			return err
		}
	}
	return nil
}

// accept stores one message, unless it is known already.
func (a *arrival) accept(tx *engine.Tx, m chat.Message, body, now string) error {
	state, who := "new", identity{m.Key, m.ID}
	if m.Kind == chat.KindSkipped {
		state = "dead"
	}
	m.UID = rand.Text()
	row, err := tx.Insert("INSERT INTO inbox (platform, channel, thread, message_id, state, body, at, uid) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		m.Key.Platform, m.Key.Channel, m.Key.Thread, m.ID, state, body, now, m.UID)
	switch {
	case err != nil:
		return err
	case row != 0:
		m.Row = row
	case !a.ours[who] && !a.s.doubts.has(who):
		return nil
	default:
		err = tx.QueryRow("SELECT id, uid FROM inbox WHERE platform = ? AND channel = ? AND thread = ? AND message_id = ? AND state = 'new'",
			m.Key.Platform, m.Key.Channel, m.Key.Thread, m.ID).Scan(&m.Row, &m.UID)
		if err != nil {
			return engine.NoRow(err, nil)
		}
	}
	owner, err := a.s.Lanes.Claim(tx, m.Key, m.Row)
	if err != nil {
		return err
	}
	if !owner.Ours {
		a.others[owner.Other] = true
		return a.s.Lanes.Pass(tx, m.Key, m.Row, owner)
	}
	a.ours[who] = true
	again := slices.ContainsFunc(a.fresh, func(f chat.Message) bool { return f.Row == m.Row })
	if !again {
		m.Nonce = a.s.answerNonce(m.UID, 0)
		a.fresh = append(a.fresh, m)
	}
	return nil
}

// answerNonce returns the nonce of a part of the answer to an inbox row.
func (s *Store) answerNonce(uid string, part int) string {
	return chat.Nonce(s.kept.salt, "answer:"+uid, part)
}

// identity is what a platform calls a message.
type identity struct {
	key chat.Key
	id  string
}

// doubts are the messages of which a failed write may have stored something
// after all. They were handed to nobody.
type doubts struct {
	mu  sync.Mutex // guards all
	all map[identity]bool
}

func (d *doubts) has(i identity) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all[i]
}

// settle takes over how a write of some messages ended.
func (d *doubts) settle(tried map[identity]bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range tried {
		if err == nil {
			delete(d.all, i)
			continue
		}
		if d.all == nil {
			d.all = map[identity]bool{}
		}
		d.all[i] = true
	}
}

// Record is what a Handler may store together with the end of its message. It runs inside the finishing transaction, at most once with effect.
type Record interface {
	store(tx *engine.Tx, s *Store, m chat.Message) error
}

// Finish implements chat.Inbox. record is a Record of this package, or nil.
func (s *Store) Finish(ctx context.Context, m chat.Message, parts []chat.Part, record any) error {
	bodies, err := encode(parts)
	if err != nil {
		return fmt.Errorf("finish: %w", err)
	}
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		if err := s.Lanes.Hold(tx, m.Key); err != nil {
			return err
		}
		var preview, uid string // the first part replaces the preview
		err := tx.QueryRow("SELECT preview, uid FROM inbox WHERE id = ? AND state = 'new'", m.Row).Scan(&preview, &uid)
		if errors.Is(err, ErrNotFound) {
			return refill(tx, m, parts)
		}
		if err != nil {
			return err
		}
		for _, row := range append([]int64{m.Row}, m.With...) {
			if _, err := tx.Exec("UPDATE inbox SET state = 'done', body = '' WHERE id = ?", row); err != nil {
				return err
			}
		}
		if _, err := tx.Exec("DELETE FROM steps WHERE inbox_id = ?", m.Row); err != nil {
			return err
		}
		for i := range parts {
			parts[i].Preview = preview
			parts[i].Started = parts[i].Started || preview != ""
			parts[i].Nonce = s.answerNonce(uid, parts[i].Index)
			preview = ""
			if err := s.insertPart(tx, m.Row, &parts[i], bodies[i]); err != nil {
				return err
			}
		}
		if t, ok := record.(*Turn); ok {
			t.Decision.quote(m, parts)
		}
		if r, ok := record.(Record); ok {
			return broken(r.store(tx, s, m))
		}
		end := chat.Ending(m, len(parts) > 0, record)
		if end.Outcome == chat.Overheard {
			return s.countOverheard(tx, m.Key)
		}
		d := Decision{End: end}
		d.quote(m, parts)
		return s.insertDecision(tx, m, d, nil)
	})
}

// countOverheard is all that stays of a message nobody was to answer: a group
// says thousands of them a day.
func (s *Store) countOverheard(tx *engine.Tx, k chat.Key) error {
	_, err := tx.Exec(`INSERT INTO overheard VALUES (?, ?, ?, ?, 1) ON CONFLICT (day, platform, channel, thread) DO UPDATE SET n = overheard.n + 1`,
		Stamp(s.now())[:len(time.DateOnly)], k.Platform, k.Channel, k.Thread)
	return err
}

// Revise implements chat.Inbox.
func (s *Store) Revise(ctx context.Context, m chat.Message, changes []int64) error {
	body, err := chat.Storable(m)
	if err != nil {
		return fmt.Errorf("revise: %w", err)
	}
	return during("revise", s.db.Write(ctx, func(tx *engine.Tx) error {
		if err := s.Lanes.Hold(tx, m.Key); err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE inbox SET body = ? WHERE id = ? AND state = 'new'", body, m.Row); err != nil {
			return err
		}
		for _, row := range changes {
			if _, err := tx.Exec("UPDATE inbox SET state = 'done', body = '' WHERE id = ?", row); err != nil {
				return err
			}
		}
		return nil
	}))
}

// broken tells what will fail however often it is tried, because it breaks a
// rule of the schema or meets a damaged page, from what a full disk does.
func broken(err error) error {
	if engine.Hopeless(err) {
		return fmt.Errorf("%w: %w", chat.ErrRecord, err)
	}
	return err
}

// Cursors implements chat.Inbox.
func (s *Store) Cursors(_ context.Context, platform string) (map[string]string, error) {
	rows, err := s.db.Query("SELECT name, value FROM cursors WHERE platform = ?", platform)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	cursors := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		cursors[name] = value
	}
	return cursors, rows.Err()
}

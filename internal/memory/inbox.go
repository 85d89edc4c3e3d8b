package memory

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/access"
	"parley/internal/memory/cluster/lanes"
)

var _ chat.Inbox = (*Store)(nil)

// Accept implements chat.Inbox.
func (s *Store) Accept(ctx context.Context, b chat.Batch) ([]chat.Message, error) {
	var err error
	if b.Messages, err = s.withoutRevived(b.Messages); err != nil {
		return nil, fmt.Errorf("accept: %w", err)
	}
	a := s.arrived(b)
	end := s.Lanes.Accepting()
	durable, err := a.stage(ctx)
	s.doubts.Settle(a.ours, err)
	if err != nil {
		end()
		return nil, fmt.Errorf("accept: %w", err)
	}
	if a.supposed != supposed {
		s.Lanes.Unlearn(a.messages)
	}
	s.Lanes.Learn(a.fresh)
	for other := range a.others {
		s.Lanes.Hint(other)
	}
	if b.Taken != nil {
		b.Taken(a.fresh)
	}
	end()
	if err := durable(); err != nil {
		if b.Taken == nil {
			s.doubts.Settle(a.ours, err)
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
	ours     map[lanes.Identity]string // UIDs stored by any attempt so far and handed to nobody
	others   map[string]bool           // nodes that own the conversations of some
	supposed supposing
}

// supposing says whether messages are stored without asking who owns their conversations.
type supposing byte

const (
	perhaps  supposing = iota
	supposed           // an attempt did so
	never              // that attempt failed
)

// arrived prepares a batch; what can never be stored becomes a dead letter.
func (s *Store) arrived(b chat.Batch) *arrival {
	a := &arrival{s: s, b: b, letters: slices.Clone(b.Dead), ours: map[lanes.Identity]string{}}
	for _, m := range b.Messages {
		m.Key = a.today(m.Key)
		body, err := chat.Storable(m)
		if err != nil {
			a.letters = append(a.letters, chat.Letter(m, err))
			continue
		}
		m.Raw, m.UID = nil, rand.Text()
		a.messages, a.bodies = append(a.messages, m), append(a.bodies, body)
	}
	return a
}

// today returns the name of a place once the batch is stored.
func (a *arrival) today(k chat.Key) chat.Key {
	for _, mv := range a.b.Moved {
		if mv.From.Platform == k.Platform && mv.From.Channel == k.Channel {
			k.Channel = mv.To.Channel
		}
	}
	return a.s.Access.Place(k).Key
}

// appear stores who is where. The bot leaving a place that was renamed means nothing.
func (a *arrival) appear(tx *engine.Tx) error {
	for _, p := range a.b.Present {
		was := p.Key
		if p.Key = a.today(was); p.Key != was && p.User.ID == "" {
			continue
		}
		if err := access.Appear(tx, p, a.s.now()); err != nil {
			return err
		}
	}
	return nil
}

// stage stores the batch. Moves and presence need serializable transactions. Messages do
// not: a lane's row is held before anything is decided about it, and the unique index
// admits one of two equal messages (see lanes.Owned).
func (a *arrival) stage(ctx context.Context) (durable func() error, err error) {
	if len(a.b.Moved)+len(a.b.Present) > 0 {
		return a.s.db.Stage(ctx, a.store)
	}
	durable, err = a.s.db.Held().Stage(ctx, a.store)
	if err != nil || a.supposed != supposed || !slices.ContainsFunc(a.fresh, func(m chat.Message) bool { return m.Row == 0 }) {
		return durable, err
	}
	// Some were known before, or are another's: those that were stored are found again, and a
	// letter without a name could not be.
	if err := durable(); err != nil {
		return nil, err
	}
	a.supposed, a.letters = never, nil
	a.s.Lanes.Unlearn(a.messages)
	return a.s.db.Held().Stage(ctx, a.store)
}

// store is repeatable: messages are fresh even if an earlier attempt stored them and its
// commit was wrongly reported as failed.
func (a *arrival) store(tx *engine.Tx) error {
	a.fresh, a.others = nil, map[string]bool{}
	now := Stamp(a.s.now())
	for _, mv := range a.b.Moved {
		if err := move(tx, mv); err != nil {
			return err
		}
	}
	if err := a.appear(tx); err != nil {
		return err
	}
	if err := a.accept(tx, now); err != nil {
		return err
	}
	for _, l := range a.letters {
		if err := putAside(tx, a.b.Platform, l, now); err != nil {
			return err
		}
	}
	for name, value := range a.b.Cursors {
		if _, err := tx.Exec("INSERT INTO cursors VALUES (?, ?, ?) ON CONFLICT (platform, name) DO UPDATE SET value = excluded.value",
			a.b.Platform, name, value); err != nil {
			return err
		}
	}
	return nil
}

// accept stores the messages that are not known already, and claims their conversations.
func (a *arrival) accept(tx *engine.Tx, now string) error {
	if a.supposes(tx) {
		return a.suppose(tx, now)
	}
	claims := a.s.Lanes.Claims(tx)
	list := slices.Clone(a.messages)
	rows := make([]func() (int64, error), len(list))
	for i, m := range list {
		err := access.Spoke(tx, m, a.s.now())
		if err != nil {
			return err
		}
		if rows[i], err = tx.Inserting(received, a.row(i, now)...); err != nil {
			return err
		}
		if err := claims.Ask(m.Key); err != nil {
			return err
		}
	}
	var stored []chat.Message
	for i := range list {
		known, err := a.known(tx, &list[i], rows[i])
		if err != nil {
			return err
		}
		if !known {
			claims.For(list[i].Key, list[i].Row)
			stored = append(stored, list[i])
		}
	}
	if err := claims.Make(); err != nil {
		return err
	}
	for _, m := range stored {
		if err := a.take(tx, m, claims.Of(m.Key)); err != nil {
			return err
		}
	}
	return nil
}

const (
	receives = "INSERT INTO inbox (platform, channel, thread, message_id, state, body, at, uid) "
	received = receives + "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
	// supposedly is received on a condition.
	supposedly = receives + "SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE " + lanes.Supposed + " ON CONFLICT DO NOTHING"
)

// row is what received stores of a message.
func (a *arrival) row(i int, now string) []any {
	m, state := a.messages[i], "new"
	if m.Kind == chat.KindSkipped {
		state = "dead"
	}
	return []any{m.Key.Platform, m.Key.Channel, m.Key.Thread, m.ID, state, a.bodies[i], now, m.UID}
}

// supposes reports whether this attempt may skip the ownership check: it takes all
// conversations for this node's and all messages for new, so that no statement waits for
// an answer.
func (a *arrival) supposes(tx *engine.Tx) bool {
	if a.supposed == never || !tx.Held() {
		a.supposed = never
		return false
	}
	for _, m := range a.messages {
		if a.s.doubts.Of(lanes.Identity{Key: m.Key, ID: m.ID}) != "" || !a.s.Lanes.Supposes(m.Key) {
			a.supposed = never
			return false
		}
	}
	return true
}

// suppose stores the messages without that check. Row ids show which were new.
func (a *arrival) suppose(tx *engine.Tx, now string) error {
	a.supposed, a.fresh = supposed, slices.Clone(a.messages)
	held := map[chat.Key]string{}
	for i := range a.fresh {
		m := &a.fresh[i]
		err := access.Spoke(tx, *m, a.s.now())
		if err == nil && held[m.Key] == "" {
			held[m.Key], err = a.s.Lanes.Suppose(tx, m.Key, len(held))
		}
		query, args := received, a.row(i, now)
		if on := held[m.Key]; on != "" {
			query, args = supposedly, append(args, on)
		}
		if err == nil {
			err = tx.InsertTo(&m.Row, query, args...)
		}
		if err != nil {
			return err
		}
		m.Nonce = a.s.answerNonce(m.UID, 0)
		if who := (lanes.Identity{Key: m.Key, ID: m.ID}); a.ours[who] == "" { // one that comes twice is stored once
			a.ours[who] = m.UID
		}
	}
	return nil
}

// known reports whether a message was stored before. Of one that still needs an answer it
// fills in what its row says.
func (a *arrival) known(tx *engine.Tx, m *chat.Message, row func() (int64, error)) (known bool, err error) {
	if m.Row, err = row(); err != nil || m.Row != 0 {
		return false, err
	}
	who := lanes.Identity{Key: m.Key, ID: m.ID}
	mine, doubted := a.ours[who], a.s.doubts.Of(who)
	if mine == "" && doubted == "" {
		return true, nil
	}
	err = tx.QueryRow("SELECT id, uid FROM inbox WHERE platform = ? AND channel = ? AND thread = ? AND message_id = ? "+
		"AND state = 'new' AND uid IN (?, ?)",
		m.Key.Platform, m.Key.Channel, m.Key.Thread, m.ID, mine, doubted).Scan(&m.Row, &m.UID)
	return m.Row == 0, engine.NoRow(err, nil)
}

// take hands a stored message to this process, or passes it to the node that owns its
// conversation.
func (a *arrival) take(tx *engine.Tx, m chat.Message, owner lanes.Owner) error {
	if !owner.Ours {
		a.others[owner.Other] = true
		return a.s.Lanes.Pass(tx, m.Key, m.Row, owner)
	}
	a.ours[lanes.Identity{Key: m.Key, ID: m.ID}] = m.UID
	again := slices.ContainsFunc(a.fresh, func(f chat.Message) bool { return f.Row == m.Row })
	if !again {
		m.Nonce = a.s.answerNonce(m.UID, 0)
		a.fresh = append(a.fresh, m)
	}
	return nil
}

// answerNonce returns the nonce of a part of the answer to an inbox row.
func (s *Store) answerNonce(uid string, part int) string {
	return chat.Nonce(s.salt, "answer:"+uid, part)
}

// Record is stored by a Handler together with the end of its message, inside the finishing
// transaction. It may run twice and takes effect at most once.
type Record interface {
	store(tx *engine.Tx, s *Store, m chat.Message) error
}

// end marks the rows of a message as done and returns the preview and UID its answer
// needs, the preview that m knows where none could be noted; ErrNotFound when the answer is
// stored already. Nearly always the row is unchanged
// since it was accepted.
func (s *Store) end(tx *engine.Tx, m chat.Message) (preview, uid string, err error) {
	preview, uid = m.Preview, m.UID
	as := false
	if uid != "" && !s.shown.has(m.Row) {
		as, err = tx.Changes("UPDATE inbox SET state = 'done', body = '' WHERE id = ? AND state = 'new' AND preview = ? AND uid = ?",
			m.Row, preview, uid)
	}
	rows := m.With
	if err == nil && !as {
		rows = append([]int64{m.Row}, m.With...)
		err = tx.QueryRow(s.db.Either(openRow, openRow+" FOR UPDATE"), m.Row).Scan(&preview, &uid)
	}
	for _, row := range rows {
		if err == nil {
			_, err = tx.Exec("UPDATE inbox SET state = 'done', body = '' WHERE id = ?", row)
		}
	}
	return cmp.Or(preview, m.Preview), uid, err
}

// openRow reads a message that has no answer yet. On a server the row is locked, since
// forgetting its author may empty it at the same moment.
const openRow = "SELECT preview, uid FROM inbox WHERE id = ? AND state = 'new'"

// alone reports whether what ends a message needs no order among all transactions. The
// conversation's row and the message's are held. All else it inserts, adds to a sum, or
// changes where it is as it was read (saveSession: else it begins anew, serializable); of
// the rows it inserts others delete some, in rounds until none is left; whoever decides by
// there being none (a session without messages) changes a row that is held. What a person's note or a question is depends on rows that
// other conversations change, and what another room does is not known here.
func alone(record any) bool {
	t, ok := record.(*Turn)
	if !ok {
		return record == nil
	}
	return t.Person == PersonNote{} && t.Asks == nil && t.Settles == nil && t.Also.Do == nil &&
		(t.Session == nil || t.Session.Generation > 0 || t.Session.CarriedFrom == "")
}

// Finish implements chat.Inbox. record is a Record of this package, or nil.
func (s *Store) Finish(ctx context.Context, m chat.Message, parts []chat.Part, record any) error {
	bodies, err := encode(parts)
	if err != nil {
		return fmt.Errorf("finish: %w", err)
	}
	revises := m.Kind == chat.KindEdit || m.Kind == chat.KindDeleted
	write := s.db.Write
	if alone(record) && !revises {
		write = s.db.Held().Write
	}
	defer s.shown.drop(m.Row)
	return write(ctx, func(tx *engine.Tx) error {
		if err := s.Lanes.Hold(tx, m.Key); err != nil {
			return err
		}
		preview, uid, err := s.end(tx, m) // the first part of its place replaces the preview
		if errors.Is(err, ErrNotFound) {
			return refill(tx, m, parts)
		}
		if err != nil {
			return err
		}
		if revises {
			err = s.revised(tx, m)
		}
		_, e := tx.Exec("DELETE FROM steps WHERE inbox_id = ?", m.Row)
		parts, may := s.said(tx, m, parts, record)
		if err = errors.Join(err, e, may, s.Lanes.Tell(tx, parts, m.Key)); err != nil {
			return err
		}
		for i := range parts {
			if parts[i].Preview = ""; parts[i].Key == m.Key {
				parts[i].Preview, preview = preview, ""
			}
			parts[i].Started = parts[i].Started || parts[i].Preview != ""
			parts[i].Nonce = s.answerNonce(uid, parts[i].Index)
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
		if err := questioned(tx, m, end, record); err != nil {
			return err
		}
		d := Decision{End: end}
		d.quote(m, parts)
		return s.Decisions.insertDecision(tx, m, d, nil)
	})
}

// questioned stores what an end that is no turn means for questions.
func questioned(tx *engine.Tx, m chat.Message, end chat.End, record any) error {
	if end.Reason == chat.Fault {
		return lapseUnseen(tx, m)
	}
	if s, ok := record.(chat.Settling); ok {
		return settle(tx, s)
	}
	return nil
}

// revised stores what the edit or deletion of a message changes besides its answer.
func (s *Store) revised(tx *engine.Tx, m chat.Message) error {
	err := lapseSaid(tx, m)
	if m.Kind == chat.KindDeleted {
		_, e := s.amend(tx, m.Key, m.ReplyTo, amendment{TakenBack, 0, true})
		err = errors.Join(err, broken(e))
	}
	return err
}

// countOverheard counts a message that nobody had to answer; nothing else of it stays. A
// group says thousands of them a day.
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
	return during("revise", s.db.Held().Write(ctx, func(tx *engine.Tx) error {
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

// broken marks errors that will recur on every try, such as a broken rule of the schema or
// a damaged page, unlike a full disk.
func broken(err error) error {
	if engine.Hopeless(err) {
		return fmt.Errorf("%w: %w", chat.ErrRecord, err)
	}
	return err
}

// Cursors implements chat.Inbox.
func (s *Store) Cursors(_ context.Context, platform string) (map[string]string, error) {
	return engine.Pairs[string, string](s.db, "SELECT name, value FROM cursors WHERE platform = ?", platform)
}

// Unanswered returns the oldest messages of a conversation that have no answer yet, in
// order.
func (s *Store) Unanswered(_ context.Context, k chat.Key, limit int) ([]chat.Message, error) {
	list, err := engine.Select(s.db, func(r engine.Scanner) (m chat.Message, err error) {
		err = r.Scan(&m.Row, engine.JSON(&m))
		return m, err
	}, "SELECT id, body FROM inbox WHERE platform = ? AND channel = ? AND thread = ? AND state = 'new' ORDER BY id LIMIT ?",
		k.Platform, k.Channel, k.Thread, limit)
	return list, during("read unanswered messages", err)
}

// Tide returns what grows with each message of a conversation, said or answered.
func (s *Store) Tide(_ context.Context, k chat.Key) (said, waiting int64, err error) {
	err = s.db.QueryRow(`SELECT coalesce((SELECT id FROM messages WHERE platform = :platform AND channel = :channel AND thread = :thread ORDER BY id DESC LIMIT 1), 0),
		coalesce((SELECT max(id) FROM inbox WHERE platform = :platform AND channel = :channel AND thread = :thread AND state = 'new'), 0)`,
		engine.Named{"platform": k.Platform, "channel": k.Channel, "thread": k.Thread}).Scan(&said, &waiting)
	return said, waiting, during("look for news", err)
}
